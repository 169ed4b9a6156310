// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/code_btf.h"

#include "runtime/base/btf_head.h"
#include "runtime/base/cleanup.h"
#include "runtime/load/bundle_check.h"

#define MAPS_SECTION ".maps"
#define MAX_DEPTH 32 // of typedefs and qualifiers

// ---- types ----------------------------------------------------------------------------------------------------------

static struct sp_err *broken(const char *what)
{
	return bundle_broken("section .BTF: %s", what);
}

// The bytes that follow struct btf_type.
static bool tail_size(uint32_t info, uint64_t *ret)
{
	uint64_t n = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		*ret = 0;
		return true;
	case BTF_KIND_INT:
		*ret = sizeof(uint32_t);
		return true;
	case BTF_KIND_ARRAY:
		*ret = sizeof(struct btf_array);
		return true;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		*ret = n * sizeof(struct btf_member);
		return true;
	case BTF_KIND_ENUM:
		*ret = n * sizeof(struct btf_enum);
		return true;
	case BTF_KIND_ENUM64:
		*ret = n * sizeof(struct btf_enum64);
		return true;
	case BTF_KIND_FUNC_PROTO:
		*ret = n * sizeof(struct btf_param);
		return true;
	case BTF_KIND_VAR:
		*ret = sizeof(struct btf_var);
		return true;
	case BTF_KIND_DATASEC:
		*ret = n * sizeof(struct btf_var_secinfo);
		return true;
	case BTF_KIND_DECL_TAG:
		*ret = sizeof(struct btf_decl_tag);
		return true;
	}
	return false;
}

static struct sp_err *read_offsets(struct code_types *types, uint32_t start, uint32_t size, struct sp_arena *arena)
{
	// A type takes at least 12 bytes.
	types->offsets = sp_arena_array(arena, uint32_t, size / sizeof(struct btf_type) + 1);
	for (uint32_t at = 0; at < size;) {
		struct btf_type type;
		uint64_t tail;

		if (size - at < sizeof(type))
			return broken("a type is truncated");
		memcpy(&type, types->bytes + start + at, sizeof(type));
		if (!tail_size(type.info, &tail) || tail > size - at - sizeof(type))
			return broken("a type is broken");
		types->offsets[types->n++] = start + at;
		at += (uint32_t)(sizeof(type) + tail);
	}
	return NULL;
}

struct sp_err *code_types_read(const void *bytes, size_t size, struct sp_arena *arena, struct code_types *ret)
{
	struct sp_btf_head head;

	*ret = (struct code_types){ 0 };
	if (size < sizeof(head) || size > BUNDLE_MAX_AREA)
		return broken("its size is wrong");
	memcpy(&head, bytes, sizeof(head));
	if (head.magic != BTF_MAGIC || head.version != BTF_VERSION || head.hdr_len < sizeof(head) || head.hdr_len > size ||
	    head.type_off % 4 || head.hdr_len % 4)
		return broken("its head is wrong");
	size -= head.hdr_len;
	if (!bundle_in_range(head.type_off, head.type_len, size) || !bundle_in_range(head.str_off, head.str_len, size))
		return broken("it is truncated");
	ret->bytes = sp_arena_memdup(arena, bytes, size + head.hdr_len);
	ret->size = (uint32_t)(size + head.hdr_len);
	ret->texts = (const char *)ret->bytes + head.hdr_len + head.str_off;
	ret->texts_size = head.str_len;
	if (!ret->texts_size || ret->texts[0] || ret->texts[ret->texts_size - 1])
		return broken("its texts are broken");
	return read_offsets(ret, head.hdr_len + head.type_off, head.type_len, arena);
}

static const char *text_at(const struct code_types *types, uint32_t offset)
{
	return offset < types->texts_size ? types->texts + offset : "";
}

// NULL: there is none of that number.
static struct btf_type *type_at(const struct code_types *types, uint32_t id)
{
	return id && id <= types->n ? (struct btf_type *)(types->bytes + types->offsets[id - 1]) : NULL;
}

