// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "runtime/load/bundle.h"

#include "runtime/abi/target.h"
#include "runtime/base/arena.h"
#include "runtime/load/bundle_check.h"
#include "runtime/load/code_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/utsname.h>

// Sections are copied to aligned memory and their structs read in place: both sides are little-endian.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bundles are little-endian");

// The bundle as bundle_open makes it; users only see the first member.
struct bundle_own {
	struct bundle pub;
	struct sp_arena arena;
};

struct section {
	const uint8_t *data;
	size_t size;
	bool found;
};

// ---- ELF ------------------------------------------------------------------------------------------------------------

static struct sp_err *elf_check_header(const uint8_t *bytes, size_t size, Elf64_Ehdr *ret)
{
	if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return sp_err_new(SP_ERR_FORMAT, "not a compiled script (it is not an ELF file)");
	if (size < sizeof(*ret))
		return bundle_broken("the file is truncated (%zu bytes)", size);
	memcpy(ret, bytes, sizeof(*ret));
	if (ret->e_ident[EI_CLASS] != ELFCLASS64 || ret->e_ident[EI_DATA] != ELFDATA2LSB)
		return sp_err_new(
			SP_ERR_FORMAT,
			"not a compiled script (an ELF file, but not 64-bit little-endian)");
	if (ret->e_machine != EM_BPF)
		return sp_err_new(SP_ERR_FORMAT,
				  "not a compiled script (an ELF file, but not a BPF object)");
	if (ret->e_shentsize != sizeof(Elf64_Shdr) || ret->e_shnum == 0 ||
	    ret->e_shstrndx >= ret->e_shnum)
		return bundle_broken("the ELF header has no usable section table");
	if (!bundle_in_range(ret->e_shoff, (uint64_t)ret->e_shnum * sizeof(Elf64_Shdr), size))
		return bundle_broken("the file is truncated (its section table is behind the end)");
	return NULL;
}

// The structs of `.spile.*` must hold their data in the file, as it is.
static struct sp_err *elf_section_data(const struct bundle *b, const Elf64_Shdr *sh,
				       const char *name, struct sp_arena *arena, struct section *ret)
{
	if (ret->found)
		return bundle_broken("section %s is there twice", name);
	if (sh->sh_type == SHT_NOBITS || (sh->sh_flags & SHF_COMPRESSED))
		return bundle_broken("section %s is empty or compressed", name);
	if (!bundle_in_range(sh->sh_offset, sh->sh_size, b->size))
		return bundle_broken("the file is truncated (section %s is behind the end)", name);
	ret->found = true;
	ret->size = sh->sh_size;
	ret->data = sh->sh_size ? sp_arena_memdup(arena, b->bytes + sh->sh_offset, sh->sh_size)
				: sp_arena_alloc(arena, 1);
	return NULL;
}

enum section_id {
	SEC_HEAD,
	SEC_STRINGS,
	SEC_PROGS,
	SEC_SITES,
	SEC_MAPS,
	SEC_GLOBALS,
	SEC_FIELDS,
	SEC_FORMATS,
	SEC_NAMES,
	SEC_PLACES,
	SEC_FIXUPS,
	SEC_OBJECTS,
	SEC_USER,
	SEC_UDATA,
	SEC_DATA,
	SEC_SLOTS,
	SEC_COUNT
};

static const struct section_kind {
	const char *name;
	size_t element; // size of its structs
	bool required;
} section_kinds[SEC_COUNT] = {
	[SEC_HEAD] = { SP_SEC_HEAD, 1, true },
	[SEC_STRINGS] = { SP_SEC_STRINGS, 1, true },
	[SEC_PROGS] = { SP_SEC_PROGS, sizeof(struct sp_prog), false },
	[SEC_SITES] = { SP_SEC_SITES, sizeof(struct sp_site), false },
	[SEC_MAPS] = { SP_SEC_MAPS, sizeof(struct sp_map), false },
	[SEC_GLOBALS] = { SP_SEC_GLOBALS, sizeof(struct sp_global), false },
	[SEC_FIELDS] = { SP_SEC_FIELDS, sizeof(struct sp_field), false },
	[SEC_FORMATS] = { SP_SEC_FORMATS, sizeof(struct sp_format), false },
	[SEC_NAMES] = { SP_SEC_NAMES, sizeof(struct sp_name), false },
	[SEC_PLACES] = { SP_SEC_PLACES, sizeof(struct sp_place), false },
	[SEC_FIXUPS] = { SP_SEC_FIXUPS, sizeof(struct sp_fixup), false },
	[SEC_OBJECTS] = { SP_SEC_OBJECTS, sizeof(struct sp_object), false },
	[SEC_USER] = { SP_SEC_USER, sizeof(struct bpf_insn), false },
	[SEC_UDATA] = { SP_SEC_UDATA, 1, false },
	[SEC_DATA] = { SP_DATA_SECTION, 1, false },
	[SEC_SLOTS] = { SP_SLOTS_SECTION, 1, false },
};

