// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/merge.h"

#include "compiler/ir/ir_equal.h"
#include "compiler/lower/lower_prog.h"

struct merge_group {
	struct instance instance; // the first instance with this IR
	SP_VEC(const struct site *) sites;
	struct merge_group *next; // with the same hash
};

void merge_init(struct merge *merge, struct lower *l)
{
	*merge = (struct merge){ .l = l };
}

void merge_deinit(struct merge *merge)
{
	sp_vec_each(group, &merge->groups)
		sp_vec_deinit(&(*group)->sites);
	sp_vec_deinit(&merge->groups);
	sp_hash_deinit(&merge->index);
}

// Can sites of the handler share a program? A program of fentry or fexit belongs to one function. Handlers of system calls
// may share one with other handlers of their probe, such as those of syscall.*, which is an alias for each.
bool merge_is_possible(const struct lower *l, const struct handler *handler, const struct site *site)
{
	return (handler->origin->n_sites > 1 || site->kind == SP_SITE_SYSCALL) && !prog_has_one_place(site->prog_kind) &&
	       (!l->functions_ask || lower_tells_site(l, site));
}

// ---- equality -------------------------------------------------------------------------------------------------------

static struct ir_body body_of(const struct lower *l, const struct ir_prog *prog)
{
	return (struct ir_body){ prog->locals.v, prog->locals.n, prog->body, l->copy_of.v };
}

static struct ir_body func_body(const struct lower *l, uint32_t index)
{
	const struct ir_func *func = &l->unit->funcs.v[index];

	return (struct ir_body){ func->locals.v, func->locals.n, func->body, l->copy_of.v };
}

static bool func_equal(const struct lower *l, uint32_t a, uint32_t b)
{
	const struct ir_func *x = &l->unit->funcs.v[a], *y = &l->unit->funcs.v[b];
	struct ir_body x_body = func_body(l, a), y_body = func_body(l, b);

	return l->copy_of.v[a] == l->copy_of.v[b] && x->type == y->type && x->cap == y->cap && x->n_params == y->n_params &&
	       ir_body_equal(l->unit, &x_body, &y_body);
}

// Is it the entry of a function? Only entries can be attached all in one call (kprobe.multi, uprobe.multi).
static bool is_entry(const struct site *site)
{
	return site->func && site->pc == site->func->entry_pc;
}

static bool hooks_equal(const struct instance *a, const struct instance *b)
{
	const struct ir_prog *p = &a->prog, *q = &b->prog;

	return p->kind == q->kind && p->in_kernel == q->in_kernel && p->in_user == q->in_user &&
	       p->is_confined == q->is_confined && p->program == q->program &&
	       a->site->is_return == b->site->is_return && a->site->space == b->site->space &&
	       is_entry(a->site) == is_entry(b->site) && (a->site->kind == SP_SITE_SYSCALL) == (b->site->kind == SP_SITE_SYSCALL);
}

static bool instances_equal(const struct lower *l, const struct instance *a, const struct instance *b)
{
	struct ir_body a_body = body_of(l, &a->prog), b_body = body_of(l, &b->prog);

	if (!hooks_equal(a, b) || a->prog.reads_floats != b->prog.reads_floats || a->n_funcs != b->n_funcs ||
	    !ir_body_equal(l->unit, &a_body, &b_body))
		return false;
	for (uint32_t i = 0; i < a->n_funcs; i++)
		if (!func_equal(l, a->first_func + i, b->first_func + i))
			return false;
	return true;
}

// ---- groups ---------------------------------------------------------------------------------------------------------

static void drop_functions(struct lower *l, const struct instance *in)
{
	for (uint32_t i = 0; i < in->n_funcs; i++)
		sp_vec_deinit(&l->unit->funcs.v[in->first_func + i].locals);
	l->unit->funcs.n = l->copy_of.n = in->first_func;
}

// Does the group run at this very place already? Each probed place of a function has a handler at the entry that keeps registers
// for it (sema/entry.c). Of equal ones, one is enough.
static bool has_place(const struct merge_group *group, const struct site *site)
{
	sp_vec_each(known, &group->sites)
		if ((*known)->module == site->module && (*known)->pc == site->pc)
			return true;
	return false;
}

// Texts of sites that a program asks for.
struct asked {
	struct lower *l;
	const struct site *a, *b;
	bool differs;
};

static void find_different(void *ctx, struct ir_expr *e)
{
	struct asked *asked = ctx;

	if (e->op == IR_SITE)
		asked->differs |= !sp_streq(lower_site_text(asked->a, (enum sp_site_text)e->what),
					    lower_site_text(asked->b, (enum sp_site_text)e->what));
}

static void edit_group(struct lower *l, const struct merge_group *group, const struct ir_editor *editor)
{
	ir_edit_stmts(group->instance.prog.body, editor);
	for (uint32_t i = 0; i < group->instance.n_funcs; i++)
		ir_edit_stmts(l->unit->funcs.v[group->instance.first_func + i].body, editor);
}

