// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/point.h"
#include "compiler/front/habit.h"
#include "compiler/model/similar.h"
#include "compiler/probe/point_util.h"
#include "runtime/base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>

static const struct point_family *const families[] = {
	&pt_kernel, &pt_kprobe, &pt_usdt, &pt_plt, &pt_life, &pt_process_data, &pt_process, &pt_trace, &pt_syscall, &pt_data, &pt_sample, &pt_perf, &pt_timer, &pt_iter, &pt_bpf, &pt_lsm, &pt_netfilter, &pt_procfs, &pt_cache, &pt_self,
	NULL,
};

static const struct absent {
	const char *what; // as diagnostics call it
	const char *why; // and what to do instead
	const char *patterns; // as those of a family
} absent[] = {
#define UNSUPPORTED(what, why, patterns) { what, why, patterns },
#include "compiler/probe/unsupported.def"
#undef UNSUPPORTED
};

// ---- patterns -------------------------------------------------------------------------------------------------------

// Goes through the patterns of all families, then through those that no family has.
struct pattern_iter {
	unsigned family, absent;
	const char *line; // of the patterns; NULL: not begun
};

// The next line of `patterns`; NULL: that was the last.
static const char *next_line(struct pattern_iter *it, const char *patterns)
{
	if (!it->line)
		it->line = patterns;
	else if (*(it->line += strcspn(it->line, "\n")))
		it->line++;
	if (*it->line)
		return it->line;
	it->line = NULL;
	return NULL;
}

// A pattern, up to its line's end; NULL: that was all. *of_ret: NULL, or the row of one that no family has.
static const char *next_pattern(struct pattern_iter *it, const struct absent **of_ret)
{
	const char *line;

	*of_ret = NULL;
	for (; families[it->family]; it->family++)
		if ((line = next_line(it, families[it->family]->patterns)))
			return line;
	for (; it->absent < SP_ARRAY_SIZE(absent); it->absent++) {
		*of_ret = &absent[it->absent];
		if ((line = next_line(it, absent[it->absent].patterns)))
			return line;
	}
	return NULL;
}

struct pattern_part {
	const char *name;
	int len;
	enum { ARG_NONE, ARG_STRING, ARG_NUMBER } arg;
};

// The next component of a pattern, up to '.' or the line's end. False at the end.
static bool next_part(const char **at, struct pattern_part *ret)
{
	const char *p = *at;

	if (*p == '\n' || *p == '\0')
		return false;
	ret->name = p;
	ret->len = (int)strcspn(p, ".(\n");
	ret->arg = ARG_NONE;
	p += ret->len;
	if (*p == '(') {
		ret->arg = p[1] == 's' ? ARG_STRING : ARG_NUMBER;
		p += strcspn(p, ")") + 1;
	}
	*at = *p == '.' ? p + 1 : p;
	return true;
}

static bool name_fits(const struct pattern_part *part, const char *name)
{
	char buf[64];

	if (part->len == 1 && part->name[0] == '*')
		return true;
	if (part->len >= (int)sizeof(buf))
		return false;
	memcpy(buf, part->name, (size_t)part->len);
	buf[part->len] = '\0';
	return sp_glob_match(name, buf);
}

static bool arg_fits(const struct pattern_part *part, const struct ast_expr *arg)
{
	switch (part->arg) {
	case ARG_NONE:
		return !arg;
	case ARG_STRING:
		return arg && arg->kind == AST_STRING;
	case ARG_NUMBER:
		return arg && arg->kind == AST_NUMBER;
	}
	return false;
}

// The component of the point that stands where a pattern has its i-th one: `**` at the end is any number of them. NULL: none does.
static const struct ast_point_part *part_at(const struct ast_point *point, unsigned i)
{
	const struct ast_point_part *last = &point->parts[point->n_parts - 1];

	if (i < point->n_parts)
		return &point->parts[i];
	return sp_streq(last->name, "**") ? last : NULL;
}

static bool fits(const struct ast_point *point, const char *line)
{
	struct pattern_part part;
	unsigned i = 0;

	for (const struct ast_point_part *at; next_part(&line, &part); i++) {
		at = part_at(point, i);
		if (!at || !name_fits(&part, at->name) || !arg_fits(&part, at->arg))
			return false;
	}
	return i >= point->n_parts;
}

