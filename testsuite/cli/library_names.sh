# SPDX-License-Identifier: GPL-2.0-or-later
# The variables of a library's alias are not the globals of a script that have their names, and do not hide them from it.
. "$TOP/testsuite/lib.sh"

mkdir lib
echo 'probe once = begin { n = 5; m = n + 1 }' >lib/once.stp
expect 0 "$SPILE" --engine=user -I lib -e 'global n[4]; probe once { n["a"]++; println(m, n["a"]); exit() }'
is 61
expect 0 "$SPILE" --engine=user -I lib -e 'global n; probe once { n++; println(m, n); exit() }'
is 61
expect 0 "$SPILE" --engine=user -I lib -e 'probe once { n++; println(m, n); exit() }'
is 66
