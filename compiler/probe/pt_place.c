// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/pt_place.h"

#include "compiler/probe/pattern.h"
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"

#include <stdlib.h>
#include <unistd.h>

// function("NAME+BYTES"), without more, or with .call, which is the same there.
static bool has_offset(const struct ast_point *point)
{
	const struct ast_point_part *part = point_part(point, "function"), *last = &point->parts[point->n_parts - 1];

	return part && (part == last || (part + 1 == last && sp_streq(last->name, "call"))) && part->arg->kind == AST_STRING &&
	       pattern_offset(part->arg->string.text);
}

bool place_matches(const struct ast_point *point)
{
	return point_part(point, "statement") || point_part(point, "label") || has_offset(point);
}

// ---- sites ----------------------------------------------------------------------------------------------------------

static void set_text(struct search *s, struct site *site, const struct dbg_place *place)
{
	struct sp_buf text = { 0 };
	unsigned used = 2; // components of the point that are in the text

	if (!place) {
		sp_buf_printf(&text, "%s.statement(%#llx)", s->prefix, (unsigned long long)site->pc);
	} else {
		sp_buf_printf(&text, "%s.%s(\"", s->prefix, place->label ? "function" : "statement");
		func_print_place(&text, place->func, place->file, place->line);
		sp_buf_puts(&text, "\")");
	}
	if (place && place->label) {
		sp_buf_printf(&text, ".label(\"%s\")", place->label);
		used++;
	}
	point_print_rest(&text, s->point, used);
	site->point = point_take(s->env, &text);
}

static void use_symbol(struct site *site, const struct dbg_place *place)
{
	site->symbol = place->symbol;
	site->args.kernel.offset = place->symbol_off;
}

