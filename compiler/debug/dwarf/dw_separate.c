// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_separate.h"

#include "compiler/cache/cache.h"
#include "compiler/cache/look.h"
#include "compiler/debug/dbg_partial.h"
#include "compiler/debug/dbg_path.h"
#include "compiler/debug/dbg_process.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define LIBRARY "libdebuginfod.so.1"
#define PATIENCE_NS 2000000000ull // with servers
#define LATER "a debuginfod server was asked for debug information, which it may have later"

static char *build_id_hex(const struct dw_file *file)
{
	struct sp_buf hex = { 0 };

	for (unsigned i = 0; i < file->build_id_len; i++)
		sp_buf_printf(&hex, "%02x", file->build_id[i]);
	return sp_buf_take(&hex);
}

// Takes `path` as the separate debug file when it exists, has DWARF and belongs to the file.
static bool try_separate(struct dw_file *file, const char *path, const uint32_t *crc)
{
	struct dw_image image;
	struct sp_err *err = dw_elf_open(path, &image);
	uint8_t id[32];

	if (err) {
		sp_err_free(err);
		return false;
	}
	unsigned id_len = dw_elf_build_id(image.elf, id);
	bool same = dw_elf_has_dwarf(image.elf);
	if (same && id_len && file->build_id_len)
		same = id_len == file->build_id_len && memcmp(id, file->build_id, id_len) == 0;
	else if (same && crc)
		same = *crc == (uint32_t)crc32(0, image.map, image.size);
	if (!same) {
		dw_elf_deinit(&image);
		return false;
	}
	file->sep = image;
	return true;
}

// Tries the path that the format gives, and notes it in `tried`.
SP_PRINTF(4, 5)
static bool try_at(struct dw_file *file, const uint32_t *crc, struct sp_buf *tried, const char *fmt, ...)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(&path, fmt, args);
	va_end(args);
	sp_buf_printf(tried, "%s%s", tried->len ? ", " : "", sp_buf_str(&path));
	return try_separate(file, sp_buf_str(&path), crc);
}

// Tries PLACE/NAME in an absolute folder of the debuginfo path: as the process sees it, in the sysroot, and here.
static bool try_below(struct dw_file *file, const struct dw_search *search, const struct dbg_path_element *place, const uint32_t *crc,
		      const char *name, struct sp_buf *tried)
{
	const char *path = file->run.path;
	int root_len = (int)dbg_process_root_len(path), len = place->len;

	return (root_len && try_at(file, crc, tried, "%.*s%.*s/%s", root_len, path, len, place->folder, name)) ||
	       try_at(file, crc, tried, "%s%.*s/%s", search->sysroot, len, place->folder, name) ||
	       (*search->sysroot && try_at(file, crc, tried, "%.*s/%s", len, place->folder, name));
}

static bool search_build_id(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct dbg_path_element place;

	if (file->build_id_len < 2)
		return false;
	sp_cleanup_free char *hex = build_id_hex(file);
	sp_buf_printf(&name, ".build-id/%.2s/%s.debug", hex, hex + 2);
	for (unsigned i = 0; dbg_path_element(search->debuginfo_path, i, &place); i++)
		if (*place.folder == '/' && try_below(file, search, &place, NULL, sp_buf_str(&name), tried))
			return true;
	return false;
}

// The file name in .gnu_debuglink, and the checksum behind it; NULL: none.
static const char *debuglink_of(const struct dw_file *file, uint32_t *crc_ret)
{
	Elf_Data *data = dw_elf_raw_section(file->elf, ".gnu_debuglink");

	if (!data || !memchr(data->d_buf, 0, data->d_size))
		return NULL;
	const char *name = data->d_buf;
	size_t crc_off = SP_ALIGN_UP(strlen(name) + 1, 4);
	if (crc_off + 4 > data->d_size || !*name || strchr(name, '/'))
		return NULL;
	memcpy(crc_ret, name + crc_off, 4);
	return name;
}

// As the machine with the file knows it: without the sysroot, or the root of a process.
static const char *inner_path(const struct dw_search *search, const char *path)
{
	size_t root_len = dbg_process_root_len(path);

	if (!root_len && sp_starts_with(path, search->sysroot))
		root_len = strlen(search->sysroot);
	return path + root_len;
}

// Of a program in /usr/bin and the folder F: F/usr/bin, F/bin and F, as elfutils does. Where /bin is a link to /usr/bin, debug files
// may be installed by either name.
static bool try_tree(struct dw_file *file, const struct dw_search *search, const struct dbg_path_element *place, const uint32_t *crc,
		     const char *dir, const char *name, struct sp_buf *tried)
{
	for (const char *rest = strchr(inner_path(search, dir), '/'); rest; rest = strchr(rest + 1, '/')) {
		sp_cleanup(sp_buf_deinit) struct sp_buf below = { 0 };

		sp_buf_printf(&below, "%s/%s", rest + 1, name);
		if (try_below(file, search, place, crc, sp_buf_str(&below), tried))
			return true;
	}
	return try_below(file, search, place, crc, name, tried);
}

