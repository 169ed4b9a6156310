// SPDX-License-Identifier: GPL-2.0-or-later
// Whole values as text, in SystemTap's form: `$x$` and `$x$$`; $$vars, $$parms, $$locals and $$return become a sprintf() of
// such values. `{...}` stands for members that are not shown, `?` for a value that cannot be read.
#include "compiler/debug/dbg.h"
#include "compiler/sema/context.h"
#include "compiler/sema/text_object.h"
#include "compiler/sema/tree.h"

#define MAX_PARTS 2000 // of one value: more than anybody reads
#define MAX_DEPTH 16
#define MAX_FLAGS 4 // of an enumeration of flags

// ---- one value ------------------------------------------------------------------------------------------------------

struct plan {
	struct sp_arena *arena;
	SP_VEC(struct pretty_part) parts;
	struct sp_buf text; // literal text before the next part
	bool deep;
};

static void put_value(struct plan *p, const struct c_type *type, uint64_t bit_off, uint64_t bit_size, unsigned depth);

// More would be too many sets of them to be told apart in a handler.
static bool are_many_flags(const struct c_type *type)
{
	uint64_t bits;

	return c_type_is_flags(type, &bits) && __builtin_popcountll(bits) > MAX_FLAGS;
}

static void put_part(struct plan *p, enum pretty_kind kind, const struct c_type *type, uint64_t bit_off,
		     uint64_t bit_size)
{
	bool is_late = kind == PRETTY_FLOAT || kind == PRETTY_CHARS || kind == PRETTY_WHEN ||
		       (kind == PRETTY_ENUM && are_many_flags(type)) ||
		       bit_size > 64; // the language's numbers have 64 bits
	struct pretty_part part = {
		.text = sp_arena_strdup(p->arena, sp_buf_str(&p->text)),
		.kind = kind,
		.bit_off = bit_off,
		.bit_size = bit_size,
		.is_signed = type && type->is_signed,
		.is_late = is_late,
		.type = type,
	};

	sp_vec_push(&p->parts, part);
	sp_buf_clear(&p->text);
}

static bool is_full(const struct plan *p)
{
	return p->parts.n >= MAX_PARTS;
}

// The innermost dimension of an array: of `char m[2][3]` it is char[3].
static const struct c_type *row_of(const struct c_type *array)
{
	for (const struct c_type *inner = c_type_strip(array->target); inner && inner->kind == C_ARRAY; inner = c_type_strip(inner->target))
		array = inner;
	return array;
}

static void put_array(struct plan *p, const struct c_type *type, uint64_t bit_off, unsigned depth)
{
	const struct c_type *row = row_of(type), *element = c_type_strip(row->target);
	bool is_text = element && element->kind == C_INT && element->is_char;

	// A tracepoint's string has no length in its type, so only text can be shown, and only at the top.
	if (!element || (!(type->count && row->count) && (depth || !is_text || row != type)) || (depth && !p->deep)) {
		sp_buf_puts(&p->text, "[...]");
		return;
	}
	if (row != type || !is_text)
		sp_buf_putc(&p->text, '[');
	if (is_text)
		put_part(p, PRETTY_CHARS, row, bit_off, row->count * 8);
	else
		put_value(p, element, bit_off, element->size * 8, depth + 1);
	if (row != type || !is_text)
		sp_buf_puts(&p->text, type->count > 1 || row != type ? ", ...]" : "]");
}

static void put_members(struct plan *p, const struct c_type *type, uint64_t bit_off, unsigned depth, bool is_shown);

// A variant is shown when it is there. Its structure is one in debug information alone: "Some(5)" is `{.Some={.__0=5}}` of `$x$`, too.
static void put_variant(struct plan *p, const struct c_member *member, const struct c_member *discriminant, bool is_first, uint64_t bit_off,
			unsigned depth)
{
	const struct c_type *bare = c_type_strip(member->type), *type = c_type_strip(discriminant->type);
	unsigned when = (unsigned)p->parts.n;

	put_part(p, PRETTY_WHEN, type, bit_off + discriminant->bit_off, type->size * 8);
	p->parts.v[when].variant = member->presence == C_WHEN_NAMED ? member->name : NULL;
	sp_buf_printf(&p->text, "%s.%s=", is_first ? "" : ", ", member->name ? member->name : "?");
	if (bare && bare->kind == C_STRUCT)
		put_members(p, bare, bit_off + member->bit_off, depth + 1, true);
	else
		put_value(p, bare, bit_off + member->bit_off, member->bit_size, depth + 1);
	put_part(p, PRETTY_UNTIL, NULL, 0, 0);
}