// Does a pattern of the table fit? `absent_ret`: what it is one of, or NULL.
static bool has_pattern(const struct ast_point *point, const struct absent **absent_ret)
{
	struct pattern_iter it = { 0 };
	const char *line;

	while ((line = next_pattern(&it, absent_ret)))
		if (fits(point, line))
			return true;
	return false;
}

// What is near to a point that no pattern of the table fits.
struct match {
	unsigned depth; // components that fit, of the pattern that fits best
	bool name_only; // the component at `depth` fits by name, but its argument does not
	struct similar similar; // names that could stand at `depth`
	struct sp_arena *arena;
	char expected[256]; // pattern that fits by name, for the argument
};

static void match_line(struct match *m, const struct ast_point *point, const char *line)
{
	const char *at = line;
	struct pattern_part part;
	unsigned i = 0;

	while (next_part(&at, &part)) {
		bool name_fit = i < point->n_parts && name_fits(&part, point->parts[i].name);

		if (name_fit && arg_fits(&part, point->parts[i].arg)) {
			i++;
			continue;
		}
		if (i > m->depth) {
			m->depth = i;
			m->name_only = false;
			if (i < point->n_parts)
				similar_init(&m->similar, point->parts[i].name);
		}
		if (i == m->depth && name_fit && !m->name_only) {
			int len = (int)strcspn(line, "\n");

			m->name_only = true;
			snprintf(m->expected, sizeof(m->expected), "%.*s", len, line);
		}
		if (i == m->depth && i < point->n_parts)
			similar_try(&m->similar,
				    sp_arena_strndup(m->arena, part.name, (size_t)part.len));
		return;
	}
	if (i > m->depth) {
		m->depth = i;
		m->name_only = false;
		similar_init(&m->similar, point->parts[i].name);
	}
}

static void match_all(struct match *m, const struct ast_point *point)
{
	struct pattern_iter it = { 0 };
	const struct absent *of;
	const char *line;

	similar_init(&m->similar, point->parts[0].name);
	while ((line = next_pattern(&it, &of)))
		match_line(m, point, line);
}

const char *point_unreadable_reg(const struct point_env *env, const struct site *site, int64_t dwarf)
{
	const struct abi *abi = site->module && site->module->abi ? site->module->abi : abi_find(env->target->arch);
	enum reg_access access = abi ? reg_readable(abi, SP_PROG_REGS, site->space, dwarf) : REG_NOT_SAVED;
	const struct abi_bank *bank = abi ? abi_bank_dwarf(abi, dwarf) : NULL;

	if (access == REG_READABLE || (access == REG_BY_USER_ENGINE && env->user_engine_only))
		return NULL;
	if (bank)
		return sp_arena_printf(env->arena, "%%%s%d, which the kernel's probes cannot read%s", bank->name,
				       (int)dwarf - bank->dwarf, access == REG_BY_USER_ENGINE ? " (those of --engine=user can)" : "");
	return sp_arena_printf(env->arena, "DWARF register %lld, which probes cannot read", (long long)dwarf);
}

bool point_is_other_name(const struct ast_point *point)
{
	return point_part(point, "named") != NULL;
}

bool point_is_family(const char *name)
{
	struct pattern_iter it = { 0 };
	const struct absent *of;
	const char *line;

	while ((line = next_pattern(&it, &of))) {
		struct pattern_part first;

		if (next_part(&line, &first) && name_fits(&first, name))
			return true;
	}
	return false;
}

void point_try_names(struct sp_arena *arena, struct similar *similar)
{
	struct pattern_iter it = { 0 };
	const struct absent *of;
	const char *line;

	while ((line = next_pattern(&it, &of))) {
		struct pattern_part first;

		if (next_part(&line, &first))
			similar_try(similar, sp_arena_strndup(arena, first.name, (size_t)first.len));
	}
}

// Is `line` a longer point that begins as this one does? Then what stands behind that.
static bool goes_on(const struct ast_point *point, const char *line, struct pattern_part *ret)
{
	for (unsigned i = 0; i < point->n_parts; i++)
		if (!next_part(&line, ret) || !name_fits(ret, point->parts[i].name) || !arg_fits(ret, point->parts[i].arg))
			return false;
	return next_part(&line, ret);
}

