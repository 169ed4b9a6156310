# SPDX-License-Identifier: GPL-2.0-or-later
# Every row of builtin.def is used by a case that prints what it gives, in run/, root/ or vm/.
cd "$TOP" || exit 1
sed -n 's/^BUILTIN([A-Z0-9_]*, *"\(@\{0,1\}[a-z0-9_]*\)".*/\1/p' compiler/model/builtin.def >"$TMP/names"
[ -s "$TMP/names" ] || { echo "no rows in builtin.def"; exit 1; }
while read -r name; do
	grep -qsE "(^|[^a-z0-9_])$name *\(" testsuite/run/*.stp testsuite/root/*.stp testsuite/vm/*.sh || echo "$name(): no case in run/, root/ or vm/"
done <"$TMP/names" >"$TMP/bad"
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
