# SPDX-License-Identifier: GPL-2.0-or-later
# The #include lines form no circle. Between headers there is none at all. Between modules (x.c with x.h) circles are
# allowed through the headers of cycles.table only: without the arrows to these the rest has an order, from the bottom up.
# tsort prints the members of each circle that it finds.
cd "$TOP" || exit 1
bad=0
find compiler runtime -name '*.[ch]' | xargs grep -Ho '^#include "[^"]*/[^"]*\.h"' | sed 's/:#include "/ /; s/"$//' >"$TMP/edges"
[ "$(wc -l <"$TMP/edges")" -gt 1000 ] || { echo "no #include lines found"; exit 1; }

circle=$(grep '\.h ' "$TMP/edges" | tsort 2>&1 >/dev/null)
[ -z "$circle" ] || { echo "headers include each other: $circle"; bad=1; }

sed 's/\.[ch]\>//g' "$TMP/edges" | awk '$1 != $2' >"$TMP/modules"
sed '/^#/d; s/\.h *|.*//' testsuite/lint/cycles.table >"$TMP/named"
# circle WITHOUT: what tsort says of the modules when the arrows to the named headers are left out, all but those to WITHOUT
circle()
{
	awk -v without="$1" 'FILENAME ~ /named$/ { if ($1 != without) named[$1]; next } !($2 in named)' "$TMP/named" "$TMP/modules" |
		tsort 2>&1 >/dev/null
}
circle=$(circle '')
[ -z "$circle" ] || { echo "modules include each other, through no header of cycles.table: $circle"; bad=1; }
while read -r header; do
	[ -n "$(circle "$header")" ] || { echo "cycles.table: no circle goes through $header.h any more"; bad=1; }
done <"$TMP/named"
exit $bad
