// SPDX-License-Identifier: GPL-2.0-or-later
/** What the driver's files share: the inputs of a compilation. Results of passes are in struct pass_state. */
#ifndef SP_DRIVER_SESSION_H
#define SP_DRIVER_SESSION_H

#include "compiler/front/diag.h"
#include "compiler/front/parse.h"
#include "compiler/include/spile.h"
#include "compiler/model/target.h"
#include "compiler/probe/point.h"
#include "runtime/base/log.h"

/** Limits that -D sets, with SystemTap's names. */
struct session_limits {
	int64_t max_user_action; // -1: ten times max_action, as in SystemTap
	int64_t max_nesting; // 0: as the script needs
	int64_t max_trylock;
	int64_t max_string, max_action, max_errors, max_map_entries, ring_size;
};

struct spile {
	struct spile_opts opts;
	struct sp_log log;
	struct sp_arena arena;
	struct source_map sources;
	struct diag_ctx dc;
	size_t n_diags_given; // diagnostics that the callback has got
	uint32_t script; // file id; 0: none yet
	struct session_limits limits;
	struct sp_buf bundle;
	struct sp_hash kernel_config; // CONFIG_NAME to its text; filled on first use
	bool kernel_config_read;
	bool *args_used; // for each argument of the script: some file reads it
	struct target target;
	struct dbg *dbg; // made on first use
	struct sp_hash headers; // of @cast, to their struct dbg_module
	int status; // exit status of the first failure; 0: none
};

/** Gives every diagnostic that has not been given yet to the callback. */
void session_flush_diags(struct spile *spile);
/** Logs and frees `err`; remembers and returns its exit status. */
int session_fail(struct spile *spile, struct sp_err *err);
void session_output(struct spile *spile, const struct sp_buf *text);

/** Rounds of loops that begin, end and timer handlers may do; 0: any number. */
uint32_t session_max_user_action(const struct spile *spile);

/** Where compiling needs the machine: `kernel` when a point is in the kernel or in a program. */
struct sp_err *session_describe(struct spile *spile, bool kernel);
/** What %( %) conditions see. `macros` of the result is left to the caller. */
struct parse_env session_parse_env(struct spile *spile);
/** How the session opens debug information. */
struct dbg_opts session_dbg_opts(const struct spile *spile);
/** For resolving points; `dbg` comes with it. */
struct point_env session_point_env(struct spile *spile, struct sp_arena *arena);

#endif
