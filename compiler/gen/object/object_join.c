// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/object/object_join.h"

#include "compiler/gen/object/object_btf.h"
#include "compiler/gen/object/object_elf.h"
#include "runtime/base/cleanup.h"

#include <linux/bpf.h>

#define IS_GLOBAL 0x80000000u // of a symbol's number: it is one of the global ones

// A section of the whole.
struct section {
	const char *name;
	Elf64_Shdr head;
	struct sp_buf bytes, relocations;
	const char *relocations_name; // NULL: has none
	uint32_t symbol; // that stands for it; 0: none yet
};

// Where a section of a part is in the whole.
struct place {
	uint32_t section; // 0: nowhere
	uint32_t start;
	bool has_variables; // each of which has a place of its own
};

struct part {
	struct object_elf elf;
	struct place *places; // by section
	uint32_t *symbols; // new numbers, 0: gone
};

struct join {
	SP_VEC(struct section) sections; // [0] is the null section
	SP_VEC(Elf64_Sym) locals, globals; // locals.v[0] is the null symbol
	struct sp_buf names; // of symbols
	struct sp_hash known_sections, known_symbols; // by name: section; number of a global symbol + 1
	struct object_btf btf;
	struct part *parts;
	size_t n_parts;
};

static struct sp_err *unexpected(const char *what, const char *name)
{
	return sp_err_new(SP_ERR_BUG, "internal error: a part's object has %s (%s)", what, name);
}

// ---- sections -------------------------------------------------------------------------------------------------------

static uint32_t section_of(struct join *j, const struct object_section *s)
{
	void **known = sp_hash_insert(&j->known_sections, s->name, strlen(s->name));

	if (!*known) {
		*known = (void *)(uintptr_t)j->sections.n;
		sp_vec_push(&j->sections, ((struct section){ .name = s->name, .head = s->head }));
	}
	return (uint32_t)(uintptr_t)*known;
}

static void append(struct section *to, const void *bytes, size_t size)
{
	size_t align = SP_MAX(to->head.sh_addralign, (Elf64_Xword)1);

	sp_buf_fill(&to->bytes, 0, SP_ALIGN_UP(to->bytes.len, align) - to->bytes.len);
	sp_buf_add(&to->bytes, bytes, size);
}

