// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/object/object_btf.h"

#include "runtime/base/btf_head.h"
#include "runtime/base/cleanup.h"

#include <linux/btf.h>

// .BTF.ext (kernel: Documentation/bpf/btf.rst): a head, then records of functions, lines and relocations, each kind behind the size
// of a record and grouped by section.
struct ext_head {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t head_size, functions, functions_size, lines, lines_size, relocations, relocations_size;
};

struct ext_section {
	uint32_t name, n;
};

// The kernel's struct bpf_func_info and struct bpf_line_info.
struct function_record {
	uint32_t offset, type;
};

struct line_record {
	uint32_t offset, file, text, line_column;
};

#define IS_OPEN UINT32_MAX

// An object's BTF while it is read.
struct reader {
	struct object_btf *btf;
	const struct object_btf_source *source;
	const char *strings;
	uint32_t strings_size, n;
	const struct btf_type **types; // by number
	uint32_t *copies; // new numbers; 0: not copied yet; IS_OPEN: that is being done
	struct sp_err *err;
};

static void broken(struct reader *r, const char *what)
{
	if (!r->err)
		r->err = sp_err_new(SP_ERR_BUG, "internal error: LLVM's BTF has %s", what);
}

// ---- strings and types ----------------------------------------------------------------------------------------------

static uint32_t add_string(struct object_btf *btf, const char *s)
{
	void **known;

	if (!btf->strings.len)
		sp_buf_putc(&btf->strings, '\0');
	if (!*s)
		return 0;
	known = sp_hash_insert(&btf->known_strings, s, strlen(s));
	if (!*known) {
		*known = (void *)(uintptr_t)btf->strings.len;
		sp_buf_add(&btf->strings, s, strlen(s) + 1);
	}
	return (uint32_t)(uintptr_t)*known;
}

static const char *string_at(struct reader *r, uint32_t offset)
{
	if (offset < r->strings_size)
		return r->strings + offset;
	broken(r, "a name outside of its strings");
	return "";
}

static uint32_t string(struct reader *r, uint32_t offset)
{
	return add_string(r->btf, string_at(r, offset));
}

// Bytes behind the head of a type; -1: of a kind that is not made here.
static long tail_size(const struct btf_type *t)
{
	uint32_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
		return sizeof(uint32_t);
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_FUNC:
		return 0;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
		return (long)(n * sizeof(struct btf_member));
	case BTF_KIND_FUNC_PROTO:
		return (long)(n * sizeof(struct btf_param));
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return (long)(n * sizeof(struct btf_var_secinfo));
	}
	return -1;
}

static uint32_t copy(struct reader *r, uint32_t number);

// The numbers of other types in a type that is being copied.
static void copy_references(struct reader *r, struct btf_type *t)
{
	struct btf_array *array = (void *)(t + 1);
	struct btf_member *members = (void *)(t + 1);
	struct btf_param *params = (void *)(t + 1);
	uint32_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
		t->type = copy(r, t->type);
		break;
	case BTF_KIND_ARRAY:
		array->type = copy(r, array->type);
		array->index_type = copy(r, array->index_type);
		break;
	case BTF_KIND_STRUCT:
		for (uint32_t i = 0; i < n; i++) {
			members[i].name_off = string(r, members[i].name_off);
			members[i].type = copy(r, members[i].type);
		}
		break;
	case BTF_KIND_FUNC_PROTO:
		t->type = copy(r, t->type);
		for (uint32_t i = 0; i < n; i++) {
			params[i].name_off = string(r, params[i].name_off);
			params[i].type = copy(r, params[i].type);
		}
		break;
	}
}

