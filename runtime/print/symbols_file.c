// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf

#include "runtime/print/symbols_file.h"

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/demangle.h"
#include "runtime/base/gosym.h"
#include "runtime/base/vec.h"
#include "runtime/machine/image.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>

struct symbol {
	uint64_t value, size;
	uint32_t name; // in names
	const char *source_name; // demangled; NULL: nobody has asked for it yet
};

struct segment {
	uint64_t offset, size, address;
	uint64_t memory; // the size with the zeroed variables behind what is in the file
};

struct symbols_file {
	SP_VEC(struct symbol) symbols; // by value
	SP_VEC(char) names;
	uint64_t room; // bytes that names may have
	struct sp_arena source_names;
	SP_VEC(struct segment) segments;
};

void symbols_file_close(struct symbols_file *file)
{
	if (!file)
		return;
	sp_vec_deinit(&file->symbols);
	sp_vec_deinit(&file->names);
	sp_arena_deinit(&file->source_names);
	sp_vec_deinit(&file->segments);
	free(file);
}

static void read_segments(struct symbols_file *file, Elf *elf)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD)
			sp_vec_push(&file->segments, (struct segment){ phdr.p_offset, phdr.p_filesz, phdr.p_vaddr, phdr.p_memsz });
	}
}

// Functions, variables, and code without a type, as in assembler sources. What is thread-local has no address in the file.
static bool has_address(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_value &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE || type == STT_OBJECT);
}

static void add_symbol(struct symbols_file *file, uint64_t value, uint64_t size, const char *name)
{
	size_t len = strlen(name) + 1;

	if (!*name || file->names.n + len > file->room)
		return;
	sp_vec_push(&file->symbols, (struct symbol){ value, size, (uint32_t)file->names.n, NULL });
	sp_vec_reserve(&file->names, file->names.n + len);
	memcpy(file->names.v + file->names.n, name, len);
	file->names.n += len;
}

#define SHARED 16 // how often a byte of a table of names is in names, on the average: a small file could want all memory

static void make_room(struct symbols_file *file, uint64_t table_size)
{
	const uint64_t most = UINT32_MAX;
	uint64_t more = SP_MIN(table_size, most) * SHARED;

	file->room = SP_MIN(file->names.n + more, most);
}

// A file has one of each type.
static bool read_table(struct symbols_file *file, const struct image_elf *image, unsigned type)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn))) {
		GElf_Shdr shdr, names;
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		make_room(file, gelf_getshdr(elf_getscn(image->elf, shdr.sh_link), &names) ? names.sh_size : 0);
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
			if (has_address(&symbol))
				add_symbol(file, symbol.st_value, symbol.st_size, image_elf_text(image, shdr.sh_link, symbol.st_name));
		break;
	}
	return file->symbols.n != 0;
}

// What a stripped Go program has.
static bool read_gosyms(struct symbols_file *file, const struct image_elf *image)
{
	uint64_t text = 0, address, size;
	Elf_Data *table = NULL;
	struct sp_gosyms syms;
	GElf_Shdr shdr;
	size_t strndx;

	for (Elf_Scn *scn = NULL; elf_getshdrstrndx(image->elf, &strndx) == 0 && (scn = elf_nextscn(image->elf, scn));) {
		const char *name = gelf_getshdr(scn, &shdr) ? image_elf_text(image, strndx, shdr.sh_name) : "";

		if (sp_streq(name, ".text"))
			text = shdr.sh_addr;
		else if (strstr(name, SP_GOSYM_SECTION))
			table = elf_rawdata(scn, NULL);
	}
	if (!table || !table->d_buf || !sp_gosyms_open(table->d_buf, table->d_size, text, &syms))
		return false;
	make_room(file, table->d_size);
	for (uint64_t i = 0; i < syms.n; i++) {
		const char *name;

		if (sp_gosyms_at(&syms, i, &name, &address, &size))
			add_symbol(file, address, size, name);
	}
	return file->symbols.n;
}

