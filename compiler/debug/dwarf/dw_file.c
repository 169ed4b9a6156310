// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_file.h"

#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/index/dw_index.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/dwarf/dw_type.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void image_deinit(struct dw_image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->map)
		munmap(image->map, image->size);
	if (image->fd >= 0)
		close(image->fd);
	free(image->path);
	*image = (struct dw_image){ .fd = -1 };
}

static struct sp_err *image_map(struct dw_image *image)
{
	struct stat st;

	image->fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO would wait for its other end
	if (image->fd < 0 || fstat(image->fd, &st) < 0)
		return sp_err_errno(errno, "cannot open %s", image->path);
	if (S_ISDIR(st.st_mode))
		return sp_err_new(SP_ERR_FORMAT, "%s is a directory, not a file", image->path);
	if (!S_ISREG(st.st_mode))
		return sp_err_new(SP_ERR_FORMAT, "%s is not a regular file", image->path);
	if (st.st_size == 0)
		return sp_err_new(SP_ERR_FORMAT, "%s is empty", image->path);
	image->size = st.st_size;
	// Writable, as libelf notes in the headers what it has decompressed; that stays in our copies of those pages.
	image->map = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, image->fd, 0);
	if (image->map == MAP_FAILED) {
		image->map = NULL;
		return sp_err_errno(errno, "cannot map %s", image->path);
	}
	image->elf = elf_memory((char *)image->map, image->size);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF)
		return NULL;
	if (image->size > 2 && image->map[0] == '#' && image->map[1] == '!')
		return sp_err_new(SP_ERR_FORMAT, "%s is a script: probe the program that runs it", image->path);
	if (image->size >= SELFMAG && image->size < sizeof(Elf64_Ehdr) && memcmp(image->map, ELFMAG, SELFMAG) == 0)
		return sp_err_new(SP_ERR_FORMAT, "%s is truncated in its ELF header", image->path);
	return sp_err_new(SP_ERR_FORMAT, "%s is not an ELF file", image->path);
}

// The section headers must lie inside the file: libelf takes a file without them for one without sections, which
// would make a truncated file look like a stripped one.
static struct sp_err *image_check(const struct dw_image *image)
{
	GElf_Ehdr ehdr;
	size_t n_phdr;

	if (image->map[EI_CLASS] != ELFCLASS64 || image->map[EI_DATA] != ELFDATA2LSB)
		return sp_err_new(SP_ERR_FORMAT, "%s: only 64-bit little-endian ELF files are supported", image->path);
	if (!gelf_getehdr(image->elf, &ehdr))
		return sp_err_new(SP_ERR_FORMAT, "%s: broken ELF header: %s", image->path, elf_errmsg(-1));
	if (ehdr.e_shoff > image->size || (ehdr.e_shoff && image->size - ehdr.e_shoff < ehdr.e_shentsize))
		return sp_err_new(SP_ERR_FORMAT, "%s is truncated: its section headers lie behind its end", image->path);
	if (ehdr.e_shoff && (uint64_t)ehdr.e_shnum * ehdr.e_shentsize > image->size - ehdr.e_shoff)
		return sp_err_new(SP_ERR_FORMAT, "%s is truncated in its section headers", image->path);
	if (elf_getphdrnum(image->elf, &n_phdr) < 0)
		return sp_err_new(SP_ERR_FORMAT, "%s: broken program headers: %s", image->path, elf_errmsg(-1));
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || shdr.sh_type == SHT_NULL)
			continue;
		if (shdr.sh_offset > image->size || image->size - shdr.sh_offset < shdr.sh_size)
			return sp_err_new(SP_ERR_FORMAT, "%s is truncated: section %zu lies behind its end", image->path,
					  elf_ndxscn(scn));
	}
	return NULL;
}

static struct sp_err *image_open(const char *path, struct dw_image *ret)
{
	struct dw_image image = { .path = sp_strdup(path), .fd = -1 };
	struct sp_err *err = image_map(&image);

	if (!err)
		err = image_check(&image);
	if (err) {
		image_deinit(&image);
		return err;
	}
	*ret = image;
	return NULL;
}

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *ret)
{
	size_t strndx;

	if (!elf || elf_getshdrstrndx(elf, &strndx) < 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *scn_name;
		if (!gelf_getshdr(scn, ret) || !(scn_name = elf_strptr(elf, strndx, ret->sh_name)))
			continue;
		if (sp_streq(scn_name, name))
			return scn;
	}
	return NULL;
}

