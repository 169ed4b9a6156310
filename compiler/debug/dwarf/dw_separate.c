// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_separate.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

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

static bool search_build_id(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	if (file->build_id_len < 2)
		return false;
	sp_cleanup_free char *hex = build_id_hex(file);
	const char *const dirs[] = { search->debuginfo_path, "/usr/lib/debug" };
	for (size_t i = 0; i < SP_ARRAY_SIZE(dirs); i++) {
		struct sp_buf path = { 0 };
		if (!dirs[i])
			continue;
		sp_buf_printf(&path, "%s%s/.build-id/%.2s/%s.debug", i ? search->sysroot : "", dirs[i], hex, hex + 2);
		bool found = try_separate(file, path.data, NULL);
		sp_buf_printf(tried, "%s%s", tried->len ? ", " : "", path.data);
		sp_buf_deinit(&path);
		if (found)
			return true;
	}
	return false;
}

static bool search_debuglink(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	Elf_Data *data = dw_elf_raw_section(file->elf, ".gnu_debuglink");
	uint32_t crc;

	if (!data || !memchr(data->d_buf, 0, data->d_size))
		return false;
	const char *name = data->d_buf;
	size_t crc_off = SP_ALIGN_UP(strlen(name) + 1, 4);
	if (crc_off + 4 > data->d_size || !*name || strchr(name, '/'))
		return false;
	memcpy(&crc, name + crc_off, 4);
	sp_cleanup_free char *real = realpath(file->run.path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	if (!slash)
		return false;
	*slash = '\0';
	for (int i = 0; i < 4; i++) {
		struct sp_buf path = { 0 };
		if (i == 0)
			sp_buf_printf(&path, "%s/%s", real, name);
		else if (i == 1)
			sp_buf_printf(&path, "%s/.debug/%s", real, name);
		else if (i == 2)
			sp_buf_printf(&path, "%s/usr/lib/debug%s/%s", search->sysroot, real, name);
		else if (search->debuginfo_path)
			sp_buf_printf(&path, "%s%s/%s", search->debuginfo_path, real, name);
		bool found = path.len && try_separate(file, path.data, &crc);
		if (path.len)
			sp_buf_printf(tried, "%s%s", tried->len ? ", " : "", path.data);
		sp_buf_deinit(&path);
		if (found)
			return true;
	}
	return false;
}

// libdebuginfod is used when it is installed and the user has set its servers; it is not linked, so that the compiler
// does not bring libcurl along.
char *dw_separate_fetch(const uint8_t *build_id, unsigned len, const struct sp_log *log, struct sp_buf *tried)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;

	if (!urls || !*urls || !len)
		return NULL;
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
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
		sp_log(log, SP_LOG_INFO, "asking %s for debug information", urls);
		int fd = find(client, build_id, (int)len, &path);
		if (fd >= 0)
			close(fd);
		else
			path = NULL;
		end(client);
	}
	dlclose(lib);
	sp_buf_printf(tried, "%sdebuginfod at %s", tried->len ? ", " : "", urls);
	return path;
}

static bool search_debuginfod(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	sp_cleanup_free char *path = dw_separate_fetch(file->build_id, file->build_id_len, search->log, tried);
	return path && try_separate(file, path, NULL);
}

// .gnu_debugaltlink: a path, NUL, and the build-id of the shared file (dwz -m).
void dw_separate_open_alt(struct dw_file *file, const struct dw_search *search)
{
	Elf_Data *data = dw_elf_raw_section(file->debug_elf, ".gnu_debugaltlink");
	size_t len = data ? strnlen(data->d_buf, data->d_size) : 0;

	if (!data || len == 0 || len >= data->d_size)
		return;
	const char *name = data->d_buf;
	const uint8_t *id = (const uint8_t *)name + len + 1;
	size_t id_len = data->d_size - len - 1;
	struct sp_buf path = { 0 };
	const char *dir = file->sep.elf ? file->sep.path : file->run.path;
	const char *slash = strrchr(dir, '/');

	for (int i = 0; i < 2 && !file->alt.elf; i++) {
		sp_buf_clear(&path);
		if (i == 1 && id_len >= 2) {
			sp_buf_printf(&path, "%s/usr/lib/debug/.build-id/%02x/", search->sysroot, id[0]);
			for (size_t j = 1; j < id_len; j++)
				sp_buf_printf(&path, "%02x", id[j]);
			sp_buf_puts(&path, ".debug");
		} else if (i == 0 && name[0] == '/') {
			sp_buf_printf(&path, "%s%s", search->sysroot, name);
		} else if (i == 0) {
			sp_buf_printf(&path, "%.*s%s", slash ? (int)(slash - dir + 1) : 0, dir, name);
		}
		struct dw_image image;
		uint8_t found_id[32];
		struct sp_err *err = path.len ? dw_elf_open(path.data, &image) : sp_err_bug("no path");
		if (err) {
			sp_err_free(err);
			continue;
		}
		unsigned found_len = dw_elf_build_id(image.elf, found_id);
		if (found_len == id_len && memcmp(found_id, id, id_len) == 0)
			file->alt = image;
		else
			dw_elf_deinit(&image);
	}
	sp_buf_deinit(&path);
	if (!file->alt.elf) {
		sp_log(search->log, SP_LOG_WARN, "%s shares debug information with %s, which was not found", dir, name);
		return;
	}
	file->alt_dwarf = dwarf_begin_elf(file->alt.elf, DWARF_C_READ, NULL);
	if (file->alt_dwarf)
		dwarf_setalt(file->dwarf, file->alt_dwarf);
}

bool dw_separate_find(struct dw_file *file, const struct dw_search *search, struct sp_buf *tried)
{
	return search_build_id(file, search, tried) || search_debuglink(file, search, tried) ||
	       search_debuginfod(file, search, tried);
}
