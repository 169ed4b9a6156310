# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run is built for aarch64, too: system calls that it has not are named for x86_64 alone.
cd "$TOP" || exit 1
table=/usr/include/asm-generic/unistd.h
[ -e $table ] || { echo "the kernel's headers are not installed"; exit 77; }
find runtime -name '*.[ch]' | sort | xargs awk -v table=$table '
	BEGIN {
		while ((getline line <table) > 0)
			if (match(line, /^#define __NR(3264)?_[a-z0-9_]+/)) {
				name = substr(line, 9, RLENGTH - 8)
				sub(/^__NR(3264)?_/, "SYS_", name)
				known[name] = 1
			}
	}
	FNR == 1 { depth = 0; split("", x86) }
	/^#[ \t]*if/ { x86[++depth] = /__x86_64__/ && !/!/ }
	/^#[ \t]*el/ { x86[depth] = 0 }
	/^#[ \t]*endif/ { depth-- }
	{
		for (i = 1; i <= depth; i++)
			if (x86[i])
				next
		sub(/\/\/.*/, "")
		while (match($0, /SYS_[a-z][a-z0-9_]*/)) {
			name = substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
			if (!known[name])
				print FILENAME ":" FNR ": " name
		}
	}' >"$TMP/bad"
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
