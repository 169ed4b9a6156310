// SPDX-License-Identifier: GPL-2.0-or-later
/** Errors of the world (files, the kernel, foreign libraries). NULL is success. The user's faults in a script are
 *  diagnostics instead (compiler/front/diag.h). */
#ifndef SP_BASE_ERR_H
#define SP_BASE_ERR_H

#include "runtime/base/log.h"
#include "runtime/base/util.h"

enum sp_err_code {
	SP_ERR_SYSTEM, // a system call failed; errno_value says how
	SP_ERR_FORMAT, // bytes that are not what they should be: ELF, DWARF, BTF, bundle, cache, target
	SP_ERR_NOT_FOUND,
	SP_ERR_PRIVILEGE, // a missing privilege or kernel feature: exit status 3
	SP_ERR_TARGET, // made for another machine, kernel or program: exit status 4
	SP_ERR_SCRIPT, // a run-time error of the script ended the run: exit status 1
	SP_ERR_USAGE, // exit status 2
	SP_ERR_BUG, // ours: exit status 5
};

struct sp_err {
	enum sp_err_code code;
	int errno_value; // 0 when there is none
	char *message; // one sentence without a full stop, no trailing newline
	struct sp_err *cause; // NULL when there is none; owned
};

/** Each returns a new error, never NULL; free it with sp_err_free. */
struct sp_err *sp_err_new(enum sp_err_code code, const char *fmt, ...) SP_PRINTF(2, 3);
/** SP_ERR_SYSTEM (SP_ERR_NOT_FOUND for ENOENT, SP_ERR_PRIVILEGE for EPERM and EACCES) with strerror(3) appended. */
struct sp_err *sp_err_errno(int errno_value, const char *fmt, ...) SP_PRINTF(2, 3);
/** Puts a sentence in front of `cause` and takes it over; keeps its code. */
struct sp_err *sp_err_wrap(struct sp_err *cause, const char *fmt, ...) SP_PRINTF(2, 3);
/** NULL is fine. */
void sp_err_free(struct sp_err *err);
/** "message: cause: cause", to be freed with free(3). */
char *sp_err_text(const struct sp_err *err);
/** Takes an error over that is told later, once: the first one of the system is kept in `*kept` (NULL: none yet), others are freed.
 *  What is not there, or may not be read, is none: that is common. `kept` is NULL when nobody tells it. */
void sp_err_keep(struct sp_err **kept, struct sp_err *err);
/** Logs it and frees it. NULL is fine. */
void sp_err_tell(const struct sp_log *log, enum sp_log_level level, struct sp_err *err);
/** The process's exit status for an error, as documented in the manual. */
int sp_err_exit_status(const struct sp_err *err);

/** Our own mistake, with its place. */
#define sp_err_bug(what) sp_err_new(SP_ERR_BUG, "internal error at %s:%d: %s", __FILE__, __LINE__, (what))

#define SP_TRY(expr)                                                                               \
	do {                                                                                       \
		struct sp_err *err_ = (expr);                                                      \
		if (err_)                                                                          \
			return err_;                                                               \
	} while (0)

#endif
