// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dbg.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEBUGFS "/sys/kernel/debug"

// Is debugfs mounted, so that a list which is not there is one that the kernel does not have?
static bool has_debugfs(void)
{
	return access(DEBUGFS "/clear_warn_once", F_OK) == 0; // kernel/panic.c, since Linux 4.15
}

// The list has lines such as "should_failslab\tERRNO", and "open_ctree [btrfs]\tERRNO".
enum dbg_replaceable dbg_is_replaceable(const struct dbg_func *func)
{
	sp_cleanup_fclose FILE *f = NULL;
	char line[256];

	if (func->module->is_offline || !func->symbol)
		return DBG_REPLACEABLE_UNKNOWN;
	f = fopen(DEBUGFS "/error_injection/list", "re");
	if (!f)
		return errno == ENOENT && has_debugfs() ? DBG_REPLACEABLE_NONE : DBG_REPLACEABLE_UNKNOWN;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = '\0';
		if (sp_streq(line, func->symbol))
			return DBG_REPLACEABLE;
	}
	return DBG_REPLACEABLE_NOT;
}
