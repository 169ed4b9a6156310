// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/bpftrace/bpftrace.h"

#include "compiler/bpftrace/bt.h"
#include "compiler/front/habit.h"
#include "runtime/base/cleanup.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- tokens ---------------------------------------------------------------------------------------------------------

struct bt_token bt_peek(const struct bt *bt)
{
	return bt_lex(bt->text, bt->at);
}

struct bt_token bt_next(struct bt *bt)
{
	struct bt_token token = bt_peek(bt);

	bt->at = token.at + token.len;
	return token;
}

bool bt_at(const struct bt *bt, const char *what)
{
	struct bt_token token = bt_peek(bt);

	return bt_is(bt->text, &token, what);
}

bool bt_take(struct bt *bt, const char *what)
{
	if (!bt_at(bt, what))
		return false;
	bt_next(bt);
	return true;
}

const char *bt_text(struct bt *bt, const struct bt_token *token)
{
	return sp_arena_strndup(&bt->arena, bt->text + token->at, token->len);
}

void bt_refuse(struct bt *bt, const char *fmt, ...)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	va_list args;

	if (bt->why_not)
		return;
	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	for (size_t i = 0; i < text.len; i++) // it stands in a comment of one line
		text.data[i] = text.data[i] == '\n' || text.data[i] == '\r' ? ' ' : text.data[i];
	bt->why_not = sp_arena_strdup(&bt->arena, sp_buf_str(&text));
}

// Names that translated loops have: k1, round1.
static bool is_of_loop(const char *name)
{
	size_t n = sp_starts_with(name, "round") ? strlen("round") : *name == 'k';
	size_t n_digits = n ? strspn(name + n, "0123456789") : 0;

	return n_digits && !name[n + n_digits];
}

const char *bt_local(struct bt *bt, const char *name)
{
	static const char *const words[] = {
		"probe", "global", "function", "private", "if", "else", "for", "foreach", "in", "while", "limit", "next", "delete", "return",
		"break", "continue", "string", "long", "try", "catch", "map", "skipped", "elapsed_from",
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(words); i++)
		if (sp_streq(name, words[i]) || is_of_loop(name))
			return sp_arena_printf(&bt->arena, "%s_", name);
	sp_vec_each(map, &bt->maps)
		if (sp_streq((*map)->ours, name))
			return sp_arena_printf(&bt->arena, "%s_", name);
	return name;
}

// ---- probe points ---------------------------------------------------------------------------------------------------

// In front of a body, a comment begins behind a blank: a path may have `//` in it.
static bool is_comment(const char *text, size_t at)
{
	return text[at] == '/' && (text[at + 1] == '/' || text[at + 1] == '*') &&
	       (!at || text[at - 1] == ',' || isspace((unsigned char)text[at - 1]));
}

static void blank_comments(char *head)
{
	for (size_t at = 0; head[at]; at++) {
		size_t end = is_comment(head, at) ? bt_skip(head, at) : at;

		while (at < end)
			head[at++] = ' ';
		if (!head[at])
			return;
	}
}

// The text in front of the body: points with commas, and behind blanks a filter.
static size_t head_length(const char *text)
{
	size_t n = 0;

	for (; text[n] && text[n] != '{'; n++) {
		if (is_comment(text, n)) {
			n = bt_skip(text, n) - 1;
			continue;
		}
		if (text[n] == '"')
			for (n++; text[n] && text[n] != '"'; n++)
				;
		if (!text[n] || (text[n] == '/' && n && isspace((unsigned char)text[n - 1])))
			break;
	}
	return n;
}

// The next of a list with commas, without blanks around it; those in quotes belong to a name. NULL: there is none.
static char *next_point(char **list)
{
	char *ret = *list, *p;
	bool in_quotes = false;

	if (!ret)
		return NULL;
	ret += strspn(ret, " \t\r\n");
	for (p = ret; *p && (in_quotes || *p != ','); p++)
		in_quotes ^= *p == '"';
	*list = *p ? p + 1 : NULL;
	while (p > ret && isspace((unsigned char)p[-1]))
		p--;
	*p = '\0';
	return ret;
}

static bool are_several(const char *list)
{
	bool in_quotes = false;

	for (; *list && (in_quotes || *list != ','); list++)
		in_quotes ^= *list == '"';
	return *list;
}

// Whether a point is there depends on the kernel: bpftrace goes on when one of several is missing.
static bool points(struct bt *bt, struct sp_buf *ret)
{
	size_t len = head_length(bt->text + bt->at);
	char *head = sp_arena_strndup(&bt->arena, bt->text + bt->at, len), *next = head, *one;
	bool several, is_first = true;
	struct bt_place first = { 0 };

	blank_comments(head);
	several = are_several(head);
	bt->at += len;
	while ((one = next_point(&next))) {
		const char *ours;
		if (!*one)
			continue;
		ours = bt_point(bt, one);
		if (!ours)
			bt_refuse(bt, "there is no probe like %s", one);
		else if (!is_first && memcmp(&first, &bt->place, sizeof(first)))
			bt_refuse(bt, "arguments mean something else at %s", one);
		if (bt->why_not)
			return false;
		first = bt->place;
		sp_buf_printf(ret, "%s%s%s", is_first ? "" : ",\n      ", ours, several ? "?" : "");
		is_first = false;
	}
	return !is_first;
}