// The new number of a type, which is copied with what it refers to.
static uint32_t copy(struct reader *r, uint32_t number)
{
	struct object_btf *btf = r->btf;
	sp_cleanup_free struct btf_type *t = NULL;
	size_t size;
	void **known;

	if (!number)
		return 0;
	if (number > r->n || r->copies[number] == IS_OPEN) {
		broken(r, number > r->n ? "a type that is not there" : "a type that contains itself");
		return 0;
	}
	if (r->copies[number])
		return r->copies[number];
	r->copies[number] = IS_OPEN;
	size = sizeof(*t) + (size_t)tail_size(r->types[number]);
	t = sp_realloc(NULL, size);
	memcpy(t, r->types[number], size);
	t->name_off = string(r, t->name_off);
	copy_references(r, t);
	known = sp_hash_insert(&btf->known_types, t, size);
	if (!*known) {
		*known = (void *)(uintptr_t)++btf->n_types;
		sp_buf_add(&btf->types, t, size);
	}
	return r->copies[number] = (uint32_t)(uintptr_t)*known;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static struct sp_buf *part_of(object_btf_parts *parts, uint32_t name)
{
	sp_vec_each(part, parts)
		if (part->name == name)
			return &part->bytes;
	sp_vec_push(parts, ((struct object_btf_part){ .name = name }));
	return &sp_vec_last(parts).bytes;
}

// Variables that several objects have are the same.
static void add_variables(struct reader *r, const struct btf_type *section)
{
	const struct btf_var_secinfo *variables = (const void *)(section + 1);
	struct sp_buf *bytes = part_of(&r->btf->variables, string(r, section->name_off));

	for (uint32_t i = 0; i < BTF_INFO_VLEN(section->info); i++) {
		struct btf_var_secinfo variable = variables[i];
		const char *name;
		void **known;

		if (variable.type > r->n) {
			broken(r, "a variable that is not there");
			return;
		}
		name = string_at(r, r->types[variable.type]->name_off);
		known = sp_hash_insert(&r->btf->known_variables, name, strlen(name));
		if (*known)
			continue;
		*known = r->btf;
		variable.type = copy(r, variable.type);
		sp_buf_add(bytes, &variable, sizeof(variable));
	}
}

static void read_types(struct reader *r)
{
	const struct sp_btf_head *head = r->source->types;
	const char *at, *end;

	if (r->source->types_size < sizeof(*head) || head->magic != BTF_MAGIC ||
	    (uint64_t)head->hdr_len + head->type_off + head->type_len > r->source->types_size ||
	    (uint64_t)head->hdr_len + head->str_off + head->str_len > r->source->types_size) {
		broken(r, "a bad head");
		return;
	}
	r->strings = (const char *)head + head->hdr_len + head->str_off;
	r->strings_size = head->str_len;
	at = (const char *)head + head->hdr_len + head->type_off;
	end = at + head->type_len;
	r->types = sp_calloc(head->type_len / sizeof(struct btf_type) + 1, sizeof(*r->types));
	r->copies = sp_calloc(head->type_len / sizeof(struct btf_type) + 1, sizeof(*r->copies));
	while ((size_t)(end - at) >= sizeof(struct btf_type)) {
		const struct btf_type *t = (const void *)at;
		long tail = tail_size(t);

		if (tail < 0 || tail > end - at - (long)sizeof(*t)) {
			broken(r, "a type of an unknown kind");
			return;
		}
		r->types[++r->n] = t;
		at += sizeof(*t) + (size_t)tail;
	}
	for (uint32_t i = 1; i <= r->n; i++)
		if (BTF_INFO_KIND(r->types[i]->info) == BTF_KIND_DATASEC)
			add_variables(r, r->types[i]);
}

static void add_function(struct reader *r, const void *record, uint32_t start, struct sp_buf *ret)
{
	struct function_record function = *(const struct function_record *)record;

	function.offset += start;
	function.type = copy(r, function.type);
	sp_buf_add(ret, &function, sizeof(function));
}

static void add_line(struct reader *r, const void *record, uint32_t start, struct sp_buf *ret)
{
	struct line_record line = *(const struct line_record *)record;

	line.offset += start;
	line.file = string(r, line.file);
	line.text = string(r, line.text);
	sp_buf_add(ret, &line, sizeof(line));
}

// One kind of record, of all sections.
static void read_records(struct reader *r, uint32_t offset, uint32_t size, uint32_t record_size, object_btf_parts *parts,
			 void (*add)(struct reader *, const void *, uint32_t, struct sp_buf *))
{
	const struct ext_head *head = r->source->ext;
	const char *at = (const char *)head + head->head_size + offset, *end = at + size;

	if (!size)
		return;
	if ((uint64_t)head->head_size + offset + size > r->source->ext_size || size < sizeof(record_size) ||
	    memcmp(at, &record_size, sizeof(record_size)) != 0) {
		broken(r, "records of an unknown size");
		return;
	}
	at += sizeof(record_size);
	while ((size_t)(end - at) >= sizeof(struct ext_section)) {
		struct ext_section section = *(const struct ext_section *)(const void *)at;
		uint32_t start = r->source->start(r->source->ctx, string_at(r, section.name));
		struct sp_buf *bytes = part_of(parts, string(r, section.name));

		at += sizeof(section);
		if (section.n > (size_t)(end - at) / record_size) {
			broken(r, "records outside of it");
			return;
		}
		for (uint32_t i = 0; i < section.n; i++, at += record_size)
			add(r, at, start, bytes);
	}
}

static void read_ext(struct reader *r)
{
	const struct ext_head *head = r->source->ext;

	if (r->source->ext_size < sizeof(*head) || head->magic != BTF_MAGIC || head->relocations_size) {
		broken(r, "a bad head of records");
		return;
	}
	read_records(r, head->functions, head->functions_size, sizeof(struct function_record), &r->btf->functions, add_function);
	read_records(r, head->lines, head->lines_size, sizeof(struct line_record), &r->btf->lines, add_line);
}

struct sp_err *object_btf_add(struct object_btf *btf, const struct object_btf_source *source)
{
	struct reader r = { .btf = btf, .source = source };

	read_types(&r);
	if (!r.err)
		read_ext(&r);
	free(r.types);
	free(r.copies);
	return r.err;
}

// ---- writing --------------------------------------------------------------------------------------------------------

// A section's size and its variables' places are the loader's to find, as in LLVM's BTF.
static void write_variables(struct object_btf *btf)
{
	sp_vec_each(part, &btf->variables) {
		uint32_t n = (uint32_t)(part->bytes.len / sizeof(struct btf_var_secinfo));
		struct btf_type t = { .name_off = part->name, .info = (uint32_t)BTF_KIND_DATASEC << 24 | n };

		sp_buf_add(&btf->types, &t, sizeof(t));
		sp_buf_add(&btf->types, part->bytes.data, part->bytes.len);
	}
}

static uint32_t write_records(const object_btf_parts *parts, uint32_t record_size, struct sp_buf *ret)
{
	size_t before = ret->len;

	if (!parts->n)
		return 0;
	sp_buf_add(ret, &record_size, sizeof(record_size));
	sp_vec_each(part, parts) {
		struct ext_section section = { .name = part->name, .n = (uint32_t)(part->bytes.len / record_size) };

		sp_buf_add(ret, &section, sizeof(section));
		sp_buf_add(ret, part->bytes.data, part->bytes.len);
	}
	return (uint32_t)(ret->len - before);
}

void object_btf_write(struct object_btf *btf, struct sp_buf *types_ret, struct sp_buf *ext_ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf records = { 0 };
	struct ext_head ext = { .magic = BTF_MAGIC, .version = BTF_VERSION, .head_size = sizeof(ext) };
	struct sp_btf_head head = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(head) };

	write_variables(btf);
	head.type_len = head.str_off = (uint32_t)btf->types.len;
	head.str_len = (uint32_t)btf->strings.len;
	sp_buf_add(types_ret, &head, sizeof(head));
	sp_buf_add(types_ret, btf->types.data, btf->types.len);
	sp_buf_add(types_ret, btf->strings.data, btf->strings.len);
	ext.functions_size = ext.lines = write_records(&btf->functions, sizeof(struct function_record), &records);
	ext.lines_size = write_records(&btf->lines, sizeof(struct line_record), &records);
	ext.relocations = ext.lines + ext.lines_size;
	sp_buf_add(ext_ret, &ext, sizeof(ext));
	sp_buf_add(ext_ret, records.data, records.len);
}

static void parts_deinit(object_btf_parts *parts)
{
	sp_vec_each(part, parts)
		sp_buf_deinit(&part->bytes);
	sp_vec_deinit(parts);
}

void object_btf_deinit(struct object_btf *btf)
{
	sp_buf_deinit(&btf->types);
	sp_buf_deinit(&btf->strings);
	sp_hash_deinit(&btf->known_types);
	sp_hash_deinit(&btf->known_strings);
	sp_hash_deinit(&btf->known_variables);
	parts_deinit(&btf->variables);
	parts_deinit(&btf->functions);
	parts_deinit(&btf->lines);
}
