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
	enum { NOT_DESCRIBED, DESCRIBED, DESCRIBED_WITH_FEATURES } described; // how much of `target` is known
	struct sp_err *features_err; // why the features are not; NULL: nobody asked, or they are
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

/** Describes the machine that is compiled for, once: release and architecture, which scripts ask for ... */
struct sp_err *session_describe(struct spile *spile);
/** ... and what its kernel can do, which takes longer to find out: for points in the kernel or in a program, and for listings. */
struct sp_err *session_describe_features(struct spile *spile);
/** Why the features could not be found when a point needed them; the caller frees it. NULL: they were, or none did. */
struct sp_err *session_features_error(struct spile *spile);
/** What %( %) conditions see. `macros` of the result is left to the caller. */
struct parse_env session_parse_env(struct spile *spile);
/** How the session opens debug information. */
struct dbg_opts session_dbg_opts(const struct spile *spile);
/** For resolving points; `dbg` comes with it. */
struct point_env session_point_env(struct spile *spile, struct sp_arena *arena);

#endif
