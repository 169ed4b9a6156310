// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/layout.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16 // of anonymous structures in structures

void layout_deinit(struct layout *layout)
{
	btf__free(layout->btf);
	layout->btf = NULL;
}

static bool is_loaded(struct layout *layout)
{
	if (!layout->btf)
		layout->btf = btf__load_vmlinux_btf();
	return layout->btf;
}

int layout_find(struct layout *layout, const char *name, unsigned kind)
{
	return is_loaded(layout) ? btf__find_by_name_kind(layout->btf, name, kind) : -ENOENT;
}

static struct sp_err *load(struct layout *layout)
{
	if (!is_loaded(layout))
		return sp_err_new(SP_ERR_TARGET, "the script was compiled for another kernel, and this one has no BTF "
				  "(/sys/kernel/btf/vmlinux) to find its structures in; compile it here");
	return NULL;
}

// ---- members --------------------------------------------------------------------------------------------------------

// The parts of "struct file.f_inode:8:32"; the texts point into `copy`.
struct wanted {
	char *copy;
	const char *type, *member;
	unsigned size;
	unsigned long long offset;
};

static struct sp_err *parse(const char *text, struct wanted *ret)
{
	char *dot, *colon;

	ret->copy = sp_strdup(text);
	ret->type = ret->copy;
	dot = strchr(ret->copy, '.');
	colon = dot ? strchr(dot, ':') : NULL;
	if (!colon || sscanf(colon, ":%u:%llu", &ret->size, &ret->offset) != 2)
		return sp_err_new(SP_ERR_FORMAT, "`%s` does not name the member of a structure", text);
	*dot = *colon = '\0';
	ret->member = dot + 1;
	return NULL;
}

// The type of that name, "struct file", "union nf_inet_addr" or that of a typedef, which leads to one. NULL: there is none.
static const struct btf_type *find_composite(const struct btf *btf, const char *name)
{
	const char *space = strchr(name, ' ');
	int id = btf__find_by_name_kind(btf, space ? space + 1 : name,
					!space ? BTF_KIND_TYPEDEF : *name == 's' ? BTF_KIND_STRUCT : BTF_KIND_UNION);

	if (id >= 0)
		id = btf__resolve_type(btf, (uint32_t)id);
	return id >= 0 && btf_is_composite(btf__type_by_id(btf, (uint32_t)id)) ? btf__type_by_id(btf, (uint32_t)id) : NULL;
}

struct found {
	uint64_t bits;
	unsigned field_bits; // 0: not a bit-field
	uint32_t type;
};

static bool find_member(const struct btf *btf, const struct btf_type *in, const char *name, uint64_t base, unsigned depth,
			struct found *ret)
{
	const struct btf_member *members = btf_members(in);

	for (unsigned i = 0; i < btf_vlen(in); i++) {
		const char *own = btf__name_by_offset(btf, members[i].name_off);
		uint64_t bits = base + btf_member_bit_offset(in, i);
		int id;

		if (own && !strcmp(own, name)) {
			*ret = (struct found){ bits, btf_member_bitfield_size(in, i), members[i].type };
			return true;
		}
		id = own && !*own && depth < MAX_DEPTH ? btf__resolve_type(btf, members[i].type) : -1;
		if (id >= 0 && btf_is_composite(btf__type_by_id(btf, (uint32_t)id)) &&
		    find_member(btf, btf__type_by_id(btf, (uint32_t)id), name, bits, depth + 1, ret))
			return true;
	}
	return false;
}

static struct sp_err *find_type(struct layout *layout, const struct wanted *wanted, const struct btf_type **ret)
{
	SP_TRY(load(layout));
	*ret = find_composite(layout->btf, wanted->type);
	return *ret ? NULL : sp_err_new(SP_ERR_TARGET, "this kernel has no %s, which the script reads", wanted->type);
}

static struct sp_err *look_up(struct layout *layout, const struct wanted *wanted, const struct btf_type *type, struct found *ret)
{
	if (find_member(layout->btf, type, wanted->member, 0, 0, ret))
		return NULL;
	return sp_err_new(SP_ERR_TARGET, "%s of this kernel has no member `%s`, which the script reads", wanted->type, wanted->member);
}

static struct sp_err *look_up_member(struct layout *layout, const struct wanted *wanted, uint64_t *ret)
{
	const struct btf_type *type = NULL;
	struct found found = { 0 };
	int64_t size;

