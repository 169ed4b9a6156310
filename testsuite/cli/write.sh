# SPDX-License-Identifier: GPL-2.0-or-later
# The probed program goes on with what a handler puts into its memory: what it says comes last.
. "$SUITE/lib.sh"
cp "$SUITE/cli/write.stp" .
expect 0 "$SPILE" -g --engine=user -c "$PROGS/shapes >said" write.stp "$PROGS/shapes"
[ "$(cat err)" = "WARNING: unable to write nowhere to 0x1" ] || fail "other warnings"
cat out said