static struct sp_err *elf_read(const struct bundle *b, struct sp_arena *arena,
			       struct section sections[SEC_COUNT], struct code_file *file)
{
	Elf64_Ehdr eh;
	Elf64_Shdr names, sh;

	SP_TRY(elf_check_header(b->bytes, b->size, &eh));
	memcpy(&names, b->bytes + eh.e_shoff + eh.e_shstrndx * sizeof(sh), sizeof(names));
	if (names.sh_type != SHT_STRTAB || !bundle_in_range(names.sh_offset, names.sh_size, b->size) ||
	    names.sh_size == 0 || b->bytes[names.sh_offset + names.sh_size - 1] != '\0')
		return bundle_broken("the table of section names is broken");
	*file = (struct code_file){ .bytes = b->bytes, .size = b->size, .n_heads = eh.e_shnum,
				    .heads = sp_arena_memdup(arena, b->bytes + eh.e_shoff, (size_t)eh.e_shnum * sizeof(sh)),
				    .names = (const char *)b->bytes + names.sh_offset };
	for (unsigned i = 0; i < eh.e_shnum; i++) {
		const char *name;

		memcpy(&sh, b->bytes + eh.e_shoff + i * sizeof(sh), sizeof(sh));
		if (sh.sh_name >= names.sh_size)
			return bundle_broken("section %u has no name", i);
		name = (const char *)b->bytes + names.sh_offset + sh.sh_name;
		for (unsigned k = 0; k < SEC_COUNT; k++)
			if (sp_streq(name, section_kinds[k].name))
				SP_TRY(elf_section_data(b, &sh, name, arena, &sections[k]));
	}
	if (!sections[SEC_HEAD].found)
		return sp_err_new(SP_ERR_FORMAT,
				  "not a compiled script (a BPF object without section %s)",
				  SP_SEC_HEAD);
	for (unsigned k = 0; k < SEC_COUNT; k++) {
		if (section_kinds[k].required && !sections[k].found)
			return bundle_broken("section %s is missing", section_kinds[k].name);
		// A section that is missing has no elements, but an address: pointers to its first element are never
		// NULL.
		if (!sections[k].found)
			sections[k].data = sp_arena_alloc(arena, 1);
		if (sections[k].size % section_kinds[k].element || sections[k].size > BUNDLE_MAX_AREA)
			return bundle_broken("section %s has a wrong size (%zu)", section_kinds[k].name,
				      sections[k].size);
	}
	return NULL;
}

// ---- the head -------------------------------------------------------------------------------------------------------

static struct sp_err *check_head(const struct section *section)
{
	const struct sp_bundle_head *h = (const void *)section->data;

	// The version is checked first, because a newer one may have another head.
	if (section->size < 8 || h->magic != SP_BUNDLE_MAGIC)
		return bundle_broken("the magic number is wrong");
	if (h->version > SP_BUNDLE_VERSION)
		return sp_err_new(SP_ERR_TARGET,
				  "made by a newer spile (format version %u, this runtime knows up "
				  "to %u): update "
				  "spile-run, or compile the script again with the older spile",
				  h->version, SP_BUNDLE_VERSION);
	if (h->version != SP_BUNDLE_VERSION)
		return bundle_broken("format version %u does not exist", h->version);
	if (section->size < sizeof(*h) || h->head_size < sizeof(*h) || h->head_size > section->size)
		return bundle_broken("the head is truncated");
	if (!memchr(h->arch, '\0', sizeof(h->arch)) || h->arch[0] == '\0')
		return bundle_broken("the head names no architecture");
	if (SP_FEATURE_COUNT < 64 && h->features >> SP_FEATURE_COUNT)
		return sp_err_new(
			SP_ERR_TARGET,
			"needs features that this runtime does not know (0x%llx): update spile-run",
			(unsigned long long)h->features);
	return NULL;
}

// ---- bundle ---------------------------------------------------------------------------------------------------------