// ".begin, .function(...) or .mark(...)": what may stand behind a point that is not complete.
static const char *followers(struct sp_arena *arena, const struct ast_point *point)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf ret = { 0 }, last = { 0 };
	struct pattern_iter it = { 0 };
	const struct absent *of;
	struct pattern_part part;
	const char *line;

	while ((line = next_pattern(&it, &of))) {
		char text[64];

		if (of || !goes_on(point, line, &part))
			continue;
		snprintf(text, sizeof(text), ".%.*s%s", part.len, part.name, part.arg == ARG_NONE ? "" : "(...)");
		if (sp_streq(text, sp_buf_str(&last)) || strstr(sp_buf_str(&ret), text))
			continue;
		if (last.len)
			sp_buf_printf(&ret, "%s%s", ret.len ? ", " : "", sp_buf_str(&last));
		sp_buf_clear(&last);
		sp_buf_puts(&last, text);
	}
	if (last.len)
		sp_buf_printf(&ret, "%s%s", ret.len ? " or " : "", sp_buf_str(&last));
	return sp_arena_strdup(arena, sp_buf_str(&ret));
}

static const char *habit_behind(const struct ast_point *head, const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf whole = { 0 };
	const char *ret;

	sp_buf_printf(&whole, "%s.%s", head->parts[0].name, name);
	ret = head->n_parts == 1 ? habit_part(sp_buf_str(&whole)) : NULL;
	return ret ? ret : habit_part(name);
}

static void report_unknown(struct point_env *env, const struct ast_point *point)
{
	struct match match = { .arena = env->arena }, *m = &match;
	struct sp_buf prefix = { 0 };
	struct ast_point head = { .parts = point->parts };
	const char *text, *habit = NULL;
	struct diag *d;

	match_all(m, point);
	head.n_parts = m->depth;
	text = similar_text(&m->similar, env->arena);
	ast_print_point(&prefix, &head);
	if (m->depth == point->n_parts) {
		d = diag(env->dc, point->span, DIAG_POINT_UNKNOWN,
			 "the probe point '%s' is not complete", sp_buf_str(&prefix));
		text = NULL;
	} else if (m->name_only) {
		d = diag(env->dc, point->parts[m->depth].span, DIAG_POINT_VALUE,
			 "'%s' takes another argument here", point->parts[m->depth].name);
		diag_hint(env->dc, d, "the form is %s", m->expected);
		text = NULL;
	} else {
		const char *name = point->parts[m->depth].name;

		if (m->depth)
			d = diag(env->dc, point->parts[m->depth].span, DIAG_POINT_UNKNOWN,
				 "'%s' cannot stand behind '%s'", name, sp_buf_str(&prefix));
		else
			d = diag(env->dc, point->parts[0].span, DIAG_POINT_UNKNOWN,
				 "there is no probe point '%s'", name);
		habit = m->depth ? habit_behind(&head, name) : NULL;
	}
	if (habit)
		diag_hint(env->dc, d, "here that is %s", habit);
	else if (text)
		diag_hint(env->dc, d, "did you mean %s?", text);
	else if (point->n_parts > 1 && sp_streq(point->parts[point->n_parts - 1].name, "*"))
		diag_hint(env->dc, d, "* at the end is one component of a name, ** is any number of them");
	else if (m->depth && !m->name_only && *(text = followers(env->arena, &head)))
		diag_hint(env->dc, d, "behind %s there can be %s", sp_buf_str(&prefix), text);
	sp_buf_deinit(&prefix);
}

static void report_absent(struct point_env *env, const struct ast_point *point, const struct absent *absent)
{
	bool optional = point->optional || point->sufficient;
	struct diag *d = diag(env->dc, point->span, optional ? DIAG_POINT_LEFT_OUT : DIAG_POINT_ABSENT, "there are no %s%s",
			      absent->what, optional ? ": the optional point is left out" : "");

	diag_note(env->dc, d, SPAN_NONE, "%s", absent->why);
}

// ---- resolving ------------------------------------------------------------------------------------------------------

