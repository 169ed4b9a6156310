// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower.h"

#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_embed.h"
#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_loc.h"
#include "compiler/lower/lower_portable.h"
#include "compiler/lower/lower_stat.h"
#include "compiler/lower/lower_stmt.h"
#include "compiler/sema/tree.h"

#include <ctype.h>

#define RING_SIZE (1u << 20) // bytes between kernel and runtime: several thousand records

// ---- globals and arrays -------------------------------------------------------------------------

static bool map_name_taken(const struct ir_unit *unit, const char *name)
{
	sp_vec_each(m, &unit->maps)
		if (sp_streq(m->name, name))
			return true;
	return false;
}

static void make_identifier(char *name)
{
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
}

// What the kernel takes as a map's name: 15 of [A-Za-z0-9_.]. Those that begin with spile_ are our own.
static const char *map_name(struct ir_unit *unit, const char *label)
{
	const char *base = sp_starts_with(label, "spile_") ? label + strlen("spile_") : label;
	char *name = sp_arena_strndup(&unit->arena, base, 15);

	make_identifier(name);
	for (unsigned i = 2; map_name_taken(unit, name) || !name[0]; i++) {
		name = sp_arena_printf(&unit->arena, "%.10s_%u", base, i);
		make_identifier(name);
	}
	return name;
}

static void lower_array(struct lower *l, const struct global *g)
{
	struct ir_unit *unit = l->unit;
	struct ir_map map = { .label = sp_arena_strdup(&unit->arena, g->name), .kind = SP_MAP_HASH };

	map.name = map_name(unit, map.label);
	map.wraps = g->wraps;
	map.max_entries = g->size > 0 ? (uint32_t)SP_MIN(g->size, (int64_t)1 << 30)
				      : l->opts->max_map_entries;
	if (!map.max_entries)
		map.max_entries = 2048;
	map.is_unread = !l->opts->hide_unread && g->is_written && !g->is_read && !g->is_synthetic;
	map.is_private = g->is_synthetic;
	map.value_type = lower_type(g->type);
	map.value_size = map.value_type == IR_STR ? lower_cap(l, g->cap) : 8;
	map.n_keys = g->n_keys;
	map.keys = sp_arena_array(&unit->arena, struct ir_key, g->n_keys);
	for (unsigned i = 0; i < g->n_keys; i++) {
		struct ir_key *key = &map.keys[i];
		key->type = lower_type(g->key_types[i]);
		key->size = key->type == IR_STR ? lower_cap(l, g->key_caps ? g->key_caps[i] : 0) : 8;
		key->offset = map.key_size;
		map.key_size += key->size;
	}
	map.place = lower_place(l, g->span, "identifier '%s'", g->name);
	if (g->type == TYPE_STATS)
		lower_stat_map(g, &map);
	sp_vec_push(&unit->maps, map);
}

static void lower_scalar(struct lower *l, const struct global *g)
{
	struct ir_unit *unit = l->unit;
	struct ir_global r = { .name = sp_arena_strdup(&unit->arena, g->name),
			       .type = lower_type(g->type) };

	r.is_unread = !l->opts->hide_unread && g->is_written && !g->is_read && !g->is_synthetic;
	r.is_private = g->is_synthetic;
	if (r.type == IR_STR) {
		r.cap = lower_cap(l, g->cap);
		if (g->init && g->init->kind == AST_STRING) {
			r.init_len = (uint32_t)strnlen(g->init->string.text,
						       SP_MIN(g->init->string.len, r.cap - 1));
			r.init_text = sp_arena_strndup(&unit->arena, g->init->string.text,
						       r.init_len);
		}
	} else if (g->init && g->init->kind == AST_NUMBER) {
		r.init = g->init->number;
	}
	sp_vec_push(&unit->globals, r);
}

