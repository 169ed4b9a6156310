// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf

#include "runtime/machine/tracefs.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/tracefs.h"
#include "runtime/machine/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

struct sp_err *tracefs_open(int *ret)
{
	int fd = sp_tracefs_open(X_OK);

	if (fd == -EPERM || fd == -EACCES)
		return sp_err_new(SP_ERR_PRIVILEGE, "tracefs (/sys/kernel/tracing) cannot be read, which takes root");
	if (fd < 0)
		return sp_err_errno(-fd, "cannot open tracefs (mount it: mount -t tracefs tracefs /sys/kernel/tracing)");
	*ret = fd;
	return NULL;
}

static struct sp_err *open_event_file(int tracefs, const char *event, const char *name, FILE **ret)
{
	const char *colon = strchr(event, ':');
	sp_cleanup_free char *path = NULL;
	int fd;

	if (!colon)
		return sp_err_new(SP_ERR_FORMAT, "`%s` is not SYSTEM:NAME", event);
	if (asprintf(&path, "events/%.*s/%s/%s", (int)(colon - event), event, colon + 1, name) < 0)
		return sp_err_bug("asprintf");
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return sp_err_new(SP_ERR_NOT_FOUND, "the kernel has no tracepoint `%s`", event);
	*ret = fd < 0 ? NULL : fdopen(fd, "r");
	return *ret ? NULL : sp_err_errno(errno, "cannot read tracefs %s", path);
}

struct sp_err *tracefs_event_id(int tracefs, const char *event, uint64_t *ret)
{
	sp_cleanup_fclose FILE *file = NULL;

	SP_TRY(open_event_file(tracefs, event, "id", &file));
	if (fscanf(file, "%" SCNu64, ret) != 1)
		return sp_err_new(SP_ERR_FORMAT, "the id of tracepoint `%s` is no number", event);
	return NULL;
}

struct sp_err *tracefs_event_field(int tracefs, const char *event, const char *field, unsigned *ret)
{
	sp_cleanup_fclose FILE *file = NULL;
	size_t len = strlen(field);
	char line[256];

	SP_TRY(open_event_file(tracefs, event, "format", &file));
	while (fgets(line, sizeof(line), file)) {
		struct sp_tracefs_field found;

		if (!sp_tracefs_field_parse(line, &found) || found.decl_len <= len ||
		    found.decl[found.decl_len - len - 1] != ' ' || memcmp(found.decl + found.decl_len - len, field, len))
			continue;
		*ret = found.offset;
		return NULL;
	}
	SP_TRY(sp_file_end(file, "a tracepoint's format"));
	return sp_err_new(SP_ERR_NOT_FOUND, "tracepoint `%s` has no field `%s`", event, field);
}

// For each name: how often the list has it, minus how often the kernel's symbols have it, plus 1.
static void count_name(void **place, intptr_t by)
{
	*place = (void *)((intptr_t)*place + by);
}

static bool count_symbol(void *ctx, uint64_t address, const char *name, const char *module)
{
	void **place = module ? NULL : sp_hash_find(ctx, name, strlen(name));

	(void)address;
	if (place)
		count_name(place, -1);
	return true;
}

struct sp_err *tracefs_functions(int tracefs, struct sp_hash *functions)
{
	int fd = openat(tracefs, "available_filter_functions", O_RDONLY | O_CLOEXEC);
	sp_cleanup_fclose FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	sp_cleanup_free char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	if (!file)
		return sp_err_errno(errno, "cannot read tracefs available_filter_functions");
	// "name", or "name [module]"
	while ((len = getline(&line, &cap, file)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strchr(line, ' '))
			continue;
		void **place = sp_hash_insert(functions, line, strlen(line));
		count_name(place, *place ? 1 : 2);
	}
	SP_TRY(sp_file_end(file, "tracefs available_filter_functions"));
	return image_each_kernel_symbol(count_symbol, functions);
}

bool tracefs_can_trace(const struct sp_hash *functions, const char *name)
{
	return (intptr_t)sp_hash_get(functions, name) == 1;
}
