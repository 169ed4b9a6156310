// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create
#include "compiler/debug/dbg_partial.h"

#include "compiler/cache/look.h"
#include "compiler/debug/dwarf/dw_elf.h"

#include "runtime/base/cleanup.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static void refuse(const struct sp_log *log, const char *name, const char *why)
{
	sp_log(log, SP_LOG_WARN, "%s in the cache is not used: %s", name, why);
}

bool partial_map(const struct sp_log *log, const char *name, struct cache_mapped *ret)
{
	sp_cleanup_free char *path = cache_path(name);
	struct sp_err *err = cache_map(name, ret);
	const struct probe_file_head *head;
	const char *why;

	if (path)
		look_note(INPUT_FILE, path);
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);
		refuse(log, name, text);
		sp_err_free(err);
		return false;
	}
	if (!ret->bytes)
		return false;
	why = probe_file_check(ret->bytes, ret->size);
	head = (const struct probe_file_head *)ret->bytes;
	if (!why) {
		sp_cleanup_free char *own = probe_file_name(head->build_id, head->build_id_len, (enum probe_file_sort)head->sort);

		if (sp_streq(own, name))
			return true;
		sp_log(log, SP_LOG_WARN, "%s in the cache is not used: it is %s", name, own);
	} else {
		refuse(log, name, why);
	}
	cache_unmap(ret);
	return false;
}

struct sp_err *partial_open(const char *name, const uint8_t *bytes, struct dw_image *ret)
{
	const struct probe_file_head *head = (const struct probe_file_head *)bytes;
	const uint8_t *packed = (const uint8_t *)(head + 1) + head->text_size;
	sp_cleanup_close int fd = memfd_create("probes", MFD_CLOEXEC);
	uLongf size = head->elf_size;
	void *map = MAP_FAILED;
	int status, taken;

	if (fd >= 0 && size && ftruncate(fd, (off_t)size) == 0)
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return sp_err_new(SP_ERR_FORMAT, "%s: there is no memory for it", name);
	status = uncompress(map, &size, packed, head->packed_size);
	munmap(map, head->elf_size);
	if (status != Z_OK || size != head->elf_size)
		return sp_err_new(SP_ERR_FORMAT, "%s: it cannot be decompressed", name);
	taken = fd;
	fd = -1;
	return dw_elf_take(name, taken, ret);
}

// Is the file for that object, which its first line names?
static bool is_for(const struct cache_mapped *file, const char *object, const char *release)
{
	const struct probe_file_head *head = (const struct probe_file_head *)file->bytes;
	const char *line = (const char *)(head + 1);
	size_t prefix = strlen("object "), len = strlen(object);

	return head && file->size >= sizeof(*head) + prefix + len + 1 && !strncmp(head->release, release, sizeof(head->release)) &&
	       !memcmp(line, "object ", prefix) && !memcmp(line + prefix, object, len) && line[prefix + len] == '\n';
}

// The name of the file that was used last, to be freed; NULL: none.
static char *find_for(const char *object, const char *release, enum probe_file_sort sort)
{
	struct cache_list all = { 0 };
	char *found = NULL, ending[16];

	snprintf(ending, sizeof(ending), ".%s", probe_file_endings[sort]);
	sp_err_free(cache_each(ending, &all));
	for (size_t i = all.n; i > 0 && !found; i--) {
		const char *name = all.v[i - 1].name;
		struct cache_mapped mapped = { 0 };

		sp_err_free(cache_map(name, &mapped));
		if (is_for(&mapped, object, release))
			found = sp_strdup(name);
		cache_unmap(&mapped);
	}
	sp_vec_deinit(&all);
	return found;
}

char *partial_of_release(const char *release, const char *object, enum probe_file_sort sort)
{
	look_obstacle("debug information of that kernel was looked for in the whole cache");
	LOOK_PAUSE();
	return find_for(object, release, sort);
}

void partial_tell_other(const char *object, const char *release, const uint8_t *id, unsigned len, struct sp_buf *out)
{
	LOOK_PAUSE();

	for (unsigned sort = 0; len && sort < PROBE_FILE_N_SORTS; sort++) {
		sp_cleanup_free char *name = find_for(object, release, (enum probe_file_sort)sort);

		if (!name)
			continue;
		sp_buf_printf(out, "the probe cache has that of the build %.*s, and this is ", (int)strcspn(name, "."), name);
		for (unsigned i = 0; i < len; i++)
			sp_buf_printf(out, "%02x", id[i]);
		sp_buf_puts(out, "; ");
		return;
	}
}

// ---- what is complete -----------------------------------------------------------------------------------------------

struct question {
	const char *name, *file; // NULL: any file
	unsigned line;
};

struct partial {
	bool is_brief;
	SP_VEC(struct question) questions; // in the arena's memory, as it is
};

// "NAME\tFILE\tLINE"
static struct question read_question(struct sp_arena *arena, const char *text, size_t len)
{
	char *name = sp_arena_strndup(arena, text, len), *file = strchr(name, '\t'), *line = file ? strchr(file + 1, '\t') : NULL;

	if (!line)
		return (struct question){ .name = "" };
	*file = *line = '\0';
	return (struct question){ name, file[1] ? file + 1 : NULL, (unsigned)strtoul(line + 1, NULL, 10) };
}

struct partial *partial_read(struct sp_arena *arena, const struct probe_file_head *head)
{
	struct partial *partial = sp_arena_new(arena, struct partial);
	struct probe_file_line line;
	const char *at = NULL;

	partial->is_brief = head->sort == PROBE_FILE_FUNCTIONS;
	while (probe_file_next(&at, head, "funcs", &line))
		sp_vec_push(&partial->questions, read_question(arena, line.text, line.len));
	struct question *list = sp_arena_memdup(arena, partial->questions.v, partial->questions.n * sizeof(*list));
	free(partial->questions.v);
	partial->questions.v = list;
	return partial;
}

// Does the answer to `asked` contain that to `query`?
static bool contains(const struct question *asked, const struct dbg_func_query *query)
{
	if (asked->line && asked->line != query->line)
		return false;
	if (asked->file && !sp_streq(asked->file, "*") && !(query->file && sp_streq(asked->file, query->file)))
		return false;
	if (sp_streq(asked->name, query->name) || sp_streq(asked->name, "*"))
		return true;
	return !sp_has_glob(query->name) && !strpbrk(query->name, "(:<") && sp_glob_match(asked->name, query->name);
}

bool partial_has_funcs(const struct partial *partial, const struct dbg_func_query *query)
{
	// Inlined instances are not among what is kept of all functions.
	if (partial->is_brief && query->inlines && !query->calls)
		return false;
	sp_vec_each(asked, &partial->questions)
		if (contains(asked, query))
			return true;
	return false;
}

bool partial_is_brief(const struct partial *partial)
{
	return partial->is_brief;
}
