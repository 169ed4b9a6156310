// SPDX-License-Identifier: GPL-2.0-or-later
/** Relocates the debug sections of a relocatable file: a kernel module.
 *
 *  The problem. libdwfl does so, and makes each relocation zero when it is done: of Debian's modules these are a third more bytes than
 *  .debug_info has itself, all of which become copies of the process. That is most of the time and memory of a search through all modules.
 *
 *  The idea. Most are "a symbol's address and a number, in four or eight bytes", which do not read what was there. They are done in the file's
 *  private mapping, in which libdwfl has given the sections their addresses; a section of relocations that is done gets the size 0 in its
 *  header, as libdwfl would write. Of a section with any other relocation nothing is said, so that libdwfl does it all. */
#ifndef SP_DEBUG_DW_RELOC_H
#define SP_DEBUG_DW_RELOC_H

#include "compiler/debug/dwarf/dw_elf.h"

/** Relocates what it can of an image whose sections have their addresses. An error: neither this nor libdwfl can relocate it safely. */
struct sp_err *dw_reloc_apply(struct dw_image *image);

#endif
