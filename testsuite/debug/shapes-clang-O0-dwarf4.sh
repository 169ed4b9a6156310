# SPDX-License-Identifier: GPL-2.0-or-later
. "$SUITE/debug/lib"
program shapes shapes-clang-O0-dwarf4 twin
. "$SUITE/debug/shapes"
