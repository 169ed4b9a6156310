# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run runs what spile -p4 wrote, and prints the same.
. "$SUITE/lib.sh"
script='global a probe begin { a["x"] = 3 a["y"] = 5 printf("%d\n", target() != -1) exit() }
probe end { foreach (k+ in a) printf("%s=%d\n", k, a[k]) }'
expect 0 "$SPILE" -e "$script"
cp out direct
expect 0 "$SPILE" -p4 -o x.spo -e "$script"
expect 0 "$SPILE_RUN" x.spo
quiet
cmp -s out direct || fail "spile-run prints something else than spile"
expect 0 "$SPILE_RUN" -o words x.spo
cmp -s words direct || fail "-o"
