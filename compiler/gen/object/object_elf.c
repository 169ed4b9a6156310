// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/object/object_elf.h"

#include "runtime/base/cleanup.h"

// ---- reading ------------------------------------------------------------------------------------

static struct sp_err *broken(const char *what)
{
	return sp_err_new(SP_ERR_BUG, "internal error: LLVM's object has %s", what);
}

static bool is_inside(const struct sp_buf *file, const Elf64_Shdr *head)
{
	return head->sh_type == SHT_NOBITS ||
	       (head->sh_offset <= file->len && head->sh_size <= file->len - head->sh_offset);
}

static struct sp_err *read_symbols(struct object_elf *elf)
{
	for (unsigned i = 1; i < elf->sections.n; i++) {
		const struct object_section *s = &elf->sections.v[i];

		if (s->head.sh_type != SHT_SYMTAB)
			continue;
		if (s->head.sh_link >= elf->sections.n || s->size % sizeof(Elf64_Sym))
			return broken("a bad symbol table");
		elf->symtab = i;
		elf->symbols = s->data;
		elf->n_symbols = s->size / sizeof(Elf64_Sym);
		elf->names = elf->sections.v[s->head.sh_link].data;
	}
	return elf->symtab ? NULL : broken("no symbol table");
}

struct sp_err *object_elf_read(const struct sp_buf *file, struct object_elf *ret)
{
	const Elf64_Ehdr *eh = (const void *)file->data;
	const Elf64_Shdr *heads;
	const char *names;

	*ret = (struct object_elf){ 0 };
	if (file->len < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) ||
	    eh->e_machine != EM_BPF || eh->e_shentsize != sizeof(*heads) ||
	    eh->e_shstrndx >= eh->e_shnum || eh->e_shoff > file->len ||
	    eh->e_shnum * sizeof(*heads) > file->len - eh->e_shoff)
		return broken("a bad head");
	heads = (const void *)(file->data + eh->e_shoff);
	names = file->data + heads[eh->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		struct object_section section = { .name = names + heads[i].sh_name, .head = heads[i] };

		if (!is_inside(file, &heads[i]))
			return broken("a section outside the file");
		if (heads[i].sh_type != SHT_NOBITS && heads[i].sh_type != SHT_NULL)
			section.data = file->data + heads[i].sh_offset;
		section.size = heads[i].sh_size;
		sp_vec_push(&ret->sections, section);
	}
	return read_symbols(ret);
}

void object_elf_deinit(struct object_elf *elf)
{
	sp_vec_deinit(&elf->sections);
	sp_arena_deinit(&elf->arena);
}

const struct object_section *object_elf_find(const struct object_elf *elf, const char *name)
{
	sp_vec_each (section, &elf->sections)
		if (section->head.sh_type != SHT_NULL && sp_streq(section->name, name))
			return section;
	return NULL;
}

// libbpf finds the places of variables and code by their names, without relocations.
bool object_elf_is_unwanted(const struct object_section *s)
{
	return sp_starts_with(s->name, ".debug_") || sp_starts_with(s->name, ".llvm_") || sp_starts_with(s->name, ".rel.BTF") ||
	       sp_streq(s->name, ".shstrtab") || // each file has its own
	       sp_streq(s->name, ".eh_frame") || (sp_streq(s->name, ".text") && s->size == 0) ||
	       sp_streq(s->name, ".note.GNU-stack");
}

const char *object_elf_symbol_name(const struct object_elf *elf, const Elf64_Sym *symbol)
{
	return elf->names + symbol->st_name;
}

// ---- writing ------------------------------------------------------------------------------------

void object_elf_add(struct object_elf *elf, const char *name, const void *data, size_t size)
{
	struct object_section section = { .name = name, .data = data, .size = size };

	section.head.sh_type = SHT_PROGBITS;
	section.head.sh_addralign = 8;
	sp_vec_push(&elf->sections, section);
}

static bool is_relocation(const struct object_section *s)
{
	return s->head.sh_type == SHT_REL || s->head.sh_type == SHT_RELA;
}

static uint32_t *number_sections(const struct object_elf *elf)
{
	uint32_t *numbers = sp_calloc(elf->sections.n, sizeof(*numbers)), next = 0;

	for (size_t i = 0; i < elf->sections.n; i++)
		numbers[i] = elf->sections.v[i].dropped ? 0 : next++;
	return numbers;
}

static bool is_symbol_kept(const struct object_elf *elf, const Elf64_Sym *symbol)
{
	return symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
	       !elf->sections.v[symbol->st_shndx].dropped;
}