// The condition in `/ /`, whose negation ends the handler; "": there is none.
static const char *filter(struct bt *bt)
{
	size_t start = bt->at;
	const char *condition;

	if (!bt_take(bt, "/"))
		return "";
	bt->in_filter = true;
	condition = bt_expr(bt);
	bt->in_filter = false;
	if (!bt_take(bt, "/"))
		bt_refuse(bt, "a filter that is not understood");
	if (!bt->why_not)
		return sp_arena_printf(&bt->arena, "if (!(%s)) next", condition);
	bt->at = start + 1 + strcspn(bt->text + start + 1, "{\n");
	condition = sp_arena_printf(&bt->arena, "next // not translated (%s): %.*s", bt->why_not, (int)(bt->at - start), bt->text + start);
	bt->why_not = NULL;
	bt->n_left_out++;
	return condition;
}

static size_t body_length(const char *text, size_t at)
{
	unsigned depth = 0;
	struct bt_token token;

	for (token = bt_lex(text, at); token.kind != BT_END; token = bt_lex(text, token.at + token.len)) {
		depth += bt_is(text, &token, "{");
		depth -= depth && bt_is(text, &token, "}");
		if (!depth && bt_is(text, &token, "}"))
			break;
	}
	return token.at + token.len - at;
}

// Makes a piece that has no translation a comment.
static void leave_piece_out(struct bt *bt, size_t start)
{
	bt->at += body_length(bt->text, bt->at);
	sp_buf_printf(bt->out, "// not translated (%s):\n", bt->why_not);
	for (const char *line = bt->text + start; line < bt->text + bt->at;) {
		size_t len = SP_MIN(strcspn(line, "\n"), (size_t)(bt->text + bt->at - line));

		sp_buf_printf(bt->out, "// %.*s\n", (int)len, line);
		line += len + (line[len] == '\n');
	}
	bt->why_not = NULL;
	bt->n_left_out++;
}

static void probe(struct bt *bt)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf list = { 0 };
	size_t start = bt->at;
	const char *condition;

	bt->pointers.n = 0;
	if (!points(bt, &list)) {
		bt_refuse(bt, "no probe");
		leave_piece_out(bt, start);
		return;
	}
	condition = filter(bt);
	sp_buf_printf(bt->out, "probe %s\n", sp_buf_str(&list));
	if (!bt_at(bt, "{"))
		bt->at += strcspn(bt->text + bt->at, "{");
	bt_body(bt, condition);
}

// ---- the file -------------------------------------------------------------------------------------------------------

// `#define NAME VALUE` up to `end`, whose value may be made of others. One with parameters has no translation.
static void define(struct bt *bt, size_t end)
{
	size_t start = bt->at;
	struct bt_token name = bt_lex(bt->text, start + strlen("#define"));
	const char *value;

	bt->at = name.at + name.len;
	if (name.at >= end || bt_peek(bt).at >= end)
		return;
	value = bt_expr(bt);
	if (name.kind != BT_NAME || bt->text[name.at + name.len] == '(' || bt->at > end || bt_peek(bt).at < end)
		bt_refuse(bt, "a macro that is no value");
	if (bt->why_not) {
		sp_buf_printf(bt->out, "// not translated (%s): %.*s\n", bt->why_not, (int)(end - start), bt->text + start);
		bt->why_not = NULL;
		bt->n_left_out++;
		return;
	}
	sp_buf_printf(bt->out, "@define %s %%( %s %%)\n", bt_text(bt, &name), value);
	sp_vec_push(&bt->defines, bt_text(bt, &name));
}

// `char name[16];` in the structure from `start` to here.
static void learn_characters(struct bt *bt, size_t start)
{
	struct bt_token type = { 0 }, before = { 0 }, token, next, behind;

	for (token = bt_lex(bt->text, start); token.kind != BT_END && token.at < bt->at; before = type, type = token, token = next) {
		next = bt_lex(bt->text, token.at + token.len);
		if (token.kind != BT_NAME || !bt_is(bt->text, &type, "char") || before.kind == BT_NAME || !bt_is(bt->text, &next, "["))
			continue;
		behind = bt_lex(bt->text, next.at + next.len); // the number
		behind = bt_lex(bt->text, behind.at + behind.len);
		behind = bt_lex(bt->text, behind.at + behind.len);
		if (bt_is(bt->text, &behind, ";"))
			sp_vec_push(&bt->characters, bt_text(bt, &token));
	}
}

