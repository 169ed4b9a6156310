// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/program.h"
#include "compiler/sema/dump.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/tree.h"

#include <inttypes.h>
#include <stdlib.h>

void program_destroy(struct program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->functions.n; i++)
		sp_vec_deinit(&program->functions.v[i]->locals);
	for (size_t i = 0; i < program->handlers.n; i++) {
		sp_vec_deinit(&program->handlers.v[i]->locals);
		sp_vec_deinit(&program->handlers.v[i]->sites);
	}
	sp_vec_each(embed, &program->embeds)
		embed_destroy(*embed);
	sp_vec_deinit(&program->embeds);
	sp_vec_deinit(&program->counters);
	sp_vec_deinit(&program->globals);
	sp_vec_deinit(&program->left_out);
	sp_vec_deinit(&program->functions);
	sp_vec_deinit(&program->handlers);
	sp_arena_deinit(&program->arena);
	free(program);
}

const struct perf_counter *program_counter(const struct program *program, const char *name)
{
	sp_vec_each(counter, &program->counters)
		if (sp_streq(counter->name, name))
			return counter;
	return NULL;
}

// ---- dump -----------------------------------------------------------------------------------------------------------

static void print_type(struct sp_buf *out, enum ast_type type, uint32_t cap)
{
	sp_buf_puts(out, ast_type_name(type));
	if (type == TYPE_STRING && cap)
		sp_buf_printf(out, "[%" PRIu32 "]", cap);
}

static void dump_global(struct sp_buf *out, const struct global *g)
{
	sp_buf_printf(out, "global %s", g->name);
	if (g->is_array) {
		sp_buf_putc(out, '[');
		for (unsigned i = 0; i < g->n_keys; i++) {
			sp_buf_puts(out, i ? ", " : "");
			print_type(out, g->key_types ? g->key_types[i] : TYPE_UNKNOWN,
				   g->key_caps ? g->key_caps[i] : 0);
		}
		sp_buf_putc(out, ']');
	}
	sp_buf_puts(out, ": ");
	print_type(out, g->type, g->cap);
	if (g->init) {
		sp_buf_puts(out, " = ");
		dump_expr(out, g->init);
	}
	if (g->size)
		sp_buf_printf(out, " size %" PRId64, g->size);
	sp_buf_printf(out, "%s%s%s%s\n", g->wraps ? " wraps" : g->forgets ? " forgets" : "", g->is_private ? " private" : "",
		      g->is_read ? " read" : "", g->is_written ? " written" : "");
}

static void dump_local(struct sp_buf *out, const struct local *local, const char *what)
{
	sp_buf_printf(out, "\t%s %s: ", what, local->name);
	print_type(out, local->type, local->cap);
	if (local->c_type) {
		sp_buf_puts(out, " -> ");
		c_type_print(out, local->c_type);
	}
	sp_buf_putc(out, '\n');
}

static void dump_function(struct sp_buf *out, const struct function *f)
{
	sp_buf_printf(out, "function %s: ", f->name);
	print_type(out, f->return_type, f->return_cap);
	sp_buf_printf(out, "%s\n", f->is_recursive ? " recursive" : "");
	for (size_t i = 0; i < f->locals.n; i++)
		dump_local(out, f->locals.v[i], i < f->n_params ? "param" : "local");
	dump_stmt(out, f->body, 1);
}

static const char *prog_kind_name(enum sp_prog_kind kind)
{
	static const char *const names[] = { "user",   "regs", "fentry", "fexit",
					     "raw_tp", "typed_tp", "tp", "perf" };

	return (size_t)kind < SP_ARRAY_SIZE(names) ? names[kind] : "unknown";
}

static void dump_handler(struct sp_buf *out, const struct handler *h)
{
	sp_buf_printf(out, "handler %s%s\n", prog_kind_name(h->prog_kind), h->is_return ? " return" : "");
	for (size_t i = 0; i < h->sites.n; i++) {
		const struct site *site = h->sites.v[i];

		sp_buf_printf(out, "\tsite %s%s", site->point, site->optional ? " optional" : "");
		if (site->kind == SP_SITE_TIMER)
			sp_buf_printf(out, " every %" PRId64 " ns +- %" PRId64, site->args.timer.period,
				      site->args.timer.deviation);
		if (*site->why)
			sp_buf_printf(out, " (%s)", site->why);
		sp_buf_putc(out, '\n');
	}
	for (size_t i = 0; i < h->locals.n; i++)
		dump_local(out, h->locals.v[i], "local");
	dump_stmt(out, h->body, 1);
}

void program_dump(struct sp_buf *out, const struct program *program)
{
	for (size_t i = 0; i < program->globals.n; i++)
		dump_global(out, program->globals.v[i]);
	for (size_t i = 0; i < program->functions.n; i++)
		dump_function(out, program->functions.v[i]);
	for (size_t i = 0; i < program->handlers.n; i++)
		dump_handler(out, program->handlers.v[i]);
}