static bool is_variable(const Elf64_Sym *symbol)
{
	return ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

static bool is_wanted(const struct object_section *s)
{
	return (s->head.sh_flags & SHF_ALLOC) && !object_elf_is_unwanted(s);
}

static void place_sections(struct join *j, struct part *part)
{
	for (size_t i = 0; i < part->elf.n_symbols; i++)
		if (is_variable(&part->elf.symbols[i]) && part->elf.symbols[i].st_shndx < part->elf.sections.n)
			part->places[part->elf.symbols[i].st_shndx].has_variables = true;
	for (size_t i = 1; i < part->elf.sections.n; i++) {
		const struct object_section *s = &part->elf.sections.v[i];
		struct section *to;

		if (!is_wanted(s))
			continue;
		part->places[i].section = section_of(j, s);
		if (part->places[i].has_variables)
			continue;
		to = &j->sections.v[part->places[i].section];
		append(to, s->data, s->size);
		part->places[i].start = (uint32_t)(to->bytes.len - s->size);
	}
}

// ---- symbols --------------------------------------------------------------------------------------------------------

static uint32_t add_local(struct join *j, Elf64_Sym symbol)
{
	sp_vec_push(&j->locals, symbol);
	return (uint32_t)j->locals.n - 1;
}

static uint32_t section_symbol(struct join *j, uint32_t section)
{
	struct section *s = &j->sections.v[section];

	if (!s->symbol)
		s->symbol = add_local(j, (Elf64_Sym){ .st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = (uint16_t)section });
	return s->symbol;
}

// Makes a symbol one of the whole. `place` NULL: it is defined nowhere.
static void move_symbol(struct join *j, const struct part *part, const struct place *place, Elf64_Sym *symbol)
{
	const char *name = object_elf_symbol_name(&part->elf, symbol);
	const struct object_section *from = &part->elf.sections.v[symbol->st_shndx];
	struct section *to;

	symbol->st_name = *name ? (uint32_t)j->names.len : 0;
	if (*name)
		sp_buf_add(&j->names, name, strlen(name) + 1);
	if (!place)
		return;
	symbol->st_shndx = (uint16_t)place->section;
	if (!place->has_variables) {
		symbol->st_value += place->start;
		return;
	}
	to = &j->sections.v[place->section];
	append(to, (const char *)from->data + symbol->st_value, symbol->st_size);
	symbol->st_value = to->bytes.len - symbol->st_size;
}

static struct sp_err *add_symbol(struct join *j, const struct part *part, Elf64_Sym symbol, uint32_t *ret)
{
	const char *name = object_elf_symbol_name(&part->elf, &symbol);
	bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
	const struct place *place = NULL;
	void **known;

	if (symbol.st_shndx != SHN_UNDEF) {
		if (symbol.st_shndx >= part->elf.sections.n || !part->places[symbol.st_shndx].section)
			return NULL; // the file's name; of debug information
		place = &part->places[symbol.st_shndx];
		if (place->has_variables && (is_local || symbol.st_value > part->elf.sections.v[symbol.st_shndx].size ||
					     symbol.st_size > part->elf.sections.v[symbol.st_shndx].size - symbol.st_value))
			return unexpected("a variable without a name or a place", name);
	}
	if (is_local && ELF64_ST_TYPE(symbol.st_info) == STT_SECTION) {
		*ret = section_symbol(j, place->section);
		return NULL;
	}
	if (is_local) {
		move_symbol(j, part, place, &symbol);
		*ret = add_local(j, symbol);
		return NULL;
	}
	known = sp_hash_insert(&j->known_symbols, name, strlen(name));
	if (*known && !is_variable(&symbol) && place)
		return unexpected("a function that another one has", name);
	if (!*known) {
		move_symbol(j, part, place, &symbol);
		sp_vec_push(&j->globals, symbol);
		*known = (void *)(uintptr_t)j->globals.n;
	}
	*ret = ((uint32_t)(uintptr_t)*known - 1) | IS_GLOBAL;
	return NULL;
}

static struct sp_err *add_symbols(struct join *j, struct part *part)
{
	for (size_t i = 1; i < part->elf.n_symbols; i++)
		SP_TRY(add_symbol(j, part, part->elf.symbols[i], &part->symbols[i]));
	return NULL;
}

// ---- relocations ----------------------------------------------------------------------------------------------------

// What refers to a section counts from its beginning, which is elsewhere now: a call in instructions, an address in bytes.
static void shift(struct bpf_insn *insn, uint32_t start)
{
	insn->imm += (int32_t)(insn->code == (BPF_JMP | BPF_CALL) ? start / sizeof(*insn) : start);
}

static struct sp_err *relocate(struct join *j, const struct part *part, const struct place *place, const Elf64_Rel *rel)
{
	struct section *to = &j->sections.v[place->section];
	const Elf64_Sym *symbol;
	Elf64_Rel moved = *rel;
	uint32_t number;

	if (ELF64_R_SYM(rel->r_info) >= part->elf.n_symbols)
		return unexpected("a relocation without a symbol", to->name);
	symbol = &part->elf.symbols[ELF64_R_SYM(rel->r_info)];
	number = part->symbols[ELF64_R_SYM(rel->r_info)];
	moved.r_offset += place->start;
	if (!number || moved.r_offset > to->bytes.len - SP_MIN(to->bytes.len, sizeof(struct bpf_insn)))
		return unexpected("a relocation that leads nowhere", to->name);
	if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION)
		shift((void *)(to->bytes.data + moved.r_offset), part->places[symbol->st_shndx].start);
	number = number & IS_GLOBAL ? (number & ~IS_GLOBAL) + (uint32_t)j->locals.n : number;
	moved.r_info = ELF64_R_INFO((uint64_t)number, ELF64_R_TYPE(rel->r_info));
	sp_buf_add(&to->relocations, &moved, sizeof(moved));
	return NULL;
}

static struct sp_err *add_relocations(struct join *j, const struct part *part)
{
	sp_vec_each(s, &part->elf.sections) {
		const struct place *place;
		const Elf64_Rel *rels = s->data;

		if (s->head.sh_type != SHT_REL || s->head.sh_info >= part->elf.sections.n || !part->places[s->head.sh_info].section)
			continue;
		place = &part->places[s->head.sh_info];
		if (place->has_variables && s->size)
			return unexpected("relocations of variables", s->name);
		j->sections.v[place->section].relocations_name = s->name;
		for (size_t i = 0; i < s->size / sizeof(*rels); i++)
			SP_TRY(relocate(j, part, place, &rels[i]));
	}
	return NULL;
}

// ---- BTF ------------------------------------------------------------------------------------------------------------

static uint32_t start_of(const void *ctx, const char *section)
{
	const struct part *part = ctx;
	const struct object_section *s = object_elf_find(&part->elf, section);

	return s ? part->places[s - part->elf.sections.v].start : 0;
}

static struct sp_err *add_btf(struct join *j, const struct part *part)
{
	const struct object_section *types = object_elf_find(&part->elf, ".BTF"), *ext = object_elf_find(&part->elf, ".BTF.ext");
	struct object_btf_source source = { .start = start_of, .ctx = part };

