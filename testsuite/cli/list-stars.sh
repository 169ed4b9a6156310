# SPDX-License-Identifier: GPL-2.0-or-later
# ** at the end of a point is any number of components; * is one.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -l "process(\"$PROGS/calls\").**"
for point in begin end syscall syscall.return thread.begin thread.end; do
	prints "^process\(\"$PROGS/calls\"\)\.$point\$"
done
expect 0 "$SPILE" -l "process(\"$PROGS/calls\").thread.**"
is "process(\"$PROGS/calls\").thread.begin
process(\"$PROGS/calls\").thread.end"
expect 0 "$SPILE" -l "process(\"$PROGS/calls\").*"
prints '\.syscall$'
! grep -qF -e .return -e .thread out || fail "* is one component"