static bool search_debuglink(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	uint32_t crc;
	const char *name = debuglink_of(file, &crc);
	sp_cleanup_free char *dir = name ? dbg_process_real_path(file->run.path) : NULL;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	struct dbg_path_element place;

	if (!slash)
		return false;
	*slash = '\0';
	for (unsigned i = 0; dbg_path_element(search->debuginfo_path, i, &place); i++) {
		const uint32_t *check = place.is_checked ? &crc : NULL;

		if (*place.folder == '/' ? try_tree(file, search, &place, check, dir, name, tried) :
		    place.len		 ? try_at(file, check, tried, "%s/%.*s/%s", dir, place.len, place.folder, name) :
					   try_at(file, check, tried, "%s/%s", dir, name))
			return true;
	}
	return false;
}

struct asking {
	const struct sp_log *log;
	const char *urls;
	uint64_t since;
	bool is_told;
};

// Called about once a second. The library waits for a server for 90 s, and more than once, unless DEBUGINFOD_TIMEOUT and DEBUGINFOD_RETRY_LIMIT
// say otherwise: servers that have to unpack a file take their time.
static int tell_waiting(void *client, long a, long b)
{
	void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD); // which calls us
	void *(*get_user_data)(void *) = (void *(*)(void *))dlsym(lib, "debuginfod_get_user_data");
	struct asking *asking = get_user_data(client);

	(void)a, (void)b;
	if (!asking->is_told && sp_now_ns() - asking->since > PATIENCE_NS) {
		sp_log(asking->log, SP_LOG_WARN, "waiting for debug information from %s (DEBUGINFOD_URLS)", asking->urls);
		asking->is_told = true;
	}
	dlclose(lib);
	return 0;
}

static void watch(void *lib, void *client, struct asking *asking)
{
	void (*set_user_data)(void *, void *) = (void (*)(void *, void *))dlsym(lib, "debuginfod_set_user_data");
	void (*set_progress)(void *, int (*)(void *, long, long)) =
		(void (*)(void *, int (*)(void *, long, long)))dlsym(lib, "debuginfod_set_progressfn");

	if (!set_user_data || !set_progress)
		return;
	set_user_data(client, asking);
	set_progress(client, tell_waiting);
}

// Each file more would take as long.
static void give_up(const struct dw_search *search, const char *urls)
{
	sp_log(search->log, SP_LOG_WARN, "%s has not answered in time (DEBUGINFOD_URLS), and is not asked again", urls);
	*search->servers_are_silent = true;
}

// libdebuginfod is loaded when the user has set its servers. It is not linked: spile would need libcurl.
char *dw_separate_fetch(const struct dw_search *search, const uint8_t *build_id, unsigned len, struct sp_buf *tried)
{
	const char *urls = sp_env("DEBUGINFOD_URLS");
	char *path = NULL;

	if (!urls || !*urls || !len)
		return NULL;
	if (*search->servers_are_silent) {
		look_obstacle(LATER);
		sp_buf_printf(tried, "%sdebuginfod (%s has not answered)", tried->len ? ", " : "", urls);
		return NULL;
	}
	void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		sp_buf_printf(tried, "%sdebuginfod (DEBUGINFOD_URLS is set, but libdebuginfod is not installed)",
			      tried->len ? ", " : "");
		return NULL;
	}
	void *(*begin)(void) = (void *(*)(void))dlsym(lib, "debuginfod_begin");
	int (*find)(void *, const unsigned char *, int, char **) =
		(int (*)(void *, const unsigned char *, int, char **))dlsym(lib, "debuginfod_find_debuginfo");
	void (*end)(void *) = (void (*)(void *))dlsym(lib, "debuginfod_end");
	void *client = begin && find && end ? begin() : NULL;
	if (client) {
		struct asking asking = { search->log, urls, sp_now_ns(), false };

		sp_log(search->log, SP_LOG_INFO, "asking %s for debug information", urls);
		watch(lib, client, &asking);
		int fd = find(client, build_id, (int)len, &path);
		if (fd >= 0)
			close(fd);
		else
			path = NULL;
		if (fd == -ETIME || fd == -ETIMEDOUT)
			give_up(search, urls);
		end(client);
	}
	dlclose(lib);
	if (!path)
		look_obstacle(LATER);
	sp_buf_printf(tried, "%sdebuginfod at %s", tried->len ? ", " : "", urls);
	return path;
}

static bool search_debuginfod(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	sp_cleanup_free char *path = dw_separate_fetch(search, file->build_id, file->build_id_len, tried);
	return path && try_separate(file, path, NULL);
}