// The kept symbols with a table of their names alone; `map_ret`: old to new numbers.
static void renumber_symbols(struct object_elf *elf, const uint32_t *sections, uint32_t **map_ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf names = { 0 };
	Elf64_Sym *kept = sp_arena_array(&elf->arena, Elf64_Sym, elf->n_symbols);
	uint32_t *map = sp_calloc(elf->n_symbols, sizeof(*map)), n = 0, n_local = 0;
	struct object_section *s = &elf->sections.v[elf->symtab],
			      *strtab = &elf->sections.v[s->head.sh_link];

	sp_buf_putc(&names, '\0');

	for (size_t i = 0; i < elf->n_symbols; i++) {
		Elf64_Sym symbol = elf->symbols[i];

		if (!is_symbol_kept(elf, &symbol))
			continue;
		if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE)
			symbol.st_shndx = (uint16_t)sections[symbol.st_shndx];
		if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL)
			n_local = n + 1;
		if (symbol.st_name) {
			const char *name = object_elf_symbol_name(elf, &symbol);

			symbol.st_name = (uint32_t)names.len;
			sp_buf_add(&names, name, strlen(name) + 1);
		}
		map[i] = n;
		kept[n++] = symbol;
	}
	s->data = kept;
	s->size = n * sizeof(*kept);
	s->head.sh_info = n_local;
	strtab->data = sp_arena_memdup(&elf->arena, names.data, names.len);
	strtab->size = names.len;
	*map_ret = map;
}

static void renumber_relocations(struct object_elf *elf, struct object_section *s,
				 const uint32_t *sections, const uint32_t *symbols)
{
	Elf64_Rel *rels = sp_arena_memdup(&elf->arena, s->data, s->size);

	for (size_t i = 0; i < s->size / sizeof(*rels); i++)
		rels[i].r_info = ELF64_R_INFO((uint64_t)symbols[ELF64_R_SYM(rels[i].r_info)],
					      ELF64_R_TYPE(rels[i].r_info));
	s->data = rels;
	s->head.sh_info = sections[s->head.sh_info];
}

static void write_sections(struct object_elf *elf, const uint32_t *numbers, struct sp_buf *ret,
			   size_t start)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf heads = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf names = { 0 };
	Elf64_Ehdr eh = { .e_type = ET_REL,
			  .e_machine = EM_BPF,
			  .e_version = EV_CURRENT,
			  .e_ehsize = sizeof(eh),
			  .e_shentsize = sizeof(Elf64_Shdr) };

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	sp_buf_putc(&names, '\0');
	sp_vec_each (s, &elf->sections) {
		Elf64_Shdr head = s->head;

		if (s->dropped)
			continue;
		head.sh_name = (uint32_t)names.len;
		sp_buf_add(&names, s->name, strlen(s->name) + 1);
		if (s == &elf->sections.v[elf->sections.n - 1]) { // the names themselves come last
			s->data = names.data;
			s->size = names.len;
		}
		if (head.sh_type != SHT_NULL) {
			sp_buf_fill(ret, 0, SP_ALIGN_UP(ret->len - start, 8) - (ret->len - start));
			head.sh_offset = ret->len - start;
			head.sh_size = s->size;
			head.sh_link = numbers[head.sh_link];
		}
		if (s->data)
			sp_buf_add(ret, s->data, s->size);
		sp_buf_add(&heads, &head, sizeof(head));
		eh.e_shnum++;
	}
	sp_buf_fill(ret, 0, SP_ALIGN_UP(ret->len - start, 8) - (ret->len - start));
	eh.e_shoff = ret->len - start;
	eh.e_shstrndx = (uint16_t)(eh.e_shnum - 1);
	sp_buf_add(ret, heads.data, heads.len);
	memcpy(ret->data + start, &eh, sizeof(eh));
}

void object_elf_write(struct object_elf *elf, struct sp_buf *ret)
{
	sp_cleanup_free uint32_t *numbers = NULL;
	sp_cleanup_free uint32_t *symbols = NULL;
	size_t start = ret->len;

	sp_vec_each (s, &elf->sections)
		if (is_relocation(s) && elf->sections.v[s->head.sh_info].dropped)
			s->dropped = true;
	object_elf_add(elf, ".shstrtab", NULL, 0);
	sp_vec_last(&elf->sections).head.sh_type = SHT_STRTAB;
	numbers = number_sections(elf);
	renumber_symbols(elf, numbers, &symbols);
	sp_vec_each (s, &elf->sections)
		if (!s->dropped && is_relocation(s))
			renumber_relocations(elf, s, numbers, symbols);
	sp_buf_fill(ret, 0, sizeof(Elf64_Ehdr));
	write_sections(elf, numbers, ret, start);
}