static void lower_globals(struct lower *l)
{
	const struct program *program = l->program;

	l->global_index = sp_arena_array(&l->unit->arena, uint32_t, program->globals.n);
	for (size_t i = 0; i < program->globals.n; i++) {
		const struct global *g = program->globals.v[i];
		bool is_map = g->is_array || g->type == TYPE_STATS;
		l->global_index[i] = (uint32_t)(is_map ? l->unit->maps.n : l->unit->globals.n);
		if (is_map)
			lower_array(l, g);
		else
			lower_scalar(l, g);
	}
}

// ---- bodies -------------------------------------------------------------------------------------

static void add_locals(struct lower *l, struct local *const *locals, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct local *local = locals[i];
		enum ir_type type = lower_type(local->type);
		sp_vec_push(&l->local_index, (uint32_t)l->locals.n);
		sp_vec_push(&l->locals,
			    (struct ir_local){ .name = sp_arena_strdup(&l->unit->arena, local->name),
					       .type = type,
					       .cap = type == IR_STR ? lower_cap(l, local->cap) : 0 });
	}
}

// String parameters are the caller's memory: what is assigned is a copy.
static void copy_params(struct lower *l, const struct function *f)
{
	for (unsigned i = 0; i < f->n_params; i++) {
		struct ir_local copy = l->locals.v[i];
		if (!f->locals.v[i]->is_written || copy.type != IR_STR)
			continue;
		copy.name = sp_arena_printf(&l->unit->arena, "%s'", copy.name);
		l->local_index.v[i] = (uint32_t)l->locals.n;
		sp_vec_push(&l->locals, copy);
		lower_emit(l, ir_set(l->unit, l->local_index.v[i], lower_read(l, i), IR_NO_PLACE));
	}
}

// Moves the locals to their owner and makes ready for the next body.
#define TAKE_LOCALS(l, owner)                                                                      \
	do {                                                                                       \
		(owner)->locals.v = (l)->locals.v;                                                 \
		(owner)->locals.n = (l)->locals.n;                                                 \
		(owner)->locals.cap = (l)->locals.cap;                                             \
		(l)->locals.v = NULL;                                                              \
		(l)->locals.n = (l)->locals.cap = 0;                                               \
		(l)->local_index.n = 0;                                                            \
	} while (0)

static bool ends_in_return(const struct ir_stmt *list)
{
	while (list && list->next)
		list = list->next;
	return list && list->op == IR_S_RETURN;
}

// What falls off the end gives 0 or "".
static void lower_function(struct lower *l, const struct function *f, struct ir_func *r)
{
	struct lower_list list;
	struct ir_stmt *end;

	l->function = f;
	l->handler = NULL;
	l->sites = f->handler ? f->handler->sites.v : NULL;
	l->n_sites = f->handler ? (unsigned)f->handler->sites.n : 0;
	l->site = f->handler ? l->sites[0] : NULL;
	lower_list_begin(l, &list);
	add_locals(l, f->locals.v, f->locals.n);
	copy_params(l, f);
	lower_stmt(l, f->body);
	if (r->type != IR_VOID && !ends_in_return(list.head)) {
		end = ir_stmt_new(l->unit, IR_S_RETURN, IR_NO_PLACE);
		end->a = lower_zero(l, r->type);
		lower_emit(l, end);
	}
	r->body = lower_list_end(l, &list);
	TAKE_LOCALS(l, r);
}

// Functions are declared before their bodies are lowered: they call each other.
static void lower_functions(struct lower *l)
{
	const struct program *program = l->program;

	l->func_index = sp_arena_array(&l->unit->arena, uint32_t, program->functions.n);
	for (size_t i = 0; i < program->functions.n; i++) {
		const struct function *f = program->functions.v[i];
		enum ir_type type = lower_type(f->return_type);
		struct ir_func *r;
		l->func_index[i] = UINT32_MAX;
		if (!f->is_used || !f->body)
			continue;
		if (f->return_type == TYPE_UNKNOWN)
			type = IR_VOID;
		l->func_index[i] = (uint32_t)l->unit->funcs.n;
		r = ir_func_new(l->unit, f->name, type,
				type == IR_STR ? lower_cap(l, f->return_cap) : 0);
		r->n_params = f->n_params;
		r->is_recursive = f->is_recursive;
		r->place = lower_place(l, f->decl ? f->decl->span : SPAN_NONE, "function '%s'",
				       f->name);
	}
	for (size_t i = 0; i < program->functions.n; i++)
		if (l->func_index[i] != UINT32_MAX)
			lower_function(l, program->functions.v[i],
				       &l->unit->funcs.v[l->func_index[i]]);
}

