// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/perf_cache.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (16u << 20)

// Another user could lead ~/.debug anywhere: that a program runs as root does not make HOME root's.
struct sp_err *perf_cache_folder(struct sp_buf *ret)
{
	const char *home = sp_env_home();
	struct stat st, link;

	if (!home)
		return sp_err_new(SP_ERR_NOT_FOUND, "HOME is no folder of this user");
	sp_buf_printf(ret, "%s/.debug", home);
	if (lstat(sp_buf_str(ret), &link) && errno == ENOENT)
		return NULL;
	if (stat(sp_buf_str(ret), &st))
		return sp_err_errno(errno, "cannot open %s", sp_buf_str(ret));
	if (link.st_uid != geteuid() || st.st_uid != geteuid() || (S_ISDIR(st.st_mode) && st.st_mode & (S_IWGRP | S_IWOTH)))
		return sp_err_new(SP_ERR_PRIVILEGE, "%s belongs to another user, or others can write it", sp_buf_str(ret));
	return NULL;
}

struct sp_err *perf_cache_read(const char *path, struct sp_buf *ret)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? NULL : sp_err_errno(errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return sp_err_new(SP_ERR_PRIVILEGE, "%s is not a regular file of this user", path);
	return sp_file_read(path, MAX_FILE, ret);
}

struct reader {
	perf_object_fn *fn;
	perf_fault_fn *fault;
	void *ctx;
};

// `first` are the first two digits of the build-id, `rest` the others.
static void read_object(const char *folder, const char *first, const char *rest, const struct reader *reader)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 }, text = { 0 };
	struct perf_object object = { .name = "" };
	char target[PATH_MAX], *name;
	ssize_t len;

	snprintf(object.id, sizeof(object.id), "%s%s", first, rest);
	sp_buf_printf(&path, "%s/%s/%s", folder, first, rest);
	len = readlink(sp_buf_str(&path), target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	sp_buf_puts(&path, "/probes");
	struct sp_err *err = perf_cache_read(sp_buf_str(&path), &text);
	if (err)
		reader->fault(reader->ctx, err);
	if (!text.len)
		return;
	if (len > 6 && strrchr(target, '/') > target + 6) {
		*strrchr(target, '/') = '\0'; // the build-id
		name = target + 5; // behind "../.."
		object.name = name[1] == '[' ? name + 1 : name;
	}
	object.text = text.data;
	object.end = text.data + text.len;
	reader->fn(reader->ctx, &object);
}

void perf_cache_each(perf_object_fn *fn, perf_fault_fn *fault, void *ctx)
{
	const struct reader reader = { fn, fault, ctx };
	sp_cleanup(sp_buf_deinit) struct sp_buf folder = { 0 };
	struct sp_err *err = sp_env_home() ? perf_cache_folder(&folder) : NULL;
	struct dirent **firsts = NULL;
	int n;

	if (err)
		fault(ctx, err);
	if (!folder.len || err)
		return;
	sp_buf_puts(&folder, "/.build-id");
	n = scandir(sp_buf_str(&folder), &firsts, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf inner = { 0 };
		struct dirent **rests = NULL;
		int n_rests;

		sp_buf_printf(&inner, "%s/%s", sp_buf_str(&folder), firsts[i]->d_name);
		n_rests = firsts[i]->d_name[0] == '.' ? 0 : scandir(sp_buf_str(&inner), &rests, NULL, alphasort);
		for (int k = 0; k < n_rests; k++) {
			if (rests[k]->d_name[0] != '.')
				read_object(sp_buf_str(&folder), firsts[i]->d_name, rests[k]->d_name, &reader);
			free(rests[k]);
		}
		free(rests);
		free(firsts[i]);
	}
	free(firsts);
}

// ---- what a definition means ----------------------------------------------------------------------------------------

// "/lib/modules/6.1.0-56-amd64/kernel/fs/ext4/ext4.ko.xz": its release and its name.
static bool is_module(const char *path, char release[96], char name[64])
{
	const char *slash = strrchr(path, '/');
	int end = 0;

	if (sscanf(path, "%*[/usr]lib/modules/%95[^/]/%n", release, &end) != 1 || !end)
		return false;
	return sscanf(slash + 1, "%63[^.].k%n", name, &end) == 1 && sp_starts_with(strchr(slash, '.'), ".ko");
}

