# SPDX-License-Identifier: GPL-2.0-or-later
# Unwind tables say what readelf says of the same .eh_frame: where the caller's stack begins, and where rbp is.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"
command -v readelf >/dev/null || skip "needs readelf"
for file in "$PROGS/omit" "$PROGS/stack"; do
	"$BUILD/testsuite/unit/unwind_dump" "$file" >table || fail "unwind_dump $file"
	# "+" is in front of rows that say the same as the one above, of which the table may have one. A function without rows is as its
	# common part says. Behind `leave` rbp is restored, which compilers do not tell where the stack was aligned.
	readelf --debug-dump=frames-interp "$file" 2>/dev/null | awk '
		function put(at, what) { print (what == last ? "+" : "") at, what; last = what }
		function end() { if (start != "") put(start, "rsp+8 u"); start = last = "" }
		/ CIE / { end(); in_function = 0; next }
		/ FDE / { end(); in_function = 1; start = $0; sub(/.*pc=/, "", start); sub(/[.].*/, "", start); next }
		/^ +LOC/ { rbp = 0; for (i = 1; i <= NF; i++) if ($i == "rbp") rbp = i; next }
		in_function && NF > 2 { start = ""; put($1, $2 " " (rbp && !($2 ~ /^rsp/ && $rbp == "exp") ? $rbp : "u")) }
		END { end() }' >wanted
	grep -E ' r[bs]p\+' table | sort >got
	[ "$(wc -l <got)" -gt 5 ] || fail "there are few rows of $file"
	sed 's/^+//' wanted | sort | comm -13 - got >extra
	[ ! -s extra ] || fail "$file: readelf does not say $(head -n 3 extra)"
	grep " end$" table | cut -d" " -f1 >ends
	grep -E "^[^+].* r[bs]p\+" wanted | grep -vFf ends | sort | comm -23 - got >missing
	[ ! -s missing ] || fail "$file: the table does not say $(head -n 3 missing)"
done
