// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the ELF file: sections as in the original, with bytes only where the reader looks at them; symbols; the debug sections.
#define _GNU_SOURCE // memfd_create
#include "compiler/debug/keep/keep_impl.h"

#include "compiler/debug/dwarf/dw_entry.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <sys/mman.h>
#include <unistd.h>

#define HEAD_BYTES 16 // of a function: "endbr64; call __fentry__" fits

// What the reader asks a kernel for by name.
static const char *const kernel_symbols[] = {
	"_stext", "linux_banner", "__fentry__", "__per_cpu_offset", "__start_kprobe_blacklist", "__stop_kprobe_blacklist",
	"__entry_text_start", "__entry_text_end", "__kprobes_text_start", "__kprobes_text_end", "__noinstr_text_start",
	"__noinstr_text_end", "__irqentry_text_start", "__irqentry_text_end",
};

struct section {
	uint64_t addr, size;
	size_t index; // in the new file
};

struct image {
	struct keep_out *out;
	struct keep *keep;
	Elf *elf;
	struct sp_buf names, symbol_names, symbols;
	SP_VEC(struct section) sections; // that are loaded
	SP_VEC(struct keep_range) code;
	SP_VEC(char *) held; // bytes of sections, until the file is written
	unsigned n_locals;
};

// ---- sections -------------------------------------------------------------------------------------------------------

// Adds a section; `data` must stay until the file is written.
static Elf_Scn *add_section(struct image *image, const char *name, GElf_Shdr header, const void *data, Elf_Type type)
{
	Elf_Scn *section = elf_newscn(image->elf);
	Elf_Data *content = elf_newdata(section);
	GElf_Shdr now;

	if (!image->names.len)
		sp_buf_putc(&image->names, '\0');
	content->d_buf = (void *)data;
	content->d_size = header.sh_size;
	content->d_type = type;
	content->d_version = EV_CURRENT;
	content->d_align = header.sh_addralign ? header.sh_addralign : 1;
	gelf_getshdr(section, &now);
	header.sh_name = (uint32_t)image->names.len;
	gelf_update_shdr(section, &header);
	sp_buf_add(&image->names, name, strlen(name) + 1);
	return section;
}

static void add_debug(struct image *image, const char *name, const struct sp_buf *bytes)
{
	GElf_Shdr header = { .sh_type = SHT_PROGBITS, .sh_size = bytes->len, .sh_addralign = 1 };

	if (bytes->len)
		add_section(image, name, header, bytes->data, ELF_T_BYTE);
}

static void add_loaded(struct image *image)
{
	const struct dw_file *file = image->keep->file;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) < 0)
		return;
	for (Elf_Scn *from = NULL; (from = elf_nextscn(file->elf, from));) {
		GElf_Shdr header;
		const char *name;
		Elf_Data *note;

		if (!gelf_getshdr(from, &header) || !(header.sh_flags & SHF_ALLOC) || !(name = elf_strptr(file->elf, names, header.sh_name)))
			continue;
		note = sp_streq(name, ".note.gnu.build-id") || sp_streq(name, ".notes") ? elf_rawdata(from, NULL) : NULL;
		header = (GElf_Shdr){ .sh_type = note ? SHT_NOTE : SHT_NOBITS, .sh_flags = header.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR),
				      .sh_addr = header.sh_addr, .sh_size = header.sh_size, .sh_addralign = header.sh_addralign };
		Elf_Scn *to = add_section(image, name, header, note ? note->d_buf : NULL, ELF_T_BYTE);
		sp_vec_push(&image->sections, ((struct section){ header.sh_addr, header.sh_size, elf_ndxscn(to) }));
	}
}

static size_t section_at(const struct image *image, uint64_t addr)
{
	sp_vec_each(section, &image->sections)
		if (addr >= section->addr && addr - section->addr < section->size)
			return section->index;
	return SHN_ABS;
}

// Bytes of the kernel at an address. (Those of a program are in the program.)
static void add_bytes(struct image *image, uint64_t addr, uint64_t size)
{
	struct dw_file *file = image->keep->file;
	const void *bytes = size ? dw_file_bytes(file, addr, size) : NULL;
	const char *name = dw_file_section_at(file, addr, NULL);
	GElf_Shdr header = { .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = addr, .sh_size = size, .sh_addralign = 1 };

	if (bytes && name)
		add_section(image, name, header, bytes, ELF_T_BYTE);
}