// ---- handlers -----------------------------------------------------------------------------------

// The program's section in the object, as libbpf reads it.
static const char *section(struct lower *l, const struct site *site)
{
	struct sp_arena *arena = &l->unit->arena;
	const char *symbol = site->symbol ? site->symbol : "";

	switch (site->kind) {
	case SP_SITE_KPROBE:
		return site->offset ? sp_arena_printf(arena, "kprobe/%s+0x%llx", symbol,
						      (unsigned long long)site->offset)
				    : sp_arena_printf(arena, "kprobe/%s", symbol);
	case SP_SITE_KRETPROBE:
		return sp_arena_printf(arena, "kretprobe/%s", symbol);
	case SP_SITE_FENTRY:
		return sp_arena_printf(arena, "fentry/%s", symbol);
	case SP_SITE_FEXIT:
		return sp_arena_printf(arena, "fexit/%s", symbol);
	case SP_SITE_UPROBE:
		return "uprobe";
	case SP_SITE_URETPROBE:
		return "uretprobe";
	case SP_SITE_RAW_TP:
		return sp_arena_printf(arena, "raw_tp/%s", symbol);
	case SP_SITE_TP: {
		char *name = sp_arena_printf(arena, "tp/%s", symbol), *colon = strchr(name, ':');
		if (colon)
			*colon = '/';
		return name;
	}
	case SP_SITE_PERF:
	case SP_SITE_WATCH:
		return "perf_event";
	case SP_SITE_BEGIN:
	case SP_SITE_END:
	case SP_SITE_ERROR:
	case SP_SITE_TIMER:
	case SP_SITE_KIND_COUNT: break;
	}
	return "";
}

// "ksys_read_3": what bpftool shows begins with what is probed.
static const char *prog_name(struct lower *l, const struct site *site)
{
	static const char *const families[] = { "begin", "end", "error", "timer" };
	const char *from = site->function && site->function[0] ? site->function :
			   (unsigned)site->kind < SP_ARRAY_SIZE(families) ? families[site->kind] :
			   site->symbol ? site->symbol : "probe";
	char *name = sp_arena_printf(&l->unit->arena, "%.40s_%zu", from, l->unit->progs.n);

	make_identifier(name);
	if (isdigit((unsigned char)name[0]))
		name[0] = '_';
	return name;
}

static const char *text(struct lower *l, const char *s)
{
	return s ? sp_arena_strdup(&l->unit->arena, s) : "";
}

static void add_site(struct lower *l, const struct site *site)
{
	sp_vec_push(&l->unit->sites, (struct ir_site){
		.kind = site->kind,
		.optional = site->optional,
		.is_process = site->is_process,
		.point = text(l, site->point),
		.name = site->name ? text(l, site->name) : NULL,
		.function = text(l, site->function),
		.symbol = text(l, site->symbol),
		.why = text(l, site->why),
		.object = lower_object(l, site->module),
		.program = site->program ? lower_object(l, site->program) : UINT32_MAX,
		.offset = site->offset,
		.address = site->pc,
		.arg = site->arg,
		.arg2 = site->arg2,
	});
}

static bool is_user_space(const struct site *site)
{
	return site->kind == SP_SITE_UPROBE || site->kind == SP_SITE_URETPROBE || site->is_process;
}

