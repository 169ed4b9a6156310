// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/code_elf.h"

#include "runtime/load/bundle_check.h"
#include "runtime/load/code_btf.h"

#include <stdlib.h>

#define MAPS_SECTION ".maps"
#define R_BPF_64_64 1 // relocations, as LLVM numbers them: the 64-bit number of two instructions;
#define R_BPF_64_32 10 // the number of a call
#define WIDE_LOAD (BPF_LD | BPF_IMM | BPF_DW)

struct reading {
	const struct code_file *file;
	struct sp_arena *arena;
	struct code_section *sections;
	uint32_t *areas; // by section: the map of its bytes; UINT32_MAX: none
	const Elf64_Sym *symbols;
	uint32_t n_symbols;
	const char *names; // of symbols
	uint64_t names_size;
	struct code_map *maps;
	uint64_t *places; // of each map's symbol in .maps
	struct code_function *functions;
	uint32_t maps_section, n_maps, n_functions;
	struct code_types types;
};

// ---- sections -------------------------------------------------------------------------------------------------------

static const char *section_name(const struct reading *r, uint32_t index)
{
	return r->file->names + r->file->heads[index].sh_name;
}

// A copy that is aligned.
static struct sp_err *section_bytes(const struct reading *r, uint32_t index, const void **ret)
{
	const Elf64_Shdr *head = &r->file->heads[index];

	if (head->sh_type == SHT_NOBITS || (head->sh_flags & SHF_COMPRESSED) ||
	    !bundle_in_range(head->sh_offset, head->sh_size, r->file->size))
		return bundle_broken("section %s is not in the file", section_name(r, index));
	*ret = head->sh_size ? sp_arena_memdup(r->arena, r->file->bytes + head->sh_offset, head->sh_size) :
			       sp_arena_alloc(r->arena, 1);
	return NULL;
}

static bool has_code(const Elf64_Shdr *head)
{
	return head->sh_type == SHT_PROGBITS && (head->sh_flags & SHF_EXECINSTR) && head->sh_size;
}

static bool is_area(const struct reading *r, uint32_t index)
{
	const char *name = section_name(r, index);

	return (r->file->heads[index].sh_flags & SHF_ALLOC) && !(r->file->heads[index].sh_flags & SHF_EXECINSTR) &&
	       r->file->heads[index].sh_size &&
	       (sp_starts_with(name, ".data") || sp_starts_with(name, ".rodata") || sp_starts_with(name, ".bss"));
}

static struct sp_err *read_code(struct reading *r, uint32_t index)
{
	const Elf64_Shdr *head = &r->file->heads[index];
	const void *bytes = NULL;

	if (head->sh_size % sizeof(struct bpf_insn) || head->sh_size > BUNDLE_MAX_AREA)
		return bundle_broken("section %s has a wrong size", section_name(r, index));
	SP_TRY(section_bytes(r, index, &bytes));
	r->sections[index].insns = bytes;
	r->sections[index].n_insns = (uint32_t)(head->sh_size / sizeof(struct bpf_insn));
	return NULL;
}

static struct sp_err *add_area(struct reading *r, uint32_t index)
{
	const Elf64_Shdr *head = &r->file->heads[index];
	bool is_constant = sp_starts_with(section_name(r, index), ".rodata");
	const void *bytes = NULL;

	if (head->sh_size > BUNDLE_MAX_AREA)
		return bundle_broken("section %s is too large", section_name(r, index));
	if (head->sh_type == SHT_NOBITS)
		bytes = sp_arena_alloc(r->arena, head->sh_size);
	else
		SP_TRY(section_bytes(r, index, &bytes));
	r->areas[index] = r->n_maps;
	r->maps[r->n_maps++] = (struct code_map){
		.name = section_name(r, index), .type = BPF_MAP_TYPE_ARRAY, .key_size = sizeof(uint32_t),
		.value_size = (uint32_t)head->sh_size, .max_entries = 1,
		.flags = is_constant ? BPF_F_RDONLY_PROG : BPF_F_MMAPABLE, .bytes = bytes, .is_constant = is_constant,
	};
	return NULL;
}

