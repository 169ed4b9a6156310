# SPDX-License-Identifier: GPL-2.0-or-later
# Every entry of the library has a doc block with an example; each example runs, and prints what it says it prints. What is one
# probe that runs at the start goes into one script with the others of that kind; so do those that need the kernel, which
# tapset/kernel compiles and root/tapset runs.
. "$SUITE/lib.sh"
cd "$TOP/tapsets" || exit 1
for file in $(find . -name '*.stp' -o -name '*.stpm' | sed 's,^\./,,' | sort); do
	awk -v out="$TMP/example" -v file="$file" -f "$SUITE/tapset/extract.awk" "$file" 2>>"$TMP/bad"
done

# report BASE: compares what the last run printed and warned.
report()
{
	if ! cmp -s "$1.err" "$TMP/err"; then
		echo "$(cat "$1.name"): the example fails:"
		diff "$1.err" "$TMP/err"
	elif [ -e "$1.out" ] && ! cmp -s "$1.out" "$TMP/actual"; then
		echo "$(cat "$1.name"): the example prints something else:"
		diff "$1.out" "$TMP/actual"
	fi >>"$TMP/bad"
}

all=$TMP/all
for kind in start kernel; do
	: >"$all.$kind.stp"
	: >"$all.$kind.err"
	echo "one of the examples ($kind)" >"$all.$kind.name"
done
: >"$all.start.out"
n=0
for script in "$TMP"/example.*.stp; do
	base=${script%.stp} n=$((n + 1))
	[ -e "$base.err" ] || : >"$base.err"
	if [[ $script == *.kernel.stp && ! -e $base.opts ]] && ! grep -q '^probe oneshot' "$script"; then
		cat "$script" >>"$all.kernel.stp"
	elif [ -e "$base.out" ] && [ ! -e "$base.opts" ] && [ ! -e "$base.alone" ] && [ "$(grep -cE '^(probe|function|global|@define)' "$script")" = 1 ] &&
			grep -qE '^probe (oneshot|begin) *\{' "$script"; then
		sed -E "s/^probe (oneshot|begin) *\{/probe begin($n) {/; s/\<exit\(\)//g" "$script" >>"$all.start.stp"
		cat "$base.out" >>"$all.start.out"
		cat "$base.err" >>"$all.start.err"
	elif [ -z "${KERNEL_ONLY:-}" ]; then
		# What reads keys is told to quit.
		# shellcheck disable=SC2046
		timeout 20 "$SPILE" --engine=user $(cat "$base.opts" 2>/dev/null) "$script" <<<q >"$TMP/actual" 2>"$TMP/err" ||
			echo "status $?" >>"$TMP/err"
		report "$base"
	fi
done
if [ -z "${KERNEL_ONLY:-}" ]; then
	echo "probe begin(1000000) { exit() }" >>"$all.start.stp"
	timeout 20 "$SPILE" --engine=user "$all.start.stp" >"$TMP/actual" 2>"$TMP/err" || echo "status $?" >>"$TMP/err"
	report "$all.start"
elif [ -e /sys/kernel/btf/vmlinux ]; then
	timeout 55 "$SPILE" -p4 -o "$TMP/example.spo" "$all.kernel.stp" >"$TMP/actual" 2>"$TMP/err" || echo "status $?" >>"$TMP/err"
	report "$all.kernel"
else
	skip "this kernel has no BTF"
fi
cat "$TMP/bad"
[ $n -gt 0 ] && [ ! -s "$TMP/bad" ]
