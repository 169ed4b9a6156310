// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // getline, makedev

#include "runtime/machine/image.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/util.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct sp_err *image_each_kernel_symbol(bool (*each)(void *ctx, uint64_t address, const char *name, const char *module),
				      void *ctx)
{
	sp_cleanup_fclose FILE *file = fopen("/proc/kallsyms", "re");
	sp_cleanup_free char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	if (!file)
		return sp_err_errno(errno, "cannot read /proc/kallsyms");
	while ((len = getline(&line, &cap, file)) > 0) {
		char *end, *symbol, *module;
		uint64_t address = strtoull(line, &end, 16);

		line[strcspn(line, "\n")] = '\0';
		if (*end != ' ' || end[1] == '\0' || end[2] != ' ')
			continue;
		symbol = end + 3;
		module = strchr(symbol, '\t'); // "name\t[module]"
		if (module) {
			*module++ = '\0';
			module += *module == '[';
			module[strcspn(module, "]")] = '\0';
		}
		if (!each(ctx, address, symbol, module))
			break;
	}
	return len > 0 ? NULL : sp_file_end(file, "/proc/kallsyms");
}

struct wanted_symbol {
	const char *name;
	uint64_t address;
	bool found;
};

static bool look_at_symbol(void *ctx, uint64_t address, const char *name, const char *module)
{
	struct wanted_symbol *wanted = ctx;

	(void)module;
	wanted->found = sp_streq(name, wanted->name);
	wanted->address = address;
	return !wanted->found;
}

struct sp_err *image_kernel_address(const char *name, uint64_t *ret)
{
	struct wanted_symbol wanted = { .name = name };

	SP_TRY(image_each_kernel_symbol(look_at_symbol, &wanted));
	if (!wanted.found)
		return sp_err_new(SP_ERR_NOT_FOUND, "/proc/kallsyms has no symbol `%s`", name);
	if (!wanted.address)
		return sp_err_new(SP_ERR_PRIVILEGE,
				  "the kernel hides its addresses (/proc/sys/kernel/kptr_restrict, CAP_SYSLOG)");
	*ret = wanted.address;
	return NULL;
}

struct sp_err *image_module_section(const char *module, const char *section, uint64_t *ret)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	uint64_t address;

	if (asprintf(&path, "/sys/module/%s/sections/%s", module, section) < 0)
		return sp_err_bug("asprintf");
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return sp_err_new(SP_ERR_NOT_FOUND, "kernel module `%s` is not loaded", module);
	if (!file)
		return sp_err_errno(errno, "cannot read %s", path);
	if (fscanf(file, "%" SCNx64, &address) != 1 || !address)
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel hides the addresses of module `%s`", module);
	*ret = address;
	return NULL;
}

static void read_notes(const char *path, struct image_build_id *ret)
{
	sp_cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t bytes[4096];
	ssize_t size;

	ret->len = 0;
	size = fd >= 0 ? read(fd, bytes, sizeof(bytes)) : -1;
	if (size > 0)
		ret->len = sp_build_id_find(bytes, (size_t)size, ret->bytes);
}

void image_kernel_build_id(struct image_build_id *ret)
{
	read_notes("/sys/kernel/notes", ret);
}

void image_module_build_id(const char *module, struct image_build_id *ret)
{
	sp_cleanup_free char *path = NULL;

	ret->len = 0;
	if (asprintf(&path, "/sys/module/%s/notes/.note.gnu.build-id", module) >= 0)
		read_notes(path, ret);
}

// One that is part of the kernel has no such state.
static bool is_live(const char *module)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	char state[16] = "";

	if (asprintf(&path, "/sys/module/%s/initstate", module) < 0)
		return false;
	file = fopen(path, "re");
	return !file || (fscanf(file, "%15s", state) == 1 && sp_streq(state, "live"));
}

uint64_t image_module_number(const char *module)
{
	sp_cleanup_free char *path = NULL;
	struct stat st;

	return asprintf(&path, "/sys/module/%s", module) >= 0 && !stat(path, &st) && is_live(module) ? st.st_ino : 0;
}

// What libelf had no memory for looks as if the file did not have it.
static void check_memory(void)
{
	if (sp_streq(elf_errmsg(-1), "out of memory"))
		sp_out_of_memory();
}