static struct sp_err *read_symbols(struct reading *r, uint32_t index)
{
	const Elf64_Shdr *head = &r->file->heads[index];
	const void *bytes = NULL;

	if (r->symbols || head->sh_link >= r->file->n_heads || head->sh_size % sizeof(Elf64_Sym))
		return bundle_broken("the symbol table is broken");
	SP_TRY(section_bytes(r, index, &bytes));
	r->symbols = bytes;
	r->n_symbols = (uint32_t)(head->sh_size / sizeof(Elf64_Sym));
	SP_TRY(section_bytes(r, head->sh_link, &bytes));
	r->names = bytes;
	r->names_size = r->file->heads[head->sh_link].sh_size;
	if (!r->names_size || r->names[r->names_size - 1])
		return bundle_broken("the names of symbols are broken");
	return NULL;
}

static struct sp_err *read_sections(struct reading *r)
{
	for (uint32_t i = 1; i < r->file->n_heads; i++) {
		const Elf64_Shdr *head = &r->file->heads[i];

		r->sections[i].name = section_name(r, i);
		if (has_code(head))
			SP_TRY(read_code(r, i));
		else if (head->sh_type == SHT_SYMTAB)
			SP_TRY(read_symbols(r, i));
		else if (sp_streq(r->sections[i].name, MAPS_SECTION))
			r->maps_section = i;
	}
	return NULL;
}

static struct sp_err *read_areas(struct reading *r)
{
	r->maps = sp_arena_array(r->arena, struct code_map, r->file->n_heads + r->n_symbols);
	r->places = sp_arena_array(r->arena, uint64_t, r->file->n_heads + r->n_symbols);
	for (uint32_t i = 1; i < r->file->n_heads; i++)
		if (is_area(r, i))
			SP_TRY(add_area(r, i));
	return NULL;
}

// ---- symbols --------------------------------------------------------------------------------------------------------

static const char *symbol_name(const struct reading *r, const Elf64_Sym *symbol)
{
	return symbol->st_name < r->names_size ? r->names + symbol->st_name : "";
}

static struct sp_err *add_function(struct reading *r, const Elf64_Sym *symbol)
{
	const struct code_section *section = &r->sections[symbol->st_shndx];
	const uint64_t size = sizeof(struct bpf_insn);

	if (symbol->st_value % size || symbol->st_size % size || !symbol->st_size ||
	    !bundle_in_range(symbol->st_value / size, symbol->st_size / size, section->n_insns))
		return bundle_broken("the function %s is not in its section", symbol_name(r, symbol));
	r->functions[r->n_functions++] = (struct code_function){ symbol_name(r, symbol), symbol->st_shndx,
								 (uint32_t)(symbol->st_value / size),
								 (uint32_t)(symbol->st_size / size) };
	return NULL;
}

static struct sp_err *add_map(struct reading *r, const Elf64_Sym *symbol)
{
	struct code_map map = { .name = symbol_name(r, symbol) };

	SP_TRY(code_types_map(&r->types, map.name, &map));
	r->places[r->n_maps] = symbol->st_value;
	r->maps[r->n_maps++] = map;
	return NULL;
}

static struct sp_err *read_definitions(struct reading *r)
{
	r->functions = sp_arena_array(r->arena, struct code_function, r->n_symbols + 1);
	for (uint32_t i = 0; i < r->n_symbols; i++) {
		const Elf64_Sym *symbol = &r->symbols[i];

		if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= r->file->n_heads)
			continue;
		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && r->sections[symbol->st_shndx].insns)
			SP_TRY(add_function(r, symbol));
		else if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && r->maps_section && symbol->st_shndx == r->maps_section)
			SP_TRY(add_map(r, symbol));
	}
	return NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

// ---- relocations ----------------------------------------------------------------------------------------------------

static struct sp_err *bad_reference(const struct code_section *section, uint64_t insn)
{
	return bundle_broken("section %s: what instruction %llu refers to is not there", section->name, (unsigned long long)insn);
}

