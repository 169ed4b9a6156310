// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/btf/btf.h"

#include "compiler/debug/dbg_loader.h"

#include "runtime/base/arena.h"
#include "runtime/base/btf_head.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/name_index.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

// Chains of types in valid BTF are short; what is longer is a cycle.
#define MAX_DEPTH 64

struct btf_file {
	struct dbg_loader loader;
	struct sp_arena arena;
	struct btf *btf;
	const struct c_type **types; // by id; NULL: not yet made
	uint32_t n_types, first; // first: as btf_file_first()
	unsigned depth;
	unsigned n_questions; // for names, before `names` was made
	struct name_index names; // of own types that have one: their ids
};

#define INDEX_AFTER 3 // questions for names, each of which reads all of them

static const struct c_type being_made = { .kind = C_UNKNOWN };

static const struct c_type *complete(struct dbg_loader *loader, struct c_type *type);

static struct sp_err *wrap(struct btf *btf, const struct btf_file *base, const char *what, struct btf_file **ret)
{
	// libbpf 1.0 and later return NULL and set errno.
	if (!btf)
		return sp_err_new(SP_ERR_FORMAT, "broken BTF in %s: %s", what, strerror(errno));
	struct btf_file *file = sp_calloc(1, sizeof(*file));
	file->loader.complete = complete;
	file->btf = btf;
	file->n_types = btf__type_cnt(btf);
	file->first = base ? base->n_types : 1;
	file->types = sp_calloc(file->n_types, sizeof(*file->types));
	*ret = file;
	return NULL;
}

struct sp_err *btf_file_new(const void *data, size_t size, struct btf_file **ret)
{
	if (size > UINT32_MAX)
		return sp_err_new(SP_ERR_FORMAT, "a .BTF section of %zu bytes", size);
	return wrap(btf__new(data, (uint32_t)size), NULL, "the .BTF section", ret);
}

// Linux 6.16 and later let their BTF be mapped, which has some megabytes: then it is not read page by page, and copied once less. NULL:
// that cannot be done, or it is no bare BTF.
static struct btf *parse_mapped(const char *path)
{
	sp_cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct btf *btf = NULL;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(struct sp_btf_head) || st.st_size > UINT32_MAX)
		return NULL;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	if (((const struct sp_btf_head *)map)->magic == BTF_MAGIC)
		btf = btf__new(map, (uint32_t)st.st_size);
	munmap(map, (size_t)st.st_size);
	return btf;
}

struct sp_err *btf_file_open(const char *path, struct btf_file *base, struct btf_file **ret)
{
	struct btf *btf = base ? btf__parse_split(path, base->btf) : parse_mapped(path);

	return wrap(btf || base ? btf : btf__parse(path, NULL), base, path, ret);
}

struct sp_err *btf_file_of_kernel(uint32_t id, struct btf_file **ret)
{
	return wrap(btf__load_from_kernel_by_id(id), NULL, "a BPF program", ret);
}

void btf_file_close(struct btf_file *file)
{
	if (!file)
		return;
	btf__free(file->btf);
	sp_arena_deinit(&file->arena);
	free(file->types);
	name_index_deinit(&file->names);
	free(file);
}

struct btf *btf_file_raw(const struct btf_file *file)
{
	return file->btf;
}

uint32_t btf_file_first(const struct btf_file *file)
{
	return file->first;
}

struct sp_arena *btf_file_arena(struct btf_file *file)
{
	return &file->arena;
}

static const struct btf_type *raw_type(const struct btf_file *file, uint32_t id)
{
	return id && id < file->n_types ? btf__type_by_id(file->btf, id) : NULL;
}

const char *btf_file_text(const struct btf *btf, uint32_t off)
{
	const char *text = btf__name_by_offset(btf, off);
	return text ? text : "";
}

// NULL: anonymous.
static const char *name_at(const struct btf_file *file, uint32_t off)
{
	const char *name = btf_file_text(file->btf, off);
	return *name ? name : NULL;
}

static bool is_char_name(const char *name)
{
	return name && (sp_streq(name, "char") || sp_streq(name, "signed char") || sp_streq(name, "unsigned char"));
}

static void fill_wrapper(struct btf_file *file, const struct btf_type *raw, struct c_type *type, enum c_kind kind)
{
	type->kind = kind;
	type->target = btf_type_of(file, raw->type);
	type->size = type->target ? type->target->size : 0;
	type->is_complete = true;
}

static void fill_array(struct btf_file *file, const struct btf_type *raw, struct c_type *type)
{
	const struct btf_array *array = btf_array(raw);

	type->kind = C_ARRAY;
	type->target = btf_type_of(file, array->type);
	type->count = array->nelems;
	type->size = type->target ? type->count * type->target->size : 0;
	type->is_complete = true;
}

