// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem
#include "compiler/debug/dbg_path.h"

#include "compiler/debug/dbg_build_id.h"
#include "compiler/debug/dbg_process.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// SYSROOT/DIR/NAME when there is such a file, to be freed; else NULL.
static char *try_path(const char *sysroot, const char *dir, size_t dir_len, const char *name)
{
	struct sp_buf path = { 0 };

	sp_buf_printf(&path, "%s%.*s/%s", sysroot, (int)dir_len, dir, name);
	if (is_file(path.data))
		return sp_buf_take(&path);
	sp_buf_deinit(&path);
	return NULL;
}

static char *search_path(const char *sysroot, const char *name)
{
	for (const char *dir = sp_env_path(); *dir;) {
		size_t len = strcspn(dir, ":");
		char *found = len ? try_path(sysroot, dir, len, name) : NULL;
		if (found && (*sysroot || access(found, X_OK) == 0))
			return found;
		free(found);
		dir += len;
		dir += *dir == ':';
	}
	return NULL;
}

FILE *dbg_path_open(const char *path)
{
	int fd = sp_file_open_regular(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

static char *read_file(const char *sysroot, const char *path, size_t *size_ret)
{
	struct sp_buf full = { 0 }, data = { 0 };
	char chunk[4096];
	size_t n;

	sp_buf_printf(&full, "%s%s", sysroot, path);
	sp_cleanup_fclose FILE *f = dbg_path_open(full.data);
	sp_buf_deinit(&full);
	if (!f)
		return NULL;
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		sp_buf_add(&data, chunk, n);
	if (ferror(f)) { // half of it would say that something is not there
		sp_buf_deinit(&data);
		return NULL;
	}
	*size_ret = data.len;
	return sp_buf_take(&data);
}

// The format of glibc 2.2 and later (sysdeps/generic/dl-cache.h there); its strings are offsets from the header.
struct cache_header {
	char magic[20];
	uint32_t n_libs, strings_size;
	uint8_t flags, pad[3];
	uint32_t extension, unused[3];
};

struct cache_entry {
	int32_t flags;
	uint32_t key, value, os_version;
	uint64_t hwcap;
};

_Static_assert(sizeof(struct cache_header) == 48, "as in the file");
_Static_assert(sizeof(struct cache_entry) == 24, "as in the file");

bool dbg_path_is_of_class(const char *path, int elf_class)
{
	Elf32_Ehdr head; // it begins as Elf64_Ehdr does
	sp_cleanup_close int fd = sp_file_open_regular(path);

	if (fd < 0 || read(fd, &head, sizeof(head)) != sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG))
		return false;
	// Files of the x32 ABI are of the same class as those of i386.
	return head.e_ident[EI_CLASS] == elf_class && (elf_class == ELFCLASS64 || head.e_machine != EM_X86_64);
}

static char *try_library(const char *sysroot, const char *dir, const char *name, int elf_class)
{
	char *found = try_path(sysroot, dir, strlen(dir), name);

	if (found && dbg_path_is_of_class(found, elf_class))
		return found;
	free(found);
	return NULL;
}

static char *search_cache(const char *sysroot, const char *name, int elf_class)
{
	static const char magic[] = "glibc-ld.so.cache1.1";
	size_t size = 0;
	sp_cleanup_free char *data = read_file(sysroot, "/etc/ld.so.cache", &size);
	char *start = data ? memmem(data, size, magic, sizeof(magic) - 1) : NULL;
	struct cache_header header;

	if (!start || (size -= start - data) < sizeof(header))
		return NULL;
	memcpy(&header, start, sizeof(header));
	for (uint32_t i = 0; i < header.n_libs; i++) {
		struct cache_entry entry;
		size_t off = sizeof(header) + i * sizeof(entry);
		if (off + sizeof(entry) > size)
			return NULL;
		memcpy(&entry, start + off, sizeof(entry));
		// The buffer is NUL-terminated behind its size, so a string inside it ends.
		if (entry.key >= size || entry.value >= size || !sp_streq(start + entry.key, name))
			continue;
		char *found = try_library(sysroot, "", start + entry.value + (start[entry.value] == '/'), elf_class);
		if (found)
			return found;
	}
	return NULL;
}

char *dbg_path_library(const char *sysroot, const char *name, int elf_class)
{
	static const char *const dirs[] = {
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/usr/local/lib", "/lib", "/usr/lib",
		"/lib/i386-linux-gnu", "/usr/lib/i386-linux-gnu", "/lib32", "/usr/lib32",
	};
	char *found = search_cache(sysroot, name, elf_class);

	for (size_t i = 0; i < SP_ARRAY_SIZE(dirs) && !found; i++)
		found = try_library(sysroot, dirs[i], name, elf_class);
	return found;
}

static bool is_program(const char *path, bool check_mode)
{
	char magic[4];
	sp_cleanup_fclose FILE *f = !check_mode || access(path, X_OK) == 0 ? dbg_path_open(path) : NULL;

	return f && fread(magic, sizeof(magic), 1, f) == 1 && memcmp(magic, "\177ELF", sizeof(magic)) == 0;
}

// A name without a slash. The path is that of the file itself, whatever links lead to it, as of other names.
static char *find_named(const char *sysroot, const char *name)
{
	sp_cleanup_free char *link = search_path(sysroot, name);
	char *found;

	if (!link)
		link = dbg_path_library(sysroot, name, ELFCLASS64);
	found = link ? dbg_process_real_path(link) : NULL;
	return found ? found : sp_take(link);
}

struct sp_err *dbg_path_program(const char *sysroot, const char *name, char **ret)
{
	char *found;

	if (!*name)
		return sp_err_new(SP_ERR_NOT_FOUND, "an empty path is no program");
	if (strchr(name, '/')) {
		struct sp_buf path = { 0 };
		sp_buf_printf(&path, "%s%s", *name == '/' ? sysroot : "", name);
		found = dbg_process_real_path(path.data);
		struct sp_err *err = found ? NULL : sp_err_errno(errno, "cannot open %s", path.data);
		sp_buf_deinit(&path);
		if (err)
			return err;
	} else {
		found = find_named(sysroot, name);
		if (!found && dbg_build_id_is(name) && !(found = dbg_build_id_find(sysroot, name)))
			return sp_err_new(SP_ERR_NOT_FOUND, "no file in PATH, and none that a process runs or uses, has the build-id %s", name);
	}
	if (!found && is_program(name, true))
		return sp_err_new(SP_ERR_NOT_FOUND, "%s is neither a program in PATH nor a library; ./%s is a program", name, name);
	if (!found)
		return sp_err_new(SP_ERR_NOT_FOUND, "%s is neither a program in PATH nor a library", name);
	*ret = found;
	return NULL;
}

static void match_programs(const char *sysroot, const char *pattern, void (*fn)(void *ctx, const char *path), void *ctx)
{
	glob_t found;

	if (glob(pattern, GLOB_NOESCAPE, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (is_program(found.gl_pathv[i], !*sysroot))
				fn(ctx, found.gl_pathv[i]);
	globfree(&found);
}

void dbg_path_each_program(const char *sysroot, const char *pattern, void (*fn)(void *ctx, const char *path), void *ctx)
{
	struct sp_buf full = { 0 };

	if (strchr(pattern, '/')) {
		sp_buf_printf(&full, "%s%s", *pattern == '/' ? sysroot : "", pattern);
		match_programs(sysroot, full.data, fn, ctx);
	}
	for (const char *dir = strchr(pattern, '/') ? "" : sp_env_path(); *dir; dir += *dir == ':') {
		size_t len = strcspn(dir, ":");
		sp_buf_clear(&full);
		sp_buf_printf(&full, "%s%.*s/%s", sysroot, (int)len, dir, pattern);
		if (len)
			match_programs(sysroot, full.data, fn, ctx);
		dir += len;
	}
	sp_buf_deinit(&full);
}

bool dbg_path_element(const char *path, unsigned i, struct dbg_path_element *ret)
{
	bool is_checked = *path != '-';

	path += *path == '+' || *path == '-';
	for (; i; i--) {
		path += strcspn(path, ":");
		if (!*path++)
			return false;
	}
	if (*path == '+' || *path == '-')
		is_checked = *path++ == '+';
	*ret = (struct dbg_path_element){ path, (int)strcspn(path, ":"), is_checked };
	return true;
}

// `folder`: below the sysroot, with the place in it; len bytes.
static void fill_in(const char *sysroot, const char *folder, int len, const char *place, const char *release, struct sp_buf *ret)
{
	const char *slot = strstr(place, "%s");

	sp_buf_clear(ret);
	sp_buf_printf(ret, "%s%.*s%.*s%s%s", sysroot, len, folder, (int)(slot - place), place, release, slot + 2);
}

bool dbg_path_boot(const char *sysroot, const char *release, unsigned i, struct sp_buf *ret)
{
	static const char *const places[] = { "/boot/vmlinuz-%s", "/lib/modules/%s/vmlinuz" };

	if (i >= SP_ARRAY_SIZE(places))
		return false;
	fill_in(sysroot, "", 0, places[i], release, ret);
	return true;
}

bool dbg_path_vmlinux(const char *sysroot, const char *debuginfo_path, const char *release, unsigned i,
		      struct sp_buf *ret)
{
	static const char *const below[] = {
		"/boot/vmlinux-%s", // Debian, Ubuntu
		"/lib/modules/%s/vmlinux", // Fedora
		"/boot/vmlinux-%s.debug", // SUSE
		"/vmlinux-%s",
	};
	static const char *const places[] = { "/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s" };
	struct dbg_path_element element = { "", 0, false };
	const char *form = NULL;

	for (unsigned k = 0; !form && dbg_path_element(debuginfo_path, k, &element); k++) {
		if (*element.folder != '/')
			continue;
		if (i < SP_ARRAY_SIZE(below))
			form = below[i];
		else
			i -= SP_ARRAY_SIZE(below);
	}
	if (!form) {
		if (i >= SP_ARRAY_SIZE(places))
			return false;
		form = places[i];
		element.len = 0;
	}
	fill_in(sysroot, element.folder, element.len, form, release, ret);
	return true;
}

// Is `file` the file of module `name`? A module's name has '_' where its file may have '-': snd_pcm, snd-pcm.ko.
static bool is_module_file(const char *file, size_t len, const char *name)
{
	size_t i;

	for (i = 0; name[i] && i < len; i++)
		if (file[i] != name[i] && !((file[i] == '-' || file[i] == '_') && (name[i] == '-' || name[i] == '_')))
			return false;
	return !name[i] && len - i >= 3 && strncmp(file + i, ".ko", 3) == 0;
}

char *dbg_path_module(const char *sysroot, const char *release, const char *name)
{
	struct sp_buf dep = { 0 };
	size_t size = 0;
	char *found = NULL;

	sp_buf_printf(&dep, "/lib/modules/%s/modules.dep", release);
	sp_cleanup_free char *data = read_file(sysroot, dep.data, &size);
	// "kernel/fs/ext4/ext4.ko: kernel/lib/crc16.ko ..."
	for (char *line = data; line && *line && !found;) {
		size_t len = strcspn(line, ":\n");
		const char *base = memrchr(line, '/', len);
		base = base ? base + 1 : line;
		if (is_module_file(base, len - (base - line), name)) {
			sp_buf_clear(&dep);
			sp_buf_printf(&dep, "/lib/modules/%s", release);
			line[len] = '\0';
			found = try_path(sysroot, dep.data, dep.len, line);
		}
		line += len;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	sp_buf_deinit(&dep);
	return found;
}

void dbg_path_each_module(const char *sysroot, const char *release, const char *pattern,
			  void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct sp_buf dep = { 0 };
	size_t size = 0;

	sp_buf_printf(&dep, "/lib/modules/%s/modules.dep", release);
	sp_cleanup_free char *data = read_file(sysroot, dep.data, &size);
	sp_buf_deinit(&dep);
	for (char *line = data; line && *line;) {
		size_t len = strcspn(line, ":\n");
		char *next = line + strcspn(line, "\n"), *base = memrchr(line, '/', len), *end;
		next += *next == '\n';
		line[len] = '\0';
		base = base ? base + 1 : line;
		end = strstr(base, ".ko");
		if (end) {
			*end = '\0';
			bool is_file_meant = sp_glob_match(pattern, base); // "kvm-*"
			for (char *at = base; *at; at++)
				*at = *at == '-' ? '_' : *at;
			if (is_file_meant || sp_glob_match(pattern, base))
				fn(ctx, base);
		}
		line = next;
	}
}

bool dbg_path_module_is_builtin(const char *sysroot, const char *release, const char *name)
{
	sp_cleanup_free char *path = NULL, *data = NULL;
	size_t size = 0;
	bool found = false;
	char *rest, *line;

	if (asprintf(&path, "/lib/modules/%s/modules.builtin", release) < 0)
		return false;
	data = read_file(sysroot, path, &size);
	// "kernel/drivers/virtio/virtio_pci.ko"
	for (line = data ? strtok_r(data, "\n", &rest) : NULL; line && !found; line = strtok_r(NULL, "\n", &rest)) {
		const char *base = strrchr(line, '/');

		base = base ? base + 1 : line;
		found = is_module_file(base, strlen(base), name);
	}
	return found;
}

char *dbg_path_module_debug(const char *sysroot, const char *debuginfo_path, const char *path)
{
	static const char *const suffixes[] = { "", ".debug" }; // Debian; Fedora
	const char *base = strrchr(path, '/');
	// Debug files are not compressed: without the .xz, .gz or .zst of the installed file.
	const char *end = base ? strstr(base, ".ko") : NULL;
	struct dbg_path_element element;
	char *found = NULL;

	path += strlen(sysroot);
	if (!end || !sp_starts_with(path, "/lib/modules/"))
		return NULL;
	for (unsigned k = 0; !found && dbg_path_element(debuginfo_path, k, &element); k++)
		for (size_t i = 0; *element.folder == '/' && i < SP_ARRAY_SIZE(suffixes) && !found; i++) {
			struct sp_buf name = { 0 };
			sp_buf_printf(&name, "%.*s%s", (int)(end + 3 - path), path, suffixes[i]);
			found = try_path(sysroot, element.folder, (size_t)element.len, name.data + 1);
			sp_buf_deinit(&name);
		}
	return found;
}

void dbg_path_kernel_advice(const char *sysroot, const char *release, struct sp_buf *ret)
{
	size_t size = 0;
	sp_cleanup_free char *os = read_file(sysroot, "/etc/os-release", &size);

	if (os && (strstr(os, "\nID=debian") || sp_starts_with(os, "ID=debian")))
		sp_buf_printf(ret, "install linux-image-%s-dbg", release);
	else if (os && strstr(os, "ID=ubuntu"))
		sp_buf_printf(ret, "install linux-image-%s-dbgsym (from ddebs.ubuntu.com)", release);
	else if (os && (strstr(os, "fedora") || strstr(os, "rhel")))
		sp_buf_printf(ret, "install kernel-debuginfo-%s", release);
	else
		sp_buf_printf(ret, "install the debug information of kernel %s (on Debian: linux-image-%s-dbg)", release,
			      release);
	sp_buf_puts(ret, ", or set DEBUGINFOD_URLS to a debuginfod server that has it");
}
