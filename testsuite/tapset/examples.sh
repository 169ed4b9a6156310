# SPDX-License-Identifier: GPL-2.0-or-later
# Every entry of the library has a doc block with an example; each example runs, and prints what it says it prints. Those that need the
# kernel are compiled by tapset/kernel, and root/tapset runs them.
. "$SUITE/lib.sh"
mkdir examples
: >examples/start.err
(cd "$TOP/tapsets" && find . -name '*.stp' -o -name '*.stpm' | sort | xargs awk -v to="$TMP/examples" -f "$SUITE/tapset/extract.awk") 2>bad ||
	fail "awk: $(cat bad)"
[ -s examples/start.stp ] && [ -s examples/kernel.stp ] || fail "there are no examples"

# try NAME BASE SECONDS OPTION... SCRIPT: it prints BASE.out, if there is one, and warns BASE.err.
try()
{
	local name=$1 base=$2
	# What reads keys is told to quit.
	timeout "${@:3:1}" "$SPILE" "${@:4}" <<<q >actual 2>err || echo "status $?" >>err
	[ -e "$base.err" ] || : >"$base.err"
	if ! cmp -s "$base.err" err; then
		echo "$name: the example fails:"
		diff "$base.err" err
	elif [ -e "$base.out" ] && ! cmp -s "$base.out" actual; then
		echo "$name: the example prints something else:"
		diff "$base.out" actual
	fi >>bad
}

if [ -n "${KERNEL_ONLY:-}" ]; then
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	try "one of the examples (kernel)" kernel 100 -p4 -o example.spo examples/kernel.stp
else
	echo "probe begin(1000000) { exit() }" >>examples/start.stp
	try "one of the examples (start)" examples/start 40 --engine=user examples/start.stp
	for script in examples/[0-9]*.stp; do
		base=${script%.stp}
		# shellcheck disable=SC2046
		try "$(cat "$base.name")" "$base" 20 --engine=user $(cat "$base.opts" 2>/dev/null) "$script"
	done
fi
cat bad
[ ! -s bad ]