static void fill_func(struct btf_file *file, const struct btf_type *raw, struct c_type *type)
{
	const struct btf_param *params = btf_params(raw);

	type->kind = C_FUNC;
	type->target = btf_type_of(file, raw->type);
	type->is_complete = true;
	type->members = sp_arena_array(&file->arena, struct c_member, btf_vlen(raw));
	for (unsigned i = 0; i < btf_vlen(raw); i++) {
		if (!params[i].type) { // "..." ends the list
			type->is_variadic = true;
			break;
		}
		type->members[type->n_members++] = (struct c_member){
			.name = name_at(file, params[i].name_off),
			.type = btf_type_of(file, params[i].type),
			.bit_off = i * 64,
		};
	}
}

static void fill_int(const struct btf_type *raw, struct c_type *type)
{
	type->kind = C_INT;
	type->size = raw->size;
	type->is_signed = btf_int_encoding(raw) & BTF_INT_SIGNED;
	type->is_bool = btf_int_encoding(raw) & BTF_INT_BOOL;
	type->is_char = is_char_name(type->name);
	type->is_complete = true;
}

static void fill(struct btf_file *file, const struct btf_type *raw, struct c_type *type)
{
	switch (btf_kind(raw)) {
	case BTF_KIND_INT:
		fill_int(raw, type);
		return;
	case BTF_KIND_FLOAT:
		type->kind = C_FLOAT;
		type->size = raw->size;
		type->is_complete = true;
		return;
	case BTF_KIND_PTR:
		type->kind = C_POINTER;
		type->size = 8;
		type->target = btf_type_of(file, raw->type);
		type->is_complete = true;
		return;
	case BTF_KIND_ARRAY:
		fill_array(file, raw, type);
		return;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		type->kind = btf_is_union(raw) ? C_UNION : C_STRUCT;
		type->size = raw->size;
		return;
	case BTF_KIND_FWD:
		type->kind = btf_kflag(raw) ? C_UNION : C_STRUCT;
		type->is_declaration = true;
		return;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		type->kind = C_ENUM;
		type->size = raw->size;
		// Before Linux 6.0 the flag was never set for 32-bit enumerations, all of which were read as signed.
		type->is_signed = btf_kflag(raw);
		type->is_declaration = btf_vlen(raw) == 0;
		return;
	case BTF_KIND_FUNC_PROTO:
		fill_func(file, raw, type);
		return;
	case BTF_KIND_TYPEDEF:
		fill_wrapper(file, raw, type, C_TYPEDEF);
		return;
	case BTF_KIND_VOLATILE:
		fill_wrapper(file, raw, type, C_VOLATILE);
		return;
	case BTF_KIND_CONST:
		fill_wrapper(file, raw, type, C_CONST);
		return;
	case BTF_KIND_RESTRICT:
		fill_wrapper(file, raw, type, C_RESTRICT);
		return;
	default: // functions, variables and kinds that are newer than this program
		type->is_complete = true;
		return;
	}
}

const struct c_type *btf_type_of(struct btf_file *file, uint32_t id)
{
	const struct btf_type *raw = raw_type(file, id);

	// Type tags such as __user and __rcu are passed over.
	for (int i = 0; raw && btf_is_type_tag(raw) && i < MAX_DEPTH; i++)
		raw = raw_type(file, id = raw->type);
	if (!raw || file->depth >= MAX_DEPTH || file->types[id] == &being_made)
		return NULL;
	if (file->types[id])
		return file->types[id];
	struct c_type *type = sp_arena_new(&file->arena, struct c_type);
	*type = (struct c_type){
		.kind = C_UNKNOWN,
		.name = name_at(file, raw->name_off),
		.module = file,
		.origin = id,
	};
	// A type that refers to itself other than through a structure's members is broken: the inner reference becomes void.
	file->types[id] = &being_made;
	file->depth++;
	fill(file, raw, type);
	file->depth--;
	file->types[id] = type;
	return type;
}

static void load_members(struct btf_file *file, const struct btf_type *raw, struct c_type *type)
{
	const struct btf_member *members = btf_members(raw);

	type->n_members = btf_vlen(raw);
	type->members = sp_arena_array(&file->arena, struct c_member, type->n_members);
	for (unsigned i = 0; i < type->n_members; i++) {
		type->members[i] = (struct c_member){
			.name = name_at(file, members[i].name_off),
			.type = btf_type_of(file, members[i].type),
			.bit_off = btf_member_bit_offset(raw, i),
			.bit_size = btf_member_bitfield_size(raw, i),
		};
	}
}