static bool has_section(Elf *elf, const char *name)
{
	GElf_Shdr shdr;
	return find_section(elf, name, &shdr) && shdr.sh_type != SHT_NOBITS && shdr.sh_size > 0;
}

static bool has_dwarf(Elf *elf)
{
	return has_section(elf, ".debug_info") || has_section(elf, ".zdebug_info");
}

static Elf_Data *section_data(Elf *elf, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(elf, name, &shdr);
	Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	return data && data->d_buf && data->d_size ? data : NULL;
}

bool dw_elf_section(Elf *elf, const char *name, struct dw_section *ret)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(elf, name, &shdr);
	Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || !data->d_size)
		return false;
	*ret = (struct dw_section){ .data = data->d_buf, .size = data->d_size, .fd = -1 };
	return true;
}

bool dw_file_section(const struct dw_file *file, const char *name, struct dw_section *ret)
{
	const struct dw_image *const images[] = { &file->sep, &file->run };

	if (!dw_elf_section(file->debug_elf, name, ret) && !dw_elf_section(file->elf, name, ret))
		return false;
	for (size_t i = 0; i < SP_ARRAY_SIZE(images); i++) {
		const struct dw_image *image = images[i];
		if (!image->map || ret->data < image->map || ret->data >= image->map + image->size)
			continue;
		ret->fd = image->fd;
		ret->file_off = ret->data - image->map;
	}
	return true;
}

// The loaded segment that holds `at`, an address or an offset in the file.
static bool find_segment(const struct dw_file *file, uint64_t at, bool is_offset, GElf_Phdr *ret)
{
	size_t n;

	if (!file->elf || elf_getphdrnum(file->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(file->elf, i, ret) || ret->p_type != PT_LOAD)
			continue;
		uint64_t start = is_offset ? ret->p_offset : ret->p_vaddr;
		if (at >= start && at - start < ret->p_filesz)
			return true;
	}
	return false;
}

bool dw_file_offset(const struct dw_file *file, uint64_t addr, uint64_t *ret)
{
	GElf_Phdr segment;

	if (!find_segment(file, addr, false, &segment))
		return false;
	*ret = addr - segment.p_vaddr + segment.p_offset;
	return true;
}

bool dw_file_address(const struct dw_file *file, uint64_t offset, uint64_t *ret)
{
	GElf_Phdr segment;

	if (!find_segment(file, offset, true, &segment))
		return false;
	*ret = offset - segment.p_offset + segment.p_vaddr;
	return true;
}

// By sections, not segments: in a separate debug file the segments keep their addresses but hold no bytes.
const void *dw_file_bytes(const struct dw_file *file, uint64_t addr, size_t size)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data;
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC) || shdr.sh_type == SHT_NOBITS)
			continue;
		if (addr < shdr.sh_addr || addr - shdr.sh_addr >= shdr.sh_size)
			continue;
		if (!(data = elf_rawdata(scn, NULL)) || data->d_size < addr - shdr.sh_addr + size)
			return NULL;
		return (const char *)data->d_buf + (addr - shdr.sh_addr);
	}
	return NULL;
}

const char *dw_file_section_at(const struct dw_file *file, uint64_t addr, uint64_t *start_ret)
{
	size_t strndx;

	if (elf_getshdrstrndx(file->elf, &strndx) < 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC))
			continue;
		if (addr < shdr.sh_addr || addr - shdr.sh_addr >= shdr.sh_size)
			continue;
		if (start_ret)
			*start_ret = shdr.sh_addr;
		return elf_strptr(file->elf, strndx, shdr.sh_name);
	}
	return NULL;
}

unsigned dw_file_note_build_id(const void *notes, size_t size, uint8_t ret[32])
{
	const uint8_t *at = notes, *end = at + size;

	while ((size_t)(end - at) >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		uint64_t name_len = ((uint64_t)note.n_namesz + 3) & ~3ULL;
		uint64_t desc_len = ((uint64_t)note.n_descsz + 3) & ~3ULL;
		if (name_len > (uint64_t)(end - at) || note.n_descsz > (uint64_t)(end - at) - name_len)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at, "GNU", 4) == 0 &&
		    note.n_descsz <= 32) {
			memcpy(ret, at + name_len, note.n_descsz);
			return note.n_descsz;
		}
		if (desc_len > (uint64_t)(end - at) - name_len)
			return 0;
		at += name_len + desc_len;
	}
	return 0;
}