static int by_address(const void *a, const void *b)
{
	const struct keep_range *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

static void collect_code(struct image *image)
{
	sp_vec_each(unit, &image->keep->units)
		for (size_t i = 0; i < (*unit)->code.n; i++)
			sp_vec_push(&image->code, (*unit)->code.v[i]);
	if (image->code.n)
		qsort(image->code.v, image->code.n, sizeof(*image->code.v), by_address);
}

// One section of code, of which only the beginnings of functions are there. A function that jumps back to its first instruction is
// there as a whole: that makes a difference to the reader.
static void add_heads(struct image *image, const struct section *section)
{
	struct dw_file *file = image->keep->file;
	char *all = sp_calloc(1, section->size);
	bool any = false;

	sp_vec_each(range, &image->code) {
		uint64_t size = range->high - range->low, off = range->low - section->addr;
		const uint8_t *bytes;

		if (range->low < section->addr || off >= section->size || size > section->size - off ||
		    !(bytes = dw_file_bytes(file, range->low, size)))
			continue;
		if (!dw_entry_comes_back(file, range->low, range->high, range->low))
			size = SP_MIN(size, (uint64_t)HEAD_BYTES);
		memcpy(all + off, bytes, size);
		any = true;
	}
	GElf_Shdr header = { .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = section->addr, .sh_size = section->size, .sh_addralign = 1 };
	if (any)
		add_section(image, dw_file_section_at(file, section->addr, NULL), header, all, ELF_T_BYTE);
	sp_vec_push(&image->held, all);
}

static void add_kernel_bytes(struct image *image)
{
	struct dw_file *file = image->keep->file;
	struct dw_sym from, to;

	if (!file->is_kernel)
		return;
	if (dw_sym_find(file, "linux_banner", &from))
		add_bytes(image, from.addr, SP_MAX(from.size, (uint64_t)128));
	if (dw_sym_find(file, "__start_kprobe_blacklist", &from) && dw_sym_find(file, "__stop_kprobe_blacklist", &to) && to.addr > from.addr)
		add_bytes(image, from.addr, to.addr - from.addr);
	if (image->keep->is_brief) {
		sp_vec_each(section, &image->sections)
			add_heads(image, section);
		return;
	}
	sp_vec_each(range, &image->code)
		add_bytes(image, range->low, range->high - range->low);
}

// ---- symbols --------------------------------------------------------------------------------------------------------

static bool is_in_code(const struct image *image, uint64_t addr, uint64_t size)
{
	size_t at = sp_bisect(image->code.n, i, image->code.v[i].high > addr);

	return at < image->code.n && image->code.v[at].low < addr + SP_MAX(size, (uint64_t)1);
}

static void put_symbol(struct image *image, const struct dw_sym *sym)
{
	unsigned type = sym->is_ifunc ? STT_GNU_IFUNC : sym->is_func ? STT_FUNC : sym->size ? STT_OBJECT : STT_NOTYPE;
	unsigned bind = sym->is_local ? STB_LOCAL : STB_GLOBAL;
	size_t section = section_at(image, sym->addr);

	if (image->out->address_size == 4) {
		Elf32_Sym out = { .st_name = (uint32_t)image->symbol_names.len, .st_info = (uint8_t)ELF32_ST_INFO(bind, type),
				  .st_shndx = (uint16_t)section, .st_value = (uint32_t)sym->addr, .st_size = (uint32_t)sym->size };
		sp_buf_add(&image->symbols, &out, sizeof(out));
	} else {
		Elf64_Sym out = { .st_name = (uint32_t)image->symbol_names.len, .st_info = (uint8_t)ELF64_ST_INFO(bind, type),
				  .st_shndx = (uint16_t)section, .st_value = sym->addr, .st_size = sym->size };
		sp_buf_add(&image->symbols, &out, sizeof(out));
	}
	image->n_locals += sym->is_local;
	sp_buf_add(&image->symbol_names, sym->name, strlen(sym->name) + 1);
}

// All symbols of a name are kept, not only those of the code: the reader asks whether there is one alone.
static void name_symbols(struct image *image)
{
	struct dw_file *file = image->keep->file;
	struct dw_sym sym;

	for (size_t i = 0; file->is_kernel && i < SP_ARRAY_SIZE(kernel_symbols); i++)
		keep_symbol(image->keep, kernel_symbols[i]);
	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		if (sym.is_code && is_in_code(image, sym.addr, sym.size))
			keep_symbol(image->keep, sym.name);
}

static void add_symbols(struct image *image)
{
	unsigned entry = image->out->address_size == 4 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	struct dw_file *file = image->keep->file;
	struct dw_sym sym;

	name_symbols(image);
	sp_buf_fill(&image->symbols, '\0', entry);
	sp_buf_putc(&image->symbol_names, '\0');
	for (int local = 1; local >= 0; local--)
		for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
			if (sym.is_local == (local == 1) && sp_hash_get(&image->keep->symbols, sym.name))
				put_symbol(image, &sym);
	GElf_Shdr names = { .sh_type = SHT_STRTAB, .sh_size = image->symbol_names.len, .sh_addralign = 1 };
	Elf_Scn *section = add_section(image, ".strtab", names, image->symbol_names.data, ELF_T_BYTE);
	GElf_Shdr header = { .sh_type = SHT_SYMTAB, .sh_size = image->symbols.len, .sh_addralign = 8, .sh_entsize = entry,
			     .sh_link = (uint32_t)elf_ndxscn(section), .sh_info = image->n_locals + 1 };
	add_section(image, ".symtab", header, image->symbols.data, ELF_T_SYM);
}

// ---- the file -------------------------------------------------------------------------------------------------------

static void add_debug_sections(struct image *image)
{
	struct keep_out *out = image->out;

	add_debug(image, ".debug_info", &out->info);
	add_debug(image, ".debug_abbrev", &out->abbrev);
	add_debug(image, ".debug_str", &out->str);
	add_debug(image, ".debug_line", &out->line);
	add_debug(image, ".debug_line_str", &out->line_str);
	add_debug(image, ".debug_loclists", &out->loclists);
	add_debug(image, ".debug_rnglists", &out->rnglists);
	add_debug(image, ".debug_frame", &out->frame);
}

static void begin_file(struct image *image)
{
	const struct dw_file *file = image->keep->file;
	GElf_Ehdr header;

	gelf_newehdr(image->elf, gelf_getclass(file->elf));
	gelf_getehdr(image->elf, &header);
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_machine = file->ehdr.e_machine;
	header.e_type = file->mod ? ET_EXEC : file->ehdr.e_type; // libdwfl has given the sections of a kernel module their addresses
	header.e_entry = file->ehdr.e_entry;
	header.e_version = EV_CURRENT;
	gelf_update_ehdr(image->elf, &header);
}

static void end_file(struct image *image)
{
	GElf_Shdr names = { .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	GElf_Ehdr header;
	Elf_Scn *section;

	names.sh_size = image->names.len + sizeof(".shstrtab");
	section = add_section(image, ".shstrtab", names, NULL, ELF_T_BYTE);
	elf_getdata(section, NULL)->d_buf = image->names.data;
	gelf_getehdr(image->elf, &header);
	header.e_shstrndx = (uint16_t)elf_ndxscn(section);
	gelf_update_ehdr(image->elf, &header);
}

static struct sp_err *read_back(int fd, struct sp_buf *ret)
{
	off_t size = lseek(fd, 0, SEEK_END);

	sp_buf_fill(ret, '\0', (size_t)size);
	return pread(fd, ret->data, (size_t)size, 0) == size ? NULL : sp_err_new(SP_ERR_SYSTEM, "a file in memory cannot be read");
}

struct sp_err *keep_write(struct keep *keep, struct sp_buf *ret)
{
	struct keep_out out = { .keep = keep, .address_size = keep->file->abi->word_size };
	struct image image = { .out = &out, .keep = keep };
	sp_cleanup_close int fd = memfd_create("probes", MFD_CLOEXEC);
	struct sp_err *err = NULL;

	keep_follow(keep);
	keep_same(keep);
	keep_info_write(&out);
	keep_frame_write(&out);
	image.elf = elf_begin(fd, ELF_C_WRITE, NULL);
	begin_file(&image);
	collect_code(&image);
	add_loaded(&image);
	add_kernel_bytes(&image);
	add_debug_sections(&image);
	add_symbols(&image);
	end_file(&image);
	if (elf_update(image.elf, ELF_C_WRITE) < 0)
		err = sp_err_new(SP_ERR_SYSTEM, "the debug information cannot be written: %s", elf_errmsg(-1));
	else
		err = read_back(fd, ret);
	elf_end(image.elf);
	sp_vec_each(held, &image.held)
		free(*held);
	sp_vec_deinit(&image.held);
	sp_vec_deinit(&image.sections);
	sp_vec_deinit(&image.code);
	sp_buf_deinit(&image.names);
	sp_buf_deinit(&image.symbol_names);
	sp_buf_deinit(&image.symbols);
	struct sp_buf *bufs[] = { &out.info, &out.abbrev, &out.str, &out.line, &out.line_str, &out.loclists, &out.rnglists, &out.frame };
	for (size_t i = 0; i < SP_ARRAY_SIZE(bufs); i++)
		sp_buf_deinit(bufs[i]);
	sp_hash_deinit(&out.strings);
	sp_hash_deinit(&out.line_strings);
	sp_hash_deinit(&out.abbrevs);
	sp_vec_deinit(&out.fixes);
	sp_vec_deinit(&out.list_fixes);
	return err;
}
