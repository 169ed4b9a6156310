# SPDX-License-Identifier: GPL-2.0-or-later
# The #include lines of every file against floors.table. Every folder is in the table of docs/architecture.md, too.
cd "$TOP" || exit 1
bad=0
for folder in compiler/*/ runtime/*/; do
	grep -q "^| \`${folder%/}\` |" docs/architecture.md && continue
	echo "docs/architecture.md: no row for ${folder%/}"
	bad=1
done
find compiler runtime -name '*.[ch]' | sort | xargs awk '
	BEGIN {
		third_party = "^(bpf/|libelf.h|gelf.h|dwarf.h|elfutils/|llvm-c/|readline/|zlib.h|libiberty/)"
		while ((getline row < "testsuite/lint/floors.table") > 0) {
			if (row ~ /^[#!]|^ *$/)
				continue
			split(row, part, "|")
			gsub(/ /, "", part[1])
			path[++n] = part[1]
			project[n] = part[2]
			foreign[n] = part[3]
		}
	}
	function allowed(header, list,    i, k, word) {
		k = split(list, word, " ")
		for (i = 1; i <= k; i++)
			if (index(header, word[i]) == 1)
				return 1
		return 0
	}
	function complain() {
		printf "%s:%d: %s may not include %s\n", FILENAME, FNR, path[r], header
		bad = 1
	}
	FNR == 1 {
		for (r = 1; r <= n && index(FILENAME, path[r]) != 1; r++)
			;
		if (r > n) {
			printf "%s: no row in floors.table\n", FILENAME
			bad = 1
		}
		folder = FILENAME
		sub(/[^\/]*$/, "", folder)
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		header = $0
		gsub(/^[^"]*"|".*$/, "", header)
		if (header !~ /\//) # beside the file: only a list of rows is included so
			header = folder header
		if (index(header, folder) != 1 && !allowed(header, project[r]))
			complain()
	}
	/^[ \t]*#[ \t]*include[ \t]*</ {
		header = $0
		gsub(/^[^<]*<|>.*$/, "", header)
		if (foreign[r] ~ /libc:/ ? !allowed(header, foreign[r]) : header ~ third_party && !allowed(header, foreign[r]))
			complain()
	}
	END { exit bad }' || bad=1
exit $bad