// Takes `path` as the file with shared debug information when it has that build-id.
static bool try_alt(struct dw_file *file, const char *path, const uint8_t *id, size_t id_len)
{
	struct dw_image image;
	uint8_t found_id[32];
	struct sp_err *err = dw_elf_open(path, &image);

	if (err) {
		sp_err_free(err);
		return false;
	}
	unsigned found_len = dw_elf_build_id(image.elf, found_id);
	if (found_len != id_len || memcmp(found_id, id, id_len) != 0) {
		dw_elf_deinit(&image);
		return false;
	}
	file->alt = image;
	return true;
}

// By its name, which may be relative to the folder of `user`, the file with the link.
static bool alt_by_name(struct dw_file *file, const struct dw_search *search, const char *user, const char *name,
			const uint8_t *id, size_t id_len)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	const char *slash = strrchr(user, '/');

	if (name[0] == '/')
		sp_buf_puts(&path, search->sysroot);
	else
		sp_buf_add(&path, user, slash ? (size_t)(slash - user) + 1 : 0);
	sp_buf_puts(&path, name);
	return try_alt(file, sp_buf_str(&path), id, id_len);
}

static bool alt_by_build_id(struct dw_file *file, const struct dw_search *search, const uint8_t *id, size_t id_len)
{
	struct dbg_path_element place;

	for (unsigned i = 0; id_len >= 2 && dbg_path_element(search->debuginfo_path, i, &place); i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };

		if (*place.folder != '/')
			continue;
		sp_buf_printf(&path, "%s%.*s/.build-id/%02x/", search->sysroot, place.len, place.folder, id[0]);
		for (size_t k = 1; k < id_len; k++)
			sp_buf_printf(&path, "%02x", id[k]);
		sp_buf_puts(&path, ".debug");
		if (try_alt(file, sp_buf_str(&path), id, id_len))
			return true;
	}
	return false;
}

void dw_separate_open_alt(struct dw_file *file, const struct dw_search *search)
{
	// .gnu_debugaltlink: a path, NUL, and the build-id of the shared file.
	Elf_Data *data = dw_elf_raw_section(file->debug_elf, ".gnu_debugaltlink");
	const char *name = data ? data->d_buf : NULL, *user = file->sep.elf ? file->sep.path : file->run.path;
	size_t len = data ? strnlen(name, data->d_size) : 0;

	if (!data || len == 0 || len >= data->d_size)
		return;
	const uint8_t *id = (const uint8_t *)name + len + 1;
	size_t id_len = data->d_size - len - 1;

	if (!alt_by_name(file, search, user, name, id, id_len) && !alt_by_build_id(file, search, id, id_len)) {
		sp_log(search->log, SP_LOG_WARN, "%s shares debug information with %s, which was not found", user, name);
		return;
	}
	file->alt_dwarf = dwarf_begin_elf(file->alt.elf, DWARF_C_READ, NULL);
	if (file->alt_dwarf)
		dwarf_setalt(file->dwarf, file->alt_dwarf);
}

bool dw_separate_open_partial(struct dw_file *file, const char *name, const struct sp_log *log, struct dw_image *ret)
{
	struct cache_mapped mapped;
	struct sp_err *err;

	if (!partial_map(log, name, &mapped))
		return false;
	err = partial_open(name, mapped.bytes, ret);
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);
		sp_log(log, SP_LOG_WARN, "%s", text);
		sp_err_free(err);
	} else {
		file->partial = partial_read(&file->arena, (const struct probe_file_head *)mapped.bytes);
	}
	cache_unmap(&mapped);
	return file->partial;
}

static bool search_partial(struct dw_file *file, const struct dw_search *search)
{
	uint8_t id[32];

	// dbg_kernel.c looks for those of kernel modules: they have the addresses that libdwfl has given out.
	if (!file->build_id_len || file->ehdr.e_type == ET_REL)
		return false;
	for (unsigned sort = search->partial_from; sort < PROBE_FILE_N_SORTS; sort++) {
		sp_cleanup_free char *name = probe_file_name(file->build_id, file->build_id_len, (enum probe_file_sort)sort);

		if (!dw_separate_open_partial(file, name, search->log, &file->sep))
			continue;
		if (dw_elf_build_id(file->sep.elf, id) == file->build_id_len && !memcmp(id, file->build_id, file->build_id_len))
			return true;
		sp_log(search->log, SP_LOG_WARN, "%s in the cache is not used: the file in it has another build-id", name);
		dw_elf_deinit(&file->sep);
		file->partial = NULL;
	}
	return false;
}

bool dw_separate_find(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	return search_build_id(file, search, tried) || search_debuglink(file, search, tried) ||
	       search_debuginfod(file, search, tried) || search_partial(file, search);
}