// Of "vfs_{read,write}" in quotes, where braces are letters of a name: what was meant.
static bool put_alternatives(struct sp_buf *out, const struct ast_point_part *part)
{
	const char *text = part->arg && part->arg->kind == AST_STRING ? part->arg->string.text : "";
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
	int len;

	if (!close || !memchr(open, ',', (size_t)(close - open)))
		return false;
	for (const char *at = open + 1; at <= close; at += len + 1) {
		len = (int)strcspn(at, ",}");
		sp_buf_printf(out, "%s%s(\"%.*s%.*s%s\")", at == open + 1 ? "{" : ",", part->name, (int)(open - text), text, len, at,
			      close + 1);
	}
	sp_buf_putc(out, '}');
	return true;
}

static void report_no_match(struct point_env *env, const struct ast_point *point, const char *why)
{
	struct sp_buf text = { 0 };
	struct ast_point plain = *point;
	struct diag *d;

	plain.optional = plain.sufficient = false;
	plain.condition = NULL;
	ast_print_point(&text, &plain);
	d = diag(env->dc, point->span, DIAG_POINT_NO_MATCH, "nothing matches %s", sp_buf_str(&text));
	// `why` is "what was looked at" and, behind a newline, a hint.
	if (why) {
		size_t len = strcspn(why, "\n");

		if (len)
			diag_note(env->dc, d, SPAN_NONE, "%.*s", (int)len, why);
		if (why[len])
			diag_hint(env->dc, d, "%s", why + len + 1);
	}
	sp_buf_clear(&text);
	for (unsigned i = 0; i < point->n_parts; i++)
		if (put_alternatives(&text, &point->parts[i]))
			diag_hint(env->dc, d, "braces are outside of the quotes: %s", sp_buf_str(&text));
	sp_buf_deinit(&text);
}

// How many calls may be in a function at a time whose return is probed, in *ret. Only kretprobes have such a limit.
static bool read_maxactive(struct point_env *env, const struct ast_point *point, uint32_t *ret)
{
	const struct ast_point_part *part = point_part(point, "maxactive");
	struct diag *d;

	*ret = 0;
	if (!part)
		return true;
	if (part->arg->number < 1 || part->arg->number > SP_MAX_ACTIVE) {
		diag(env->dc, part->span, DIAG_POINT_VALUE, "maxactive must be from 1 to %d, the kernel's limit", SP_MAX_ACTIVE);
		return false;
	}
	*ret = (uint32_t)part->arg->number;
	if (!sp_streq(point->parts[0].name, "process"))
		return true;
	d = diag(env->dc, part->span, DIAG_MAXACTIVE, "maxactive changes nothing here");
	diag_note(env->dc, d, SPAN_NONE, "returns of a program's functions are probed without a limit of calls at a time: %s",
		  env->user_engine_only ? "the user engine keeps them in its own memory" :
		  "the kernel makes what a uretprobe needs at each call, and for up to 64 calls within each other in a thread");
	return true;
}

static bool find_features(struct point_env *env)
{
	return !env->find_features || env->find_features(env->features_ctx);
}

// Appends the sites of a point whose names are spelled out.
static void resolve_one(struct point_env *env, const struct ast_point *point, struct sites *ret)
{
	bool optional = point->optional || point->sufficient;
	size_t n_before = ret->list.n;
	const char *why = NULL;
	uint32_t max_active = 0;

	for (unsigned i = 0; families[i]; i++) {
		const struct point_family *family = families[i];

		if (!family->matches(point))
			continue;
		if (family->needs_kernel && !find_features(env))
			break;
		if (read_maxactive(env, point, &max_active) && family->resolve(env, point, ret, &why) && ret->list.n == n_before && !optional)
			report_no_match(env, point, why);
		break;
	}
	for (size_t i = n_before; i < ret->list.n; i++) {
		ret->list.v[i]->optional = optional;
		ret->list.v[i]->max_active = max_active;
		ret->list.v[i]->origin = point;
	}
}

bool point_is_pattern(const struct ast_point *point)
{
	const struct ast_point_part *part = point_part(point, "function");

	return part && part->arg && part->arg->kind == AST_STRING && sp_has_glob(part->arg->string.text);
}

static bool has_wildcard(const struct ast_point *point)
{
	for (unsigned i = 0; i < point->n_parts; i++)
		if (strpbrk(point->parts[i].name, "*?["))
			return true;
	return false;
}