static void put_members(struct plan *p, const struct c_type *type, uint64_t bit_off, unsigned depth, bool is_shown)
{
	const struct c_member *discriminant = NULL;
	bool is_first = true;
	const struct c_type *complete = dbg_complete_type(type);

	if (!complete || !is_shown || depth >= MAX_DEPTH) {
		sp_buf_puts(&p->text, "{...}");
		return;
	}
	sp_buf_putc(&p->text, '{');
	for (unsigned i = 0; i < complete->n_members; i++) {
		const struct c_member *member = &complete->members[i];
		const struct c_type *bare = c_type_strip(member->type);

		if (member->presence == C_DISCRIMINANT) {
			discriminant = member;
			continue;
		}
		if (is_full(p)) {
			sp_buf_puts(&p->text, is_first ? "..." : ", ...");
			break;
		}
		if (member->presence != C_ALWAYS && discriminant) {
			put_variant(p, member, discriminant, is_first, bit_off, depth);
			continue;
		}
		if (!is_first)
			sp_buf_puts(&p->text, ", ");
		is_first = false;
		if (member->name)
			sp_buf_printf(&p->text, ".%s=", member->name);
		else
			sp_buf_puts(&p->text, bare && bare->kind == C_UNION ? "<union>=" : "<class>=");
		put_value(p, bare, bit_off + member->bit_off, member->bit_size, depth + 1);
	}
	// Virtual bases are elsewhere: their members are read by name.
	for (unsigned i = 0; i < complete->n_virtual_bases && !is_full(p); i++, is_first = false)
		sp_buf_puts(&p->text, is_first ? "<class>={...}" : ", <class>={...}");
	sp_buf_putc(&p->text, '}');
}

static void put_integer(struct plan *p, const struct c_type *type, uint64_t bit_off, uint64_t bit_size)
{
	bool is_char = type->is_char && type->size == 1 && bit_size == 8;

	if (bit_size > 64 && bit_size != 128) {
		sp_buf_putc(&p->text, '?');
		return;
	}
	put_part(p, type->kind == C_ENUM ? PRETTY_ENUM : is_char ? PRETTY_CHAR : PRETTY_NUMBER, type, bit_off, bit_size);
}

// A float of 16 bytes must be a long double of x86: the runtime cannot print _Float128.
static void put_float(struct plan *p, const struct c_type *type, uint64_t bit_off)
{
	if (type->size == 4 || type->size == 8 || c_type_is_long_double(type))
		put_part(p, PRETTY_FLOAT, type, bit_off, type->size * 8);
	else
		sp_buf_putc(&p->text, '?');
}

static void put_pointer(struct plan *p, const struct c_type *type, uint64_t bit_off, unsigned depth)
{
	const struct c_type *target = c_type_strip(type->target);

	if (target && target->kind == C_INT && target->is_char) {
		put_part(p, PRETTY_STRING, type, bit_off, type->size * 8);
		return;
	}
	if (!depth && target && target->kind == C_FUNC)
		sp_buf_puts(&p->text, "<function>:");
	put_part(p, PRETTY_POINTER, type, bit_off, type->size * 8);
}

// The structure that a language or its library has for texts is shown as the text.
static bool put_text_object(struct plan *p, const struct c_type *type, uint64_t bit_off)
{
	struct text_object text;
	struct pretty_part *part;

	if (!text_object_find(type, &text))
		return false;
	put_part(p, PRETTY_STRING, text.pointer.type, bit_off + text.pointer.bit_off, text.pointer.type->size * 8);
	part = &p->parts.v[p->parts.n - 1];
	part->length_off = bit_off + text.length.bit_off;
	part->length_size = text.length.type->size * 8;
	return true;
}

// `type` is bare; bit_size 0: not a bit-field.
static void put_value(struct plan *p, const struct c_type *type, uint64_t bit_off, uint64_t bit_size, unsigned depth)
{
	const struct c_type *complete;

	switch (type ? type->kind : C_VOID) {
	case C_INT:
		put_integer(p, type, bit_off, bit_size ? bit_size : type->size * 8);
		break;
	case C_ENUM:
		complete = dbg_complete_type(type);
		type = complete ? complete : type;
		put_integer(p, type, bit_off, bit_size ? bit_size : type->size * 8);
		break;
	case C_POINTER:
		put_pointer(p, type, bit_off, depth);
		break;
	case C_ARRAY:
		put_array(p, type, bit_off, depth);
		break;
	case C_STRUCT:
	case C_UNION:
		if (put_text_object(p, type, bit_off))
			break;
		put_members(p, type, bit_off, depth, !depth || p->deep || type->is_complex);
		break;
	case C_FLOAT:
		put_float(p, type, bit_off);
		break;
	case C_FUNC:
	case C_VOID:
	case C_TYPEDEF:
	case C_CONST:
	case C_VOLATILE:
	case C_RESTRICT:
	case C_ATOMIC:
	case C_UNKNOWN:
		sp_buf_putc(&p->text, '?');
		break;
	}
}

