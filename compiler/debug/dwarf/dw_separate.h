// SPDX-License-Identifier: GPL-2.0-or-later
/** Debug information that is not in the file itself. It is looked for by build-id, then by .gnu_debuglink, then on the
 *  debuginfod servers. A file is used only when its build-id is the right one or, where one of the two has none, its checksum. */
#ifndef SP_DEBUG_DW_SEPARATE_H
#define SP_DEBUG_DW_SEPARATE_H

#include "compiler/debug/dwarf/dw_file.h"

/** Sets file->sep to the separate debug file; false: there is none. Appends to `tried` where it has looked. */
bool dw_separate_find(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried);
/** Opens the file that .gnu_debugaltlink names, which dwz -m has made, and hands it to libdw; warns when it is missing. */
void dw_separate_open_alt(struct dw_file *file, const struct dw_search *search);
/** Asks the debuginfod servers of DEBUGINFOD_URLS, when that is set, until they do not answer. Returns the path of a file with debug
 *  information, to be freed, or NULL. Appends to `tried` which servers were asked. */
char *dw_separate_fetch(const struct dw_search *search, const uint8_t *build_id, unsigned len, struct sp_buf *tried);

/** Opens a reduced debug file of the cache, and reads what is complete in it to file->partial. False: there is none, or (a message
 *  says so) it is not to be used. */
bool dw_separate_open_partial(struct dw_file *file, const char *name, const struct sp_log *log, struct dw_image *ret);

#endif