static void take_sections(struct bundle *b, const struct section *s)
{
	b->head = (const void *)s[SEC_HEAD].data;
	b->strings = (const char *)s[SEC_STRINGS].data;
	b->strings_size = s[SEC_STRINGS].size;
#define TAKE(member, id)                                                                           \
	do {                                                                                       \
		b->member = (const void *)s[id].data;                                              \
		b->n_##member = (unsigned)(s[id].size / sizeof(*b->member));                       \
	} while (0)
	TAKE(progs, SEC_PROGS);
	TAKE(sites, SEC_SITES);
	TAKE(maps, SEC_MAPS);
	TAKE(globals, SEC_GLOBALS);
	TAKE(fields, SEC_FIELDS);
	TAKE(formats, SEC_FORMATS);
	TAKE(names, SEC_NAMES);
	TAKE(places, SEC_PLACES);
	TAKE(fixups, SEC_FIXUPS);
	TAKE(objects, SEC_OBJECTS);
	TAKE(user, SEC_USER);
#undef TAKE
	b->udata = s[SEC_UDATA].data;
	b->udata_size = s[SEC_UDATA].size;
	b->data_init = s[SEC_DATA].found ? s[SEC_DATA].data : NULL;
}

static struct sp_err *open_into(struct bundle_own *own)
{
	struct bundle *b = &own->pub;
	struct section sections[SEC_COUNT] = { 0 };
	struct bundle_areas areas;
	struct code_file file;

	SP_TRY(elf_read(b, &own->arena, sections, &file));
	SP_TRY(check_head(&sections[SEC_HEAD]));
	take_sections(b, sections);
	areas = (struct bundle_areas){ .has_data = sections[SEC_DATA].found, .data_size = sections[SEC_DATA].size,
				       .has_slots = sections[SEC_SLOTS].found, .slots_size = sections[SEC_SLOTS].size };
	SP_TRY(bundle_check(b, &areas));
	SP_TRY(code_elf_read(&file, &own->arena, &b->code));
	SP_TRY(bundle_check_code(b));
	if (!b->data_init)
		b->data_init = sp_arena_alloc(&own->arena, b->head->data_size);
	return NULL;
}

struct sp_err *bundle_open(const void *bytes, size_t size, struct bundle **ret)
{
	struct bundle_own *own = sp_calloc(1, sizeof(*own));
	struct sp_err *err;

	sp_arena_init(&own->arena);
	own->pub.bytes = sp_arena_memdup(&own->arena, bytes, size);
	own->pub.size = size;
	err = open_into(own);
	if (err) {
		bundle_close(&own->pub);
		return err;
	}
	*ret = &own->pub;
	return NULL;
}

struct sp_err *bundle_check_arch(const struct bundle *bundle)
{
	struct utsname host;

	if (uname(&host) < 0)
		return sp_err_bug("uname failed");
	if (sp_streq(bundle->head->arch, host.machine))
		return NULL;
	return sp_err_new(SP_ERR_TARGET,
			  "made for %s, but this machine is %s: compile the script again "
			  "(--target takes what spile-run --describe prints here)",
			  bundle->head->arch, host.machine);
}

void bundle_close(struct bundle *bundle)
{
	struct bundle_own *own = (struct bundle_own *)bundle; // `pub` is its first member

	if (!own)
		return;
	sp_arena_deinit(&own->arena);
	free(own);
}

const char *bundle_text(const struct bundle *bundle, uint32_t offset)
{
	return bundle->strings + offset;
}

const char *bundle_key_name(const struct bundle *bundle, const struct sp_map *map, unsigned part, size_t *len_ret)
{
	const char *name = bundle_text(bundle, map->key_names);

	for (; *len_ret = strcspn(name, ","), part && *name; part--)
		name += *len_ret + (name[*len_ret] != '\0');
	return name;
}

// The program that has the sites: the rest of a handler has those of its beginning.
static const struct sp_prog *with_sites(const struct bundle *bundle, unsigned prog)
{
	for (unsigned i = 0; i < bundle->n_progs && !bundle->progs[prog].n_sites; i++)
		if (bundle->progs[i].rest == prog + 1)
			return &bundle->progs[i];
	return &bundle->progs[prog];
}

static bool is_of_script(const char *name)
{
	return *name && !sp_starts_with(name, "__");
}

bool bundle_shows_global(const struct bundle *bundle, const struct sp_global *global)
{
	return !(global->flags & SP_GLOBAL_PRIVATE) && is_of_script(bundle_text(bundle, global->name));
}

bool bundle_shows_map(const struct bundle *bundle, const struct sp_map *map)
{
	return !(map->flags & SP_MAP_PRIVATE) && is_of_script(bundle_text(bundle, map->label));
}

void bundle_put_points(const struct bundle *bundle, unsigned prog, struct sp_buf *out)
{
	const struct sp_prog *p;

	if (prog == bundle->n_progs) {
		sp_buf_puts(out, "probes that share a link");
		return;
	}
	p = with_sites(bundle, prog);
	sp_buf_puts(out, p->n_sites ? bundle_text(bundle, bundle->sites[p->first_site].point) : "?");
	if (p->n_sites > 1)
		sp_buf_printf(out, " and %u other point%s", p->n_sites - 1, p->n_sites == 2 ? "" : "s");
}