// A scalar in $$vars is a plain number.
static void put_plain(struct plan *p, const struct c_type *type, uint64_t bit_off, uint64_t bit_size)
{
	enum c_kind kind = type ? type->kind : C_VOID;

	if ((kind == C_STRUCT && !type->is_complex) || kind == C_UNION)
		sp_buf_puts(&p->text, "{...}");
	else if (kind == C_ARRAY)
		sp_buf_puts(&p->text, "[...]");
	else if (c_type_is_scalar(type) || (kind == C_INT && type->size == 16))
		put_part(p, PRETTY_HEX, type, bit_off, bit_size ? bit_size : type->size * 8);
	else
		put_value(p, type, bit_off, bit_size, 0);
}

// The rest of a text that is longer than any string would be cut.
static unsigned count_kept(const struct pretty *pretty, uint32_t max_string)
{
	uint64_t least = 0;
	unsigned n = 0;

	for (; n < pretty->n; n++) {
		least += strlen(pretty->parts[n].text) + 1;
		if (least > max_string)
			break;
	}
	return n;
}

const struct pretty *pretty_plan(const struct context *cx, const struct ast_step *step, const struct c_type *type,
				 uint64_t bit_off, uint32_t bit_size)
{
	struct sp_arena *arena = cx->arena;
	struct plan p = { .arena = arena, .deep = step->kind == STEP_PRETTY_DEEP };
	struct pretty *ret = sp_arena_new(arena, struct pretty);

	type = c_type_strip(type);
	if (step->kind == STEP_PRETTY_PLAIN)
		put_plain(&p, type, bit_off, bit_size);
	else
		put_value(&p, type, bit_off, bit_size, 0);
	put_part(&p, PRETTY_END, NULL, 0, 0);
	ret->parts = sp_arena_memdup(arena, p.parts.v, p.parts.n * sizeof(*p.parts.v));
	ret->n = (unsigned)p.parts.n;
	ret->n_kept = count_kept(ret, cx->opts->max_string);
	sp_vec_deinit(&p.parts);
	sp_buf_deinit(&p.text);
	return ret;
}

// ---- lists of values ------------------------------------------------------------------------------------------------

// sprintf() that grows.
struct listing {
	const struct scene *scene;
	const struct ast_expr *like;
	int kind; // STEP_PRETTY...: how each value is shown
	struct sp_buf format;
	SP_VEC(struct ast_expr *) args;
};

// A variable of the list. `name` has its `$`.
static struct ast_expr target_of(const struct listing *l, const char *name)
{
	struct ast_expr e = { .kind = AST_TARGET, .span = l->like->span, .op_span = l->like->op_span };

	e.target.name = name;
	e.target.is_listed = true;
	return e;
}

// kind < 0: the number itself.
static struct ast_expr *new_target(struct listing *l, const char *name, int kind)
{
	struct sp_arena *arena = l->scene->cx->arena;
	struct ast_expr target = target_of(l, name), *e = sp_arena_memdup(arena, &target, sizeof(target));
	struct ast_step *step;

	if (kind < 0)
		return e;
	step = sp_arena_new(arena, struct ast_step);
	step->kind = kind == STEP_PRETTY ? STEP_PRETTY : kind == STEP_PRETTY_DEEP ? STEP_PRETTY_DEEP : STEP_PRETTY_PLAIN;
	step->span = l->like->span;
	e->target.steps = (struct ast_steps){ step, 1 };
	return e;
}

// Looks a variable up at the site, without diagnostics.
static bool look_up(struct listing *l, const char *name, struct site_value *ret, bool *needs_entry_ret)
{
	struct context *cx = l->scene->cx;
	struct site *site = l->scene->site;
	struct ast_expr target = target_of(l, name); // of thousands of sites, most variables are found at few
	size_t mark = diag_try(cx->opts->dc);
	bool found = site->family->find_var(cx->opts->env, site, &target, ret, needs_entry_ret);

	diag_end_try(cx->opts->dc, mark);
	return found;
}

// Adds "name=value". In a .return probe, a number that can only be read at the entry is kept until the return.
static void put_variable(struct listing *l, const char *name)
{
	const char *target = sp_arena_printf(l->scene->cx->arena, "$%s", name);
	struct site_value value = { 0 };
	bool needs_entry = false, is_number;

	if (l->format.len)
		sp_buf_putc(&l->format, ' ');
	if (!look_up(l, target, &value, &needs_entry)) {
		sp_buf_printf(&l->format, "%s=?", name);
		return;
	}
	is_number = l->kind == STEP_PRETTY_PLAIN && l->scene->site->is_return && !sp_streq(name, "return") &&
		    c_type_is_scalar(value.base_type);
	sp_buf_printf(&l->format, is_number ? "%s=%%#x" : "%s=%%s", name);
	sp_vec_push(&l->args, new_target(l, target, is_number ? -1 : l->kind));
}