static bool refer_to_map(const struct reading *r, const Elf64_Sym *symbol, struct code_reference *ret)
{
	for (uint32_t i = 0; i < r->n_maps; i++) {
		if (r->maps[i].bytes || r->places[i] != symbol->st_value)
			continue;
		*ret = (struct code_reference){ ret->insn, CODE_MAP, i, 0 };
		return true;
	}
	return false;
}

static bool refer_to_area(const struct reading *r, const Elf64_Sym *symbol, const struct bpf_insn *insn, struct code_reference *ret)
{
	uint32_t map = r->areas[symbol->st_shndx];
	uint64_t offset = symbol->st_value + (uint64_t)(int64_t)insn->imm;

	*ret = (struct code_reference){ ret->insn, CODE_AREA, map, (uint32_t)offset };
	return map != UINT32_MAX && offset < r->maps[map].value_size;
}

static bool refer_to_function(const struct code *code, const Elf64_Sym *symbol, const struct bpf_insn *insn, struct code_reference *ret)
{
	bool is_call = insn->code == (BPF_JMP | BPF_CALL);
	// Of a function that is not global, the instruction says where it is in the section.
	uint64_t at = symbol->st_value + (is_call ? ((uint64_t)insn->imm + 1) * sizeof(*insn) : (uint64_t)(int64_t)insn->imm);
	uint32_t function = at % sizeof(*insn) ? UINT32_MAX : code_function_at(code, symbol->st_shndx, at / sizeof(*insn));

	*ret = (struct code_reference){ ret->insn, CODE_FUNCTION, function, 0 };
	return function != UINT32_MAX;
}

static bool is_wide_load(const struct code_section *section, uint64_t at)
{
	return section->insns[at].code == WIDE_LOAD && at + 1 < section->n_insns && !section->insns[at + 1].code;
}

static struct sp_err *read_reference(const struct reading *r, const struct code *code, const struct code_section *section,
				     const Elf64_Rel *rel, struct code_reference *ret)
{
	uint64_t at = rel->r_offset / sizeof(struct bpf_insn), number = ELF64_R_SYM(rel->r_info), type = ELF64_R_TYPE(rel->r_info);
	const Elf64_Sym *symbol = number < r->n_symbols ? &r->symbols[number] : NULL;
	const struct bpf_insn *insn;
	bool found;

	if (rel->r_offset % sizeof(*insn) || at >= section->n_insns || !symbol || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_shndx >= r->file->n_heads)
		return bad_reference(section, at);
	insn = &section->insns[at];
	if (!(type == R_BPF_64_64 && is_wide_load(section, at)) && !(type == R_BPF_64_32 && insn->code == (BPF_JMP | BPF_CALL)))
		return bad_reference(section, at);
	*ret = (struct code_reference){ .insn = (uint32_t)at };
	if (r->sections[symbol->st_shndx].insns)
		found = refer_to_function(code, symbol, insn, ret);
	else if (type == R_BPF_64_32)
		found = false;
	else if (r->maps_section && symbol->st_shndx == r->maps_section)
		found = refer_to_map(r, symbol, ret);
	else
		found = refer_to_area(r, symbol, insn, ret);
	return found ? NULL : bad_reference(section, at);
}

static int by_insn(const void *a, const void *b)
{
	const struct code_reference *x = a, *y = b;

	return (x->insn > y->insn) - (x->insn < y->insn);
}

static struct sp_err *read_references(const struct reading *r, const struct code *code, uint32_t index)
{
	const Elf64_Shdr *head = &r->file->heads[index];
	struct code_section *section = &r->sections[head->sh_info];
	const void *bytes = NULL;

