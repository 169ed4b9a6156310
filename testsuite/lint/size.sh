# SPDX-License-Identifier: GPL-2.0-or-later
# A file has at most 1,000 lines. One of the compiler or the runtime that has more than 600 says why in its head; rows of a .def file
# are data. A function of theirs has at most 60 lines.
cd "$TOP" || exit 1
find compiler runtime testsuite bench -name '*.[ch]' | xargs wc -l | awk '$2 != "total" && $1 > 600 { print $1, $2 }' |
	while read -r lines file; do
		if [ "$lines" -gt 1000 ]; then
			echo "$file has $lines lines"
		elif [[ $file != testsuite/* ]] && ! sed -n '1,8p' "$file" | grep -q 'more than 600 lines'; then
			echo "$file has $lines lines, and does not say why in its head"
		fi
	done >"$TMP/bad"
find compiler runtime -name '*.c' | sort | xargs awk '
	FNR == 1 { from = 0 }
	/^[A-Za-z]/ { name = $0; start = FNR }
	/^{/ { from = start }
	/^}/ && from { if (FNR - from >= 60) printf "%s: %d lines: %s\n", FILENAME, FNR - from + 1, name; from = 0 }' >>"$TMP/bad"
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