static const struct btf_type *type_of_kind(const struct code_types *types, uint32_t id, uint32_t kind)
{
	const struct btf_type *type = type_at(types, id);

	return type && BTF_INFO_KIND(type->info) == kind ? type : NULL;
}

static const struct btf_type *skip_names(const struct code_types *types, uint32_t id)
{
	const struct btf_type *type = type_at(types, id);

	for (unsigned i = 0; type && i < MAX_DEPTH; i++) {
		uint32_t kind = BTF_INFO_KIND(type->info);

		if (kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE)
			return type;
		type = type_at(types, type->type);
	}
	return NULL;
}

// ---- maps -----------------------------------------------------------------------------------------------------------

// A number is the length of the array that the member points to, a type what it points to.
static bool read_member(const struct code_types *types, uint32_t id, bool is_type, uint32_t *ret)
{
	const struct btf_type *pointer = type_of_kind(types, id, BTF_KIND_PTR);
	const struct btf_type *array = pointer && !is_type ? type_of_kind(types, pointer->type, BTF_KIND_ARRAY) : NULL;

	if (pointer)
		*ret = array ? ((const struct btf_array *)(array + 1))->nelems : pointer->type;
	return array || (pointer && is_type);
}

static struct sp_err *read_definition(const struct code_types *types, const struct btf_type *type, struct code_map *ret)
{
	const struct btf_member *members = (const void *)(type + 1);
	const struct {
		const char *name;
		uint32_t *number;
	} known[] = { { "type", &ret->type }, { "key_size", &ret->key_size }, { "value_size", &ret->value_size },
		      { "max_entries", &ret->max_entries }, { "map_flags", &ret->flags }, { "key", &ret->key_type },
		      { "value", &ret->value_type } };

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const char *name = text_at(types, members[i].name_off);
		uint32_t *number = NULL;

		for (size_t k = 0; k < SP_ARRAY_SIZE(known); k++)
			if (sp_streq(known[k].name, name))
				number = known[k].number;
		if (!number || !read_member(types, members[i].type, number == &ret->key_type || number == &ret->value_type, number))
			return bundle_broken("the map %s has a wrong definition", ret->name);
	}
	return NULL;
}

struct sp_err *code_types_map(const struct code_types *types, const char *name, struct code_map *ret)
{
	for (uint32_t id = 1; id <= types->n; id++) {
		const struct btf_type *section = type_of_kind(types, id, BTF_KIND_DATASEC);
		const struct btf_var_secinfo *vars = (const void *)(section + 1);

		if (!section || !sp_streq(text_at(types, section->name_off), MAPS_SECTION))
			continue;
		for (uint32_t i = 0; i < BTF_INFO_VLEN(section->info); i++) {
			const struct btf_type *var = type_of_kind(types, vars[i].type, BTF_KIND_VAR);
			const struct btf_type *type = var ? skip_names(types, var->type) : NULL;

			if (type && BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT && sp_streq(text_at(types, var->name_off), name))
				return read_definition(types, type, ret);
		}
	}
	return bundle_broken("the map %s has no definition", name);
}

// ---- places ---------------------------------------------------------------------------------------------------------

