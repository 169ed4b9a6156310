// SPDX-License-Identifier: GPL-2.0-or-later
// The search of ld.so(8): DT_RPATH of who asks (when it has no DT_RUNPATH) and of those that have asked for it, LD_LIBRARY_PATH,
// DT_RUNPATH, ld.so.cache, the usual places.
#include "compiler/debug/dbg_library.h"

#include "compiler/debug/dbg_path.h"
#include "compiler/debug/dbg_process.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <stdlib.h>
#include <unistd.h>

// What the dynamic section of one file asks for.
struct needs {
	SP_VEC(const char *) names;
	const char *rpath, *runpath, *soname;
};

// A file that needs libraries. Its DT_RPATH counts for what its libraries need, too.
struct asker {
	const char *path;
	char *rpath; // NULL: none, or one that DT_RUNPATH takes the place of
	size_t loader; // the asker that needs this file
};

struct search {
	const char *sysroot;
	struct dbg_libraries *found;
	SP_VEC(struct asker) askers; // the program, then the libraries as they are in the list
};

static void take_entry(struct needs *needs, int64_t tag, const char *text)
{
	if (!text)
		return;
	if (tag == DT_NEEDED)
		sp_vec_push(&needs->names, text);
	else if (tag == DT_SONAME)
		needs->soname = text;
	else
		*(tag == DT_RPATH ? &needs->rpath : &needs->runpath) = text;
}

static void read_needs(Elf *elf, struct needs *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		GElf_Dyn entry;
		for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
			if (entry.d_tag == DT_NEEDED || entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH || entry.d_tag == DT_SONAME)
				take_entry(ret, entry.d_tag, elf_strptr(elf, header.sh_link, entry.d_un.d_val));
		}
	}
}

static const char *interpreter(Elf *elf)
{
	GElf_Phdr header;
	size_t n = 0, size;

	if (elf_getphdrnum(elf, &n))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_INTERP)
			continue;
		const char *file = elf_rawfile(elf, &size);
		if (!file || header.p_offset >= size || header.p_filesz > size - header.p_offset || !header.p_filesz ||
		    file[header.p_offset + header.p_filesz - 1])
			return NULL;
		return file + header.p_offset;
	}
	return NULL;
}

// Replaces "$ORIGIN" and "${ORIGIN}" by the folder of `asker`, the file that needs the library.
static void expand(struct sp_buf *out, const char *dir, size_t len, const char *asker)
{
	const char *slash = strrchr(asker, '/');
	const char *end = dir + len;

	while (dir < end) {
		size_t token = (size_t)(end - dir) >= 7 && !strncmp(dir, "$ORIGIN", 7) ? 7 :
			       (size_t)(end - dir) >= 9 && !strncmp(dir, "${ORIGIN}", 9) ? 9 : 0;
		if (token && slash)
			sp_buf_add(out, asker, (size_t)(slash - asker));
		else
			sp_buf_add(out, dir, token ? token : 1);
		dir += token ? token : 1;
	}
}

// The library in the first folder of "a:b:c" that has it; to be freed.
static char *search_dirs(const struct search *s, const char *dirs, const char *name, const char *asker, int class)
{
	while (dirs && *dirs) {
		struct sp_buf path = { 0 };
		size_t len = strcspn(dirs, ":;");

		sp_buf_puts(&path, s->sysroot);
		expand(&path, dirs, len, sp_starts_with(asker, s->sysroot) ? asker + strlen(s->sysroot) : asker);
		sp_buf_printf(&path, "/%s", name);
		char *found = len ? dbg_process_real_path(path.data) : NULL;
		sp_buf_deinit(&path);
		if (found && dbg_path_is_of_class(found, class))
			return found;
		free(found);
		dirs += len;
		dirs += *dirs != '\0';
	}
	return NULL;
}

static char *search_rpaths(const struct search *s, size_t at, const char *name, int class)
{
	for (;; at = s->askers.v[at].loader) {
		const struct asker *asker = &s->askers.v[at];
		char *found = search_dirs(s, asker->rpath, name, asker->path, class);

		if (found || !at)
			return found;
	}
}

static char *find_by_path(const char *sysroot, const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };

	sp_buf_printf(&path, "%s%s", *name == '/' ? sysroot : "", name);
	return dbg_process_real_path(sp_buf_str(&path));
}

