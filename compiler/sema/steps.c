// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/steps.h"

#include "compiler/debug/dbg.h"
#include "compiler/model/renamed.h"
#include "compiler/model/similar.h"
#include "compiler/sema/access.h"
#include "compiler/sema/inherited.h"
#include "compiler/sema/promoted.h"
#include "compiler/sema/text_object.h"
#include "compiler/sema/tree.h"

#define MAX_LISTED 24 // members that a diagnostic names

struct path {
	const struct scene *scene;
	struct diag_ctx *dc;
	struct ast_expr *origin;
	struct site_value *value;
	const struct c_type *cur; // the type behind the steps so far
	SP_VEC(struct site_step) steps;
	uint64_t bit_off; // when the last member is a bit-field: its first bit in the structure
	uint32_t bit_size;
	const struct c_type *bits_in; // the structure of the bit-field
	const char *bits_member;
	const struct ast_step *pretty; // a last step `$` or `$$`: the value is wanted as text; else NULL
};

static const char *type_text(const struct path *p, const struct c_type *type)
{
	struct sp_buf text = { 0 };
	const char *ret;

	c_type_print(&text, type);
	ret = sp_arena_strdup(p->scene->cx->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return ret;
}

static void add_step(struct path *p, enum site_step_kind kind, int64_t bytes, struct ast_expr *index, struct span span)
{
	struct site_step step = { .kind = kind, .bytes = bytes, .index = index, .span = span };

	if (kind == STEP_ADD && bytes == 0)
		return;
	// Two additions in a row become one.
	if (kind == STEP_ADD && p->steps.n && sp_vec_last(&p->steps).kind == STEP_ADD && !sp_vec_last(&p->steps).in) {
		sp_vec_last(&p->steps).bytes += bytes;
		return;
	}
	sp_vec_push(&p->steps, step);
}

// A portable script looks members of the kernel's structures up in the kernel that loads it, and so keeps their names.
static bool keeps_names(const struct path *p)
{
	const struct dbg_module *module = p->value->module;

	return p->scene->cx->opts->portable && p->value->space == SPACE_KERNEL && module && sp_streq(module->name, "kernel");
}

// The name by which another kernel's BTF knows the type: "struct file", "kuid_t"; NULL: the type has none.
static const char *layout_name(const struct path *p, const struct c_type *type)
{
	const struct c_type *bare = c_type_strip(type);

	while (!bare->name && type != bare && type->kind != C_TYPEDEF)
		type = type->target;
	return bare->name ? type_text(p, bare) : type->kind == C_TYPEDEF ? type->name : NULL;
}

static void add_member(struct path *p, const struct c_type *in, const struct ast_step *step, uint64_t bit_off)
{
	const char *name = keeps_names(p) ? layout_name(p, in) : NULL;
	const struct c_type *type = c_type_strip(p->cur);
	struct site_step add = { .kind = STEP_ADD, .bytes = (int64_t)(bit_off / 8), .span = step->span, .in = name };

	if (!name) {
		add_step(p, STEP_ADD, add.bytes, NULL, step->span);
		if (keeps_names(p) && add.bytes)
			sp_vec_last(&p->steps).by_layout = true;
		return;
	}
	add.member = step->name;
	add.member_size = type && c_type_is_scalar(type) ? (uint32_t)type->size : 0;
	sp_vec_push(&p->steps, add);
}

static bool deref(struct path *p, struct span span)
{
	const struct c_type *type = c_type_strip(p->cur);

	if (!c_type_strip(type->target)) {
		struct diag *d = diag(p->dc, span, DIAG_ACCESS_SHAPE, "a void pointer leads nowhere");

		diag_hint(p->dc, d, "say what it points to: @cast(pointer, \"struct name\")->member");
		return false;
	}
	add_step(p, STEP_DEREF, 0, NULL, span);
	p->cur = type->target;
	return true;
}

static bool is_reference(const struct c_type *type)
{
	type = c_type_strip(type);
	return type && type->kind == C_POINTER && type->is_reference;
}

// A C++ reference to a number or pointer stands for it.
static bool read_reference(struct path *p, struct span span)
{
	const struct c_type *target = is_reference(p->cur) ? c_type_strip(c_type_strip(p->cur)->target) : NULL;

	return !target || (target->kind != C_FLOAT && !c_type_is_scalar(target)) || deref(p, span);
}

// Members and elements are those of what a reference refers to.
static bool follow_reference(struct path *p, struct span span)
{
	return !is_reference(p->cur) || deref(p, span);
}

// Lists the members' names; members of anonymous structures count as the outer structure's own.
static void list_members(struct path *p, const struct c_type *type, struct similar *similar,
			 struct sp_buf *text, unsigned *n, int depth)
{
	for (unsigned i = 0; i < type->n_members && depth < 8; i++) {
		const struct c_member *member = &type->members[i];
		const struct c_type *inner = member->name ? NULL : c_type_strip(member->type);

		if (inner && (inner->kind == C_STRUCT || inner->kind == C_UNION))
			list_members(p, inner, similar, text, n, depth + 1);
		if (!member->name)
			continue;
		similar_try(similar, member->name);
		if ((*n)++ < MAX_LISTED)
			sp_buf_printf(text, " %s", member->name);
	}
	for (unsigned i = 0; i < type->n_virtual_bases && depth < 8; i++) {
		const struct c_type *base = dbg_complete_type(c_type_strip(type->virtual_bases[i].type));

		if (base)
			list_members(p, base, similar, text, n, depth + 1);
	}
}

static void report_member(struct path *p, const struct c_type *type, const struct ast_step *step)
{
	struct similar similar;
	struct sp_buf text = { 0 };
	unsigned n = 0;
	const char *near, *renamed;
	struct diag *d = diag(p->dc, step->span, DIAG_MEMBER_UNKNOWN, "%s has no member '%s'",
			      type_text(p, type), step->name);

	similar_init(&similar, step->name);
	list_members(p, type, &similar, &text, &n, 0);
	diag_note(p->dc, d, SPAN_NONE, "its members:%s%s", n ? sp_buf_str(&text) : " none",
		  n > MAX_LISTED
			  ? sp_arena_printf(p->scene->cx->arena, " and %u more", n - MAX_LISTED)
			  : "");
	renamed = type->name ? renamed_member(type->name, step->name, p->scene->cx->arena) : NULL;
	near = similar_text(&similar, p->scene->cx->arena);
	if (renamed)
		diag_hint(p->dc, d, "%s", renamed);
	else if (near)
		diag_hint(p->dc, d, "did you mean %s?", near);
	sp_buf_deinit(&text);
}

static void report_declared(const struct path *p, const struct ast_step *step, const struct c_type *type)
{
	const struct dbg_module *module = p->value->module;
	struct diag *d = diag(p->dc, step->span, DIAG_CAST_TYPE, "%s is declared, but nowhere defined in the debug information",
			      type_text(p, type));

	if (module && !module->is_kernel)
		diag_hint(p->dc, d,
			  "it may be defined in a library, whose name @cast takes; clang describes a type in one file of many unless it is told -fstandalone-debug");
}

static const struct c_member *find_member(struct path *p, const struct c_type *type, const struct ast_step *step, uint64_t *bit_off_ret)
{
	const struct c_member *member = c_type_member(type, step->name, bit_off_ret);
	struct inherited bases = { 0 };

	member = member ? member : inherited_find(type, step->name, &bases, bit_off_ret);
	for (unsigned i = 0; i < bases.n; i++) {
		add_step(p, STEP_ADD, (int64_t)(bases.v[i].bit_off / 8), NULL, step->span);
		add_step(p, STEP_VIRTUAL, (int64_t)bases.v[i].base->slot, NULL, step->span);
	}
	return member;
}

static bool step_member(struct path *p, const struct ast_step *step);

// Goes to the embedded field that has the member. False: none has it.
static bool step_embedded(struct path *p, const struct c_type *type, const struct ast_step *step)
{
	struct ast_step outer = *step;

	outer.name = promoted_through(type, step->name);
	return outer.name && step_member(p, &outer);
}

static bool step_member(struct path *p, const struct ast_step *step)
{
	if (!follow_reference(p, step->span))
		return false;
	const struct c_type *type = c_type_strip(p->cur), *complete, *in;
	const struct c_member *member;
	uint64_t bit_off;

	if (type && type->kind == C_POINTER) {
		if (!deref(p, step->span))
			return false;
		type = c_type_strip(p->cur);
	}
	in = p->cur;
	if (!type || (type->kind != C_STRUCT && type->kind != C_UNION)) {
		diag(p->dc, step->span, DIAG_ACCESS_SHAPE,
		     "there is no member '%s' in a value of type %s", step->name,
		     type_text(p, p->cur));
		return false;
	}
	complete = dbg_complete_type(type);
	if (!complete) {
		report_declared(p, step, type);
		return false;
	}
	member = find_member(p, complete, step, &bit_off);
	if (!member && step_embedded(p, complete, step))
		return step_member(p, step);
	if (!member) {
		report_member(p, complete, step);
		return false;
	}
	p->cur = member->type;
	p->bit_size = member->bit_size;
	p->bit_off = member->bit_size ? bit_off : 0;
	p->bits_in = in;
	p->bits_member = step->name;
	if (!member->bit_size)
		add_member(p, in, step, bit_off);
	return true;
}

static uint64_t size_of(const struct c_type *type)
{
	const struct c_type *bare = c_type_strip(type), *complete;

	if (!bare)
		return 0;
	if (bare->kind == C_ARRAY)
		return bare->size ? bare->size : bare->count * size_of(bare->target);
	if (bare->size)
		return bare->size;
	complete = dbg_complete_type(bare);
	return complete ? complete->size : 0;
}

static bool constant_index(const struct ast_expr *e, int64_t *ret)
{
	if (e->kind == AST_NUMBER) {
		*ret = e->number;
		return true;
	}
	if (e->kind == AST_UNARY && e->unary.op == UN_MINUS && e->unary.a->kind == AST_NUMBER) {
		*ret = (int64_t) - (uint64_t)e->unary.a->number;
		return true;
	}
	return false;
}

// Structures can have another size in another kernel; numbers and pointers cannot.
static bool differs(const struct c_type *type)
{
	type = c_type_strip(type);
	while (type && type->kind == C_ARRAY)
		type = c_type_strip(type->target);
	return !type || !c_type_is_scalar(type);
}

// In a portable script, the size of a structure that an index is multiplied by is looked up at load time.
static void keep_size(struct path *p)
{
	const struct c_type *type = c_type_strip(p->cur);

	if (!keeps_names(p) || !differs(p->cur))
		return;
	if (type->kind == C_STRUCT || type->kind == C_UNION)
		sp_vec_last(&p->steps).in = layout_name(p, p->cur);
	sp_vec_last(&p->steps).by_layout = !sp_vec_last(&p->steps).in;
}

static bool step_index(struct path *p, const struct ast_step *step)
{
	if (!follow_reference(p, step->span))
		return false;
	const struct c_type *type = c_type_strip(p->cur);
	uint64_t size, count = 0;
	int64_t n;

	if (type && type->kind == C_POINTER) {
		if (!deref(p, step->span))
			return false;
	} else if (type && type->kind == C_ARRAY) {
		count = type->count;
		p->cur = type->target;
	} else {
		diag(p->dc, step->span, DIAG_ACCESS_SHAPE, "a value of type %s has no elements",
		     type_text(p, p->cur));
		return false;
	}
	size = size_of(p->cur);
	if (!size) {
		diag(p->dc, step->span, DIAG_ACCESS_SHAPE, "the size of %s is not known",
		     type_text(p, p->cur));
		return false;
	}
	p->bit_size = 0;
	if (!constant_index(step->index, &n)) {
		add_step(p, STEP_SCALE, (int64_t)size, step->index, step->span);
		sp_vec_last(&p->steps).count = count;
		keep_size(p);
	} else if (n && keeps_names(p) && differs(p->cur)) {
		add_step(p, STEP_SCALE, (int64_t)size, tree_number(p->scene->cx->arena, step->index, n), step->span);
		keep_size(p);
	} else {
		add_step(p, STEP_ADD, (int64_t)((uint64_t)n * size), NULL, step->span);
	}
	return true;
}

// `$p$` shows the structure that p points to. A pointer to a function, to text or to an unknown type is shown itself.
static bool pretty_target(struct path *p, struct span span)
{
	if (!read_reference(p, span))
		return false;
	const struct c_type *type = c_type_strip(p->cur), *target;

	if (p->pretty->kind == STEP_PRETTY_PLAIN || !type || type->kind != C_POINTER)
		return true;
	target = c_type_strip(type->target);
	if (!target || target->kind == C_FUNC || (target->kind == C_INT && target->is_char) ||
	    ((target->kind == C_STRUCT || target->kind == C_UNION) && !dbg_complete_type(target)))
		return true;
	return deref(p, span);
}

static bool walk_steps(struct path *p, const struct ast_steps *steps)
{
	for (unsigned i = 0; i < steps->n; i++) {
		const struct ast_step *step = &steps->v[i];
		bool ok = false;

		switch (step->kind) {
		case STEP_MEMBER:
			ok = step_member(p, step);
			break;
		case STEP_INDEX:
			ok = step_index(p, step);
			break;
		case STEP_PRETTY:
		case STEP_PRETTY_DEEP:
		case STEP_PRETTY_PLAIN:
			p->pretty = step;
			ok = pretty_target(p, step->span);
			break;
		}
		if (!ok)
			return false;
	}
	return true;
}

// ---- the result -----------------------------------------------------------------------------------------------------

const struct c_type *steps_pointer_to(const struct scene *scene, const struct c_type *target)
{
	struct c_type *type = sp_arena_new(scene->cx->arena, struct c_type);

	type->kind = C_POINTER;
	type->size = 8;
	type->target = target;
	return type;
}

static void add_bitfield(struct path *p, int64_t bytes)
{
	// At load time the field may begin at any bit of a byte: 8 bytes from that byte on always hold 57 bits of it.
	const char *name = keeps_names(p) && p->bit_size <= 57 ? layout_name(p, p->bits_in) : NULL;
	struct site_step add = { .kind = STEP_ADD, .bytes = bytes, .span = p->origin->span, .in = name };

	if (!name) {
		add_step(p, STEP_ADD, bytes, NULL, p->origin->span);
		if (keeps_names(p) && p->steps.n)
			sp_vec_last(&p->steps).by_layout = true;
		return;
	}
	add.member = p->bits_member;
	add.bit = (uint32_t)p->bit_off;
	add.n_bits = p->bit_size;
	sp_vec_push(&p->steps, add);
}

// Loads the bit-field's storage unit, as C does: for `int x : 3` the aligned 4 bytes that x lies in.
static bool place_bitfield(struct path *p)
{
	uint64_t unit = c_type_strip(p->cur) ? c_type_strip(p->cur)->size * 8 : 0;
	uint64_t start;

	if (!unit || unit > 64) {
		diag(p->dc, p->origin->span, DIAG_PACKED_BITFIELD,
		     "the bit-field's type has no usable size");
		return false;
	}
	start = p->bit_off / unit * unit;
	if (p->bit_off + p->bit_size > start + unit)
		start = p->bit_off / 8 * 8; // a packed structure: any byte can begin the unit
	if (p->bit_off + p->bit_size > start + unit) {
		diag(p->dc, p->origin->span, DIAG_PACKED_BITFIELD,
		     "the bit-field spreads over %llu bytes", (unsigned long long)(unit / 8 + 1));
		return false;
	}
	add_bitfield(p, (int64_t)(start / 8));
	p->value->bit_off = (uint32_t)(p->bit_off - start);
	p->value->bit_size = p->bit_size;
	return true;
}

static const char *first_member(const struct c_type *type)
{
	const struct c_type *complete = dbg_complete_type(type);

	for (unsigned i = 0; complete && i < complete->n_members; i++)
		if (complete->members[i].name)
			return complete->members[i].name;
	return NULL;
}

// "$file->f_path.dentry", as C has it?
static bool is_before_dot(const struct path *p)
{
	const struct span span = p->origin->span;
	const struct source_file *file = source_file(p->dc->sources, span.file);
	uint32_t end = span.off + span.len;

	return file && end < file->len && file->text[end] == '.';
}

static void report_structure(struct path *p, const struct c_type *type)
{
	const char *member = first_member(type);
	struct diag *d = diag(p->dc, p->origin->span, DIAG_ACCESS_SHAPE, "a whole %s is not a value", type_text(p, p->cur));

	if (member && is_before_dot(p))
		diag_hint(p->dc, d, "a member of a structure is written with ->");
	else if (member)
		diag_hint(p->dc, d, "name a member, such as %s->%s, or take the address: &%s",
			  p->value->text, member, p->value->text);
}

// Arrays, functions and `&` expressions: the value is the address.
static bool take_address(struct path *p, const struct c_type *target)
{
	if (p->bit_size) {
		diag(p->dc, p->origin->span, DIAG_ADDRESS_NONE, "a bit-field has no address");
		return false;
	}
	p->value->address_of = true;
	p->value->type = steps_pointer_to(p->scene, target);
	return true;
}

static bool finish_value(struct path *p)
{
	const struct c_type *type = c_type_strip(p->cur);

	if (!type) {
		diag(p->dc, p->origin->span, DIAG_ACCESS_SHAPE, "a void is not a value");
		return false;
	}
	switch (type->kind) {
	case C_INT:
	case C_ENUM:
	case C_POINTER:
		if (type->size > 8) {
			diag(p->dc, p->origin->span, DIAG_ACCESS_SHAPE,
			     "a value of %llu bytes does not fit a number",
			     (unsigned long long)type->size);
			return false;
		}
		p->value->type = p->cur;
		return !p->bit_size || place_bitfield(p);
	case C_ARRAY:
		return take_address(p, type->target);
	case C_FUNC:
		return take_address(p, type);
	case C_FLOAT:
		if (type->size == 4 || type->size == 8) {
			p->value->type = p->cur;
			return true;
		}
		break;
	case C_STRUCT:
	case C_UNION:
		report_structure(p, type);
		return false;
	case C_VOID:
	case C_TYPEDEF:
	case C_CONST:
	case C_VOLATILE:
	case C_RESTRICT:
	case C_ATOMIC:
	case C_UNKNOWN:
		break;
	}
	diag(p->dc, p->origin->span, DIAG_ACCESS_SHAPE, "a value of type %s cannot be read",
	     type_text(p, p->cur));
	return false;
}

static bool finish_pretty(struct path *p, bool address_of)
{
	if (address_of) {
		diag(p->dc, p->origin->span, DIAG_ADDRESS_NONE, "a text has no address");
		return false;
	}
	p->value->type = p->cur;
	p->value->pretty = pretty_plan(p->scene->cx, p->pretty, p->cur, p->bit_off, p->bit_size);
	return true;
}

static bool finish(struct path *p, const struct ast_steps *steps, bool address_of, struct ast_expr **place)
{
	struct site_value *v = p->value;
	struct ast_expr *e;
	const struct c_type *type;

	p->cur = v->base_type;
	if (!walk_steps(p, steps))
		return false;
	if (!address_of && text_variable_read(p->scene->cx->arena, p->cur, p->pretty, place))
		return true;
	if (p->pretty && !finish_pretty(p, address_of))
		return false;
	type = is_reference(p->cur) ? c_type_strip(p->cur)->target : p->cur;
	if (!p->pretty && !address_of && text_object_read(p->scene->cx->arena, type, place))
		return true; // two values, which are resolved next
	if (!p->pretty && !(read_reference(p, p->origin->span) && (address_of ? take_address(p, p->cur) : finish_value(p))))
		return false;
	v->steps = sp_arena_memdup(p->scene->cx->arena, p->steps.v, p->steps.n * sizeof(*p->steps.v));
	v->n_steps = (unsigned)p->steps.n;
	if (!access_check(p->scene, v, p->origin->span))
		return false;
	e = sp_arena_new(p->scene->cx->arena, struct ast_expr);
	e->kind = AST_RESOLVED;
	e->span = p->origin->span;
	e->op_span = p->origin->op_span;
	e->type = v->pretty ? TYPE_STRING : TYPE_LONG;
	e->resolved = v;
	type = c_type_strip(v->type);
	if (!v->pretty && type && type->kind == C_POINTER && c_type_strip(type->target)) {
		e->c_type = v->type;
		autocast_note(p->scene->cx, v->type, v->module, v->space);
	}
	*place = e;
	return true;
}

const char *steps_text(const struct scene *scene, const struct ast_expr *e)
{
	struct sp_buf text = { 0 };
	const char *ret;

	ast_print_expr(&text, e);
	ret = sp_arena_strdup(scene->cx->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return ret;
}

struct site_value *steps_base(const struct scene *scene, const struct ast_expr *origin)
{
	struct site_value *value = sp_arena_new(scene->cx->arena, struct site_value);

	value->text = steps_text(scene, origin);
	return value;
}

bool steps_run(const struct scene *scene, struct site_value *base, const struct ast_steps *steps, bool address_of,
	       struct ast_expr **place)
{
	struct path p = { .scene = scene, .dc = scene->cx->opts->dc, .origin = *place, .value = base };
	bool ok = finish(&p, steps, address_of, place);

	sp_vec_deinit(&p.steps);
	return ok;
}