static int by_offset(const void *a, const void *b)
{
	const struct btf_var_secinfo *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

struct sp_err *code_types_place(struct code_types *types,
				bool (*place)(void *ctx, const char *section, const char *variable, uint32_t *ret), void *ctx)
{
	for (uint32_t id = 1; id <= types->n; id++) {
		struct btf_type *section = type_at(types, id);
		struct btf_var_secinfo *vars = (void *)(section + 1);
		const char *name = text_at(types, section->name_off);

		if (BTF_INFO_KIND(section->info) != BTF_KIND_DATASEC)
			continue;
		if (!section->size && !place(ctx, name, NULL, &section->size))
			return bundle_broken("there is no section %s", name);
		for (uint32_t i = 0; i < BTF_INFO_VLEN(section->info); i++) {
			const struct btf_type *var = type_of_kind(types, vars[i].type, BTF_KIND_VAR);

			// A variable of no symbol (static) stays where the compiler has put it.
			if (!var)
				return broken("a section has what is not a variable");
			place(ctx, name, text_at(types, var->name_off), &vars[i].offset);
		}
		qsort(vars, BTF_INFO_VLEN(section->info), sizeof(*vars), by_offset);
	}
	return NULL;
}

// ---- .BTF.ext -------------------------------------------------------------------------------------------------------

struct ext_head {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t head_len;
	struct {
		uint32_t offset, size;
	} parts[CODE_RECORDS]; // the last is missing in a short head
};

struct ext_section {
	uint32_t name, n_records;
};

static struct sp_err *bad_ext(const char *what)
{
	return bundle_broken("section .BTF.ext: %s", what);
}

static struct code_section *find_section(struct code_section *sections, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (sections[i].insns && sp_streq(sections[i].name, name))
			return &sections[i];
	return NULL;
}

static struct sp_err *check_records(const struct code_section *section, const struct code_records *records, uint32_t size)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < records->n; i++) {
		uint32_t at;

		memcpy(&at, records->bytes + (size_t)i * size, sizeof(at));
		if (at % sizeof(struct bpf_insn) || at / sizeof(struct bpf_insn) >= section->n_insns || at < last)
			return bad_ext("a record is not of an instruction");
		last = at;
	}
	return NULL;
}

// One kind of records: their size, and then for each section its name, their number and themselves.
static struct sp_err *read_part(const struct code_types *types, const uint8_t *bytes, uint64_t size, enum code_record kind,
				struct code_section *sections, uint32_t n)
{
	uint32_t record_size = 0;
	uint64_t at = sizeof(record_size);

	if (!size)
		return NULL;
	if (size >= at)
		memcpy(&record_size, bytes, sizeof(record_size));
	if (record_size != code_record_sizes[kind])
		return bad_ext("the records have a wrong size");
	while (at < size) {
		struct code_section *section;
		struct code_records *records;
		struct ext_section head;

		if (size - at < sizeof(head))
			return bad_ext("it is truncated");
		memcpy(&head, bytes + at, sizeof(head));
		at += sizeof(head);
		if (head.n_records > (size - at) / record_size)
			return bad_ext("it is truncated");
		section = find_section(sections, n, text_at(types, head.name));
		records = section ? &section->records[kind] : NULL;
		if (!section || records->n)
			return bad_ext("records of no section, or twice");
		*records = (struct code_records){ bytes + at, head.n_records };
		SP_TRY(check_records(section, records, record_size));
		at += (uint64_t)head.n_records * record_size;
	}
	return NULL;
}

struct sp_err *code_types_records(const struct code_types *types, const void *ext, size_t size, struct code_section *sections,
				  uint32_t n)
{
	struct ext_head head = { 0 };

	if (size < offsetof(struct ext_head, parts[CODE_CORE_RELO]))
		return bad_ext("it is truncated");
	memcpy(&head, ext, SP_MIN(size, sizeof(head)));
	if (head.magic != BTF_MAGIC || head.head_len > size || head.head_len < offsetof(struct ext_head, parts[CODE_CORE_RELO]))
		return bad_ext("its head is wrong");
	if (head.head_len < sizeof(head))
		head.parts[CODE_CORE_RELO].size = 0;
	for (unsigned i = 0; i < CODE_RECORDS; i++) {
		if (!bundle_in_range(head.parts[i].offset, head.parts[i].size, size - head.head_len))
			return bad_ext("it is truncated");
		SP_TRY(read_part(types, (const uint8_t *)ext + head.head_len + head.parts[i].offset, head.parts[i].size,
				 (enum code_record)i, sections, n));
	}
	return NULL;
}
