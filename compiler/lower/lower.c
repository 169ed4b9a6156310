// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower.h"

#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_embed.h"
#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_local.h"
#include "compiler/lower/lower_portable.h"
#include "compiler/lower/lower_prog.h"
#include "compiler/lower/lower_rest.h"
#include "compiler/lower/lower_stat.h"
#include "compiler/lower/lower_stmt.h"
#include "runtime/base/cleanup.h"
#include "compiler/lower/merge.h"
#include "compiler/lower/unify.h"

#define RING_SIZE (1u << 20) // bytes of the ring buffer from kernel to runtime: several thousand records

// ---- globals and arrays -------------------------------------------------------------------------

// A name for a map that the kernel accepts: 15 of [A-Za-z0-9_.]. Names with spile_ are reserved for maps of the compiler. `taken`
// has the names there are, each with the last number that was tried behind it.
static const char *map_name(struct ir_unit *unit, const char *label, struct sp_hash *taken)
{
	const char *base = sp_starts_with(label, "spile_") ? label + strlen("spile_") : label;
	char *name = sp_arena_strndup(&unit->arena, base, strnlen(base, 15));
	const char *first = name;
	uintptr_t number;

	lower_make_identifier(name);
	number = SP_MAX((uintptr_t)sp_hash_get(taken, name), (uintptr_t)1);
	while (sp_hash_get(taken, name) || !name[0]) {
		name = sp_arena_printf(&unit->arena, "%.10s_%u", base, (unsigned)++number);
		lower_make_identifier(name);
	}
	sp_hash_set(taken, name, (void *)(uintptr_t)1);
	sp_hash_set(taken, first, (void *)number);
	return name;
}

static const char *join_key_names(struct ir_unit *unit, const struct global *g)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf names = { 0 };
	bool any = false;

	for (unsigned i = 0; i < g->n_keys; i++) {
		any |= g->key_names[i] != NULL;
		sp_buf_printf(&names, "%s%s", i ? "," : "", g->key_names[i] ? g->key_names[i] : "");
	}
	return any ? sp_arena_strdup(&unit->arena, sp_buf_str(&names)) : NULL;
}

static bool is_shown_in_hex(const struct lower *l, enum ast_type type, const struct c_type *c_type)
{
	return type != TYPE_STRING && (l->opts->hex_unread || (c_type && c_type_strip(c_type)->kind == C_POINTER));
}

// What is written and never read is shown at the end. The library's own variables are of no use to who runs the script.
static bool is_displayed(const struct lower *l, const struct global *g)
{
	const struct source_file *file = g->span.file ? source_file(l->opts->sources, g->span.file) : NULL;

	return !l->opts->hide_unread && g->is_written && !g->is_read && !g->is_synthetic && (!file || file->kind == SOURCE_USER);
}

static void lower_array(struct lower *l, const struct global *g, struct sp_hash *names)
{
	struct ir_unit *unit = l->unit;
	struct ir_map map = { .label = sp_arena_strdup(&unit->arena, g->name), .kind = SP_MAP_HASH };

	map.name = map_name(unit, map.label, names);
	map.wraps = g->wraps;
	map.forgets = g->forgets;
	map.max_entries = g->size > 0 ? (uint32_t)SP_MIN(g->size, (int64_t)1 << 30)
				      : l->opts->max_map_entries;
	if (!map.max_entries)
		map.max_entries = 2048;
	map.is_unread = is_displayed(l, g);
	map.in_hex = map.is_unread && is_shown_in_hex(l, g->type, g->c_type);
	map.is_plain = map.is_unread && l->opts->plain_unread;
	map.is_private = g->is_synthetic;
	map.value_type = lower_type(g->type);
	map.value_size = map.value_type == IR_STR ? lower_room(l, g->cap) : 8;
	map.n_keys = g->n_keys;
	map.key_names = join_key_names(unit, g);
	map.keys = sp_arena_array(&unit->arena, struct ir_key, g->n_keys);
	for (unsigned i = 0; i < g->n_keys; i++) {
		struct ir_key *key = &map.keys[i];
		key->type = lower_type(g->key_types[i]);
		key->size = key->type == IR_STR ? lower_room(l, g->key_caps ? g->key_caps[i] : 0) : 8;
		key->offset = map.key_size;
		key->in_hex = map.is_unread && !map.is_plain && is_shown_in_hex(l, g->key_types[i], g->key_c_types[i]);
		map.key_size += key->size;
	}
	map.place = lower_place(l, g->span, "identifier", g->name);
	if (g->type == TYPE_STATS)
		lower_stat_map(l, g, &map);
	sp_vec_push(&unit->maps, map);
}

