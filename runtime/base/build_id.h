// SPDX-License-Identifier: GPL-2.0-or-later
/** Build-ids: what tells two builds of a program or kernel apart. */
#ifndef SP_BASE_BUILD_ID_H
#define SP_BASE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#define SP_BUILD_ID_MAX 32 // bytes, as in struct sp_object; linkers write 20
#define SP_CONTENT_ID 8

/** Finds the build-id among ELF notes (of a file, or /sys/kernel/notes). Returns its length, 0 when there is none, or none
 *  of at most SP_BUILD_ID_MAX bytes. */
unsigned sp_build_id_find(const void *notes, size_t size, uint8_t ret[SP_BUILD_ID_MAX]);

/** Programs without a build-id (Go's, musl's) are told apart by what is in them: the bytes of this number, of an open file, are their id. */
unsigned sp_build_id_of_content(int fd, uint8_t ret[SP_CONTENT_ID]);

/** Tools that rewrite a program (patchelf) keep its build-id, but may put its code elsewhere. Adds a segment of code to a number that says where all
 *  of them are; 0 at first. */
static inline uint64_t sp_code_layout(uint64_t layout, uint64_t offset, uint64_t address)
{
	return ((layout + offset) * 0x100000001b3 + address) * 0x100000001b3 + 1;
}

#endif
