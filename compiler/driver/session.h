// SPDX-License-Identifier: GPL-2.0-or-later
/** What the files of the driver share: the inputs of a compilation. The results of passes are in struct pass_state. */
#ifndef SP_DRIVER_SESSION_H
#define SP_DRIVER_SESSION_H

#include "compiler/driver/keep.h"
#include "compiler/front/diag.h"
#include "compiler/front/parse.h"
#include "compiler/include/spile.h"
#include "compiler/model/target.h"
#include "compiler/probe/point.h"
#include "runtime/base/log.h"

/** The limits that -D sets. */
struct session_limits {
	int64_t hist_elision; // how many empty buckets are printed next to one with a count; < 0: all
	int64_t max_user_action; // -1: ten times max_action, as in SystemTap
	int64_t max_nesting; // 0: as the script needs
	int64_t max_trylock, trylock_delay;
	int64_t max_string, max_action, max_errors, max_map_entries, ring_size;
	int64_t can_pause; // 1: for --max-overhead
};

struct spile {
	struct spile_opts opts;
	struct sp_log log;
	struct sp_arena arena;
	struct source_map sources;
	struct diag_ctx dc;
	size_t n_diags_given; // how many diagnostics have been given to the callback
	uint32_t script; // file id; 0: none yet
	struct session_limits limits;
	struct sp_buf bundle;
	struct sp_hash kernel_config; // CONFIG_NAME to its text; filled on first use
	bool kernel_config_read;
	bool *args_used; // by argument of the script: some file uses it
	struct target target;
	enum { NOT_DESCRIBED, DESCRIBED, DESCRIBED_WITH_FEATURES } described; // how much of `target` is known
	struct sp_err *features_err; // why the target's features could not be found; NULL: they were, or nobody has asked
	struct dbg *dbg; // made on first use
	struct sp_hash places; // of spile_frames(): by frames.c
	struct sp_hash headers; // of @cast: "<header.h>" -> struct dbg_module
	struct keep keep;
	int status; // exit status of the first failure; 0: none
};

/** Gives the diagnostics that are new to the callback. */
void session_flush_diags(struct spile *spile);
/** Logs and frees `err`; remembers and returns its exit status. */
int session_fail(struct spile *spile, struct sp_err *err);
void session_output(struct spile *spile, const struct sp_buf *text);

/** How many rounds of loops a begin, end or timer handler may do (MAXACTION_INTERRUPTIBLE); 0: any number. */
uint32_t session_max_user_action(const struct spile *spile);

/** Finds out, once, the release and architecture of the machine that is compiled for, which the preprocessor needs, ... */
struct sp_err *session_describe(struct spile *spile);
/** ... and also what its kernel can do, which takes longer: it is needed for probe points in the kernel or in a program only. */
struct sp_err *session_describe_features(struct spile *spile);
/** Why the features could not be found when a point needed them, to be freed; NULL: they were found, or no point needed them. */
struct sp_err *session_features_error(struct spile *spile);
/** What the preprocessor asks about. `macros` of the result is left to the caller. */
struct parse_env session_parse_env(struct spile *spile);
/** How the session opens debug information. */
struct dbg_opts session_dbg_opts(const struct spile *spile);
/** What probe points are resolved with. Creates the session's `dbg`. */
struct point_env session_point_env(struct spile *spile, struct sp_arena *arena);

#endif
