// SPDX-License-Identifier: GPL-2.0-or-later
// Access paths, such as $var->member[index], @cast(e, "type")->member and @var("name")[1]. Each becomes a base value (where
// `$var` is) and steps: + offset, follow the pointer, + index * size.
#include "compiler/debug/dbg.h"
#include "compiler/model/similar.h"
#include "compiler/sema/access.h"
#include "compiler/sema/context.h"
#include "compiler/sema/tree.h"

#include <stdlib.h>

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

static void add_step(struct path *p, int kind, int64_t bytes, struct ast_expr *index, struct span span)
{
	struct site_step step = { .bytes = bytes, .index = index, .span = span };

	step.kind = kind == STEP_ADD ? STEP_ADD : kind == STEP_DEREF ? STEP_DEREF : STEP_SCALE;
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
}

static void report_member(struct path *p, const struct c_type *type, const struct ast_step *step)
{
	struct similar similar;
	struct sp_buf text = { 0 };
	unsigned n = 0;
	const char *near;
	struct diag *d = diag(p->dc, step->span, DIAG_MEMBER_UNKNOWN, "%s has no member '%s'",
			      type_text(p, type), step->name);

	similar_init(&similar, step->name);
	list_members(p, type, &similar, &text, &n, 0);
	diag_note(p->dc, d, SPAN_NONE, "its members:%s%s", n ? sp_buf_str(&text) : " none",
		  n > MAX_LISTED
			  ? sp_arena_printf(p->scene->cx->arena, " and %u more", n - MAX_LISTED)
			  : "");
	near = similar_text(&similar, p->scene->cx->arena);
	if (near)
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

static bool step_member(struct path *p, const struct ast_step *step)
{
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
	member = c_type_member(complete, step->name, &bit_off);
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

static const struct c_type *pointer_to(struct path *p, const struct c_type *target)
{
	struct c_type *type = sp_arena_new(p->scene->cx->arena, struct c_type);

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

static void report_structure(struct path *p, const struct c_type *type)
{
	const char *member = first_member(type);
	struct diag *d = diag(p->dc, p->origin->span, DIAG_ACCESS_SHAPE,
			      "a whole %s is not a value", type_text(p, p->cur));

	if (member)
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
	p->value->type = pointer_to(p, target);
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

// A C++ reference to a number stands for the number.
static bool follow_reference(struct path *p)
{
	const struct c_type *type = c_type_strip(p->cur), *target;

	if (!type || type->kind != C_POINTER || !type->is_reference)
		return true;
	target = c_type_strip(type->target);
	return !target || (target->kind != C_FLOAT && !c_type_is_scalar(target)) || deref(p, p->origin->span);
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

static bool finish(struct path *p, const struct ast_steps *steps, bool address_of,
		   struct ast_expr **place)
{
	struct site_value *v = p->value;
	struct ast_expr *e;
	const struct c_type *type;

	p->cur = v->base_type;
	if (!walk_steps(p, steps))
		return false;
	if (p->pretty && !finish_pretty(p, address_of))
		return false;
	if (!p->pretty && !(follow_reference(p) && (address_of ? take_address(p, p->cur) : finish_value(p))))
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

static void poison(struct ast_expr **place)
{
	(*place)->kind = AST_ERROR;
}

static enum path_result run(struct path *p, const struct ast_steps *steps, bool address_of,
			    struct ast_expr **place)
{
	bool ok = finish(p, steps, address_of, place);

	sp_vec_deinit(&p->steps);
	if (ok)
		return PATH_DONE;
	poison(place);
	return PATH_FAILED;
}

static const char *text_of(const struct scene *scene, const struct ast_expr *e)
{
	struct sp_buf text = { 0 };
	const char *ret;

	ast_print_expr(&text, e);
	ret = sp_arena_strdup(scene->cx->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return ret;
}

static struct path path_new(const struct scene *scene, struct ast_expr *origin)
{
	struct path p = { .scene = scene, .dc = scene->cx->opts->dc, .origin = origin };

	p.value = sp_arena_new(scene->cx->arena, struct site_value);
	p.value->text = text_of(scene, origin);
	return p;
}

// ---- bases ----------------------------------------------------------------------------------------------------------

static enum path_result fail(struct ast_expr **place)
{
	poison(place);
	return PATH_FAILED;
}

static enum path_result resolve_target(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	struct diag_ctx *dc = scene->cx->opts->dc;
	struct path p;
	bool needs_entry = false;

	if (sp_starts_with(e->target.name, "$$"))
		return pretty_expand(scene, place) ? PATH_DONE : fail(place);
	if (!scene->site || !scene->site->family->find_var) {
		diag(dc, e->op_span, DIAG_VAR_CONTEXT,
		     "%s has no meaning here: %s probes no function or tracepoint", e->target.name,
		     scene->site ? scene->site->point : "this probe");
		return fail(place);
	}
	p = path_new(scene, e);
	p.value->is_listed = e->target.is_listed;
	if (!scene->site->family->find_var(scene->cx->opts->env, scene->site, e, p.value,
					   &needs_entry))
		return fail(place);
	// In a .return probe `$p->n` means the value at the entry. Memory may have changed since, so it is read at the entry.
	if (scene->site->is_return && !sp_streq(e->target.name, "$return") &&
	    (e->target.steps.n || e->target.address_of))
		needs_entry = true;
	if (needs_entry)
		return PATH_NEEDS_ENTRY;
	return run(&p, &e->target.steps, e->target.address_of, place);
}

static enum path_result resolve_autocast(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	const struct c_type *type = autocast_type(e->target.base);
	const struct type_home *home = type ? autocast_home(scene->cx, type) : NULL;
	struct path p;

	if (!type) {
		struct sp_buf text = { 0 };
		struct diag *d;

		if (!scene->last_round) {
			scene->cx->waits = true;
			return PATH_WAITS;
		}
		if (e->target.base->kind != AST_ERROR) {
			ast_print_expr(&text, e->target.base);
			d = diag(scene->cx->opts->dc, e->op_span, DIAG_AUTOCAST_UNKNOWN,
				 "it is not known what %s points to", sp_buf_str(&text));
			diag_hint(scene->cx->opts->dc, d,
				  "say it: @cast(%s, \"struct name\")->member", sp_buf_str(&text));
			sp_buf_deinit(&text);
		}
		return fail(place);
	}
	p = path_new(scene, e);
	p.value->base = SITE_BASE_EXPR;
	p.value->expr = e->target.base;
	p.value->base_type = type;
	p.value->space = home ? home->space : scene->site ? scene->site->space : SPACE_KERNEL;
	p.value->module = home ? home->module : NULL;
	return run(&p, &e->target.steps, e->target.address_of, place);
}

// The module that a script names in @cast or @var: "kernel", "<sys/stat.h>", "/bin/ls", "ext4".
static struct dbg_module *open_module(const struct scene *scene, const char *name,
				      struct sp_err **err_ret)
{
	const struct point_env *env = scene->cx->opts->env;
	struct dbg *dbg = env->dbg;
	struct dbg_module *module = NULL;

	// "kernel<linux/sched.h>" needs no compiled header: the kernel's own debug information has the types it uses.
	if (sp_streq(name, "kernel") || sp_streq(name, "vmlinux") || sp_starts_with(name, "kernel<"))
		*err_ret = dbg_kernel(dbg, &module);
	else if (*name == '<')
		*err_ret = env->header_module(env->header_ctx, name, &module);
	else if (strchr(name, '/') || sp_streq(name, ""))
		*err_ret = dbg_program(dbg, name, &module);
	else if ((*err_ret = dbg_kernel_module(dbg, name, &module))) {
		sp_err_free(*err_ret);
		*err_ret = dbg_program(dbg, name, &module);
	}
	return *err_ret ? NULL : module;
}

// The module that @cast or @var names; without a name the probed module, or else the kernel. NULL after a diagnostic.
static struct dbg_module *module_of(const struct scene *scene, const struct ast_expr *name,
				    struct span span)
{
	struct diag_ctx *dc = scene->cx->opts->dc;
	struct sp_err *err = NULL;
	struct dbg_module *module;
	char *text;

	if (!name && scene->site && scene->site->module)
		return scene->site->module;
	module = open_module(scene, name ? name->string.text : "kernel", &err);
	if (module)
		return module;
	text = sp_err_text(err);
	diag(dc, name ? name->span : span, name && *name->string.text == '<' ? DIAG_CAST_HEADER : DIAG_MODULE_UNREADABLE, "%s",
	     text);
	free(text);
	sp_err_free(err);
	return NULL;
}

// A program may have several types of one name: the one in the probed function's file is preferred.
static const struct c_type *look_up_type(const struct scene *scene, struct dbg_module *module, const char *name)
{
	struct dbg_func *func = scene->site ? scene->site->func : NULL;

	return func && func->module == module ? dbg_find_type_near(func, name) : dbg_find_type(module, name);
}

// "file" may mean "struct file". A search that finds nothing reads all debug information, so the likely form is tried first.
static const struct c_type *find_type(const struct scene *scene, struct dbg_module *module, const char *name)
{
	static const char *const tags[] = { "struct ", "", "union ", "enum " };
	static const char *const plain[] = { "char", "short", "int", "long", "unsigned", "signed", "bool", "_Bool" };
	const struct c_type *type = NULL;
	size_t len = strcspn(name, " *");
	bool is_plain = name[len] == ' ' || (len > 2 && strncmp(name + len - 2, "_t", 2) == 0);

	for (unsigned i = 0; i < SP_ARRAY_SIZE(plain); i++)
		is_plain |= strlen(plain[i]) == len && strncmp(name, plain[i], len) == 0;
	if (is_plain)
		type = look_up_type(scene, module, name);
	for (unsigned i = 0; !type && i < SP_ARRAY_SIZE(tags); i++)
		if (!is_plain || *tags[i])
			type = look_up_type(scene, module, sp_arena_printf(scene->cx->arena, "%s%s", tags[i], name));
	return type;
}

// @cast(p, "T")->m takes p for a pointer to T; when T is a pointer type, p is a T. @cast(n, "char") without steps converts n.
static enum path_result resolve_cast(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	struct dbg_module *module = module_of(scene, e->cast.module, e->op_span);
	const struct c_type *type, *bare;
	bool is_pointer;
	struct path p;

	if (!module)
		return fail(place);
	type = find_type(scene, module, e->cast.type_name);
	if (!type) {
		struct diag *d = diag(scene->cx->opts->dc, e->op_span, DIAG_CAST_TYPE,
				      "there is no type '%s' in %s", e->cast.type_name, module->name);

		if (module->source == DBG_SYMTAB && module->why_no_dwarf)
			diag_hint(scene->cx->opts->dc, d, "%s", module->why_no_dwarf);
		return fail(place);
	}
	p = path_new(scene, e);
	bare = c_type_strip(type);
	is_pointer = bare && bare->kind == C_POINTER;
	if (e->cast.is_enum && (!bare || bare->kind != C_ENUM)) {
		diag(scene->cx->opts->dc, e->op_span, DIAG_ACCESS_SHAPE, "'%s' is no enumeration", e->cast.type_name);
		return fail(place);
	}
	if (!is_pointer && !e->cast.is_enum && (e->cast.steps.n || e->cast.address_of || !c_type_is_scalar(type)))
		type = pointer_to(&p, type);
	p.value->base = SITE_BASE_EXPR;
	p.value->expr = e->cast.value;
	p.value->base_type = type;
	p.value->space = module->is_kernel ? SPACE_KERNEL : SPACE_USER;
	p.value->module = module;
	return run(&p, &e->cast.steps, e->cast.address_of && e->cast.steps.n, place);
}

// Two enumerations may share an enumerator's name: the one in the probed function's file is preferred.
static bool find_enumerator(const struct scene *scene, struct dbg_module *module, const char *name, struct dbg_var *ret)
{
	struct dbg_func *func = scene->site ? scene->site->func : NULL;

	return (func && func->module == module && dbg_enumerator_near(func, name, ret)) || dbg_enumerator(module, name, ret);
}

static void report_no_atvar(const struct scene *scene, const struct ast_expr *e, const struct dbg_module *module, bool found,
			    const struct dbg_var *var, struct sp_err *err)
{
	struct diag_ctx *dc = scene->cx->opts->dc;
	struct diag *d = diag(dc, e->op_span, found ? DIAG_VAR_ABSENT : DIAG_VAR_UNKNOWN,
			      found	       ? "variable '%s' of %s has no address" :
			      e->atvar.is_enum ? "there is no enumerator '%s' in %s" :
						 "there is no variable '%s' in %s",
			      e->atvar.name, module->name);

	if (!err && found && var->why_not)
		diag_note(dc, d, SPAN_NONE, "%s%s", sp_starts_with(var->why_not, "it") ? "" : "it ", var->why_not);
	if (err) {
		char *text = sp_err_text(err);

		diag_note(dc, d, SPAN_NONE, "%s", text);
		free(text);
	} else if (module->source != DBG_DWARF && module->why_no_dwarf) {
		diag_hint(dc, d, "%s", module->why_no_dwarf);
	}
}

bool path_is_of_probe(const struct ast_expr *e)
{
	return e->kind == AST_ATVAR && !e->atvar.is_enum && !e->atvar.module && !strchr(e->atvar.name, '@');
}

// @var("x") is first what `$x` is at the probe. PATH_WAITS: the probe has no `$x`, so the module's globals are searched.
static enum path_result resolve_as_target(const struct scene *scene, struct ast_expr **place)
{
	struct diag_ctx *dc = scene->cx->opts->dc;
	size_t mark = diag_mark(dc);
	enum path_result result;
	struct ast_expr *target;

	if (!path_is_of_probe(*place) || !scene->site || !scene->site->func || !scene->site->family->find_var)
		return PATH_WAITS;
	target = tree_target(scene->cx->arena, *place);
	result = resolve_target(scene, &target);
	if (result == PATH_FAILED && dc->diags.n > mark &&
	    (dc->diags.v[mark]->id == DIAG_VAR_UNKNOWN || dc->diags.v[mark]->id == DIAG_DEBUG_MISSING)) {
		diag_rewind(dc, mark);
		return PATH_WAITS;
	}
	if (result == PATH_DONE)
		target->resolved->text = text_of(scene, *place);
	if (result != PATH_NEEDS_ENTRY)
		*place = target;
	return result;
}

static enum path_result resolve_atvar(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	enum path_result as_target = resolve_as_target(scene, place);
	struct dbg_module *module;
	struct sp_err *err = NULL;
	struct dbg_var var;
	bool found = false;
	struct path p;

	if (as_target != PATH_WAITS)
		return as_target;
	module = module_of(scene, e->atvar.module, e->op_span);
	if (!module)
		return fail(place);
	if (e->atvar.is_enum)
		found = find_enumerator(scene, module, e->atvar.name, &var);
	else
		err = dbg_global_var(module, e->atvar.name, &var, &found);
	if (err || !found || !var.loc) {
		report_no_atvar(scene, e, module, found, &var, err);
		sp_err_free(err);
		return fail(place);
	}
	p = path_new(scene, e);
	p.value->base = SITE_BASE_LOC;
	p.value->loc = var.loc;
	p.value->base_type = var.type;
	p.value->space = module->is_kernel ? SPACE_KERNEL : SPACE_USER;
	p.value->module = module;
	return run(&p, &e->atvar.steps, e->atvar.address_of, place);
}

enum path_result path_resolve(const struct scene *scene, struct ast_expr **place)
{
	struct ast_expr *e = *place;

	if (e->kind == AST_CALL)
		return access_check_call(scene, e) ? PATH_DONE : fail(place);
	if (e->kind == AST_CAST)
		return resolve_cast(scene, place);
	if (e->kind == AST_ATVAR)
		return resolve_atvar(scene, place);
	return e->target.base ? resolve_autocast(scene, place) : resolve_target(scene, place);
}