static bool read_debug_file(struct symbols_file *file, const char *path, struct sp_err **unread)
{
	char text[2 * SP_BUILD_ID_MAX + 1];
	sp_cleanup_free char *debug = NULL;
	struct image_build_id id;
	struct image_elf elf;
	struct sp_err *err = image_file_build_id(path, &id);
	bool found;

	sp_err_keep(unread, err);
	if (err || id.len < 2)
		return false;
	image_build_id_text(id.bytes, id.len, text);
	if (asprintf(&debug, "/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2) < 0)
		return false;
	err = image_elf_open(debug, &elf);
	sp_err_keep(unread, err);
	if (err)
		return false;
	found = read_table(file, &elf, SHT_SYMTAB);
	sp_err_keep(unread, image_elf_unread(debug));
	image_elf_close(&elf);
	return found;
}

static const char *symbol_name(const struct symbols_file *file, const struct symbol *symbol)
{
	return file->names.v + symbol->name;
}

// By value; of several at one place the one with a size, then the name with the fewest underscores in front.
static int compare(const void *a, const void *b, void *ctx)
{
	const struct symbol *x = a, *y = b;
	const char *name_x = symbol_name(ctx, x), *name_y = symbol_name(ctx, y);
	size_t under_x = strspn(name_x, "_"), under_y = strspn(name_y, "_");

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	if (under_x != under_y)
		return under_x < under_y ? -1 : 1;
	return strcmp(name_x, name_y);
}

size_t symbols_file_size(const struct symbols_file *file)
{
	return file ? file->symbols.cap * sizeof(*file->symbols.v) + file->names.cap : 0;
}

struct symbols_file *symbols_file_open(const char *path, struct sp_err **unread)
{
	struct symbols_file *file;
	struct image_elf elf;
	struct sp_err *err = image_elf_open(path, &elf);
	bool found;

	sp_err_keep(unread, err);
	if (err)
		return NULL;
	file = sp_calloc(1, sizeof(*file));
	read_segments(file, elf.elf);
	found = read_table(file, &elf, SHT_SYMTAB);
	sp_err_keep(unread, image_elf_unread(path));
	if (!found && !read_debug_file(file, path, unread)) {
		errno = 0; // it may be that of the debug file, which is mostly not there
		if (!read_gosyms(file, &elf))
			read_table(file, &elf, SHT_DYNSYM);
		sp_err_keep(unread, image_elf_unread(path));
	}
	image_elf_close(&elf);
	if (file->symbols.n)
		qsort_r(file->symbols.v, file->symbols.n, sizeof(*file->symbols.v), compare, file);
	return file;
}

// Where zeroed variables are, the file may have something else at the offset: what it has comes first.
static bool link_address(const struct symbols_file *file, uint64_t offset, uint64_t *ret)
{
	const struct segment *zeroed = NULL, *s;

	for (size_t i = 0; i < file->segments.n; i++) {
		s = &file->segments.v[i];
		if (offset >= s->offset && offset - s->offset < s->size) {
			*ret = s->address + (offset - s->offset);
			return true;
		}
		if (offset >= s->offset && offset - s->offset < s->memory)
			zeroed = s;
	}
	if (zeroed)
		*ret = zeroed->address + (offset - zeroed->offset);
	return zeroed;
}

bool symbols_file_has(const struct symbols_file *file, uint64_t offset)
{
	uint64_t address;

	return link_address(file, offset, &address);
}

static const char *source_name(struct symbols_file *file, struct symbol *symbol)
{
	const char *name = symbol_name(file, symbol);

	if (*name != '_')
		return name;
	if (!symbol->source_name) {
		sp_cleanup_free char *text = sp_demangle(name, false);
		symbol->source_name = sp_arena_strdup(&file->source_names, text ? text : name);
	}
	return symbol->source_name;
}

const char *symbols_file_name(struct symbols_file *file, uint64_t offset, uint64_t *offset_ret, uint64_t *size_ret)
{
	struct symbol *symbol;
	uint64_t address, size;
	size_t behind;

	if (!link_address(file, offset, &address))
		return NULL;
	behind = sp_bisect(file->symbols.n, i, file->symbols.v[i].value > address);
	if (!behind)
		return NULL;
	symbol = &file->symbols.v[behind - 1];
	while (symbol > file->symbols.v && symbol[-1].value == symbol->value)
		symbol--;
	size = symbol->size;
	if (!size && behind < file->symbols.n) // without one it goes on to the next
		size = file->symbols.v[behind].value - symbol->value;
	if (size && address - symbol->value >= size)
		return NULL;
	*offset_ret = address - symbol->value;
	*size_ret = size;
	return source_name(file, symbol);
}
