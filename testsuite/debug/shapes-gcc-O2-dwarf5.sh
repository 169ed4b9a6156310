# SPDX-License-Identifier: GPL-2.0-or-later
. "$SUITE/debug/lib"
program shapes shapes-gcc-O2-dwarf5 twin
. "$SUITE/debug/shapes"