#define LARGE (1 << 30)

// Anybody can make a file of terabytes that has a few KB, for which libelf would want all memory.
static bool is_hollow(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_size > LARGE && st.st_blocks < st.st_size / 512 / 8;
}

struct sp_err *image_elf_open(const char *path, struct image_elf *ret)
{
	int fd = sp_file_open_regular(path);
	Elf *elf;

	if (fd < 0 && errno != ENOEXEC)
		return sp_err_errno(errno, "cannot open %s", path);
	elf_version(EV_CURRENT);
	errno = 0;
	elf = fd < 0 || is_hollow(fd) ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf_kind(elf) != ELF_K_ELF) {
		struct sp_err *err = image_elf_unread(path);

		check_memory();
		elf_end(elf);
		sp_cleanup_closep(&fd);
		return err ? err : sp_err_new(SP_ERR_FORMAT, "%s is not an ELF file", path);
	}
	*ret = (struct image_elf){ elf, fd };
	return NULL;
}

struct sp_err *image_elf_unread(const char *path)
{
	return errno && errno != ENOMEM ? sp_err_errno(errno, "cannot read %s", path) : NULL;
}

const char *image_elf_text(const struct image_elf *file, size_t section, size_t offset)
{
	const char *text = elf_strptr(file->elf, section, offset);

	return text ? text : "";
}

void image_elf_close(struct image_elf *file)
{
	if (!file->elf)
		return;
	check_memory();
	elf_end(file->elf);
	close(file->fd);
	file->elf = NULL;
}

struct sp_err *image_file_build_id(const char *path, struct image_build_id *ret)
{
	sp_cleanup_close int fd = -1;

	return image_file_open(path, ret, &fd);
}

// Go's linker leaves it out of the segment of notes.
static void read_note_sections(Elf *elf, struct image_build_id *ret)
{
	for (Elf_Scn *scn = NULL; !ret->len && (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data = gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_NOTE ? elf_rawdata(scn, NULL) : NULL;

		if (data && data->d_buf)
			ret->len = sp_build_id_find(data->d_buf, data->d_size, ret->bytes);
	}
}

struct sp_err *image_file_open(const char *path, struct image_build_id *ret, int *fd_ret)
{
	sp_cleanup(image_elf_close) struct image_elf file = { 0 };
	Elf *elf;
	size_t n;

	ret->len = ret->layout = 0;
	SP_TRY(image_elf_open(path, &file));
	elf = file.elf;
	if (elf_getphdrnum(elf, &n))
		return sp_err_new(SP_ERR_FORMAT, "%s: %s", path, elf_errmsg(-1));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &phdr))
			continue;
		if (phdr.p_type == PT_LOAD && phdr.p_flags & PF_X)
			ret->layout = sp_code_layout(ret->layout, phdr.p_offset, phdr.p_vaddr);
		if (phdr.p_type != PT_NOTE || ret->len)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz, ELF_T_BYTE);
		if (data)
			ret->len = sp_build_id_find(data->d_buf, data->d_size, ret->bytes);
	}
	read_note_sections(elf, ret);
	SP_TRY(image_elf_unread(path));
	*fd_ret = file.fd;
	file.fd = -1;
	return NULL;
}

const char *image_build_id_text(const uint8_t *bytes, size_t len, char *text)
{
	if (!len)
		memcpy(text, "none", sizeof("none"));
	for (size_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

uint64_t image_file_address(const char *path, const char *name, bool is_dynamic)
{
	sp_cleanup(image_elf_close) struct image_elf file = { 0 };
	Elf_Scn *scn = NULL;

	sp_err_free(image_elf_open(path, &file));
	while (file.elf && (scn = elf_nextscn(file.elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != (is_dynamic ? SHT_DYNSYM : SHT_SYMTAB))
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
			if (sym.st_shndx != SHN_UNDEF && sp_streq(image_elf_text(&file, shdr.sh_link, sym.st_name), name))
				return sym.st_value;
	}
	return 0;
}

struct sp_err *image_file_entry(const char *path, uint64_t *ret)
{
	sp_cleanup(image_elf_close) struct image_elf file = { 0 };
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t n = 0;
	Elf *elf;

	SP_TRY(image_elf_open(path, &file));
	elf = file.elf;
	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &n))
		return sp_err_new(SP_ERR_NOT_FOUND, "%s is no program", path);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD || header.e_entry < segment.p_vaddr ||
		    header.e_entry - segment.p_vaddr >= segment.p_filesz)
			continue;
		*ret = header.e_entry - segment.p_vaddr + segment.p_offset;
		return NULL;
	}
	SP_TRY(image_elf_unread(path));
	return sp_err_new(SP_ERR_NOT_FOUND, "%s has no entry point", path);
}

