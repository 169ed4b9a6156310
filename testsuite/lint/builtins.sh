# SPDX-License-Identifier: GPL-2.0-or-later
# Every row of builtin.def is used by a case that prints what it gives, in run/, root/ or vm/. Comments and strings of scripts
# are no use of it, nor are comment lines of .sh cases.
cd "$TOP" || exit 1
sed -n 's/^BUILTIN([A-Z0-9_]*, *"\(@\{0,1\}[a-z0-9_]*\)".*/\1/p' compiler/model/builtin.def >"$TMP/names"
[ -s "$TMP/names" ] || { echo "no rows in builtin.def"; exit 1; }
{
	cat testsuite/run/*.stp testsuite/root/*.stp |
		sed -E 's/"([^"\\]|\\.)*"//g; s,(//|^#|[^$@]#).*,,; s,/\*([^*]|\*[^/])*\*/,,g; /\/\*/,/\*\//d'
	sed '/^[ \t]*#/d' testsuite/root/*.sh testsuite/vm/*.sh
} >"$TMP/code"
while read -r name; do
	grep -qE "(^|[^A-Za-z0-9_])$name *\(" "$TMP/code" || echo "$name(): no case in run/, root/ or vm/"
done <"$TMP/names" | tee "$TMP/bad"
[ ! -s "$TMP/bad" ]