	if (!types || !ext)
		return NULL;
	source.types = types->data;
	source.types_size = types->size;
	source.ext = ext->data;
	source.ext_size = ext->size;
	return object_btf_add(&j->btf, &source);
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static void add_section(struct object_elf *elf, const struct section *s)
{
	struct object_section section = { .name = s->name, .head = s->head, .data = s->bytes.data, .size = s->bytes.len };

	section.head.sh_info = section.head.sh_link = 0;
	sp_vec_push(&elf->sections, section);
}

static void add_relocation_sections(const struct join *j, struct object_elf *elf)
{
	for (size_t i = 1; i < j->sections.n; i++) {
		const struct section *s = &j->sections.v[i];

		if (!s->relocations_name)
			continue;
		object_elf_add(elf, s->relocations_name, s->relocations.data, s->relocations.len);
		sp_vec_last(&elf->sections).head = (Elf64_Shdr){
			.sh_type = SHT_REL, .sh_flags = SHF_INFO_LINK, .sh_info = (uint32_t)i, .sh_entsize = sizeof(Elf64_Rel), .sh_addralign = 8,
		};
	}
}

static void add_symbol_table(struct join *j, struct object_elf *elf)
{
	object_elf_add(elf, ".strtab", j->names.data, j->names.len);
	sp_vec_last(&elf->sections).head.sh_type = SHT_STRTAB;
	sp_vec_each(symbol, &j->globals)
		sp_vec_push(&j->locals, *symbol);
	elf->symtab = (unsigned)elf->sections.n;
	elf->symbols = j->locals.v;
	elf->n_symbols = j->locals.n;
	elf->names = j->names.data;
	object_elf_add(elf, ".symtab", j->locals.v, j->locals.n * sizeof(*j->locals.v));
	sp_vec_last(&elf->sections).head = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB, .sh_link = elf->symtab - 1, .sh_entsize = sizeof(Elf64_Sym), .sh_addralign = 8,
	};
	sp_vec_each(s, &elf->sections)
		if (s->head.sh_type == SHT_REL)
			s->head.sh_link = elf->symtab;
}

static void write_whole(struct join *j, struct sp_buf *ret)
{
	sp_cleanup(object_elf_deinit) struct object_elf elf = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf types = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf ext = { 0 };

	sp_vec_each(s, &j->sections)
		add_section(&elf, s);
	if (j->btf.n_types) {
		object_btf_write(&j->btf, &types, &ext);
		object_elf_add(&elf, ".BTF", types.data, types.len);
		object_elf_add(&elf, ".BTF.ext", ext.data, ext.len);
	}
	add_relocation_sections(j, &elf);
	add_symbol_table(j, &elf);
	object_elf_write(&elf, ret);
}

static struct sp_err *read_part(struct join *j, const struct sp_buf *object, struct part *part)
{
	SP_TRY(object_elf_read(object, &part->elf));
	part->places = sp_calloc(part->elf.sections.n, sizeof(*part->places));
	part->symbols = sp_calloc(part->elf.n_symbols + 1, sizeof(*part->symbols));
	place_sections(j, part);
	SP_TRY(add_symbols(j, part));
	return add_btf(j, part);
}

static void join_deinit(struct join *j)
{
	for (size_t i = 0; i < j->n_parts; i++) {
		object_elf_deinit(&j->parts[i].elf);
		free(j->parts[i].places);
		free(j->parts[i].symbols);
	}
	free(j->parts);
	sp_vec_each(s, &j->sections) {
		sp_buf_deinit(&s->bytes);
		sp_buf_deinit(&s->relocations);
	}
	sp_vec_deinit(&j->sections);
	sp_vec_deinit(&j->locals);
	sp_vec_deinit(&j->globals);
	sp_buf_deinit(&j->names);
	sp_hash_deinit(&j->known_sections);
	sp_hash_deinit(&j->known_symbols);
	object_btf_deinit(&j->btf);
}

struct sp_err *object_join(const struct sp_buf *objects, size_t n, struct sp_buf *ret)
{
	sp_cleanup(join_deinit) struct join j = { 0 };

	if (n == 1) {
		sp_buf_add(ret, objects[0].data, objects[0].len);
		return NULL;
	}
	j.parts = sp_calloc(n, sizeof(*j.parts));
	j.n_parts = n;
	sp_vec_push(&j.sections, ((struct section){ .name = "" }));
	sp_vec_push(&j.locals, ((Elf64_Sym){ 0 }));
	sp_buf_putc(&j.names, '\0');
	for (size_t i = 0; i < n; i++)
		SP_TRY(read_part(&j, &objects[i], &j.parts[i]));
	for (size_t i = 0; i < n; i++)
		SP_TRY(add_relocations(&j, &j.parts[i]));
	write_whole(&j, ret);
	return NULL;
}