// One program for the sites [first, first + n) of a handler.
static void lower_prog(struct lower *l, const struct handler *h, size_t first, size_t n)
{
	const struct site *site = h->sites.v[first];
	struct ir_prog *prog = ir_prog_new(l->unit, prog_name(l, site), h->prog_kind);
	size_t index = l->unit->progs.n - 1;
	struct lower_list list;
	bool user = l->opts->user_engine;

	prog->section = section(l, site);
	prog->place = lower_place(l, h->probe ? h->probe->span : SPAN_NONE, "%s", "");
	prog->first_site = (unsigned)l->unit->sites.n;
	prog->n_sites = (unsigned)n;
	for (size_t i = first; i < first + n; i++) {
		add_site(l, h->sites.v[i]);
		lower_bind_site(l, h->sites.v[i], prog->place);
		user = user && is_user_space(h->sites.v[i]);
	}
	prog->in_user = user || h->prog_kind == SP_PROG_USER;
	prog->in_kernel = h->prog_kind != SP_PROG_USER && !(l->opts->user_only && prog->in_user);
	prog->is_confined = is_user_space(site) || site->program;
	prog->program = site->program ? lower_object(l, site->program) : UINT32_MAX;
	if (prog->is_confined)
		ir_slot(l->unit, SP_FIX_CONFINED, prog->program, "");
	l->function = NULL;
	l->handler = h;
	l->site = site;
	l->sites = &h->sites.v[first];
	l->n_sites = (unsigned)n;
	l->reads_site = l->reads_floats = false;
	lower_list_begin(l, &list);
	add_locals(l, h->locals.v, h->locals.n);
	lower_stmt(l, h->body);
	prog = &l->unit->progs.v[index];
	prog->body = lower_list_end(l, &list);
	prog->reads_site = l->reads_site;
	prog->reads_floats = l->reads_floats;
	TAKE_LOCALS(l, prog);
}

static void find_own_site(void *ctx, struct ast_expr **place)
{
	bool *found = ctx;

	if ((*place)->kind == AST_RESOLVED && lower_needs_own_site((*place)->resolved))
		*found = true;
}

static void lower_handler(struct lower *l, const struct handler *h)
{
	// A trampoline program belongs to one function from its load on.
	bool apart = h->prog_kind == SP_PROG_FENTRY || h->prog_kind == SP_PROG_FEXIT;

	if (!h->sites.n) {
		lower_bug(l, h->probe ? h->probe->span : SPAN_NONE, "a handler without a site");
		return;
	}
	for (size_t i = 1; i < h->sites.n; i++)
		apart = apart || h->sites.v[i]->program != h->sites.v[0]->program ||
			is_user_space(h->sites.v[i]) != is_user_space(h->sites.v[0]);
	if (h->sites.n > 1 && !apart)
		tree_walk_stmt(h->body, find_own_site, &apart);
	for (size_t i = 0; i < h->sites.n; i += apart ? 1 : h->sites.n)
		lower_prog(l, h, i, apart ? 1 : h->sites.n);
}

struct ir_unit *ir_lower(const struct lower_opts *opts, const struct program *program)
{
	struct lower l = { .opts = opts, .program = program, .unit = ir_unit_create() };
	struct ir_unit *unit = l.unit;

	unit->script = sp_arena_strdup(&unit->arena, opts->script ? opts->script : "");
	unit->target = *opts->target;
	unit->max_string = (uint32_t)SP_ALIGN_UP(opts->max_string ? opts->max_string : 512, 8);
	unit->max_action = opts->max_action;
	unit->max_user_action = opts->max_user_action;
	unit->max_nesting = opts->max_nesting;
	unit->max_trylock = opts->max_trylock;
	unit->max_errors = opts->max_errors;
	unit->faults_are_zero = opts->faults_are_zero;
	unit->ring_size = RING_SIZE;
	l.abi = abi_find(unit->target.arch);
	lower_globals(&l);
	lower_embeds(&l);
	lower_functions(&l);
	for (size_t i = 0; i < program->handlers.n; i++)
		lower_handler(&l, program->handlers.v[i]);
	sp_vec_deinit(&l.modules);
	sp_vec_deinit(&l.locals);
	sp_vec_deinit(&l.local_index);
	return unit;
}