static void lower_scalar(struct lower *l, const struct global *g)
{
	struct ir_unit *unit = l->unit;
	struct ir_global r = { .name = sp_arena_strdup(&unit->arena, g->name),
			       .type = lower_type(g->type) };

	r.is_unread = is_displayed(l, g);
	r.in_hex = r.is_unread && is_shown_in_hex(l, g->type, g->c_type);
	r.is_private = g->is_synthetic;
	if (r.type == IR_STR) {
		r.cap = lower_room(l, g->cap);
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
	sp_cleanup(sp_hash_deinit) struct sp_hash map_names = { 0 };

	l->global_index = sp_arena_array(&l->unit->arena, uint32_t, program->globals.n);
	for (size_t i = 0; i < program->globals.n; i++) {
		const struct global *g = program->globals.v[i];
		bool is_map = g->is_array || g->type == TYPE_STATS;
		l->global_index[i] = (uint32_t)(is_map ? l->unit->maps.n : l->unit->globals.n);
		if (is_map)
			lower_array(l, g, &map_names);
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
					       .cap = type == IR_STR ? lower_room(l, local->cap) : 0 });
	}
}

// A string parameter is the caller's memory: a function that assigns it works on a copy.
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

// Hands the collected locals to the finished body, and empties the list for the next one.
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

// Lowers a function. Without a `return` its result is 0 or "".
static void lower_function(struct lower *l, const struct function *f)
{
	uint32_t index = lower_func(l, f);
	struct ir_func *r = &l->unit->funcs.v[index];
	bool has_result = r->type != IR_VOID;
	struct lower_list list;
	struct ir_stmt *end;

	l->function = f;
	lower_list_begin(l, &list);
	add_locals(l, f->locals.v, f->locals.n);
	copy_params(l, f);
	lower_stmt(l, f->body);
	if (has_result && !ends_in_return(list.head)) {
		end = ir_stmt_new(l->unit, IR_S_RETURN, IR_NO_PLACE);
		end->a = lower_zero(l, r->type);
		lower_emit(l, end);
	}
	r->body = lower_list_end(l, &list);
	TAKE_LOCALS(l, r);
	l->function = NULL;
}

static bool is_lowered(const struct function *f, const struct handler *handler)
{
	return f->handler == handler && f->is_used && f->body;
}

static void declare_function(struct lower *l, const struct function *f)
{
	enum ir_type type = f->return_type == TYPE_UNKNOWN ? IR_VOID : lower_type(f->return_type);
	struct ir_func *r;

	l->func_index[f->index] = (uint32_t)l->unit->funcs.n;
	r = ir_func_new(l->unit, f->name, type, type == IR_STR ? lower_room(l, f->return_cap) : 0);
	r->n_params = f->n_params;
	r->place = lower_place(l, f->decl ? f->decl->span : SPAN_NONE, "function", f->name);
	sp_vec_push(&l->copy_of, (const void *)f->copy_of);
}

// Lowers the functions from functions[first] on that are copies for `handler`; NULL: those that every handler can call. All
// are declared before the first body is lowered, as they can call each other.
static void lower_functions_of(struct lower *l, size_t first, const struct handler *handler)
{
	const struct program *program = l->program;

	for (size_t i = first; i < program->functions.n && (!handler || program->functions.v[i]->handler == handler); i++)
		if (is_lowered(program->functions.v[i], handler))
			declare_function(l, program->functions.v[i]);
	for (size_t i = first; i < program->functions.n && (!handler || program->functions.v[i]->handler == handler); i++)
		if (is_lowered(program->functions.v[i], handler))
			lower_function(l, program->functions.v[i]);
}

static void lower_functions(struct lower *l)
{
	l->func_index = sp_arena_array(&l->unit->arena, uint32_t, l->program->functions.n);
	for (size_t i = 0; i < l->program->functions.n; i++)
		l->func_index[i] = UINT32_MAX;
	lower_functions_of(l, 0, NULL);
}

// ---- handlers -------------------------------------------------------------------------------------------------------

static bool is_user_space(const struct site *site)
{
	return site->kind == SP_SITE_UPROBE || site->kind == SP_SITE_URETPROBE || site->is_process;
}

// What is known of the program before its body.
static void start_prog(struct lower *l, const struct handler *h, const struct site *site, struct ir_prog *prog)
{
	*prog = (struct ir_prog){ .kind = h->prog_kind, .deferral.rest = SP_NONE, .condition = h->condition };
	prog->place = lower_place(l, h->probe ? h->probe->span : SPAN_NONE, "", NULL);
	lower_bind_site(l, site, prog->place);
	prog->in_user = h->prog_kind == SP_PROG_USER || (l->opts->user_engine && is_user_space(site));
	prog->in_kernel = h->prog_kind != SP_PROG_USER && !(l->opts->user_only && prog->in_user);
	l->keeps_text = h->at_entry && prog->in_kernel;
	prog->is_confined = is_user_space(site) || site->program;
	prog->program = site->program ? lower_object(l, site->program) : SP_NONE;
	if (prog->is_confined)
		ir_fixup(l->unit, SP_FIX_CONFINED, prog->program, "");
}

