// SPDX-License-Identifier: GPL-2.0-or-later
/** The build-id of a file, as far as it can be read without libelf: what is taken from the cache must not load that;
 *  dw_elf_build_id() is for a file that libelf has open, which can be a decompressed one. */
#ifndef SP_CACHE_ELF_ID_H
#define SP_CACHE_ELF_ID_H

#include "runtime/base/build_id.h"

#define ELF_ID_TEXT (2 * SP_BUILD_ID_MAX + 1)

/** Returns its length; 0: there is no such file, it is no ELF file of this byte order, or it has none. */
unsigned elf_id_read(const char *path, uint8_t ret[SP_BUILD_ID_MAX]);
/** The same of a file of notes alone, as /sys/kernel/notes is. */
unsigned elf_id_of_notes(const char *path, uint8_t ret[SP_BUILD_ID_MAX]);
/** As hexadecimal digits; returns `text`. */
const char *elf_id_text(const uint8_t *id, unsigned len, char text[ELF_ID_TEXT]);

#endif
