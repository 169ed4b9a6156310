// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/bpftrace/bt.h"

#include <string.h>

static void statement(struct bt *bt);

static void indent(struct bt *bt)
{
	sp_buf_fill(bt->out, ' ', 2 * bt->depth);
}

// Copies the comments in front of the next token, each on lines of its own.
static void comments(struct bt *bt)
{
	size_t end = bt_skip(bt->text, bt->at);

	for (size_t at = bt->at; at < end;) {
		size_t len;

		at += strspn(bt->text + at, " \t\r\n");
		if (at >= end)
			break;
		len = bt->text[at + 1] == '*' ? (size_t)(strstr(bt->text + at, "*/") ? strstr(bt->text + at, "*/") + 2 - (bt->text + at) : (long)(end - at)) :
						strcspn(bt->text + at, "\n");
		indent(bt);
		sp_buf_printf(bt->out, "%.*s\n", (int)len, bt->text + at);
		at += len;
	}
	bt->at = end;
}

// A statement that was refused is a comment: its text from `start` to here.
static void leave_out(struct bt *bt, size_t start)
{
	const char *text = bt->text + start;
	size_t len = bt->at - start;

	while (len && strchr(" \t\r\n;", text[len - 1]))
		len--;
	indent(bt);
	sp_buf_printf(bt->out, "// not translated (%s): ", bt->why_not);
	for (size_t i = 0; i < len; i++)
		sp_buf_putc(bt->out, text[i] == '\n' ? ' ' : text[i]);
	sp_buf_putc(bt->out, '\n');
	bt->why_not = NULL;
	bt->n_left_out++;
}

// To the end of a statement that is not understood, which a block is, too.
static void skip_statement(struct bt *bt)
{
	unsigned depth = 0;

	for (;;) {
		struct bt_token token = bt_peek(bt);

		if (token.kind == BT_END || (!depth && (bt_is(bt->text, &token, ";") || bt_is(bt->text, &token, "}"))))
			return;
		depth += token.kind == BT_MARK && strchr("([{", bt->text[token.at]);
		depth -= depth && token.kind == BT_MARK && strchr(")]}", bt->text[token.at]);
		bt_next(bt);
		if (!depth && bt_is(bt->text, &token, "}"))
			return;
	}
}

// ---- calls ----------------------------------------------------------------------------------------------------------

// The map that is the only argument from here, `@x)`; NULL: there is more, and nothing was taken.
static struct bt_map *only_map(struct bt *bt)
{
	struct bt_token token = bt_peek(bt), next = bt_lex(bt->text, token.at + token.len);

	return token.kind == BT_MAP && !bt_is(bt->text, &next, "[") ? bt_map(bt, &token) : NULL;
}

// The arguments of a call that may be about a whole map, which is then in *map_ret. 0: there are none, or they are refused.
static unsigned map_args(struct bt *bt, struct bt_map **map_ret, const char **args, unsigned max)
{
	size_t start = bt->at;
	unsigned n;

	bt_take(bt, "(");
	*map_ret = only_map(bt);
	bt->at = start;
	n = bt_args(bt, args, max);
	return bt->why_not ? 0 : n;
}

// The same; maps and elements are named to be changed.
static unsigned place_args(struct bt *bt, struct bt_map **map_ret, const char **args, unsigned max)
{
	unsigned n;

	bt->wants_place = true;
	n = map_args(bt, map_ret, args, max);
	bt->wants_place = false;
	return n;
}

// The pair of a loop over a map, as a whole: `print($kv)`. NULL: it is something else, and nothing was taken.
static const char *whole_pair(struct bt *bt)
{
	struct bt_token open = bt_peek(bt), variable = bt_lex(bt->text, open.at + open.len), end = bt_lex(bt->text, variable.at + variable.len);
	const char *name = bt_text(bt, &variable), *value;

	if (variable.kind != BT_VARIABLE || !bt_is(bt->text, &end, ")"))
		return NULL;
	sp_vec_each(walk, &bt->walks) {
		if (!sp_streq(walk->variable, name + 1))
			continue;
		bt->at = end.at + end.len;
		value = bt_map_value(bt, walk->map, sp_arena_printf(&bt->arena, "%s%s", walk->map->ours, walk->keys));
		if (walk->map->n_keys == 1)
			return sp_arena_printf(&bt->arena, "k%u, \", \", %s", walk->first_key, value);
		bt_refuse(bt, "a tuple");
		return "";
	}
	return NULL;
}