static struct ast_expr *listing_take(struct listing *l)
{
	struct sp_arena *arena = l->scene->cx->arena;
	struct ast_expr *e = tree_string(arena, l->like, sp_arena_strdup(arena, sp_buf_str(&l->format)));

	if (l->args.n) {
		struct ast_expr *call = sp_arena_new(arena, struct ast_expr);

		call->kind = AST_PRINT;
		call->type = TYPE_STRING;
		call->span = l->like->span;
		call->op_span = l->like->op_span;
		call->print.kind = PRINT_F;
		call->print.to_string = true;
		call->print.format = e;
		call->print.args.v = sp_arena_memdup(arena, l->args.v, l->args.n * sizeof(*l->args.v));
		call->print.args.n = (unsigned)l->args.n;
		e = call;
	}
	sp_buf_deinit(&l->format);
	sp_vec_deinit(&l->args);
	return e;
}

static bool misses(const struct scene *scene, const struct ast_expr *e, const char *what)
{
	diag(scene->cx->opts->dc, e->op_span, DIAG_VAR_CONTEXT, "%s has no meaning here: %s %s", e->target.name,
	     scene->site ? scene->site->point : "this probe", what);
	return false;
}

static bool expand_return(struct listing *l)
{
	const struct scene *scene = l->scene;
	const struct c_type *type = NULL;
	const struct loc *loc;

	if (!scene->site->is_return) {
		struct diag *d = diag(scene->cx->opts->dc, l->like->op_span, DIAG_VAR_UNKNOWN,
				      "%s is only known in a .return probe", l->like->target.name);

		diag_hint(scene->cx->opts->dc, d, "add .return to the probe point");
		return false;
	}
	if (scene->site->func)
		sp_err_free(dbg_return_at(scene->site->func, &type, &loc));
	if (!scene->site->func || c_type_strip(type)) // a void function has no result: ""
		put_variable(l, "return");
	return true;
}

// Does the debug information have such variables? BTF has parameters only, a symbol table none.
static bool knows(const struct dbg_module *module, enum point_list which)
{
	return !module || module->source == DBG_DWARF || (module->source == DBG_BTF && which != POINT_LOCALS);
}

static bool expand_list(struct listing *l, enum point_list which)
{
	struct diag_ctx *dc = l->scene->cx->opts->dc;
	struct site *site = l->scene->site;
	struct point_names names = { 0 };

	if (!knows(site->module, which)) {
		struct diag *d = diag(dc, l->like->op_span, DIAG_DEBUG_MISSING, "%s needs debug information (DWARF), which %s does not have",
				      l->like->target.name, site->module->name);

		if (site->module->why_no_dwarf)
			diag_hint(dc, d, "%s", site->module->why_no_dwarf);
		return false;
	}
	site->family->list_names(l->scene->cx->opts->env, site, which, &names);
	sp_vec_each(name, &names.list)
		put_variable(l, *name);
	sp_vec_deinit(&names.list);
	return true;
}

bool pretty_expand(const struct scene *scene, struct ast_expr **place)
{
	const struct ast_expr *e = *place;
	struct listing l = { .scene = scene, .like = e, .kind = STEP_PRETTY_PLAIN };
	const char *text;
	bool ok = true;

	if (scene->site && scene->site->family->find_text &&
	    scene->site->family->find_text(scene->site, e->target.name, &text)) {
		*place = tree_string(scene->cx->arena, e, text);
		return true;
	}
	if (!scene->site || !scene->site->family->list_names)
		return misses(scene, e, "probes no function or tracepoint");
	if (e->target.steps.n)
		l.kind = e->target.steps.v[0].kind;
	if (sp_streq(e->target.name, "$$vars"))
		ok = expand_list(&l, POINT_VARS);
	else if (sp_streq(e->target.name, "$$parms"))
		ok = expand_list(&l, POINT_PARMS);
	else if (sp_streq(e->target.name, "$$locals"))
		ok = expand_list(&l, POINT_LOCALS);
	else if (sp_streq(e->target.name, "$$return"))
		ok = expand_return(&l);
	else
		ok = misses(scene, e, "has $$vars, $$parms, $$locals and $$return");
	if (ok)
		*place = listing_take(&l);
	return ok;
}

static void expand_list_at(void *ctx, struct ast_expr **place)
{
	const struct ast_expr *e = *place;

	if (e->kind == AST_TARGET && e->target.name && sp_starts_with(e->target.name, "$$") && !pretty_expand(ctx, place))
		(*place)->kind = AST_ERROR;
}

void pretty_expand_in(struct scene *scene, struct ast_stmt *body)
{
	tree_walk_stmt(body, expand_list_at, scene);
}