	if (section->references || head->sh_size % sizeof(Elf64_Rel))
		return bundle_broken("section %s is broken", section_name(r, index));
	SP_TRY(section_bytes(r, index, &bytes));
	section->n_references = (uint32_t)(head->sh_size / sizeof(Elf64_Rel));
	section->references = sp_arena_array(r->arena, struct code_reference, section->n_references + 1);
	for (uint32_t i = 0; i < section->n_references; i++)
		SP_TRY(read_reference(r, code, section, (const Elf64_Rel *)bytes + i, &section->references[i]));
	qsort(section->references, section->n_references, sizeof(*section->references), by_insn);
	for (uint32_t i = 1; i < section->n_references; i++)
		if (section->references[i].insn == section->references[i - 1].insn)
			return bad_reference(section, section->references[i].insn);
	return NULL;
}

static struct sp_err *read_all_references(const struct reading *r, const struct code *code)
{
	for (uint32_t i = 1; i < r->file->n_heads; i++) {
		const Elf64_Shdr *head = &r->file->heads[i];

		if (head->sh_type == SHT_REL && head->sh_info < r->file->n_heads && r->sections[head->sh_info].insns)
			SP_TRY(read_references(r, code, i));
	}
	return NULL;
}

// ---- type information -----------------------------------------------------------------------------------------------

static bool place_of(void *ctx, const char *section, const char *variable, uint32_t *ret)
{
	const struct reading *r = ctx;

	for (uint32_t i = 1; i < r->file->n_heads && !variable; i++) {
		if (!sp_streq(r->sections[i].name, section))
			continue;
		*ret = (uint32_t)r->file->heads[i].sh_size;
		return true;
	}
	for (uint32_t i = 0; i < r->n_symbols && variable; i++) {
		const Elf64_Sym *symbol = &r->symbols[i];

		if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx >= r->file->n_heads ||
		    !r->sections[symbol->st_shndx].name || !sp_streq(r->sections[symbol->st_shndx].name, section) ||
		    !sp_streq(symbol_name(r, symbol), variable))
			continue;
		*ret = (uint32_t)symbol->st_value;
		return true;
	}
	return false;
}

static struct sp_err *read_types(struct reading *r)
{
	const void *bytes = NULL;

	for (uint32_t i = 1; i < r->file->n_heads; i++) {
		if (!sp_streq(r->sections[i].name, ".BTF"))
			continue;
		if (r->types.bytes)
			return bundle_broken("section .BTF is there twice");
		SP_TRY(section_bytes(r, i, &bytes));
		SP_TRY(code_types_read(bytes, r->file->heads[i].sh_size, r->arena, &r->types));
		SP_TRY(code_types_place(&r->types, place_of, r));
	}
	return NULL;
}

static struct sp_err *read_records(struct reading *r)
{
	const void *bytes = NULL;

	for (uint32_t i = 1; i < r->file->n_heads; i++) {
		if (!r->types.bytes || !sp_streq(r->sections[i].name, ".BTF.ext"))
			continue;
		SP_TRY(section_bytes(r, i, &bytes));
		SP_TRY(code_types_records(&r->types, bytes, r->file->heads[i].sh_size, r->sections, r->file->n_heads));
	}
	return NULL;
}

// ---- all ------------------------------------------------------------------------------------------------------------

struct sp_err *code_elf_read(const struct code_file *file, struct sp_arena *arena, struct code *ret)
{
	struct reading r = { .file = file, .arena = arena };

	r.sections = sp_arena_array(arena, struct code_section, file->n_heads);
	r.areas = sp_arena_array(arena, uint32_t, file->n_heads);
	for (uint32_t i = 0; i < file->n_heads; i++)
		r.areas[i] = UINT32_MAX;
	SP_TRY(read_sections(&r));
	SP_TRY(read_areas(&r));
	SP_TRY(read_types(&r));
	SP_TRY(read_definitions(&r));
	if (r.n_functions)
		qsort(r.functions, r.n_functions, sizeof(*r.functions), by_place);
	*ret = (struct code){ .sections = r.sections, .maps = r.maps, .functions = r.functions, .n_sections = file->n_heads,
			      .n_maps = r.n_maps, .n_functions = r.n_functions, .btf = r.types.bytes, .btf_size = r.types.size,
			      .texts = r.types.texts, .texts_size = r.types.texts_size };
	SP_TRY(read_all_references(&r, ret));
	return read_records(&r);
}
