# SPDX-License-Identifier: GPL-2.0-or-later
# --from-bpftrace: a reason has text of the script in it, and stays in its comment; how a map keeps its elements; a value that nobody wants.
. "$SUITE/lib.sh"
cat >reasons.bt <<'END'
let @kept = lruhash(16);
macro
probe_all() { 1 }
nosuch:one
probe:two { exit(); }
BEGIN { if (nosuch(1 /* one */)) { exit(); } @kept[1] = 2; @kept[2] = 3; _ = delete(@kept, 1); exit(); }
END
expect 0 "$SPILE" --from-bpftrace reasons.bt
cat out
says '^WARNING: 4 pieces of reasons\.bt have no translation: comments in the script say why$'
echo "== run"
expect 0 "$SPILE" reasons.bt
cat out
