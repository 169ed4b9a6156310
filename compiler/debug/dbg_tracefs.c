// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memrchr
#include "compiler/debug/dbg_tracefs.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/tracefs.h"
#include "runtime/base/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int dbg_tracefs_open(void)
{
	int fd = sp_tracefs_open(R_OK | X_OK);

	return fd < 0 ? -1 : fd;
}

static DIR *open_dir(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void read_text(int at, const char *path, struct sp_buf *ret)
{
	sp_cleanup_close int fd = openat(at, path, O_RDONLY | O_CLOEXEC);
	char chunk[4096];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		sp_buf_add(ret, chunk, (size_t)n);
}

// Events that users have made, as "probe/kfree_skb" of the line "p:probe/kfree_skb kfree_skb".
static void read_made(int tracefs, struct sp_hash *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	char *rest, *line;

	read_text(tracefs, "dynamic_events", &text);
	for (line = text.len ? strtok_r(text.data, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		char *name = strchr(line, ':');

		if (!name)
			continue;
		name[1 + strcspn(name + 1, " ")] = '\0';
		sp_hash_set(ret, name + 1, ret);
	}
}

static bool is_made(const struct sp_hash *made, const char *system, const char *event)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };

	sp_buf_printf(&name, "%s/%s", system, event);
	return sp_hash_get(made, sp_buf_str(&name));
}

// A name is the kernel's own event's: perf-probe(1) names events after functions, and tracepoints may have the same names.
static void add_event(const struct sp_hash *made, const char *system, const char *event, struct sp_hash *ret)
{
	const char *known = sp_hash_get(ret, event);

	if (!known || is_made(made, known, event))
		sp_hash_set(ret, event, (void *)system);
}

void dbg_tracefs_systems(int tracefs, struct sp_arena *arena, struct sp_hash *ret)
{
	sp_cleanup(sp_hash_deinit) struct sp_hash made = { 0 };
	DIR *systems = open_dir(tracefs, "events");
	struct dirent *system, *event;

	read_made(tracefs, &made);
	while (systems && (system = readdir(systems))) {
		if (system->d_name[0] == '.' || system->d_type != DT_DIR)
			continue;
		const char *name = sp_arena_strdup(arena, system->d_name);
		DIR *events = open_dir(dirfd(systems), name);
		while (events && (event = readdir(events)))
			if (event->d_name[0] != '.' && event->d_type == DT_DIR)
				add_event(&made, name, event->d_name, ret);
		if (events)
			closedir(events);
	}
	if (systems)
		closedir(systems);
}

// Splits a declaration into type and name: "__data_loc char[] name", "char comm[16]", "struct page * page".
static bool split_decl(struct sp_arena *arena, const char *decl, size_t len, struct dbg_event_field *field)
{
	static const char data_loc[] = "__data_loc ";

	if (len > sizeof(data_loc) && strncmp(decl, data_loc, sizeof(data_loc) - 1) == 0) {
		field->is_data_loc = true;
		decl += sizeof(data_loc) - 1;
		len -= sizeof(data_loc) - 1;
	}
	// An array's bounds stand behind its name; those of an array of varying length (__data_loc) behind its type.
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
	SP_VEC(struct dbg_event_field) fields = { 0 };

	for (const char *line = text, *next; line && *line; line = next) {
		struct dbg_event_field field = { 0 };
		struct sp_tracefs_field found;

		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		if (!sp_tracefs_field_parse(line, &found) || !split_decl(arena, found.decl, found.decl_len, &field) ||
		    sp_starts_with(field.name, "common_"))
			continue;
		field.offset = found.offset;
		field.size = found.size;
		field.is_signed = found.is_signed;
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
	unsigned n_fields = 0;

	sp_buf_printf(&path, "events/%s/%s/format", system, name);
	read_text(tracefs, path.data, &text);
	if (text.len)
		n_fields = dbg_tracefs_parse(arena, text.data, ret);
	sp_buf_deinit(&path);
	sp_buf_deinit(&text);
	return n_fields;
}