// The point with the names of a pattern that it matches instead of its wildcards; NULL: it does not match.
static struct ast_point *spelled_out(struct sp_arena *arena, const struct ast_point *point, const char *line)
{
	struct ast_point *ret = sp_arena_memdup(arena, point, sizeof(*point));
	struct pattern_part part;

	if (!fits(point, line))
		return NULL;
	ret->n_parts = 0;
	for (const char *at = line; next_part(&at, &part);)
		ret->n_parts++;
	ret->parts = sp_arena_array(arena, struct ast_point_part, ret->n_parts);
	for (unsigned i = 0; next_part(&line, &part); i++) {
		ret->parts[i] = *part_at(point, i);
		if (part.len != 1 || *part.name != '*') // any name: the family looks at it
			ret->parts[i].name = sp_arena_strndup(arena, part.name, (size_t)part.len);
	}
	return ret;
}

// Each form that the names match is tried; one of them is enough.
static void resolve_wild(struct point_env *env, const struct ast_point *point, struct sites *ret)
{
	size_t n_before = ret->list.n;
	struct pattern_iter it = { 0 };
	const struct absent *of;
	const char *line;

	while ((line = next_pattern(&it, &of)) && !of) {
		struct ast_point *one = spelled_out(env->arena, point, line);
		size_t mark = diag_mark(env->dc), n = ret->list.n;

		if (!one)
			continue;
		one->optional = true;
		resolve_one(env, one, ret);
		if (ret->list.n == n)
			diag_rewind(env->dc, mark);
	}
	if (ret->list.n == n_before && !point->optional && !point->sufficient)
		report_no_match(env, point, NULL);
}

bool point_resolve(struct point_env *env, const struct ast_point *point, struct sites *ret)
{
	bool optional = point->optional || point->sufficient;
	size_t mark = diag_mark(env->dc), n_before = ret->list.n;
	const struct absent *absent = NULL;
	bool is_known = has_pattern(point, &absent);

	if (!is_known || absent) {
		if (is_known)
			report_absent(env, point, absent);
		else if (!optional)
			report_unknown(env, point);
		return optional;
	}
	if (has_wildcard(point))
		resolve_wild(env, point, ret);
	else
		resolve_one(env, point, ret);
	if (ret->list.n > n_before)
		return true;
	if (optional)
		diag_rewind(env->dc, mark);
	return optional;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Does the pattern begin with components of these names, `a.b*`? What stands for any name is no name.
static bool begins_as(const char *line, const char *names)
{
	struct pattern_part part;

	while (*names && next_part(&line, &part)) {
		char name[128];
		size_t len = strcspn(names, ".");

		if (part.name[0] == '*' || len >= sizeof(name))
			return false;
		memcpy(name, names, len);
		name[len] = '\0';
		if (!name_fits(&part, name))
			return false;
		names += len + (names[len] == '.');
	}
	return !*names;
}

void point_print_forms(const char *names, struct sp_buf *out)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf all = { 0 };
	const char *last = "";
	size_t len = 0;

	point_dump_types(&all);
	for (const char *line = sp_buf_str(&all); *line; line += strcspn(line, "\n") + 1) {
		if (!begins_as(line, names) || (len && !strncmp(line, last, len) && line[len] == '.'))
			continue;
		last = line;
		len = strcspn(line, "\n");
		sp_buf_printf(out, "%.*s\n", (int)len, line);
	}
}

void point_dump_types(struct sp_buf *out)
{
	SP_VEC(const char *) lines = { 0 };
	for (unsigned i = 0; families[i]; i++)
		for (const char *p = families[i]->patterns; *p;
		     p += strcspn(p, "\n"), p += *p == '\n')
			sp_vec_push(&lines, p);
	qsort(lines.v, lines.n, sizeof(*lines.v), by_text);
	for (size_t i = 0; i < lines.n; i++)
		sp_buf_printf(out, "%.*s\n", (int)strcspn(lines.v[i], "\n"), lines.v[i]);
	sp_vec_deinit(&lines);
}

void point_report_no_result(struct point_env *env, const struct site *site, struct span span, const char *what)
{
	struct diag *d = diag(env->dc, span, DIAG_VAR_ABSENT, "%s of %s is not known yet where it ends with a jump to another function, at %#llx",
			      what, site->func->name, (unsigned long long)site->pc);

	diag_hint(env->dc, d, "@defined($return) tells, and --engine=user sees what the other function returns");
}
