// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf
#include "compiler/debug/dbg_build_id.h"

#include "compiler/debug/dbg.h"
#include "compiler/debug/dbg_process.h"
#include "compiler/debug/dwarf/dw_elf.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/base/util.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHORTEST 16 // hexadecimal digits: of a hash of 8 bytes

struct search {
	const char *wanted;
	struct sp_hash seen; // paths that were looked at
	char *found;
};

bool dbg_build_id_is(const char *name)
{
	size_t len = strlen(name);

	return len >= SHORTEST && len <= 64 && len % 2 == 0 && strspn(name, "0123456789abcdef") == len;
}

static bool is_text_of(const char *wanted, const uint8_t *id, unsigned len)
{
	char text[2 * 32 + 1] = "";

	for (unsigned i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return sp_streq(text, wanted);
}

bool dbg_has_build_id(const struct dbg_module *module, const char *id)
{
	return module->build_id_len && is_text_of(id, module->build_id, module->build_id_len);
}

static bool is_wanted(const char *wanted, const char *path)
{
	struct dw_image image = { .fd = -1 };
	struct sp_err *err = dw_elf_open(path, &image);
	uint8_t id[32];
	unsigned len = err ? 0 : dw_elf_build_id(image.elf, id);

	sp_err_free(err);
	dw_elf_deinit(&image);
	return is_text_of(wanted, id, len);
}

static void look_at(struct search *s, const char *path)
{
	void **seen = s->found ? NULL : sp_hash_insert(&s->seen, path, strlen(path));
	struct stat st;

	if (!seen || *seen)
		return;
	*seen = s;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && is_wanted(s->wanted, path))
		s->found = sp_strdup(path);
}

static bool look_at_mapping(void *ctx, const struct dbg_mapped *mapped)
{
	struct search *s = ctx;

	if (mapped->executable && mapped->path[0] == '/')
		look_at(s, mapped->path);
	return !s->found;
}

static void look_at_processes(struct search *s)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *entry; dir && !s->found && (entry = readdir(dir));)
		if (sp_proc_entry(entry->d_name))
			sp_err_free(dbg_process_mappings(sp_proc_entry(entry->d_name), look_at_mapping, s));
	if (dir)
		closedir(dir);
}

static void look_at_folder(struct search *s, const char *path)
{
	DIR *dir = opendir(path);

	for (struct dirent *entry; dir && !s->found && (entry = readdir(dir));) {
		sp_cleanup_free char *file = NULL;

		if (entry->d_name[0] != '.' && asprintf(&file, "%s/%s", path, entry->d_name) >= 0 && access(file, X_OK) == 0)
			look_at(s, file);
	}
	if (dir)
		closedir(dir);
}

char *dbg_build_id_find(const char *sysroot, const char *id)
{
	struct search s = { .wanted = id };
	sp_cleanup_free char *link = NULL, *target = NULL;

	elf_version(EV_CURRENT);
	if (asprintf(&link, "%s/usr/lib/debug/.build-id/%.2s/%s", sysroot, id, id + 2) >= 0 && (target = realpath(link, NULL)))
		look_at(&s, target);
	if (!*sysroot && !s.found)
		look_at_processes(&s);
	for (const char *dir = sp_env_path(); *dir && !s.found;) {
		int len = (int)strcspn(dir, ":");
		sp_cleanup_free char *path = NULL;

		if (len && asprintf(&path, "%s%.*s", sysroot, len, dir) >= 0)
			look_at_folder(&s, path);
		dir += len;
		dir += *dir == ':';
	}
	sp_hash_deinit(&s.seen);
	return s.found;
}
