// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memrchr
#include "compiler/debug/dbg_tracefs.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// A mount that only this process sees: Linux 5.2 and later, as root.
static int open_detached(void)
{
	sp_cleanup_close int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return -1;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
}

int dbg_tracefs_open(void)
{
	static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(mounts); i++) {
		int fd = open(mounts[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		// The mount point exists without the mount.
		if (fd >= 0 && faccessat(fd, "events", R_OK, 0) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return open_detached();
}

static DIR *open_dir(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

void dbg_tracefs_systems(int tracefs, struct sp_arena *arena, struct sp_hash *ret)
{
	DIR *systems = open_dir(tracefs, "events");
	struct dirent *system, *event;

	while (systems && (system = readdir(systems))) {
		if (system->d_name[0] == '.' || system->d_type != DT_DIR)
			continue;
		const char *name = sp_arena_strdup(arena, system->d_name);
		DIR *events = open_dir(dirfd(systems), name);
		while (events && (event = readdir(events)))
			if (event->d_name[0] != '.' && event->d_type == DT_DIR && !sp_hash_get(ret, event->d_name))
				sp_hash_set(ret, event->d_name, (void *)name);
		if (events)
			closedir(events);
	}
	if (systems)
		closedir(systems);
}

// "key:NUMBER" in a line of a format file.
static bool get_number(const char *line, const char *key, uint32_t *ret)
{
	const char *at = strstr(line, key);
	char *end;

	if (!at)
		return false;
	unsigned long value = strtoul(at + strlen(key), &end, 10);
	*ret = value;
	return end != at + strlen(key) && value <= UINT32_MAX;
}

// Splits "__data_loc char[] name", "char comm[16]", "struct page * page".
static bool split_decl(struct sp_arena *arena, const char *decl, size_t len, struct dbg_event_field *field)
{
	static const char data_loc[] = "__data_loc ";

	if (len > sizeof(data_loc) && strncmp(decl, data_loc, sizeof(data_loc) - 1) == 0) {
		field->is_data_loc = true;
		decl += sizeof(data_loc) - 1;
		len -= sizeof(data_loc) - 1;
	}
	// An array's bounds stand behind its name, or, of dynamic ones, behind its type.
	const char *open = len ? memrchr(decl, '[', len) : NULL;
	if (open && decl[len - 1] == ']') {
		field->is_array = true;
		field->count = strtoull(open + 1, NULL, 0);
		len = open - decl;
	}
	size_t name = len;
	while (name && (isalnum((unsigned char)decl[name - 1]) || decl[name - 1] == '_'))
		name--;
	if (name == len || name == 0)
		return false;
	field->name = sp_arena_strndup(arena, decl + name, len - name);
	while (name && decl[name - 1] == ' ')
		name--;
	if (name >= 2 && strncmp(decl + name - 2, "[]", 2) == 0) {
		field->is_array = true;
		name -= 2;
	}
	field->type = sp_arena_strndup(arena, decl, name);
	return name > 0;
}

unsigned dbg_tracefs_parse(struct sp_arena *arena, const char *text, struct dbg_event_field **ret)
{
	static const char prefix[] = "\tfield:";
	SP_VEC(struct dbg_event_field) fields = { 0 };

	for (const char *line = text; line && *line;) {
		size_t len = strcspn(line, "\n");
		sp_cleanup_free char *copy = sp_strndup(line, len);
		struct dbg_event_field field = { 0 };
		uint32_t is_signed = 0;
		line += len + (line[len] == '\n');
		if (!sp_starts_with(copy, prefix))
			continue;
		const char *decl = copy + sizeof(prefix) - 1;
		if (!split_decl(arena, decl, strcspn(decl, ";"), &field) || sp_starts_with(field.name, "common_"))
			continue;
		if (!get_number(copy, "\toffset:", &field.offset) || !get_number(copy, "\tsize:", &field.size))
			continue;
		get_number(copy, "\tsigned:", &is_signed);
		field.is_signed = is_signed;
		sp_vec_push(&fields, field);
	}
	*ret = sp_arena_memdup(arena, fields.v, fields.n * sizeof(*fields.v));
	unsigned n = fields.n;
	sp_vec_deinit(&fields);
	return n;
}

unsigned dbg_tracefs_fields(int tracefs, struct sp_arena *arena, const char *system, const char *name,
			    struct dbg_event_field **ret)
{
	struct sp_buf path = { 0 }, text = { 0 };
	char chunk[4096];
	ssize_t n;
	unsigned n_fields = 0;

	sp_buf_printf(&path, "events/%s/%s/format", system, name);
	sp_cleanup_close int fd = openat(tracefs, path.data, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		sp_buf_add(&text, chunk, n);
	if (text.len)
		n_fields = dbg_tracefs_parse(arena, text.data, ret);
	sp_buf_deinit(&path);
	sp_buf_deinit(&text);
	return n_fields;
}
