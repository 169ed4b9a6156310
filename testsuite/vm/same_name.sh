# SPDX-License-Identifier: GPL-2.0-or-later
# Of two functions of the kernel with one name, each has its own source place.
. "$SUITE/lib.sh"

# Both are in the kernel's own code, where nothing is between the function and its first line.
awk '$2 == "t" && NF == 3 && $3 ~ /^[a-z_]+_show$/ { n[$3]++; at[$3] = at[$3] " 0x" $1 }
	END { for (name in n) if (n[name] == 2) print name at[name] }' /proc/kallsyms | LC_ALL=C sort | head -n 20 >names
[ "$(wc -l <names)" = 20 ] || fail "the kernel has few functions of one name"
{
	echo 'probe begin {'
	while read -r name one other; do
		echo "printf(\"%s %s %s %d\\n\", symname($one), symfileline($one), symfileline($other), symfileline($one) != symfileline($other))"
	done <names
	echo 'exit() }'
} >places.stp
expect 0 timeout 120 "$SPILE" places.stp
grep -cE '^[a-z_]+ (\S+/)?[a-z0-9_-]+\.[ch]:[0-9]+ \S+\.[ch]:[0-9]+ 1$' out >got
echo 20 | diff -u - got || { cat out; fail "source places"; }
