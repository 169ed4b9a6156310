// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_file.h"

#include "compiler/debug/dwarf/dw_boot.h"
#include "compiler/debug/dwarf/dw_code.h"
#include "compiler/debug/dwarf/dw_result.h"
#include "compiler/debug/dwarf/dw_thunk.h"
#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_package.h"
#include "compiler/debug/dwarf/dw_plain.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_reloc.h"
#include "compiler/debug/dwarf/dw_rseq.h"
#include "compiler/debug/dwarf/dw_separate.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/dwarf/dw_visible.h"
#include "compiler/debug/index/dw_index.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

bool dw_file_section(const struct dw_file *file, const char *name, struct dw_section *ret)
{
	const struct dw_image *const images[] = { &file->plain, &file->sep, &file->run };

	if (!dw_elf_section(file->debug_elf, name, ret) && !dw_elf_section(file->elf, name, ret))
		return false;
	for (size_t i = 0; i < SP_ARRAY_SIZE(images); i++) {
		const struct dw_image *image = images[i];
		if (file->ehdr.e_type == ET_REL) // the file has it without its relocations
			continue;
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

bool dw_file_is_writable(const struct dw_file *file, uint64_t addr)
{
	GElf_Phdr segment;

	return find_segment(file, addr, false, &segment) && segment.p_flags & PF_W;
}

bool dw_file_address(const struct dw_file *file, uint64_t offset, uint64_t *ret)
{
	GElf_Phdr segment;

	if (!find_segment(file, offset, true, &segment))
		return false;
	*ret = offset - segment.p_offset + segment.p_vaddr;
	return true;
}

// Looks in sections, not in segments: those of a separate debug file have addresses but no bytes.
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

static int find_no_elf(Dwfl_Module *mod SP_UNUSED, void **user SP_UNUSED, const char *name SP_UNUSED,
		       Dwarf_Addr base SP_UNUSED, char **path SP_UNUSED, Elf **elf SP_UNUSED)
{
	return -1;
}

// Gives libdwfl the debug file that dw_separate.c has found, and keeps it from looking elsewhere.
static int find_separate(Dwfl_Module *mod SP_UNUSED, void **user, const char *name SP_UNUSED,
			 Dwarf_Addr base SP_UNUSED, const char *path SP_UNUSED, const char *link SP_UNUSED,
			 GElf_Word crc SP_UNUSED, char **ret)
{
	const struct dw_file *file = *user;

	if (!file || !file->sep.path)
		return -1;
	int fd = sp_file_open_regular(file->sep.path);
	if (fd >= 0)
		*ret = sp_strdup(file->sep.path);
	return fd;
}

static const Dwfl_Callbacks relocating = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_separate,
	.section_address = dwfl_offline_section_address,
};

// Kernel modules are relocatable: libdwfl lays their sections out, and relocates what dw_reloc.c leaves. It reads the same mapping.
static struct sp_err *open_relocatable(struct dw_file *file)
{
	void **user;
	Dwarf_Addr bias;

	file->dwfl = dwfl_begin(&relocating);
	file->mod = file->dwfl ? dwfl_report_offline_memory(file->dwfl, "", file->run.path, (char *)file->run.map, file->run.size) : NULL;
	if (!file->mod)
		return sp_err_new(SP_ERR_FORMAT, "%s: %s", file->run.path, dwfl_errmsg(-1));
	dwfl_report_end(file->dwfl, NULL, NULL);
	dwfl_module_info(file->mod, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = file;
	SP_TRY(dw_reloc_apply(&file->run));
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

// Bytes of .debug_info that are read first. C++ has larger units, and a program's may have to be decompressed up to there.
#define KERNEL_FIRST_UNITS (1u << 20)
#define PROGRAM_FIRST_UNITS (4u << 20)

// ELFCOMPRESS_ZSTD, which elf.h has since glibc 2.37, and elfutils reads since 0.189 when it was built with it.
#define COMPRESS_ZSTD 2

// The first section of DWARF that is still compressed: libdw goes on without what it cannot decompress. NULL: none.
static Elf_Scn *find_compressed(Elf *elf)
{
	static const char *const names[] = { ".debug_info",	".debug_abbrev",   ".debug_str",      ".debug_line",
					     ".debug_line_str", ".debug_types",	   ".debug_loc",      ".debug_loclists",
					     ".debug_ranges",	".debug_rnglists", ".debug_addr",     ".debug_str_offsets",
					     ".debug_aranges",	".debug_frame" };
	size_t strndx;

	if (elf_getshdrstrndx(elf, &strndx) < 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		const char *name = elf_strptr(elf, strndx, shdr.sh_name);
		for (size_t i = 0; name && i < SP_ARRAY_SIZE(names); i++)
			if (sp_streq(name, names[i]))
				return scn;
	}
	return NULL;
}

static struct sp_err *cannot_decompress(const struct dw_file *file, Elf_Scn *scn)
{
	const char *path = file->sep.path ? file->sep.path : file->run.path;
	size_t strndx;
	GElf_Shdr shdr;
	GElf_Chdr chdr;

	if (gelf_getchdr(scn, &chdr) && chdr.ch_type == COMPRESS_ZSTD)
		return sp_err_new(SP_ERR_FORMAT,
				  "%s: its debug information is compressed with zstd, which needs libzstd.so.1 (or make a copy with objcopy --decompress-debug-sections)",
				  path);
	elf_getshdrstrndx(file->debug_elf, &strndx);
	gelf_getshdr(scn, &shdr);
	return sp_err_new(SP_ERR_FORMAT, "%s: broken debug information: %s cannot be decompressed", path,
			  elf_strptr(file->debug_elf, strndx, shdr.sh_name));
}

// Split debug information may be in a package beside the file that has the rest.
static void open_package(struct dw_file *file, const struct dw_image *image)
{
	Dwarf *dwarf;

	if (!dw_package_open(file, image, &file->packed, &dwarf))
		return;
	dwarf_end(file->dwarf);
	file->dwarf = dwarf;
	file->debug_elf = file->packed.elf;
}

static struct sp_err *open_sections(struct dw_file *file)
{
	file->dwarf = dwarf_begin_elf(file->debug_elf, DWARF_C_READ, NULL);
	Elf_Scn *compressed = find_compressed(file->debug_elf);
	if (compressed)
		return cannot_decompress(file, compressed);
	if (!file->dwarf)
		return sp_err_new(SP_ERR_FORMAT, "%s: broken debug information: %s", file->sep.path ? file->sep.path : file->run.path,
				  dwarf_errmsg(-1));
	return NULL;
}

static struct sp_err *open_dwarf(struct dw_file *file, const struct dw_search *search)
{
	struct sp_buf tried = { 0 };
	bool found = dw_elf_has_dwarf(file->elf);

	if (!found) {
		sp_buf_puts(&tried, file->run.path);
		found = dw_separate_find(file, search, &tried);
	}
	file->tried = sp_arena_strdup(&file->arena, sp_buf_str(&tried));
	sp_buf_deinit(&tried);
	const struct dw_image *image = file->sep.elf ? &file->sep : &file->run;
	file->debug_elf = image->elf;
	if (found && file->ehdr.e_type != ET_REL &&
	    dw_plain_open(image, file->build_id, file->build_id_len, file->info_end, search->log, &file->plain))
		file->debug_elf = file->plain.elf;
	if (search->first_units && file->debug_elf == image->elf && find_compressed(image->elf))
		return NULL; // libelf would decompress it all
	if (file->ehdr.e_type == ET_REL)
		SP_TRY(open_relocatable(file));
	else if (found)
		SP_TRY(open_sections(file));
	if (!file->dwarf)
		return NULL;
	if (file->ehdr.e_type != ET_REL)
		open_package(file, file->plain.elf ? &file->plain : image);
	file->debug_path = file->sep.path ? file->sep.path : file->run.path;
	dw_separate_open_alt(file, search);
	return NULL;
}

static struct sp_err *open_file(struct dw_file *file, const char *path, const struct dw_search *search)
{
	if (!file->run.elf)
		SP_TRY(dw_elf_open(path, &file->run));
	file->elf = file->run.elf;
	if (!gelf_getehdr(file->elf, &file->ehdr))
		return sp_err_new(SP_ERR_FORMAT, "%s: broken ELF header: %s", path, elf_errmsg(-1));
	if (file->ehdr.e_type != ET_EXEC && file->ehdr.e_type != ET_DYN && file->ehdr.e_type != ET_REL)
		return sp_err_new(SP_ERR_FORMAT, "%s is not a program, a library or a kernel", path);
	file->abi = abi_find_elf(file->ehdr.e_machine);
	if (!file->abi)
		return sp_err_new(SP_ERR_FORMAT, "%s: ELF machine %u is not supported (x86_64, i386 and aarch64 are)", path,
				  file->ehdr.e_machine);
	if ((gelf_getclass(file->elf) == ELFCLASS64) != (file->abi->word_size == 8))
		return sp_err_new(SP_ERR_FORMAT, "%s: programs with pointers of 32 bits in registers of 64 are not supported", path);
	file->build_id_len = dw_elf_build_id(file->elf, file->build_id);
	SP_TRY(open_dwarf(file, search));
	if (dw_elf_has_section(file->debug_elf, ".symtab"))
		file->sym_elf = file->debug_elf;
	else
		file->sym_elf = file->elf;
	if (!file->dwarf && !dw_elf_has_section(file->sym_elf, ".symtab") && dw_elf_has_section(file->elf, ".gnu_debugdata"))
		open_mini(file);
	return NULL;
}

static struct dw_file *new_file(const struct dw_search *search)
{
	struct dw_file *file = sp_calloc(1, sizeof(*file));

	file->run.fd = file->sep.fd = file->plain.fd = file->packed.fd = file->alt.fd = -1;
	file->is_kernel = search->release != NULL;
	file->log = search->log;
	file->info_end = !search->first_units ? UINT64_MAX : file->is_kernel ? KERNEL_FIRST_UNITS : PROGRAM_FIRST_UNITS;
	elf_version(EV_CURRENT);
	return file;
}

// Is the name that of the build?
static bool is_of_build(const struct dw_file *file, const char *name)
{
	bool ok = strcspn(name, ".") == 2 * (size_t)file->build_id_len;

	for (unsigned i = 0; i < file->build_id_len && ok; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", file->build_id[i]);
		ok = !memcmp(name + 2 * i, digits, 2);
	}
	return ok;
}

bool dw_file_open_partial(const char *name, const struct dw_search *search, struct dw_file **ret)
{
	struct dw_file *file = new_file(search);
	struct sp_err *err = NULL;
	bool ok = dw_separate_open_partial(file, name, search->log, &file->run) && !(err = open_file(file, name, search));

	if (ok && !is_of_build(file, name)) {
		sp_log(search->log, SP_LOG_WARN, "%s in the cache is not used: the file in it has another build-id", name);
		ok = false;
	}
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);
		sp_log(search->log, SP_LOG_WARN, "%s", text);
		sp_err_free(err);
	}
	if (ok)
		*ret = file;
	else
		dw_file_close(file);
	return ok;
}

struct sp_err *dw_file_open(const char *path, const struct dw_search *search, struct dw_file **ret)
{
	struct dw_file *file = new_file(search);
	struct sp_err *err = open_file(file, path, search);

	if (err) {
		dw_file_close(file);
		return err;
	}
	if (file->ehdr.e_type == ET_REL) { // there may be thousands of them, which are read by their mapping alone
		close(file->run.fd);
		file->run.fd = -1;
	}
	*ret = file;
	return NULL;
}

struct sp_err *dw_file_open_packed(const char *path, bool is_boot, const struct dw_search *search, struct dw_file **ret)
{
	struct dw_file *file = new_file(search);
	struct sp_err *err = is_boot ? dw_boot_open(path, &file->run) : dw_boot_unpack(path, &file->run);

	if (!err)
		err = open_file(file, path, search);
	if (err)
		dw_file_close(file);
	else
		*ret = file;
	return err;
}

void dw_file_end_share(struct dw_file *file)
{
	dw_families_destroy(file->families);
	file->families = NULL;
	sp_arena_deinit(&file->of_share);
}

void dw_file_close(struct dw_file *file)
{
	if (!file)
		return;
	dw_file_end_share(file);
	dw_visible_destroy(file->visible);
	dw_types_destroy(file->types);
	dw_lines_destroy(file->lines);
	dw_qualifiers_destroy(file->qualifiers);
	dw_code_destroy(file->code);
	dw_calls_destroy(file->calls);
	dw_thunks_destroy(file->thunks);
	dw_rseq_destroy(file->sequences);
	sp_hash_deinit(&file->callees);
	dw_index_close(file);
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
	dw_elf_deinit(&file->alt);
	dw_elf_deinit(&file->packed);
	dw_elf_deinit(&file->plain);
	dw_elf_deinit(&file->sep);
	dw_elf_deinit(&file->run);
	sp_arena_deinit(&file->arena);
	free(file);
}
