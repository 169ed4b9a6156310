# SPDX-License-Identifier: GPL-2.0-or-later
# A file has at most 1,000 lines. One of the compiler or the runtime that has more than 600 says why in its head; rows of a .def file
# are data.
cd "$TOP" || exit 1
find compiler runtime testsuite bench -name '*.[ch]' | xargs wc -l | awk '$2 != "total" && $1 > 600 { print $1, $2 }' |
	while read -r lines file; do
		if [ "$lines" -gt 1000 ]; then
			echo "$file has $lines lines"
		elif [[ $file != testsuite/* ]] && ! sed -n '1,8p' "$file" | grep -q 'more than 600 lines'; then
			echo "$file has $lines lines, and does not say why in its head"
		fi
	done >"$TMP/bad"
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
