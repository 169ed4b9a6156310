// SPDX-License-Identifier: GPL-2.0-or-later
/** A copy of a file's debug sections that is not compressed.
 *
 *  The problem. The debug sections of ceph-osd are 170 MB in the file, and 620 MB when they are read. libelf decompresses all of
 *  them into memory, one after the other, at every start; and it may have been built without zstd.
 *
 *  The idea. The sections are decompressed into a file: in all threads, once for each build-id (cache/cache.h), or into a file
 *  without a name where there is no cache. It is mapped as any other debug file, so that memory is used only for the pages that
 *  something is read from. libzstd and, for sections of zlib, ISA-L are loaded when they are needed, as spile needs them for nothing
 *  else; without ISA-L, zlib does its work.
 *
 *  The limits. Small files are left to libelf, as are kernel modules, which libdwfl opens, and files that dwz has made. */
#ifndef SP_DEBUG_DW_PLAIN_H
#define SP_DEBUG_DW_PLAIN_H

#include "compiler/debug/dwarf/dw_elf.h"

#include "runtime/base/log.h"

/** Opens the copy of `image`. Of .debug_info the bytes up to `info_end` are wanted; when these are few there may be no more. False: there
 *  is nothing that has to be copied, or no room for it; libelf may do. */
bool dw_plain_open(const struct dw_image *image, const uint8_t *build_id, unsigned build_id_len, uint64_t info_end,
		   const struct sp_log *log, struct dw_image *ret);

#endif