static void add_part(struct perf_point *point, const char *name, const char *arg)
{
	point->parts[point->n++] = (struct perf_point_part){ name, arg };
}

static bool set_object(const struct perf_object *object, struct sp_arena *arena, struct perf_point *ret)
{
	char release[96], module[64];

	if (is_module(object->name, release, module)) {
		ret->release = sp_arena_strdup(arena, release);
		add_part(ret, "module", sp_arena_strdup(arena, module));
	} else if (*object->name == '[') {
		add_part(ret, "kernel", NULL);
	} else {
		add_part(ret, "process", sp_arena_strdup(arena, object->name));
	}
	return *object->name && !strpbrk(object->name, "\"\\\n");
}

// "sdt_PROVIDER:NAME"; false: it is no mark.
static bool set_mark(char *what, struct perf_point *ret)
{
	char *colon = strchr(what, ':');

	if (!colon || !sp_starts_with(what, "sdt_"))
		return false;
	*colon = '\0';
	add_part(ret, "provider", what + 4);
	add_part(ret, "mark", colon + 1);
	return true;
}

// perf-probe(1): "FUNC[@SRC][+OFFS|%return|:RLN]" or "SRC:ALN". False: a probe point cannot say it.
static bool set_function(char *what, struct sp_arena *arena, struct perf_point *ret)
{
	char *place = what + strcspn(what, "+%:"), *file = memchr(what, '@', (size_t)(place - what));
	bool is_file = !file && strpbrk(what, "./") && strpbrk(what, "./") < place;
	char kind = *place, *number = place + !!kind, *end;

	*place = '\0';
	if (file)
		*file++ = '\0';
	if (!*what || (kind == ':' && (!*number || (strtoul(number, &end, 10), *end))) || (is_file && kind != ':'))
		return false;
	if (is_file)
		add_part(ret, "statement", sp_arena_printf(arena, "*@%s:%s", what, number));
	else if (kind == ':')
		add_part(ret, "statement", sp_arena_printf(arena, "%s@%s:+%s", what, file ? file : "*", number));
	else if (kind == '+' && !file)
		add_part(ret, "function", sp_arena_printf(arena, "%s+%s", what, number));
	else if (!kind || sp_streq(number, "return"))
		add_part(ret, "function", file ? sp_arena_printf(arena, "%s@%s", what, file) : what);
	else
		return false;
	if (kind == '%')
		add_part(ret, "return", NULL);
	return true;
}

bool perf_cache_point(const struct perf_object *object, const struct perf_probe *probe, struct sp_arena *arena, struct perf_point *ret)
{
	const char *blank = probe->is_mark ? NULL : memchr(probe->definition, ' ', probe->len);
	size_t len = blank ? (size_t)(blank - probe->definition) : probe->len;
	char *what = sp_arena_strndup(arena, probe->definition, len), *equals = strchr(what, '=');

	*ret = (struct perf_point){ 0 };
	if (!set_object(object, arena, ret) || !len || strlen(what) != len || strpbrk(what, "\"\\;\n"))
		return false;
	return probe->is_mark ? set_mark(what, ret) : set_function(equals ? equals + 1 : what, arena, ret);
}

// "p:GROUP/EVENT PLACE" of the first event; of a mark, the definition is the name.
static const char *name_of(const struct perf_probe *probe, struct sp_arena *arena)
{
	const char *event = memchr(probe->begin, '\n', (size_t)(probe->end - probe->begin)), *start;
	char *name, *slash;

	if (probe->is_mark)
		return sp_arena_strndup(arena, probe->definition, probe->len);
	start = event ? memchr(event, ':', (size_t)(probe->end - event)) : NULL;
	if (!start)
		return NULL;
	name = sp_arena_strndup(arena, start + 1, (size_t)(probe->end - start - 1));
	name[strcspn(name, " \n")] = '\0';
	slash = strchr(name, '/');
	if (!slash)
		return NULL;
	*slash = ':';
	return name;
}

bool perf_cache_is_named(const struct perf_probe *probe, const char *name, struct sp_arena *arena)
{
	const char *own = name_of(probe, arena);

	return own && sp_glob_match(name, own);
}