// Has the group another site for this number of a system call, to be told from it? The number is all that the program knows,
// and 32-bit programs have numbers of their own.
static bool has_number(struct lower *l, const struct merge_group *group, const struct site *site)
{
	struct asked asked = { .l = l, .b = site };
	const struct ir_editor editor = { .ctx = &asked, .expr = find_different };

	if (site->kind != SP_SITE_SYSCALL || group->instance.site->kind != SP_SITE_SYSCALL) // of thousands of sites, none is looked at
		return false;
	sp_vec_each(known, &group->sites) {
		if ((*known)->args.syscall.number != site->args.syscall.number)
			continue;
		if ((*known)->args.syscall.flags == site->args.syscall.flags)
			return true;
		asked.a = *known;
		edit_group(l, group, &editor);
	}
	return asked.differs;
}

static struct merge_group **find_place(struct merge *merge, const struct instance *in)
{
	const struct lower *l = merge->l;
	struct ir_body body = body_of(l, &in->prog);
	struct {
		const void *origin;
		uint64_t at_entry, hash;
	} key = { in->handler->origin, in->handler->at_entry, ir_body_hash(&body) };

	if (in->site->kind == SP_SITE_SYSCALL)
		key.origin = in->handler->probe;

	for (uint32_t i = 0; i < in->n_funcs; i++) {
		body = func_body(l, in->first_func + i);
		key.hash ^= ir_body_hash(&body) * (i + 2);
	}
	return (struct merge_group **)sp_hash_insert(&merge->index, &key, sizeof(key));
}

static void add_group(struct merge *merge, struct merge_group **place, struct instance *in)
{
	struct merge_group *group = sp_arena_new(&merge->l->unit->arena, struct merge_group);

	group->instance = *in;
	sp_vec_push(&group->sites, in->site);
	sp_vec_push(&merge->groups, group);
	if (place) {
		group->next = *place;
		*place = group;
	}
}

bool merge_join(struct merge *merge, const struct instance *in)
{
	for (size_t i = merge->groups.n; in->can_merge && i && merge->groups.v[i - 1]->instance.handler == in->handler; i--) {
		struct merge_group *group = merge->groups.v[i - 1];

		if (group->instance.can_merge && !group->instance.has_own_text && hooks_equal(&group->instance, in) && !has_number(merge->l, group, in->site)) {
			sp_vec_push(&group->sites, in->site);
			return true;
		}
	}
	return false;
}

bool merge_add(struct merge *merge, struct instance *in)
{
	struct merge_group **place;

	if (!in->can_merge) {
		add_group(merge, NULL, in);
		return false;
	}
	place = find_place(merge, in);
	for (struct merge_group *group = *place; group; group = group->next) {
		if (has_number(merge->l, group, in->site) || !instances_equal(merge->l, &group->instance, in))
			continue;
		if (!(in->handler->is_once && has_place(group, in->site)))
			sp_vec_push(&group->sites, in->site);
		sp_vec_deinit(&in->prog.locals);
		drop_functions(merge->l, in);
		return true;
	}
	add_group(merge, place, in);
	return false;
}

// ---- programs -------------------------------------------------------------------------------------------------------

struct teller {
	struct lower *l;
	const struct merge_group *group;
};

// The text that all sites have; NULL: they differ.
static const char *common_text(const struct merge_group *group, enum sp_site_text what)
{
	const char *text = lower_site_text(group->sites.v[0], what);

	sp_vec_each(site, &group->sites)
		if (!sp_streq(lower_site_text(*site, what), text))
			return NULL;
	return text;
}

// A program looks up when it runs what pp() and the like are at one of its sites, unless all have the same.
static void tell_site(void *ctx, struct ir_expr *e)
{
	struct teller *t = ctx;
	const char *text = e->op == IR_SITE ? common_text(t->group, (enum sp_site_text)e->what) : NULL;

	if (text)
		*e = *ir_literal(t->l->unit, text, strlen(text));
}

void merge_finish(struct merge *merge)
{
	struct lower *l = merge->l;

	sp_vec_each(place, &merge->groups) {
		const struct merge_group *group = *place;
		struct ir_prog *prog = ir_prog_new(l->unit, lower_prog_name(l, group->sites.v[0]), group->instance.prog.kind);
		const char *name = prog->name;

		*prog = group->instance.prog;
		prog->name = name;
		prog->section = lower_prog_section(l, group->sites.v[0]);
		prog->first_site = (unsigned)l->unit->sites.n;
		prog->n_sites = (unsigned)group->sites.n;
		edit_group(l, group, &(struct ir_editor){ .ctx = &(struct teller){ l, group }, .expr = tell_site });
		sp_vec_each(site, &group->sites)
			lower_prog_site(l, *site);
	}
}
