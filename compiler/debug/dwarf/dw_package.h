// SPDX-License-Identifier: GPL-2.0-or-later
/** Packages of split debug information: PROGRAM.dwp, which dwp(1) makes of .dwo files.
 *
 *  The problem. A package has the contributions of all .dwo files one behind the other, and an index that says where those of a unit
 *  are (DWARF 5 section 7.3.5; before, GNU's DebugFissionDWP). libdw reads that since elfutils 0.191, and .dwo files before.
 *
 *  The idea. The package is taken apart again: a .dwo file for each unit, in a folder of its own beside a copy of the program, since
 *  libdw looks for .dwo files from the program's folder on. When libdw has opened them all, the folder is removed.
 *
 *  The limits. A type unit goes with the unit that it was packed with: of others that refer to it only the name is known. */
#ifndef SP_DEBUG_DW_PACKAGE_H
#define SP_DEBUG_DW_PACKAGE_H

#include "compiler/debug/dwarf/dw_file.h"

/** Opens the copy of `image`, the one that `file->dwarf` is of, and its package's units: `ret` and *dwarf_ret, which is to be ended
 *  first. False: it has no package, or one that cannot be read, which is told. */
bool dw_package_open(const struct dw_file *file, const struct dw_image *image, struct dw_image *ret, Dwarf **dwarf_ret);

#endif