static unsigned elf_build_id(Elf *elf, uint8_t ret[32])
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data;
		unsigned len;
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE || !(data = elf_rawdata(scn, NULL)))
			continue;
		if (data->d_buf && (len = dw_file_note_build_id(data->d_buf, data->d_size, ret)))
			return len;
	}
	return 0;
}

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
	struct sp_err *err = image_open(path, &image);
	uint8_t id[32];

	if (err) {
		sp_err_free(err);
		return false;
	}
	unsigned id_len = elf_build_id(image.elf, id);
	bool same = has_dwarf(image.elf);
	if (same && id_len && file->build_id_len)
		same = id_len == file->build_id_len && memcmp(id, file->build_id, id_len) == 0;
	else if (same && crc)
		same = *crc == (uint32_t)crc32(0, image.map, image.size);
	if (!same) {
		image_deinit(&image);
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
	Elf_Data *data = section_data(file->elf, ".gnu_debuglink");
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
char *dw_file_fetch(const uint8_t *build_id, unsigned len, const struct sp_log *log, struct sp_buf *tried)
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
	sp_cleanup_free char *path = dw_file_fetch(file->build_id, file->build_id_len, search->log, tried);
	return path && try_separate(file, path, NULL);
}

// .gnu_debugaltlink: a path, NUL, and the build-id of the shared file (dwz -m).
static void open_alt(struct dw_file *file, const struct dw_search *search)
{
	Elf_Data *data = section_data(file->debug_elf, ".gnu_debugaltlink");
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
		struct sp_err *err = path.len ? image_open(path.data, &image) : sp_err_bug("no path");
		if (err) {
			sp_err_free(err);
			continue;
		}
		unsigned found_len = elf_build_id(image.elf, found_id);
		if (found_len == id_len && memcmp(found_id, id, id_len) == 0)
			file->alt = image;
		else
			image_deinit(&image);
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

static int find_no_elf(Dwfl_Module *mod SP_UNUSED, void **user SP_UNUSED, const char *name SP_UNUSED,
		       Dwarf_Addr base SP_UNUSED, char **path SP_UNUSED, Elf **elf SP_UNUSED)
{
	return -1;
}

// The debug file was found already (or there is none): libdwfl shall not look in places of its own.
static int find_separate(Dwfl_Module *mod SP_UNUSED, void **user, const char *name SP_UNUSED,
			 Dwarf_Addr base SP_UNUSED, const char *path SP_UNUSED, const char *link SP_UNUSED,
			 GElf_Word crc SP_UNUSED, char **ret)
{
	const struct dw_file *file = *user;

	if (!file || !file->sep.path)
		return -1;
	int fd = open(file->sep.path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		*ret = sp_strdup(file->sep.path);
	return fd;
}

static const Dwfl_Callbacks relocating = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_separate,
	.section_address = dwfl_offline_section_address,
};

// Kernel modules are relocatable: libdwfl lays their sections out and relocates the debug sections.
static struct sp_err *open_relocatable(struct dw_file *file)
{
	void **user;
	Dwarf_Addr bias;

	file->dwfl = dwfl_begin(&relocating);
	file->mod = file->dwfl ? dwfl_report_offline(file->dwfl, "", file->run.path, -1) : NULL;
	if (!file->mod)
		return sp_err_new(SP_ERR_FORMAT, "%s: %s", file->run.path, dwfl_errmsg(-1));
	dwfl_report_end(file->dwfl, NULL, NULL);
	dwfl_module_info(file->mod, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = file;
	Elf *elf = dwfl_module_getelf(file->mod, &bias);
	if (elf)
		file->elf = elf;
	file->dwarf = dwfl_module_getdwarf(file->mod, &bias);
	file->debug_elf = file->dwarf ? dwarf_getelf(file->dwarf) : file->elf;
	return NULL;
}

// MiniDebugInfo: a symbol table in a compressed ELF file inside of the stripped one, which libdwfl unpacks.
static void open_mini(struct dw_file *file)
{
	file->dwfl = dwfl_begin(&relocating);
	file->mod = file->dwfl ? dwfl_report_elf(file->dwfl, "", file->run.path, -1, 0, true) : NULL;
	if (file->mod)
		dwfl_report_end(file->dwfl, NULL, NULL);
}

// ELFCOMPRESS_ZSTD, which elf.h has since glibc 2.37, and elfutils reads since 0.189 when it was built with it.
#define COMPRESS_ZSTD 2

static bool has_zstd(Elf *elf)
{
	GElf_Shdr shdr;
	GElf_Chdr chdr;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &chdr) &&
		    chdr.ch_type == COMPRESS_ZSTD)
			return true;
	return false;
}

