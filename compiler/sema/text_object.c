// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/text_object.h"

#include "compiler/debug/dbg.h"
#include "compiler/model/builtin.h"
#include "compiler/sema/tree.h"
#include "runtime/base/util.h"

#include <string.h>

static const struct {
	const char *type; // the name; with a comma, what it begins with
	const char *pointer[3], *length[3]; // a member, its member, and so on
	bool is_wrapped; // the pointer is the first member of all that is in there, as Rust has it
} texts[] = {
	{ "basic_string<char,", { "_M_dataplus", "_M_p" }, { "_M_string_length" }, false }, // std::string of libstdc++
	{ "basic_string_view<char,", { "_M_str" }, { "_M_len" }, false },
	{ "string", { "str" }, { "len" }, false }, // Go
	{ "&str", { "data_ptr" }, { "length" }, false }, // Rust
	{ "&mut str", { "data_ptr" }, { "length" }, false },
	{ "Box<str,", { "data_ptr" }, { "length" }, false },
	{ "String", { "vec", "buf" }, { "vec", "len" }, true },
};

// Goes on to a member. False: there is none of that name, or the way is too long.
static bool go_to(struct text_part *part, const char *name)
{
	const struct c_type *type = part->type && part->type->kind == C_STRUCT ? dbg_complete_type(part->type) : NULL;
	const struct c_member *member = NULL;
	uint64_t bit_off;

	if (type && part->n_names < SP_ARRAY_SIZE(part->names))
		member = name ? c_type_member(type, name, &bit_off) : type->n_members ? &type->members[0] : NULL;
	if (!member || !member->name)
		return false;
	part->names[part->n_names++] = member->name;
	part->bit_off += name ? bit_off : member->bit_off;
	part->type = c_type_strip(member->type);
	return true;
}

static bool find_part(const struct c_type *type, const char *const names[3], bool is_wrapped, struct text_part *ret)
{
	bool ok = true;

	*ret = (struct text_part){ .type = type };
	for (unsigned i = 0; i < 3 && names[i] && ok; i++)
		ok = go_to(ret, names[i]);
	while (is_wrapped && ok && ret->type && ret->type->kind == C_STRUCT)
		ok = go_to(ret, NULL);
	return ok && ret->type;
}

bool text_object_find(const struct c_type *type, struct text_object *ret)
{
	type = c_type_strip(type);
	for (unsigned i = 0; i < SP_ARRAY_SIZE(texts) && type && type->kind == C_STRUCT && type->name; i++) {
		const struct c_type *target;

		if (!sp_streq(type->name, texts[i].type) && !(strchr(texts[i].type, ',') && sp_starts_with(type->name, texts[i].type)))
			continue;
		if (!find_part(type, texts[i].pointer, texts[i].is_wrapped, &ret->pointer) ||
		    !find_part(type, texts[i].length, false, &ret->length))
			continue;
		target = ret->pointer.type->kind == C_POINTER ? c_type_strip(ret->pointer.type->target) : NULL;
		if (target && target->size == 1 && ret->length.type->kind == C_INT && ret->length.type->size <= 8)
			return true;
	}
	return false;
}

// NULL: what the variable is found by may do something, and cannot be there twice.
static struct ast_steps *steps_of(struct ast_expr *e)
{
	const struct ast_expr *address = e->kind == AST_CAST ? e->cast.value : NULL;

	if (e->kind == AST_ATVAR)
		return &e->atvar.steps;
	if (e->kind == AST_TARGET && !e->target.base)
		return &e->target.steps;
	if (address && (address->kind == AST_NAME || address->kind == AST_NUMBER || (address->kind == AST_TARGET && !address->target.base)))
		return &e->cast.steps;
	return NULL;
}

// The member of the variable that `e` is.
static struct ast_expr *member_of(struct sp_arena *arena, const struct ast_expr *e, const struct text_part *part)
{
	struct ast_expr *ret = ast_clone_expr(arena, e);
	struct ast_steps *steps = steps_of(ret);
	struct ast_step *longer = sp_arena_array(arena, struct ast_step, steps->n + part->n_names);

	if (steps->n)
		memcpy(longer, steps->v, steps->n * sizeof(*longer));
	for (unsigned i = 0; i < part->n_names; i++)
		longer[steps->n++] = (struct ast_step){ .kind = STEP_MEMBER, .span = e->span, .name = part->names[i] };
	steps->v = longer;
	return ret;
}

// length ? user_string_n(pointer, length) : "", the length in two expressions.
static struct ast_expr *read_text(struct sp_arena *arena, const struct ast_expr *like, struct ast_expr *pointer, struct ast_expr *const length[2])
{
	struct ast_expr *call = tree_builtin(arena, like, BUILTIN_USER_STRING_N), *choice = sp_arena_memdup(arena, like, sizeof(*like));

	call->call.args.v = sp_arena_array(arena, struct ast_expr *, 2);
	call->call.args.v[0] = pointer;
	call->call.args.v[1] = length[0];
	call->call.args.n = 2;
	choice->kind = AST_TERNARY;
	choice->ternary.cond = length[1];
	choice->ternary.a = call;
	choice->ternary.b = tree_string(arena, like, "");
	return choice;
}

bool text_object_read(struct sp_arena *arena, const struct c_type *type, struct ast_expr **place)
{
	const struct ast_expr *e = *place;
	struct text_object text;

	if (!text_object_find(type, &text) || !steps_of(*place))
		return false;
	*place = read_text(arena, e, member_of(arena, e, &text.pointer),
			   (struct ast_expr *[]){ member_of(arena, e, &text.length), member_of(arena, e, &text.length) });
	return true;
}

bool text_variable_read(struct sp_arena *arena, const struct c_type *type, bool quoted, struct ast_expr **place)
{
	const struct ast_expr *e = *place;
	struct ast_expr *variable, *text;
	const char *length;

	type = c_type_strip(type);
	if (!type || !type->length_name || e->kind != AST_TARGET || e->target.base || e->target.steps.n > (quoted ? 1 : 0))
		return false;
	length = sp_arena_printf(arena, "$%s", type->length_name);
	variable = tree_variable(arena, e, e->target.name);
	variable->target.address_of = true;
	text = read_text(arena, e, variable, (struct ast_expr *[]){ tree_variable(arena, e, length), tree_variable(arena, e, length) });
	if (quoted)
		text = tree_binary(arena, BIN_CONCAT, tree_string(arena, e, "\""), tree_binary(arena, BIN_CONCAT, text, tree_string(arena, e, "\"")));
	*place = text;
	return true;
}