static void lower_prog(struct lower *l, const struct handler *h, struct ir_prog *prog)
{
	struct lower_list list;

	l->reads_floats = false;
	l->compat_mask = IR_NO_LOCAL;
	lower_list_begin(l, &list);
	add_locals(l, h->locals.v, h->locals.n);
	lower_stmt(l, h->body);
	lower_find_compat(l, &list);
	prog->body = lower_list_end(l, &list);
	prog->reads_floats = l->reads_floats;
	TAKE_LOCALS(l, prog);
}

static size_t n_rows(const struct lower *l)
{
	const struct ir_unit *unit = l->unit;

	return unit->formats.n + unit->names.n + unit->places.n + unit->regexes.n + unit->fixups.n + unit->objects.n + l->n_bound;
}

// Lowers the handler at one site. When another site has equal IR, this one is freed at once: there may be thousands.
static void lower_at(struct lower *l, struct merge *merge, const struct handler *h, const struct site *site, size_t copies)
{
	struct instance in = { .handler = h, .site = site, .first_func = (uint32_t)l->unit->funcs.n };
	struct sp_arena_mark mark = sp_arena_mark(&l->unit->arena);
	size_t before = n_rows(l);

	l->handler = h;
	l->site = site;
	l->can_merge = in.can_merge = merge_is_possible(l, h, site);
	start_prog(l, h, site, &in.prog);
	if (merge_join(merge, &in))
		return;
	l->has_own_text = false;
	lower_functions_of(l, copies, h);
	in.n_funcs = (uint32_t)l->unit->funcs.n - in.first_func;
	lower_prog(l, h, &in.prog);
	in.has_own_text = l->has_own_text;
	if (merge_add(merge, &in) && n_rows(l) == before)
		sp_arena_rewind(&l->unit->arena, mark);
}

// Index of the handler's first copy of a function: copies are listed in the order of their handlers.
static size_t find_copies(const struct program *program, const struct handler *h, size_t from)
{
	size_t at = from;

	while (h->n_copies && at < program->functions.n && program->functions.v[at]->handler != h)
		at++;
	return at < program->functions.n ? at : from;
}

static void lower_handlers(struct lower *l)
{
	const struct program *program = l->program;
	struct merge merge;
	size_t copies = 0;

	merge_init(&merge, l);
	sp_vec_each(place, &program->handlers) {
		const struct handler *h = *place;

		if (!h->sites.n)
			lower_bug(l, h->probe ? h->probe->span : SPAN_NONE, "a handler without a site");
		copies = find_copies(program, h, copies);
		sp_vec_each(site, &h->sites)
			lower_at(l, &merge, h, *site, copies);
	}
	merge_finish(&merge);
	merge_deinit(&merge);
	lower_unify(l);
}

struct ir_unit *ir_lower(const struct lower_opts *opts, const struct program *program)
{
	struct lower l = { .opts = opts, .program = program, .unit = ir_unit_create() };
	struct ir_unit *unit = l.unit;

	unit->script = sp_arena_strdup(&unit->arena, opts->script ? opts->script : "");
	unit->target = *opts->target;
	unit->syscall_number = abi_find(opts->target->arch) ? abi_find(opts->target->arch)->syscall_number : 0;
	unit->max_string = (uint32_t)SP_ALIGN_UP(opts->max_string ? opts->max_string : 512, 8);
	unit->max_action = opts->max_action;
	unit->max_user_action = opts->max_user_action;
	unit->max_nesting = opts->max_nesting;
	unit->max_trylock = opts->max_trylock;
	unit->trylock_delay = opts->trylock_delay;
	unit->max_errors = opts->max_errors;
	unit->faults_are_zero = opts->faults_are_zero;
	unit->ring_size = RING_SIZE;
	l.abi = abi_find(unit->target.arch);
	lower_globals(&l);
	lower_embeds(&l);
	lower_functions(&l);
	lower_handlers(&l);
	lower_local_literals(unit);
	lower_rests(&l);
	sp_vec_deinit(&l.modules);
	sp_vec_deinit(&l.copy_of);
	sp_hash_deinit(&l.places);
	sp_vec_deinit(&l.locals);
	sp_vec_deinit(&l.local_index);
	return unit;
}