// Lines of the C preprocessor and types: debug information has the types.
static bool skip_c(struct bt *bt)
{
	size_t start = bt->at = bt_skip(bt->text, bt->at);
	const char *p = bt->text + start;
	size_t line = strcspn(p, "\n");

	if (*p == '#') {
		if (sp_starts_with(p, "#define")) {
			define(bt, start + line);
		} else if (sp_starts_with(p, "#ifndef BPFTRACE_HAVE_BTF") || sp_starts_with(p, "#if 0")) {
			const char *otherwise = strstr(p, "#else"), *end = strstr(p, "#endif");

			line = (size_t)((otherwise && otherwise < end ? otherwise : end ? end : p + strlen(p)) - p);
		}
		bt->at = start + line;
		return true;
	}
	if (!sp_starts_with(p, "struct ") && !sp_starts_with(p, "union ") && !sp_starts_with(p, "enum ") && !sp_starts_with(p, "config"))
		return false;
	bt->at += body_length(bt->text, bt->at);
	learn_characters(bt, start);
	bt_take(bt, ";");
	return true;
}

// `let @x = lruhash(100);`, `import "x";`. False: the next piece is something else.
static bool leave_line_out(struct bt *bt)
{
	const char *text = bt->text + bt->at;
	size_t len = strcspn(text, ";");

	if (!bt_at(bt, "let") && !bt_at(bt, "import"))
		return false;
	sp_buf_printf(bt->out, "// not translated (%s): ", *text == 'l' ? "how a map is kept" : "other files");
	for (size_t i = 0; i < len; i++)
		sp_buf_putc(bt->out, text[i] == '\n' ? ' ' : text[i]);
	sp_buf_putc(bt->out, '\n');
	bt->at += len + (text[len] == ';');
	bt->n_left_out++;
	return true;
}

static void declare(struct bt *bt, struct sp_buf *out)
{
	sp_vec_each(map, &bt->maps) {
		sp_buf_printf(out, "global %s\n", (*map)->ours);
		if ((*map)->is_zeroed)
			sp_buf_printf(out, "global keys_of_%s\n", (*map)->ours);
	}
	if (strstr(bt->text, "elapsed"))
		sp_buf_puts(out, "global elapsed_from\nprobe begin(-1) { elapsed_from = ktime_get_ns() }\n");
	bt_define_functions(bt, out);
	sp_buf_puts(out, bt->maps.n || bt->uses_text || bt->uses_join || bt->uses_address ? "\n" : "");
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct bt_map *const *)a)->name, (*(struct bt_map *const *)b)->name);
}

// bpftrace prints all maps at the end, in the order of their names.
static void print_at_end(struct bt *bt)
{
	size_t n = bt->maps.n;
	struct bt_map **maps = sp_arena_array(&bt->arena, struct bt_map *, n + 1);
	bool is_open = false;

	if (n)
		memcpy(maps, bt->maps.v, n * sizeof(struct bt_map *));
	qsort(maps, n, sizeof(struct bt_map *), by_name);
	bt->depth = 1;
	for (size_t i = 0; i < n; i++) {
		if (maps[i]->is_cleared_at_end)
			continue;
		sp_buf_puts(bt->out, is_open ? "" : "probe end\n{\n");
		is_open = true;
		bt_print_map(bt, maps[i], NULL, NULL);
	}
	sp_buf_puts(bt->out, is_open ? "}\n" : "");
}

// The comment at the top of the file goes in front of all; a line "#!" is for bpftrace.
static size_t copy_top(struct bt *bt)
{
	size_t at = sp_starts_with(bt->text, "#!") ? strcspn(bt->text, "\n") : 0;
	size_t end = bt_skip(bt->text, at);

	at += strspn(bt->text + at, " \t\r\n");
	if (end > at)
		sp_buf_printf(bt->out, "%.*s", (int)(end - at), bt->text + at);
	sp_buf_puts(bt->out, "// Translated from bpftrace, which goes on with 0 where memory cannot be read: --suppress-handler-errors does so here.\n");
	return end;
}

static void translate(struct bt *bt)
{
	bt->n_left_out = bt->n_keys = 0;
	bt->defines.n = bt->characters.n = 0;
	bt->at = copy_top(bt);
	declare(bt, bt->out);
	while (bt->at = bt_skip(bt->text, bt->at), bt->text[bt->at]) {
		if (skip_c(bt) || leave_line_out(bt))
			continue;
		probe(bt);
		sp_buf_putc(bt->out, '\n');
	}
	print_at_end(bt);
}

unsigned bpftrace_translate(const char *text, struct sp_buf *out)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf first = { 0 };
	struct bt bt = { .text = text, .out = &first };

	sp_arena_init(&bt.arena);
	bt_find_maps(&bt);
	translate(&bt); // what is printed as text is known when all has been read
	bt.out = out;
	translate(&bt);
	sp_vec_deinit(&bt.maps);
	sp_vec_deinit(&bt.defines);
	sp_vec_deinit(&bt.characters);
	sp_vec_deinit(&bt.texts);
	sp_vec_deinit(&bt.pointers);
	sp_vec_deinit(&bt.walks);
	sp_arena_deinit(&bt.arena);
	return bt.n_left_out;
}