// `print((1, "a"))`: its values, between commas. NULL: it is something else, and nothing was taken.
static const char *tuple(struct bt *bt)
{
	size_t start = bt->at;
	const char *values[8], *ret;
	unsigned n;

	bt_take(bt, "(");
	n = bt_at(bt, "(") ? bt_args(bt, values, SP_ARRAY_SIZE(values)) : 0;
	if (n < 2 || bt->why_not || !bt_take(bt, ")")) {
		bt->at = start;
		bt->why_not = NULL;
		return NULL;
	}
	ret = values[0];
	for (unsigned i = 1; i < n; i++)
		ret = sp_arena_printf(&bt->arena, "%s, \", \", %s", ret, values[i]);
	return ret;
}

// print(@x), print(@x, 10), print(@x, 10, 1000), print(@x[k]), print((a, b)), print(value)
static void print_call(struct bt *bt)
{
	struct bt_map *map;
	const char *args[4], *printer, *values = whole_pair(bt);
	unsigned n;

	values = values ? values : tuple(bt);
	if (values && !bt->why_not) {
		indent(bt);
		sp_buf_printf(bt->out, "println(\"(\", %s, \")\")\n", values);
	}
	n = values ? 0 : map_args(bt, &map, args, SP_ARRAY_SIZE(args));
	if (!n)
		return;
	if (map) {
		bt_print_map(bt, map, n > 1 && !sp_streq(args[1], "0") ? args[1] : NULL, n > 2 ? args[2] : NULL);
		return;
	}
	indent(bt);
	printer = bt_stack_printer(bt, args[0]);
	if (printer)
		sp_buf_printf(bt->out, "%s\n", printer);
	else
		sp_buf_printf(bt->out, "println(%s)\n", args[0]);
}

// A map cannot be changed while it is walked through: its keys are remembered first.
static void zero_map(struct bt *bt, struct bt_map *map)
{
	const char *keys = (bt_name_keys(bt, map), bt_key_list(bt, map));

	map->is_zeroed = true;
	sp_buf_printf(bt->out, "foreach (%s in %s) keys_of_%s%s = 1\n", keys, map->ours, map->ours, keys);
	indent(bt);
	sp_buf_printf(bt->out, "foreach (%s in keys_of_%s) %s%s = 0\n", keys, map->ours, map->ours, keys);
	indent(bt);
	sp_buf_printf(bt->out, "delete keys_of_%s\n", map->ours);
}

// delete(@x[k]), delete(@x, k), clear(@x), zero(@x)
static void change_call(struct bt *bt, const char *name)
{
	const char *args[8];
	struct bt_map *map;
	unsigned n = place_args(bt, &map, args, SP_ARRAY_SIZE(args));

	if (!n)
		return;
	indent(bt);
	if (sp_streq(name, "delete") && map && n > 1) {
		sp_buf_printf(bt->out, "delete %s[", map->ours);
		for (unsigned i = 1; i < n; i++)
			sp_buf_printf(bt->out, "%s%s", i > 1 ? ", " : "", args[i]);
		sp_buf_puts(bt->out, "]\n");
	} else if (sp_streq(name, "zero") && map && map->n_keys && map->kind == BT_MAP_VALUES) {
		zero_map(bt, map);
	} else {
		sp_buf_printf(bt->out, "delete %s\n", args[0]);
	}
}

// bpftrace leaves the probe, too.
static void exit_call(struct bt *bt)
{
	const char *args[2];
	struct bt_token token;

	bt_next(bt);
	bt_args(bt, args, SP_ARRAY_SIZE(args));
	indent(bt);
	sp_buf_puts(bt->out, "exit()\n");
	token = bt_peek(bt);
	if (bt_is(bt->text, &token, ";"))
		token = bt_lex(bt->text, token.at + token.len);
	if (bt->depth == 1 && bt_is(bt->text, &token, "}"))
		return;
	indent(bt);
	sp_buf_puts(bt->out, "next\n");
}