static void load_enumerators(struct btf_file *file, const struct btf_type *raw, struct c_type *type)
{
	type->n_enumerators = btf_vlen(raw);
	type->enumerators = sp_arena_array(&file->arena, struct c_enumerator, type->n_enumerators);
	for (unsigned i = 0; i < type->n_enumerators; i++) {
		struct c_enumerator *value = &type->enumerators[i];
		if (btf_is_enum64(raw)) {
			value->name = btf_file_text(file->btf, btf_enum64(raw)[i].name_off);
			value->value = (int64_t)btf_enum64_value(&btf_enum64(raw)[i]);
		} else {
			value->name = btf_file_text(file->btf, btf_enum(raw)[i].name_off);
			value->value = btf_enum(raw)[i].val;
			if (!type->is_signed)
				value->value &= UINT32_MAX;
		}
	}
}

static const struct c_type *complete(struct dbg_loader *loader, struct c_type *type)
{
	struct btf_file *file = (struct btf_file *)loader;
	const struct btf_type *raw = raw_type(file, type->origin);

	if (type->is_declaration) {
		const struct c_type *found = type->name ? btf_type_find(file, type->kind, type->name) : NULL;
		if (!found || found->is_declaration)
			return NULL;
		type = (struct c_type *)found;
		raw = raw_type(file, type->origin);
	}
	if (type->is_complete || !raw)
		return type;
	type->is_complete = true;
	if (type->kind == C_STRUCT || type->kind == C_UNION)
		load_members(file, raw, type);
	else if (type->kind == C_ENUM)
		load_enumerators(file, raw, type);
	for (unsigned i = 0; i < type->n_members && file->depth < MAX_DEPTH; i++) {
		const struct c_type *inner = type->members[i].name ? NULL : c_type_strip(type->members[i].type);
		file->depth++;
		if (inner && !inner->is_complete)
			complete(loader, (struct c_type *)inner);
		file->depth--;
	}
	return type;
}

static void index_names(struct btf_file *file)
{
	name_index_init(&file->names, file->n_types);
	for (uint32_t id = file->n_types; id-- > file->first;) {
		const char *name = name_at(file, btf__type_by_id(file->btf, id)->name_off);

		if (name)
			name_index_add(&file->names, id, name, strlen(name));
	}
}

static bool is_named(const struct btf_file *file, uint32_t id, const char *name)
{
	return sp_streq(btf_file_text(file->btf, btf__type_by_id(file->btf, id)->name_off), name);
}

uint32_t btf_file_next_named(struct btf_file *file, const char *name, uint32_t id)
{
	if (!id && !file->names.slots && file->n_questions++ >= INDEX_AFTER)
		index_names(file);
	if (file->names.slots) {
		id = id ? name_index_next(&file->names, id) : name_index_first(&file->names, name, strlen(name));
		while (id != NAME_INDEX_END && !is_named(file, id, name))
			id = name_index_next(&file->names, id);
		return id == NAME_INDEX_END ? 0 : id;
	}
	for (id = id ? id + 1 : file->first; id < file->n_types; id++)
		if (is_named(file, id, name))
			return id;
	return 0;
}

// Split BTF has what the kernel has, too.
static int find_kind(struct btf_file *file, const char *name, uint32_t raw)
{
	if (file->first > 1)
		return btf__find_by_name_kind(file->btf, name, raw);
	for (uint32_t id = 0; (id = btf_file_next_named(file, name, id));)
		if (btf_kind(btf__type_by_id(file->btf, id)) == raw)
			return (int)id;
	return 0;
}

const struct c_type *btf_type_find(struct btf_file *file, enum c_kind kind, const char *name)
{
	static const struct {
		enum c_kind kind;
		uint32_t raw;
	} kinds[] = {
		{ C_STRUCT, BTF_KIND_STRUCT }, { C_UNION, BTF_KIND_UNION }, { C_ENUM, BTF_KIND_ENUM },
		{ C_ENUM, BTF_KIND_ENUM64 }, { C_TYPEDEF, BTF_KIND_TYPEDEF }, { C_TYPEDEF, BTF_KIND_INT },
		{ C_TYPEDEF, BTF_KIND_FLOAT },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++) {
		int id = kinds[i].kind == kind ? find_kind(file, name, kinds[i].raw) : 0;
		if (id > 0)
			return btf_type_of(file, (uint32_t)id);
	}
	return NULL;
}

const struct c_type *btf_enum_find(struct btf_file *file, const char *name)
{
	uint32_t n = btf__type_cnt(file->btf);

	for (uint32_t id = 1; id < n; id++) {
		const struct btf_type *raw = btf__type_by_id(file->btf, id);

		for (unsigned i = 0; btf_is_any_enum(raw) && i < btf_vlen(raw); i++) {
			uint32_t off = btf_is_enum64(raw) ? btf_enum64(raw)[i].name_off : btf_enum(raw)[i].name_off;
			if (sp_streq(btf_file_text(file->btf, off), name))
				return btf_type_of(file, id);
		}
	}
	return NULL;
}
