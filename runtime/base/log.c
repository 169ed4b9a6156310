// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/log.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <stdarg.h>

const char *sp_log_word(unsigned level)
{
	return level == SP_LOG_ERROR ? "ERROR: " : level == SP_LOG_WARN ? "WARNING: " : "";
}

void sp_log(const struct sp_log *log, enum sp_log_level level, const char *fmt, ...)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	va_list args;

	if (!log || !log->write || level > log->max_level)
		return;
	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	log->write(log->ctx, level, sp_buf_str(&text));
}