// Is the next statement such a call? Then it is translated.
static bool call_statement(struct bt *bt)
{
	struct bt_token token = bt_peek(bt), next = bt_lex(bt->text, token.at + token.len);
	const char *name, *args[8];
	unsigned n;

	if (token.kind != BT_NAME || !bt_is(bt->text, &next, "("))
		return false;
	name = bt_text(bt, &token);
	if (sp_streq(name, "printf") || sp_streq(name, "errorf")) {
		bt_next(bt);
		args[0] = bt_format_args(bt);
		indent(bt);
		sp_buf_printf(bt->out, "printf%s\n", args[0]);
	} else if (sp_streq(name, "system") || sp_streq(name, "cat")) {
		bt_next(bt);
		args[0] = bt_format_args(bt);
		indent(bt);
		sp_buf_printf(bt->out, "system(%ssprintf%s)\n", *name == 'c' ? "\"cat \" . " : "", args[0]);
	} else if (sp_streq(name, "join")) {
		bt_next(bt);
		n = bt_args(bt, args, SP_ARRAY_SIZE(args));
		bt->uses_join = true;
		indent(bt);
		sp_buf_printf(bt->out, "println(" BT_JOIN "(%s, %s))\n", n ? args[0] : "0", n > 1 ? args[1] : "\" \"");
	} else if (sp_streq(name, "print")) {
		bt_next(bt);
		print_call(bt);
	} else if (sp_streq(name, "delete") || sp_streq(name, "clear") || sp_streq(name, "zero")) {
		bt_next(bt);
		change_call(bt, name);
	} else if (sp_streq(name, "time")) {
		bt_next(bt);
		n = bt_args(bt, args, SP_ARRAY_SIZE(args));
		indent(bt);
		sp_buf_printf(bt->out, "print(strftime(%s, gettimeofday_s()))\n", n ? args[0] : "\"%H:%M:%S\\n\"");
	} else if (sp_streq(name, "exit")) {
		exit_call(bt);
	} else {
		return false;
	}
	return true;
}

// ---- statements -----------------------------------------------------------------------------------------------------

static void block(struct bt *bt)
{
	bt->depth++;
	if (bt_take(bt, "{")) {
		while (comments(bt), !bt_at(bt, "}") && bt_peek(bt).kind != BT_END)
			statement(bt);
		bt_take(bt, "}");
	} else {
		statement(bt);
	}
	bt->depth--;
	indent(bt);
	sp_buf_puts(bt->out, "}");
}

// Comments in the text of a comment would end it.
static char *without_ends(char *text)
{
	for (char *p = text; (p = strstr(p, "*/"));)
		*p = '.';
	return text;
}

// A condition without translation never holds, and says so.
static const char *condition(struct bt *bt)
{
	size_t start = bt->at;
	const char *ret;

	bt->parens++;
	ret = bt_take(bt, "(") ? bt_expr(bt) : "0";
	bt->parens--;
	if (!bt_take(bt, ")"))
		bt_refuse(bt, "a condition that is not understood");
	if (!bt->why_not)
		return ret;
	ret = sp_arena_printf(&bt->arena, "0 /* not translated (%s): %s */", bt->why_not,
			      without_ends(sp_arena_strndup(&bt->arena, bt->text + start, bt->at - start)));
	bt->why_not = NULL;
	bt->n_left_out++;
	return ret;
}

static void if_statement(struct bt *bt)
{
	indent(bt);
	sp_buf_printf(bt->out, "if (%s) {\n", condition(bt));
	block(bt);
	while (bt_take(bt, "else")) {
		if (bt_take(bt, "if"))
			sp_buf_printf(bt->out, " else if (%s) {\n", condition(bt));
		else
			sp_buf_puts(bt->out, " else {\n");
		block(bt);
	}
	sp_buf_putc(bt->out, '\n');
}

static void loop(struct bt *bt, const char *head)
{
	indent(bt);
	sp_buf_printf(bt->out, "%s {\n", head);
	block(bt);
	sp_buf_putc(bt->out, '\n');
}