	SP_TRY(find_type(layout, wanted, &type));
	if (!*wanted->member) {
		*ret = type->size;
		return NULL;
	}
	SP_TRY(look_up(layout, wanted, type, &found));
	size = btf__resolve_size(layout->btf, found.type);
	if (found.field_bits || found.bits % 8)
		return sp_err_new(SP_ERR_TARGET, "`%s` of %s is a bit-field in this kernel; compile the script again for it",
				  wanted->member, wanted->type);
	if (wanted->size && size != (int64_t)wanted->size)
		return sp_err_new(SP_ERR_TARGET, "`%s` of %s has %lld bytes in this kernel and %u in the one that the script was compiled for; compile it again",
				  wanted->member, wanted->type, (long long)size, wanted->size);
	*ret = found.bits / 8;
	return NULL;
}

static struct sp_err *look_up_bits(struct layout *layout, const struct wanted *wanted, uint64_t *ret)
{
	const struct btf_type *type = NULL;
	struct found found = { 0 };

	SP_TRY(find_type(layout, wanted, &type));
	SP_TRY(look_up(layout, wanted, type, &found));
	if (found.field_bits != wanted->size)
		return sp_err_new(SP_ERR_TARGET, "`%s` of %s is no bit-field of %u bits in this kernel; compile the script again for it",
				  wanted->member, wanted->type, wanted->size);
	*ret = found.bits;
	return NULL;
}

static struct sp_err *look_up_place(struct layout *layout, const struct wanted *wanted, uint64_t *ret)
{
	SP_TRY(look_up_member(layout, wanted, ret));
	if (*ret == wanted->offset)
		return NULL;
	return sp_err_new(SP_ERR_TARGET, "`%s` of %s is at %llu in this kernel and at %llu in the one that the script was compiled for; compile it again",
			  wanted->member, wanted->type, (unsigned long long)*ret, wanted->offset);
}

static struct sp_err *with_parts(struct layout *layout, const char *text,
				 struct sp_err *(*look)(struct layout *, const struct wanted *, uint64_t *), uint64_t *ret)
{
	struct wanted wanted = { 0 };
	struct sp_err *err = parse(text, &wanted);

	err = err ? err : look(layout, &wanted, ret);
	free(wanted.copy);
	return err;
}

struct sp_err *layout_member(struct layout *layout, const char *text, uint64_t *ret)
{
	return with_parts(layout, text, look_up_member, ret);
}

struct sp_err *layout_bits(struct layout *layout, const char *text, uint64_t *ret)
{
	return with_parts(layout, text, look_up_bits, ret);
}

struct sp_err *layout_same_place(struct layout *layout, const char *text)
{
	uint64_t offset;

	return with_parts(layout, text, look_up_place, &offset);
}

static struct sp_err *then(struct layout *layout, const struct wanted *wanted, uint64_t *ret)
{
	(void)layout;
	*ret = wanted->offset;
	return NULL;
}

struct sp_err *layout_then(const char *text, uint64_t *ret)
{
	return with_parts(NULL, text, then, ret);
}

// ---- functions ------------------------------------------------------------------------------------------------------

static void print_prototype(const struct btf *btf, const char *name, const struct btf_type *proto, struct sp_buf *out)
{
	const struct btf_param *params = btf_params(proto);

	sp_buf_printf(out, "%s(", name);
	for (unsigned i = 0; i < btf_vlen(proto); i++) {
		const char *param = btf__name_by_offset(btf, params[i].name_off);

		sp_buf_printf(out, "%s%s", i ? "," : "", param ? param : "");
	}
	sp_buf_puts(out, ")");
}

struct sp_err *layout_prototype(struct layout *layout, const char *text)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 }, here = { 0 };
	const struct btf_type *func;
	int id;

	SP_TRY(load(layout));
	sp_buf_add(&name, text, strcspn(text, "("));
	id = btf__find_by_name_kind(layout->btf, sp_buf_str(&name), BTF_KIND_FUNC);
	if (id < 0)
		return sp_err_new(SP_ERR_TARGET, "this kernel's BTF has no function %s, whose parameters the script reads",
				  sp_buf_str(&name));
	func = btf__type_by_id(layout->btf, (uint32_t)id);
	print_prototype(layout->btf, sp_buf_str(&name), btf__type_by_id(layout->btf, func->type), &here);
	if (!strcmp(sp_buf_str(&here), text))
		return NULL;
	return sp_err_new(SP_ERR_TARGET, "the script was compiled for a kernel with %s, and this one has %s; compile it again",
			  text, sp_buf_str(&here));
}

struct sp_err *layout_tracepoint(struct layout *layout, const char *name, uint32_t *id_ret)
{
	char type[64];
	int id;

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	id = layout_find(layout, type, BTF_KIND_TYPEDEF);
	if (id < 0)
		return sp_err_new(SP_ERR_TARGET, "the kernel's BTF has no tracepoint `%s`", name);
	*id_ret = (uint32_t)id;
	return NULL;
}
