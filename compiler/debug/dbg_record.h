// SPDX-License-Identifier: GPL-2.0-or-later
/** Makes files of the probe cache (dbg_partial.h): while definitions are resolved, it is noted what debug information is asked for,
 *  and what it answers. So what is kept is what resolving them again will ask for. */
#ifndef SP_DEBUG_DBG_RECORD_H
#define SP_DEBUG_DBG_RECORD_H

#include "compiler/debug/dbg.h"

struct dbg_recorded;

/** From now on what is asked is noted, for that definition; NULL: no longer. */
void dbg_record(struct dbg *dbg, const char *definition);
/** Notes that all functions of the module are asked for; none of it may have been noted before. */
struct sp_err *dbg_record_all(struct dbg_module *module);
/** The modules of which something was noted. */
void dbg_recorded_modules(struct dbg *dbg, struct dbg_modules *ret);
/** Calls `fn` for the definitions of which the cache has the answers for this very build of the module. */
typedef struct sp_err *dbg_definition_fn(void *ctx, const char *definition);
struct sp_err *dbg_recorded_each(struct dbg_module *module, dbg_definition_fn *fn, void *ctx);
/** Writes the file of the module to the cache; *size_ret is its size. */
struct sp_err *dbg_recorded_save(struct dbg_module *module, size_t *size_ret);

/** For dbg.c: notes a question with its answer; a function that an answer has. */
struct sp_err *dbg_record_funcs(struct dbg_module *module, const struct dbg_func_query *query);
void dbg_record_func(struct dbg_func *func);
void dbg_recorded_destroy(struct dbg_recorded *recorded);

#endif