// for ($kv : @map) { }, of which `@map)` is left.
static void map_loop(struct bt *bt, const char *variable)
{
	struct bt_token token = bt_next(bt);
	struct bt_map *map = bt_map(bt, &token);
	struct bt_walk walk = { .variable = variable, .map = map };

	if (!map->n_keys || !bt_take(bt, ")")) {
		bt_refuse(bt, "a loop over what is no map with keys");
		return;
	}
	bt_name_keys(bt, map);
	walk.first_key = map->first_key;
	walk.keys = bt_key_list(bt, map);
	sp_vec_push(&bt->walks, walk);
	loop(bt, sp_arena_printf(&bt->arena, "foreach (%s in %s)", walk.keys, map->ours));
	bt->walks.n--;
}

// for ($i : 0..10) { }, of which `0..10)` is left.
static void range_loop(struct bt *bt, const char *variable)
{
	const char *name = bt_local(bt, variable), *from = bt_expr(bt), *to;

	if (!bt_take(bt, ".."))
		bt_refuse(bt, "this loop");
	to = bt_expr(bt);
	if (!bt_take(bt, ")"))
		bt_refuse(bt, "this loop");
	if (!bt->why_not)
		loop(bt, sp_arena_printf(&bt->arena, "for (%s = %s; %s < %s; %s++)", name, from, name, to, name));
}

// unroll (5) { }, for ($x : ...) { }. False: it is none, or is refused.
static bool counted_loop(struct bt *bt)
{
	struct bt_token token;

	if (bt_take(bt, "unroll")) {
		unsigned round = bt->depth;

		loop(bt, sp_arena_printf(&bt->arena, "for (round%u = 0; round%u < %s; round%u++)", round, round, condition(bt), round));
		return true;
	}
	if (!bt_take(bt, "for"))
		return false;
	bt_take(bt, "(");
	token = bt_next(bt);
	if (token.kind != BT_VARIABLE || !bt_take(bt, ":"))
		bt_refuse(bt, "this loop");
	else if (bt_peek(bt).kind == BT_MAP)
		map_loop(bt, bt_text(bt, &token) + 1);
	else
		range_loop(bt, bt_text(bt, &token) + 1);
	return !bt->why_not;
}

// @x = hist(value): a statistic takes the value.
static bool map_statement(struct bt *bt)
{
	struct bt_token token = bt_peek(bt), function;
	struct bt_map *map = token.kind == BT_MAP ? bt_map(bt, &token) : NULL;
	size_t start = bt->at;
	const char *place, *args[8];
	unsigned n;

	if (!map)
		return false;
	place = bt_place(bt);
	function = bt_take(bt, "=") ? bt_peek(bt) : (struct bt_token){ 0 };
	if (map->kind != BT_MAP_VALUES && function.kind == BT_NAME) {
		bt_next(bt);
		n = bt_args(bt, args, SP_ARRAY_SIZE(args));
		if (map->kind == BT_MAP_LHIST && n == 4)
			map->limits = sp_arena_printf(&bt->arena, ", %s, %s, %s", args[1], args[2], args[3]);
		indent(bt);
		sp_buf_printf(bt->out, "%s <<< %s\n", place, n ? args[0] : "1");
		return true;
	}
	if (bt_is(bt->text, &function, "count") || bt_is(bt->text, &function, "sum")) {
		bt_next(bt);
		n = bt_args(bt, args, SP_ARRAY_SIZE(args));
		indent(bt);
		if (n)
			sp_buf_printf(bt->out, "%s += %s\n", place, args[0]);
		else
			sp_buf_printf(bt->out, "%s++\n", place);
		return true;
	}
	bt->at = start;
	bt->why_not = NULL;
	return false;
}

// `$x` or `$x: uint64` behind `let`.
static const char *declared(struct bt *bt)
{
	struct bt_token variable = bt_next(bt);

	if (bt_take(bt, ":"))
		while (!bt_at(bt, "=") && !bt_at(bt, ";") && !bt_at(bt, "}") && bt_peek(bt).kind != BT_END)
			bt_next(bt);
	if (variable.kind != BT_VARIABLE)
		bt_refuse(bt, "this statement");
	return variable.kind == BT_VARIABLE ? bt_local(bt, bt_text(bt, &variable) + 1) : "";
}