// Sections that libdw cannot decompress are none to it.
static bool has_units(Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;

	return dwarf_get_units(dwarf, NULL, &unit, NULL, NULL, NULL, NULL) == 0;
}

// There is debug information, which libdw does not take.
static struct sp_err *cannot_read(const struct dw_file *file)
{
	const char *path = file->sep.path ? file->sep.path : file->run.path, *why = dwarf_errmsg(-1);

	if (!has_zstd(file->debug_elf))
		return sp_err_new(SP_ERR_FORMAT, "%s: broken debug information: %s", path, why);
	return sp_err_new(SP_ERR_FORMAT,
			  "%s: its debug information is compressed with zstd, which this libelf does not read (make a copy with objcopy --decompress-debug-sections)",
			  path);
}

static struct sp_err *open_dwarf(struct dw_file *file, const struct dw_search *search)
{
	struct sp_buf tried = { 0 };
	bool found = has_dwarf(file->elf);

	if (!found) {
		sp_buf_puts(&tried, file->run.path);
		found = search_build_id(file, search, &tried) || search_debuglink(file, search, &tried) ||
			search_debuginfod(file, search, &tried);
	}
	file->tried = sp_arena_strdup(&file->arena, sp_buf_str(&tried));
	sp_buf_deinit(&tried);
	file->debug_elf = file->sep.elf ? file->sep.elf : file->elf;
	if (file->ehdr.e_type == ET_REL)
		SP_TRY(open_relocatable(file));
	else if (found && !(file->dwarf = dwarf_begin_elf(file->debug_elf, DWARF_C_READ, NULL)))
		return cannot_read(file);
	else if (file->dwarf && has_zstd(file->debug_elf) && !has_units(file->dwarf))
		return cannot_read(file);
	if (!file->dwarf)
		return NULL;
	file->debug_path = file->sep.path ? file->sep.path : file->run.path;
	open_alt(file, search);
	return NULL;
}

static struct sp_err *open_file(struct dw_file *file, const char *path, const struct dw_search *search)
{
	SP_TRY(image_open(path, &file->run));
	file->elf = file->run.elf;
	if (!gelf_getehdr(file->elf, &file->ehdr))
		return sp_err_new(SP_ERR_FORMAT, "%s: broken ELF header: %s", path, elf_errmsg(-1));
	if (file->ehdr.e_type != ET_EXEC && file->ehdr.e_type != ET_DYN && file->ehdr.e_type != ET_REL)
		return sp_err_new(SP_ERR_FORMAT, "%s is not a program, a library or a kernel", path);
	file->abi = abi_find_elf(file->ehdr.e_machine);
	if (!file->abi)
		return sp_err_new(SP_ERR_FORMAT, "%s: ELF machine %u is not supported (x86_64 and aarch64 are)", path,
				  file->ehdr.e_machine);
	file->build_id_len = elf_build_id(file->elf, file->build_id);
	SP_TRY(open_dwarf(file, search));
	if (has_section(file->debug_elf, ".symtab"))
		file->sym_elf = file->debug_elf;
	else
		file->sym_elf = file->elf;
	if (!file->dwarf && !has_section(file->sym_elf, ".symtab") && has_section(file->elf, ".gnu_debugdata"))
		open_mini(file);
	return NULL;
}

struct sp_err *dw_file_open(const char *path, const struct dw_search *search, struct dw_file **ret)
{
	struct dw_file *file = sp_calloc(1, sizeof(*file));
	file->run.fd = file->sep.fd = file->alt.fd = -1;
	file->is_kernel = search->release != NULL;
	file->sees_floats = search->sees_floats;
	file->log = search->log;
	elf_version(EV_CURRENT);
	struct sp_err *err = open_file(file, path, search);

	if (err) {
		dw_file_close(file);
		return err;
	}
	*ret = file;
	return NULL;
}

void dw_file_close(struct dw_file *file)
{
	if (!file)
		return;
	dw_types_destroy(file->types);
	dw_lines_destroy(file->lines);
	dw_scopes_destroy(file->scopes);
	dw_families_destroy(file->families);
	dw_index_destroy(file->index);
	dw_units_destroy(file->units);
	dw_syms_destroy(file->syms);
	if (file->eh_cfi)
		dwarf_cfi_end(file->eh_cfi);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	else if (file->dwarf)
		dwarf_end(file->dwarf);
	if (file->alt_dwarf)
		dwarf_end(file->alt_dwarf);
	image_deinit(&file->alt);
	image_deinit(&file->sep);
	image_deinit(&file->run);
	sp_arena_deinit(&file->arena);
	free(file);
}
