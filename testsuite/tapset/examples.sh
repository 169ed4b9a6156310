# SPDX-License-Identifier: GPL-2.0-or-later
# Every entry of the library has a doc block with an example; each example runs, and prints what it says it prints.
cd "$TOP/tapsets" || exit 1
find . -name '*.stp' -o -name '*.stpm' | sort >"$TMP/files"
while read -r file; do
	awk -v out="$TMP/example" -v file="$file" '
		/^\/\*\*/ { block = 1; state = ""; name = ""; next }
		block && name == "" { name = $0; sub(/^ \* */, "", name); sub(/ -.*/, "", name) }
		block && /^ \* Example:/ { state = "stp"; n++
			part = substr(file, 3); gsub("/", "_", part); base = out "." part "." n
			print name >(base ".name"); printf "" >(base ".stp"); next }
		block && /^ \* Prints:/ { state = "out"; printf "" >(base ".out"); next }
		block && /^ \*\// {
			if (state == "")
				print file ": no example: " name >"/dev/stderr"
			block = 0; next }
		block && state != "" { print substr($0, 8) >(base "." state) }
		!block && /^(private )?(function|probe|@define)/ { if (!/^private/) entries++ }
		END {
			if (entries > n)
				print file ": " entries " entries, but " n + 0 " examples" >"/dev/stderr"
		}' "$file" 2>>"$TMP/bad"
done <"$TMP/files"
n=0
for script in "$TMP"/example.*.stp; do
	base=${script%.stp} n=$((n + 1))
	if ! timeout 20 "$SPILE" --engine=user "$script" >"$TMP/actual" 2>"$TMP/err" || [ -s "$TMP/err" ]; then
		echo "$(cat "$base.name"): the example fails:"
		cat "$TMP/err"
	elif [ -e "$base.out" ] && ! cmp -s "$base.out" "$TMP/actual"; then
		echo "$(cat "$base.name"): the example prints something else:"
		diff "$base.out" "$TMP/actual"
	fi
done >>"$TMP/bad"
cat "$TMP/bad"
[ $n -gt 0 ] && [ ! -s "$TMP/bad" ]
