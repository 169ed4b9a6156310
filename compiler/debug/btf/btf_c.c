// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/btf/btf_c.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

#include <bpf/btf.h>
#include <ctype.h>
#include <errno.h>

/** A kernel has 130,000 lines of types, which clang reads longer than the rest of its work takes. */
struct needed {
	const struct btf *btf;
	struct sp_hash words; // of the text
	bool *types; // by id: is dumped
	SP_VEC(uint32_t) open; // structures and unions among them whose members were not looked at
};

static void collect_words(struct needed *n, const char *text)
{
	for (size_t len; *text; text += len ? len : 1) {
		for (len = 0; isalnum((unsigned char)text[len]) || text[len] == '_'; len++)
			;
		if (len)
			*sp_hash_insert(&n->words, text, len) = n;
	}
}

static bool is_word(const struct needed *n, uint32_t name)
{
	return name && sp_hash_get(&n->words, btf__name_by_offset(n->btf, name));
}

// The type, and the structure that it is a pointer to, an array of, another name of: each step of `a->b[i]` may need it whole.
static void need(struct needed *n, uint32_t id)
{
	while (id && !n->types[id]) {
		const struct btf_type *type = btf__type_by_id(n->btf, id);

		n->types[id] = true;
		if (btf_is_composite(type))
			sp_vec_push(&n->open, id);
		if (btf_is_array(type))
			id = btf_array(type)->type;
		else if (btf_is_mod(type) || btf_is_typedef(type) || btf_is_ptr(type) || btf_is_func_proto(type) || btf_is_type_tag(type))
			id = type->type;
		else
			return;
	}
}

static bool has_word(const struct needed *n, const struct btf_type *type)
{
	if (btf_is_any_enum(type)) {
		// Names of values are at the same place in values of both sizes.
		size_t size = btf_is_enum(type) ? sizeof(struct btf_enum) : sizeof(struct btf_enum64);
		const char *value = (const char *)(type + 1);

		for (unsigned i = 0; i < btf_vlen(type); i++, value += size)
			if (is_word(n, *(const __u32 *)value))
				return true;
	}
	return is_word(n, type->name_off);
}

static void need_members(struct needed *n, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(n->btf, id);
	const struct btf_member *members = btf_members(type);

	for (unsigned i = 0; i < btf_vlen(type); i++)
		if (!members[i].name_off || is_word(n, members[i].name_off))
			need(n, members[i].type);
}

static void find_needed(struct needed *n, const char *text)
{
	uint32_t count = btf__type_cnt(n->btf);

	n->types = sp_calloc(count, sizeof(*n->types));
	collect_words(n, text);
	for (uint32_t id = 1; id < count; id++)
		if (has_word(n, btf__type_by_id(n->btf, id)))
			need(n, id);
	while (n->open.n)
		need_members(n, sp_vec_pop(&n->open));
}

static void needed_deinit(struct needed *n)
{
	sp_hash_deinit(&n->words);
	sp_vec_deinit(&n->open);
	free(n->types);
}

static void print(void *ctx, const char *format, va_list args)
{
	sp_buf_vprintf(ctx, format, args);
}

struct sp_err *btf_c_dump(struct btf_file *file, const char *text, struct sp_buf *ret)
{
	struct btf *btf = btf_file_raw(file);
	struct btf_dump *dump = btf_dump__new(btf, print, ret, NULL);
	sp_cleanup(needed_deinit) struct needed needed = { .btf = btf };
	int err = 0;

	if (!dump)
		return sp_err_errno(errno, "the kernel's types as C");
	if (text)
		find_needed(&needed, text);
	// With this attribute clang records which member an access is to, and the loader puts in the running kernel's offset.
	sp_buf_puts(ret, "#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)\n");
	for (uint32_t id = 1; id < btf__type_cnt(btf) && !err; id++)
		if (!text || needed.types[id])
			err = btf_dump__dump_type(dump, id);
	sp_buf_puts(ret, "#pragma clang attribute pop\n");
	btf_dump__free(dump);
	return err ? sp_err_errno(-err, "the kernel's types as C") : NULL;
}
