// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/err.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

static struct sp_err *err_create(enum sp_err_code code, int errno_value, const char *fmt, va_list args)
{
	struct sp_err *err = sp_calloc(1, sizeof(*err));
	struct sp_buf text = { 0 };

	sp_buf_vprintf(&text, fmt, args);
	if (errno_value)
		sp_buf_printf(&text, ": %s", strerror(errno_value));
	err->code = code;
	err->errno_value = errno_value;
	err->message = sp_buf_take(&text);
	return err;
}

struct sp_err *sp_err_new(enum sp_err_code code, const char *fmt, ...)
{
	struct sp_err *err;
	va_list args;

	va_start(args, fmt);
	err = err_create(code, 0, fmt, args);
	va_end(args);
	return err;
}

struct sp_err *sp_err_errno(int errno_value, const char *fmt, ...)
{
	enum sp_err_code code = SP_ERR_SYSTEM;
	struct sp_err *err;
	va_list args;

	if (errno_value == ENOENT)
		code = SP_ERR_NOT_FOUND;
	else if (errno_value == EPERM || errno_value == EACCES)
		code = SP_ERR_PRIVILEGE;
	va_start(args, fmt);
	err = err_create(code, errno_value, fmt, args);
	va_end(args);
	return err;
}

struct sp_err *sp_err_wrap(struct sp_err *cause, const char *fmt, ...)
{
	struct sp_err *err;
	va_list args;

	va_start(args, fmt);
	err = err_create(cause->code, 0, fmt, args);
	va_end(args);
	err->errno_value = cause->errno_value;
	err->cause = cause;
	return err;
}

void sp_err_free(struct sp_err *err)
{
	while (err) {
		struct sp_err *cause = err->cause;

		free(err->message);
		free(err);
		err = cause;
	}
}

void sp_err_keep(struct sp_err **kept, struct sp_err *err)
{
	if (kept && err && err->code == SP_ERR_SYSTEM && err->errno_value != ESRCH && !*kept)
		*kept = err;
	else
		sp_err_free(err);
}

char *sp_err_text(const struct sp_err *err)
{
	struct sp_buf text = { 0 };

	for (; err; err = err->cause)
		sp_buf_printf(&text, "%s%s", err->message, err->cause ? ": " : "");
	return sp_buf_take(&text);
}

void sp_err_tell(const struct sp_log *log, enum sp_log_level level, struct sp_err *err)
{
	sp_cleanup_free char *text = err ? sp_err_text(err) : NULL;

	if (err)
		sp_log(log, level, "%s", text);
	sp_err_free(err);
}

int sp_err_exit_status(const struct sp_err *err)
{
	switch (err->code) {
	case SP_ERR_SYSTEM:
	case SP_ERR_FORMAT:
	case SP_ERR_NOT_FOUND:
	case SP_ERR_SCRIPT:
		return 1;
	case SP_ERR_USAGE:
		return 2;
	case SP_ERR_PRIVILEGE:
		return 3;
	case SP_ERR_TARGET:
		return 4;
	case SP_ERR_BUG:
		return 5;
	}
	return 5;
}
