# SPDX-License-Identifier: GPL-2.0-or-later
# The library's examples that need the kernel, run in it.
for file in $(cd "$TOP/tapsets" && find . -name '*.stp' | sed 's,^\./,,' | sort); do
	awk -v out="$PWD/example" -v file="$file" -f "$SUITE/tapset/extract.awk" "$TOP/tapsets/$file" 2>/dev/null
done
n=0
for script in example.*.kernel.stp; do
	base=${script%.stp} n=$((n + 1))
	# shellcheck disable=SC2046
	timeout 60 "$SPILE" $(cat "$base.opts" 2>/dev/null) -T 20 "$script" >actual 2>err || echo "status $?" >>err
	if [ -s err ] || { [ -e "$base.out" ] && ! cmp -s "$base.out" actual; }; then
		echo "$(cat "$base.name"):"
		cat err
		[ ! -e "$base.out" ] || diff "$base.out" actual
		touch failed
	fi
done
[ $n -gt 0 ] && [ ! -e failed ]
