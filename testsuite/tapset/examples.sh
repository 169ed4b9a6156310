# SPDX-License-Identifier: GPL-2.0-or-later
# Every entry of the library has a doc block with an example; each example runs, and prints what it says it prints. Those that
# need the kernel are compiled here and run in vm/tapset.sh.
cd "$TOP/tapsets" || exit 1
for file in $(find . -name '*.stp' -o -name '*.stpm' | sed 's,^\./,,' | sort); do
	awk -v out="$TMP/example" -v file="$file" -f "$SUITE/tapset/extract.awk" "$file" 2>>"$TMP/bad"
done
n=0
for script in "$TMP"/example.*.stp; do
	base=${script%.stp} n=$((n + 1))
	opts=$(cat "$base.opts" 2>/dev/null)
	[ -e "$base.err" ] || : >"$base.err"
	case $script in
	*.kernel.stp)
		[ -e /sys/kernel/btf/vmlinux ] || continue
		set -- -p4 -o "$TMP/example.spo"
		rm -f "$base.out" ;;
	*) set -- --engine=user ;;
	esac
	if ! timeout 20 "$SPILE" "$@" $opts "$script" >"$TMP/actual" 2>"$TMP/err" || ! cmp -s "$base.err" "$TMP/err"; then
		echo "$(cat "$base.name"): the example fails:"
		cat "$TMP/err"
	elif [ -e "$base.out" ] && ! cmp -s "$base.out" "$TMP/actual"; then
		echo "$(cat "$base.name"): the example prints something else:"
		diff "$base.out" "$TMP/actual"
	fi
done >>"$TMP/bad"
cat "$TMP/bad"
[ $n -gt 0 ] && [ ! -s "$TMP/bad" ]