struct sp_err *image_each_mapping(pid_t pid, bool (*each)(void *ctx, const struct image_mapping *mapping), void *ctx)
{
	sp_cleanup_free char *path = NULL, *line = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	size_t cap = 0;
	ssize_t len;

	if (asprintf(&path, "/proc/%d/maps", (int)pid) < 0)
		return sp_err_bug("asprintf");
	file = fopen(path, "re");
	if (!file)
		return sp_err_errno(errno, "cannot read %s", path);
	while ((len = getline(&line, &cap, file)) > 0) {
		struct image_mapping mapping = { 0 };
		unsigned dev_major, dev_minor;
		unsigned long inode;
		char rights[8];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %lu %n", &mapping.start, &mapping.end,
			   rights, &mapping.offset, &dev_major, &dev_minor, &inode, &at) < 7 || !inode || !at)
			continue;
		mapping.executable = rights[2] == 'x';
		mapping.writable = rights[1] == 'w';
		mapping.dev = makedev(dev_major, dev_minor);
		mapping.inode = inode;
		mapping.path = line + at;
		if (!each(ctx, &mapping))
			break;
	}
	return len > 0 ? NULL : sp_file_end(file, path);
}

bool image_mapping_is(const struct image_mapping *mapping, dev_t dev, ino_t inode, const char *path)
{
	return mapping->inode == inode && (mapping->dev == dev || (path && sp_streq(mapping->path, path)));
}

static bool is_mapped_file(const char *path, const struct image_mapping *mapping)
{
	struct stat st;

	return !stat(path, &st) && image_mapping_is(mapping, st.st_dev, st.st_ino, NULL);
}

char *image_mapping_path(pid_t pid, const struct image_mapping *mapping)
{
	char *path, other[64];
	struct stat st;

	if (asprintf(&path, "/proc/%d/root%s", (int)pid, mapping->path) < 0)
		sp_out_of_memory();
	if (is_mapped_file(path, mapping))
		return path;
	snprintf(other, sizeof(other), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, mapping->start, mapping->end);
	if (stat(other, &st)) {
		snprintf(other, sizeof(other), "/proc/%d/exe", (int)pid);
		if (!is_mapped_file(other, mapping))
			return path;
	}
	free(path);
	return sp_strdup(other);
}

uint64_t image_auxv(pid_t pid, uint64_t type)
{
	uint64_t words[128] = { 0 };
	const uint32_t *halves = (const uint32_t *)words;
	sp_cleanup_close int fd = -1;
	char path[32];
	bool is_32;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, words, sizeof(words) - sizeof(words[0])) < 0)
		return 0;
	is_32 = words[0] > UINT32_MAX; // a type and its value: no type is so large
	for (unsigned i = 0; i < SP_ARRAY_SIZE(words) - 1; i += 2)
		if ((is_32 ? halves[i] : words[i]) == type)
			return is_32 ? halves[i + 1] : words[i + 1];
	return 0;
}

struct wanted_file {
	const char *path;
	struct stat st;
	bool found;
};

static bool look_at_code(void *ctx, const struct image_mapping *mapping)
{
	struct wanted_file *wanted = ctx;

	wanted->found = mapping->executable && image_mapping_is(mapping, wanted->st.st_dev, wanted->st.st_ino, wanted->path);
	return !wanted->found;
}

bool image_runs(pid_t pid, const char *path)
{
	struct wanted_file wanted = { .path = path };
	struct stat exe;
	char link[32];

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	if (stat(link, &exe) || stat(path, &wanted.st))
		return false;
	if (exe.st_dev == wanted.st.st_dev && exe.st_ino == wanted.st.st_ino)
		return true;
	if (!image_auxv(pid, AT_BASE))
		sp_err_free(image_each_mapping(pid, look_at_code, &wanted));
	return wanted.found;
}