static char *find(const struct search *s, const struct needs *needs, const char *name, size_t at, int class)
{
	const char *asker = s->askers.v[at].path;
	char *found = NULL;

	if (strchr(name, '/'))
		return find_by_path(s->sysroot, name);
	if (!needs->runpath)
		found = search_rpaths(s, at, name, class);
	if (!found && !*s->sysroot)
		found = search_dirs(s, sp_env("LD_LIBRARY_PATH"), name, asker, class);
	if (!found)
		found = search_dirs(s, needs->runpath, name, asker, class);
	if (!found) {
		sp_cleanup_free char *usual = dbg_path_library(s->sysroot, name, class);
		found = usual ? dbg_process_real_path(usual) : NULL;
	}
	return found;
}

static bool is_known(const struct dbg_libraries *found, const char *path)
{
	sp_vec_each(library, &found->list)
		if (sp_streq(library->path, path))
			return true;
	return false;
}

// What one file has got, the next one that needs it gets, too, wherever that would find it.
static bool is_loaded(const struct dbg_libraries *found, const char *name)
{
	sp_vec_each(library, &found->list)
		if (sp_streq(library->name, name))
			return true;
	return false;
}

static void add_missing(struct dbg_libraries *found, const char *name)
{
	sp_vec_each(known, &found->missing)
		if (sp_streq(*known, name))
			return;
	sp_vec_push(&found->missing, sp_strdup(name));
}

static void add(struct search *s, const char *name, char *path)
{
	if (!path)
		add_missing(s->found, name);
	if (!path || is_known(s->found, path)) {
		free(path);
		return;
	}
	sp_vec_push(&s->found->list, ((struct dbg_library){ .name = sp_strdup(name), .path = path }));
}

// `at`: who asks.
static void add_needs(struct search *s, size_t at, Elf *elf)
{
	struct needs needs = { 0 };

	read_needs(elf, &needs);
	if (needs.rpath && !needs.runpath)
		s->askers.v[at].rpath = sp_strdup(needs.rpath);
	sp_vec_each(name, &needs.names) {
		size_t n = s->found->list.n;

		if (!is_loaded(s->found, *name))
			add(s, *name, find(s, &needs, *name, at, gelf_getclass(elf)));
		if (s->found->list.n > n)
			sp_vec_push(&s->askers, ((struct asker){ .path = s->found->list.v[n].path, .loader = at }));
	}
	sp_vec_deinit(&needs.names);
}

void dbg_library_list(const char *sysroot, const char *path, Elf *program, struct dbg_libraries *ret)
{
	struct search s = { .sysroot = sysroot, .found = ret };
	const char *linker = interpreter(program);

	sp_vec_push(&s.askers, (struct asker){ .path = path });
	add_needs(&s, 0, program);
	for (size_t i = 0; i < ret->list.n; i++) {
		sp_cleanup_close int fd = sp_file_open_regular(ret->list.v[i].path);
		Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
		if (elf)
			add_needs(&s, i + 1, elf);
		elf_end(elf);
	}
	sp_vec_each(asker, &s.askers)
		free(asker->rpath);
	sp_vec_deinit(&s.askers);
	if (linker) {
		const char *name = strrchr(linker, '/');
		struct sp_buf full = { 0 };
		sp_buf_printf(&full, "%s%s", sysroot, linker);
		add(&s, name ? name + 1 : linker, dbg_process_real_path(full.data));
		sp_buf_deinit(&full);
	}
}

struct process_search {
	struct search search;
	const char *program;
};

static bool add_mapped(void *ctx, const struct dbg_mapped *mapped)
{
	struct process_search *s = ctx;
	sp_cleanup_close int fd = -1;
	const char *base = strrchr(mapped->inner, '/');
	struct needs needs = { 0 };
	Elf *elf;

	if (!mapped->executable || sp_streq(mapped->path, s->program) || is_known(s->search.found, mapped->path))
		return true;
	fd = sp_file_open_regular(mapped->path);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		read_needs(elf, &needs);
		add(&s->search, needs.soname ? needs.soname : base + 1, sp_strdup(mapped->path));
		sp_vec_deinit(&needs.names);
	}
	elf_end(elf);
	return true;
}

struct sp_err *dbg_library_mapped(pid_t pid, const char *program, struct dbg_libraries *ret)
{
	struct process_search s = { .search = { .sysroot = "", .found = ret }, .program = program };

	return dbg_process_mappings(pid, add_mapped, &s);
}

void dbg_library_free(struct dbg_libraries *libraries)
{
	sp_vec_each(library, &libraries->list) {
		free(library->name);
		free(library->path);
	}
	sp_vec_deinit(&libraries->list);
	sp_vec_each(name, &libraries->missing)
		free(*name);
	sp_vec_deinit(&libraries->missing);
}