static void add_place(struct search *s, const struct dbg_place *place)
{
	bool is_entry = place->pc == place->func->entry_pc;
	struct site *site;

	if (search_forbids(s, place->func))
		return;
	site = func_add_site(s, place->func, place->pc + (is_entry ? place->func->check_size : 0));
	if (!site)
		return;
	if (site->space == SPACE_KERNEL && place->symbol)
		use_symbol(site, place);
	set_text(s, site, place);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static unsigned distance(unsigned line, unsigned wanted)
{
	return line > wanted ? line - wanted : wanted - line;
}

// The places whose line is the nearest to `wanted`; of two that are equally near, the later line.
static unsigned nearest_line(const struct dbg_places *places, unsigned wanted)
{
	unsigned best = 0;

	for (unsigned i = 0; i < places->n; i++) {
		unsigned line = places->v[i].line;
		if (!best || distance(line, wanted) < distance(best, wanted) ||
		    (distance(line, wanted) == distance(best, wanted) && line > best))
			best = line;
	}
	return best;
}

static int by_line(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

// "...; probes can be set at lines 451, 454 and 455": around the one that was asked for.
static const char *explain_lines(struct search *s, unsigned wanted, const struct dbg_places *all)
{
	SP_VEC(unsigned) lines = { 0 };
	const struct dbg_func *func = all->v[0].func;
	struct sp_buf text = { 0 };
	size_t n = 0, at = 0, first;

	for (unsigned i = 0; i < all->n; i++)
		sp_vec_push(&lines, all->v[i].line);
	qsort(lines.v, lines.n, sizeof(*lines.v), by_line);
	for (size_t i = 0; i < lines.n; i++)
		if (!n || lines.v[i] != lines.v[n - 1])
			lines.v[n++] = lines.v[i];
	while (at < n && lines.v[at] < wanted)
		at++;
	first = at > 2 ? at - 2 : 0;
	sp_buf_printf(&text, "no code of %s begins at line %u of %s\ncode begins at line", func->name, wanted,
		      all->v[0].file);
	for (size_t i = first; i < n && i < first + 4; i++)
		sp_buf_printf(&text, "%s %u", i == first ? "" : i + 1 == n || i + 1 == first + 4 ? " and" : ",",
			      lines.v[i]);
	sp_vec_deinit(&lines);
	return point_take(s->env, &text);
}

// Those at one line; line 0: all.
static void add_places(struct search *s, const struct dbg_places *places, unsigned line)
{
	for (unsigned i = 0; i < places->n; i++)
		if (!line || places->v[i].line == line)
			add_place(s, &places->v[i]);
}

static bool find_lines(struct search *s, const struct dbg_line_query *query, struct dbg_places *ret)
{
	struct sp_err *err = dbg_find_lines(s->module, query, ret);

	if (err)
		point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
	return !err;
}

static bool resolve_lines(struct search *s, const struct pattern *pattern)
{
	bool nearest = point_part(s->point, "nearest") != NULL;
	struct dbg_line_query query = {
		.func = pattern->name,
		.file = pattern->file,
		.is_relative = pattern->kind == PATTERN_RELATIVE,
		.lines = pattern->lines,
		.n_lines = nearest ? 0 : pattern->n_lines,
	};
	struct dbg_places places = { 0 };
	unsigned wanted;

	if (!find_lines(s, &query, &places))
		return false;
	if (places.n && !(nearest && pattern->n_lines)) {
		add_places(s, &places, 0);
		return true;
	}
	if (!query.n_lines && !places.n)
		return true;
	query.n_lines = 0;
	if (!places.n && !find_lines(s, &query, &places))
		return false;
	if (!places.n)
		return true;
	wanted = pattern->lines[0].first + (query.is_relative ? places.v[0].func->line : 0);
	if (nearest)
		add_places(s, &places, nearest_line(&places, wanted));
	else
		*s->why_ret = explain_lines(s, wanted, &places);
	return true;
}

static bool has_text(const struct dbg_text *source, unsigned line, const struct pattern *pattern)
{
	return line && line <= source->n && pattern_fits_line(pattern, source->lines[line - 1]);
}

// A line of the source that has the text, though no code begins there; 0: none.
static unsigned line_without_code(const struct dbg_text *source, const struct pattern *pattern, const struct dbg_places *places)
{
	unsigned last = 0;

	for (unsigned i = 0; i < places->n; i++)
		last = SP_MAX(last, places->v[i].line);
	for (unsigned line = places->v[0].func->line; line <= last; line++)
		if (has_text(source, line, pattern))
			return line;
	return 0;
}

static bool resolve_text(struct search *s, const struct pattern *pattern)
{
	struct dbg_line_query query = { .func = pattern->name, .file = pattern->file };
	struct dbg_places places = { 0 };
	const struct dbg_text *source;
	bool is_found = false;
	unsigned line;

	if (!find_lines(s, &query, &places))
		return false;
	for (unsigned i = 0; i < places.n; i++) {
		const struct dbg_place *place = &places.v[i];

		if (!has_text(dbg_text(place->func, place->file), place->line, pattern))
			continue;
		add_place(s, place);
		is_found = true;
	}
	if (is_found || !places.n)
		return true;
	source = dbg_text(places.v[0].func, places.v[0].file);
	line = line_without_code(source, pattern, &places);
	if (!source->is_there)
		*s->why_ret = sp_arena_printf(s->env->arena, "the source file %s is %s\n--source DIR says where sources are", source->path,
					   access(source->path, F_OK) ? "not there" : "no file that can be read");
	else if (line && point_part(s->point, "nearest"))
		add_places(s, &places, nearest_line(&places, line));
	else if (line)
		*s->why_ret = explain_lines(s, line, &places);
	else
		*s->why_ret = sp_arena_printf(s->env->arena, "no line of %s is like that in %s\nthe text is that of the whole line, "
					   "but for blanks; `*` stands for any text", places.v[0].func->name, source->path);
	return true;
}

// ---- whole functions, labels, addresses -----------------------------------------------------------------------------

static bool find_funcs(struct search *s, const struct pattern *pattern, struct dbg_funcs *ret)
{
	struct dbg_func_query query = { .name = pattern->name, .file = pattern->file, .calls = true, .inlines = true };
	struct sp_err *err = dbg_find_funcs(s->module, &query, ret);

	if (!err)
		return true;
	point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
	return false;
}

// statement("f"): its first instruction.
static bool resolve_entries(struct search *s, const struct pattern *pattern)
{
	struct dbg_funcs funcs = { 0 };

	if (!find_funcs(s, pattern, &funcs))
		return false;
	for (unsigned i = 0; i < funcs.n; i++) {
		const struct dbg_func *func = funcs.v[i];
		struct dbg_place place = {
			.func = funcs.v[i], .pc = func->entry_pc, .file = func->file, .line = func->line,
			.symbol = func->symbol, .symbol_off = func->symbol_off,
		};
		add_place(s, &place);
	}
	return true;
}

static bool resolve_labels(struct search *s, const struct pattern *pattern)
{
	const char *label = point_part(s->point, "label")->arg->string.text;
	struct dbg_funcs funcs = { 0 };
	struct dbg_places places;
	struct sp_buf names = { 0 };

	if (!find_funcs(s, pattern, &funcs))
		return false;
	for (unsigned i = 0; i < funcs.n; i++) {
		dbg_find_labels(funcs.v[i], label, &places);
		for (unsigned k = 0; k < places.n; k++)
			add_place(s, &places.v[k]);
		if (places.n)
			continue;
		dbg_find_labels(funcs.v[i], "*", &places);
		for (unsigned k = 0; k < places.n; k++)
			sp_buf_printf(&names, "%s %s", names.len ? "," : "", places.v[k].label);
	}
	if (funcs.n)
		*s->why_ret = names.len ? sp_arena_printf(s->env->arena, "the labels there are%s", sp_buf_str(&names)) :
		      s->module->source != DBG_DWARF ? func_explain_no_match(s->env, s->module, &(struct dbg_func_query){ .name = "" }) :
				       "the function has no label that code is left of";
	sp_buf_deinit(&names);
	return true;
}

// Is the address in the function, at an instruction? Where the kernel's code cannot be read, the kernel looks when the probe is set; in
// a program it would put a breakpoint into the middle of one. False: *s->why_ret says why.
static bool begins_instruction(struct search *s, const struct dbg_func *func, uint64_t pc, uint64_t offset)
{
	unsigned long long bytes = offset, size = func->high_pc - func->entry_pc;
	uint64_t start;

	if (func->high_pc > func->entry_pc && offset >= size) {
		*s->why_ret = sp_arena_printf(s->env->arena, "%s has %llu bytes", func->name, size);
		return false;
	}
	bool is_known = dbg_insn_at(func->module, func->entry_pc, pc, &start);
	if (is_known ? start == pc : func->module->is_kernel)
		return true;
	if (!is_known)
		*s->why_ret = sp_arena_printf(s->env->arena, "where the instructions of %s begin cannot be found out", func->name);
	else
		*s->why_ret = sp_arena_printf(s->env->arena, "%s+%#llx is in the middle of an instruction\nit begins at %s+%#llx",
					      func->name, bytes, func->name, (unsigned long long)(start - func->entry_pc));
	return false;
}

static void add_offset(struct search *s, struct dbg_func *func, uint64_t offset)
{
	uint64_t pc = func->entry_pc ? func->entry_pc + offset : 0;
	struct sp_buf text = { 0 };
	struct site *site;

	if (search_forbids(s, func) || !begins_instruction(s, func, pc, offset))
		return;
	// BTF tells where the parameters are at the entry, and nothing of what comes behind it.
	if (s->module->source != DBG_DWARF && offset) {
		func = sp_arena_memdup(s->env->arena, func, sizeof(*func));
		func->scope = NULL;
	}
	site = func_add_site(s, func, pc);
	if (!site)
		return;
	if (site->space == SPACE_KERNEL)
		site->args.kernel.offset = func->symbol_off + offset;
	sp_buf_printf(&text, "%s.function(\"", s->prefix);
	func_print_place(&text, func, NULL, 0);
	sp_buf_printf(&text, "+%#llx\")", (unsigned long long)offset);
	point_print_rest(&text, s->point, 2);
	site->point = point_take(s->env, &text);
}

static bool resolve_offset(struct search *s, const struct pattern *pattern)
{
	struct dbg_func_query query = { .name = pattern->name, .file = pattern->file, .calls = true };
	struct dbg_funcs funcs = { 0 };
	struct sp_err *err = dbg_find_funcs(s->module, &query, &funcs);

	if (err) {
		point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	for (unsigned i = 0; i < funcs.n; i++)
		add_offset(s, funcs.v[i], pattern->offset);
	return true;
}

// What `.absolute` names need not be a function that is known.
static struct dbg_func *bare_address(struct search *s, uint64_t addr)
{
	struct dbg_func *func = sp_arena_new(s->env->arena, struct dbg_func);

	func->module = s->module;
	func->name = func->linkage_name = "";
	func->entry_pc = func->low_pc = func->high_pc = func->body_pc = addr;
	return func;
}

// A breakpoint in the middle of an instruction would make another one of it. False: *s->why_ret says so.
static bool begins_statement(struct search *s, const struct dbg_place *place)
{
	unsigned long long pc = place->pc;
	uint64_t start;

	if (place->pc == place->func->entry_pc || (place->symbol && !place->symbol_off))
		return true;
	if (!dbg_statement_at(s->module, place->pc, &start)) {
		*s->why_ret = sp_arena_printf(s->env->arena, "nothing says where the instructions of %s begin, which %#llx is in\n"
					   "`.absolute` takes it nevertheless", place->func->name, pc);
		return false;
	}
	if (start != place->pc)
		*s->why_ret = sp_arena_printf(s->env->arena, "%#llx is in the middle of a statement of %s\n"
					   "the statement begins at %#llx, where `.nearest` sets the probe", pc, place->func->name,
					   (unsigned long long)start);
	return start == place->pc;
}

static bool resolve_address(struct search *s, uint64_t addr)
{
	bool is_raw = point_part(s->point, "absolute") != NULL, found = false;
	struct dbg_place place = { 0 };
	struct site *site;
	struct sp_err *err;

	if (point_part(s->point, "nearest"))
		dbg_statement_at(s->module, addr, &addr);
	// The kernel's own addresses: where it is in memory is not where its debug information has it (KASLR).
	err = is_raw && s->module->is_kernel ? NULL : dbg_place_at(s->module, addr, &place, &found);
	if (err) {
		point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	if (found && search_forbids(s, place.func))
		return true;
	if (!found && !is_raw) {
		*s->why_ret = sp_arena_printf(s->env->arena, "no function of %s is at that address", s->module->name);
		return true;
	}
	if (!is_raw && !begins_statement(s, &place))
		return true;
	site = func_add_site(s, found ? place.func : bare_address(s, addr), addr);
	if (!site && s->forbidden.n)
		return true;
	if (!site) {
		*s->why_ret = sp_arena_printf(s->env->arena, "%s has no code at that address", s->module->name);
		return true;
	}
	if (site->space == SPACE_KERNEL && is_raw) {
		site->symbol = "";
		site->args.kernel.offset = 0;
		site->args.kernel.address = addr;
	} else if (site->space == SPACE_KERNEL && place.symbol) {
		use_symbol(site, &place);
	}
	set_text(s, site, NULL);
	return true;
}

bool place_resolve(struct search *s)
{
	const struct ast_point_part *part = point_part(s->point, "statement");
	size_t n_before = s->sites->list.n + s->forbidden.n;
	struct pattern pattern;
	bool ok;

	if (!part)
		part = point_part(s->point, "function");
	if (part->arg->kind == AST_NUMBER)
		return resolve_address(s, s->address ? s->address : (uint64_t)part->arg->number);
	if (!pattern_parse(s->env, part, &pattern))
		return false;
	if (point_part(s->point, "label"))
		ok = resolve_labels(s, &pattern);
	else if (pattern.kind == PATTERN_OFFSET)
		ok = resolve_offset(s, &pattern);
	else if (pattern.kind == PATTERN_TEXT)
		ok = resolve_text(s, &pattern);
	else if (pattern.kind == PATTERN_NO_LINE)
		ok = resolve_entries(s, &pattern);
	else
		ok = resolve_lines(s, &pattern);
	if (ok && s->sites->list.n + s->forbidden.n == n_before && !*s->why_ret && !s->point->optional && !s->point->sufficient)
		*s->why_ret = func_explain_no_match(s->env, s->module, &(struct dbg_func_query){ .name = pattern.name,
												   .file = pattern.file });
	return ok;
}
