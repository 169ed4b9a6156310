// SPDX-License-Identifier: GPL-2.0-or-later
/** The probe cache: reduced debug files (keep/keep.h) of programs and kernels that have no other debug information here.
 *
 *  The problem. Such a file has some functions of many, and does not show it. A wildcard that is answered from it alone would miss
 *  the others; a function that it lacks may well exist.
 *
 *  The idea. The file BUILD-ID.probes of the cache says what was asked when it was made, and has the whole answer to that. A module
 *  with such a file is partial: a question that was asked then, or one that an answer of then contains, goes to it. Every other
 *  question goes to its twin, which is what the module would be if there were no such file. So a file of the cache adds
 *  answers, and changes none. BUILD-ID.functions is made for all functions at once, each with what its entry and return need; it is
 *  the twin of the first when both are there.
 *
 *  The invariants. The file's name, its head and the ELF file in it have the same build-id, that of the program that is asked for. A
 *  digest over all that it has tells when it was damaged: such a file is not used, and a warning says so. */
#ifndef SP_DEBUG_DBG_PARTIAL_H
#define SP_DEBUG_DBG_PARTIAL_H

#include "compiler/cache/cache.h"
#include "compiler/cache/probe_file.h"
#include "compiler/debug/dbg.h"

#include "runtime/base/arena.h"

struct dw_image;

/** The bytes of the file with that name; false: there is none, or (a message says so) it is not to be used. */
bool partial_map(const struct sp_log *log, const char *name, struct cache_mapped *ret);
/** Opens the ELF file in such bytes, which have been checked. */
struct sp_err *partial_open(const char *name, const uint8_t *bytes, struct dw_image *ret);
/** The name of the file for a kernel of that release, or for a module of it, to be freed; NULL: none. `object` is as in the file. */
char *partial_of_release(const char *release, const char *object, enum probe_file_sort sort);

/** Says that there is a file for another build of the object, with both build-ids; `release`: of a kernel, else "". */
void partial_tell_other(const char *object, const char *release, const uint8_t *id, unsigned len, struct sp_buf *out);

struct partial; // what is complete in a module

/** What the file's texts say is complete; made in the arena of the module. */
struct partial *partial_read(struct sp_arena *arena, const struct probe_file_head *head);
/** Is the answer to this question complete? */
bool partial_has_funcs(const struct partial *partial, const struct dbg_func_query *query);
bool partial_is_brief(const struct partial *partial);

#endif