// `++$x` alone is `x++`: lines have no `;` here, and the end of the line above would be what is counted.
static const char *counted_first(struct bt *bt)
{
	struct bt_token sign = bt_next(bt);
	const char *place = bt_unary(bt);

	if (bt_counts_elements(bt, place))
		bt_refuse(bt, "a pointer of a type that counts elements");
	return sp_arena_printf(&bt->arena, "%s%s", place, bt_text(bt, &sign));
}

static void plain_statement(struct bt *bt)
{
	static const char *const assignments[] = { "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=" };
	const char *left, *op = NULL;
	bool is_declared = bt_take(bt, "let");
	struct bt_type type;

	if (!is_declared && (bt_at(bt, "++") || bt_at(bt, "--")))
		left = counted_first(bt);
	else
		left = is_declared ? declared(bt) : bt_expr(bt);
	for (size_t i = 0; i < SP_ARRAY_SIZE(assignments) && !op; i++)
		if (bt_take(bt, assignments[i]))
			op = assignments[i];
	if (op && (*op == '+' || *op == '-') && bt_counts_elements(bt, left))
		bt_refuse(bt, "a pointer of a type that counts elements");
	op = op && sp_streq(op, ">>=") ? ">>>=" : op;
	type = op ? bt_peek_cast(bt) : (struct bt_type){ 0 };
	bt_learn_pointer(bt, left, &type);
	if (op) {
		const char *value = bt_expr(bt);

		bt_learn_value(bt, left, value);
		left = sp_arena_printf(&bt->arena, "%s %s %s", left, op, bt_as_text(bt, left, value));
	}
	if (!bt_at(bt, ";") && !bt_at(bt, "}"))
		bt_refuse(bt, "this statement");
	if (bt->why_not || (is_declared && !op))
		return;
	indent(bt);
	sp_buf_printf(bt->out, "%s\n", left);
}

static void word_statement(struct bt *bt, const char *ours)
{
	bt_next(bt);
	indent(bt);
	sp_buf_printf(bt->out, "%s\n", ours);
}

// A statement with statements in it. False: it is none, or is refused.
static bool compound(struct bt *bt)
{
	bool ret = true;

	bt->nesting++;
	if (bt_take(bt, "if"))
		if_statement(bt);
	else if (bt_take(bt, "while"))
		loop(bt, sp_arena_printf(&bt->arena, "while (%s)", condition(bt)));
	else if (bt_at(bt, "{"))
		loop(bt, "");
	else
		ret = counted_loop(bt);
	bt->nesting--;
	return ret;
}

// `_ = delete(@x, 1)` does without the value.
static void discard(struct bt *bt)
{
	struct bt_token token = bt_peek(bt), next = bt_lex(bt->text, token.at + token.len);

	if (bt_is(bt->text, &token, "_") && bt_is(bt->text, &next, "="))
		bt->at = next.at + next.len;
}

static void statement(struct bt *bt)
{
	size_t start, length;

	comments(bt);
	start = bt->at;
	length = bt->out->len;
	if (bt_take(bt, ";") || (bt->nesting < BT_MAX_NESTING && compound(bt)))
		return;
	if (bt->why_not)
		;
	else if (bt_at(bt, "return"))
		word_statement(bt, "next");
	else if (bt_at(bt, "break") || bt_at(bt, "continue"))
		word_statement(bt, bt_at(bt, "break") ? "break" : "continue");
	else if (discard(bt), !call_statement(bt) && !map_statement(bt))
		plain_statement(bt);
	if (bt->why_not) {
		bt->out->len = length;
		if (bt->out->data)
			bt->out->data[length] = '\0';
		skip_statement(bt);
		leave_out(bt, start);
	}
	bt_take(bt, ";");
}

void bt_body(struct bt *bt, const char *first)
{
	sp_buf_puts(bt->out, "{\n");
	if (*first)
		sp_buf_printf(bt->out, "  %s\n", first);
	bt->depth = 0;
	block(bt);
	sp_buf_putc(bt->out, '\n');
}
