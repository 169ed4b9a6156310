# SPDX-License-Identifier: GPL-2.0-or-later
# Each body of matrix/bodies prints the same in handlers of every sort of probe, in the kernel, the user engine and the runtime.
. "$SUITE/lib.sh"
given=()
[ ! -e "${RUN_OBJECTS:+$RUN_OBJECTS/matrix-begin.spo}" ] || given=(--objects "$RUN_OBJECTS")
expect 0 "$SUITE/matrix/matrix" --build "$BUILD" "${given[@]}"
is ''
quiet
