// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/bpftrace/bt.h"

#include "runtime/base/cleanup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGS 32 // of printf()
#define MAX_EXPR 16384 // characters

static const struct { const char *name, *ours; } variables[] = {
	{ "cgroup", "cgroup_id()" }, { "comm", "execname()" }, { "cpid", "target()" }, { "cpu", "cpu()" }, { "curtask", "task_current()" },
	{ "elapsed", "(ktime_get_ns() - elapsed_from)" }, { "func", "ppfunc()" }, { "gid", "gid()" }, { "jiffies", "@var(\"jiffies\")" },
	{ "kstack", "backtrace()" }, { "ncpus", "num_online_cpus()" }, { "nsecs", "ktime_get_ns()" }, { "pid", "pid()" },
	{ "ppid", "ppid()" }, { "probe", "pp()" }, { "rand", "randint(4294967295)" }, { "tid", "tid()" }, { "uid", "uid()" },
	{ "ustack", "ubacktrace()" }, { "AF_UNIX", "1" }, { "AF_INET", "2" }, { "AF_INET6", "10" }, { "IPPROTO_TCP", "6" },
	{ "IPPROTO_UDP", "17" }, { "TASK_RUNNING", "0" }, { "TASK_INTERRUPTIBLE", "1" }, { "TASK_UNINTERRUPTIBLE", "2" }, { "true", "1" }, { "false", "0" },
};

// ---- primary expressions --------------------------------------------------------------------------------------------

const char *bt_number(struct bt *bt, const char *text)
{
	static const struct { const char *unit, *zeros; } units[] = {
		{ "ns", "" }, { "us", "000" }, { "ms", "000000" }, { "s", "000000000" }, { "ul", "" }, { "ll", "" }, { "ull", "" }, { "u", "" },
		{ "l", "" },
	};
	sp_cleanup(sp_buf_deinit) struct sp_buf digits = { 0 };
	const char *p = text;

	if (sp_starts_with(text, "0x") || sp_starts_with(text, "0X"))
		return text;
	for (; isdigit((unsigned char)*p) || *p == '_'; p++)
		if (*p != '_')
			sp_buf_putc(&digits, *p);
	if (*p == 'e') {
		for (long n = strtol(p + 1, NULL, 10); n-- > 0 && n < 20;)
			sp_buf_putc(&digits, '0');
		return sp_arena_strdup(&bt->arena, sp_buf_str(&digits));
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(units); i++)
		if (sp_streq(p, units[i].unit) || (sp_streq(units[i].zeros, "") && !strcasecmp(p, units[i].unit)))
			return sp_arena_printf(&bt->arena, "%s%s", sp_buf_str(&digits), units[i].zeros);
	if (*p)
		bt_refuse(bt, "the number %s", text);
	return sp_arena_strdup(&bt->arena, sp_buf_str(&digits));
}

unsigned bt_args(struct bt *bt, const char **args, unsigned max)
{
	unsigned n = 0, outer = bt->parens;

	bt->parens++;
	if (!bt_take(bt, "("))
		bt_refuse(bt, "no arguments");
	while (!bt_at(bt, ")") && bt_peek(bt).kind != BT_END && n < max) {
		args[n++] = bt_expr(bt);
		if (!bt_take(bt, ","))
			break;
	}
	if (!bt_take(bt, ")"))
		bt_refuse(bt, "arguments that are not understood");
	bt->parens = outer;
	return n;
}

// Lengths (`l`, `h`) are unknown here. *buffers_ret: how many %r there are.
static const char *format(struct bt *bt, const char *text, unsigned *buffers_ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };

	for (const char *p = text; *p; p++) {
		sp_buf_putc(&out, *p);
		if (*p != '%')
			continue;
		for (p++; *p && strchr("-+ #0123456789.*", *p); p++)
			sp_buf_putc(&out, *p);
		p += strspn(p, "lhzj");
		if (*p == 'r') // buf() gives a length, then an address
			sp_buf_puts(&out, ".*");
		*buffers_ret += *p == 'r';
		sp_buf_putc(&out, *p == 'i' ? 'd' : *p == 'r' ? 'M' : *p);
		if (!*p)
			break;
		p += *p == 'r' && (p[1] == 'x' || p[1] == 'h'); // %rx, %rh: in which form
	}
	return sp_arena_strdup(&bt->arena, sp_buf_str(&out));
}

// Our name at the beginning of `x`, `x[key]`; NULL: it is no variable or map.
static const char *base_name(struct bt *bt, const char *value)
{
	size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && (!value[n] || value[n] == '[') ? sp_arena_strndup(&bt->arena, value, n) : NULL;
}

static bool is_text(const struct bt *bt, const char *name)
{
	sp_vec_each(text, &bt->texts)
		if (sp_streq(*text, name))
			return true;
	return false;
}

// A member of a structure, or a parameter: of those that are texts, the value is an address.
static bool is_member(const char *value)
{
	const char *last = strstr(value, "->");

	for (const char *next = last; next; next = strstr(last + 2, "->"))
		last = next;
	if (value[0] == '$' && !last)
		return !value[1 + strspn(value + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
	return last && (sp_starts_with(value, "@cast(") || value[0] == '$' || isalpha((unsigned char)value[0])) &&
	       !strpbrk(last + 2, " )]") && !strstr(value, "_string(");
}

const char *bt_member_text(struct bt *bt, const char *value)
{
	return is_member(value) ? sp_arena_printf(&bt->arena, "%s_string(%s, \"\")", bt->place.is_user ? "user" : "kernel", value) : value;
}

const char *bt_as_text(struct bt *bt, const char *place, const char *value)
{
	const char *name = base_name(bt, place);

	return name && is_text(bt, name) ? bt_member_text(bt, value) : value;
}

// An argument of %s. A stack as text is not its addresses but their names.
static const char *text_argument(struct bt *bt, const char *arg)
{
	const char *name = base_name(bt, arg), *printer = bt_stack_printer(bt, arg);

	if (printer)
		return sp_arena_printf(&bt->arena, "s%s", printer);
	if (name && !is_text(bt, name))
		sp_vec_push(&bt->texts, name);
	return bt_member_text(bt, arg);
}

// What the conversion of the argument `number` is in the format; 0: there is none.
static char conversion(const char *format, unsigned number)
{
	for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
		p++;
		p += strspn(p, "-+ #0123456789.*");
		if (*p != '%' && !--number)
			return *p;
		p += *p != '\0';
	}
	return 0;
}

const char *bt_format_args(struct bt *bt)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	const char *args[MAX_ARGS];
	unsigned n, n_buffers = 0;

	bt->in_format = true;
	bt->n_buffers = 0;
	n = bt_args(bt, args, MAX_ARGS);
	bt->in_format = false;
	if (n)
		args[0] = format(bt, args[0], &n_buffers);
	if (n_buffers != bt->n_buffers)
		bt_refuse(bt, "buf() and %%r that do not belong together");
	sp_buf_printf(&out, "(%s", n ? args[0] : "");
	for (unsigned i = 1; i < n; i++)
		sp_buf_printf(&out, ", %s", conversion(args[0], i) == 's' ? text_argument(bt, args[i]) : args[i]);
	sp_buf_puts(&out, ")");
	return sp_arena_strdup(&bt->arena, sp_buf_str(&out));
}

static bool is_argument(const char *name, unsigned *number_ret)
{
	if (!sp_starts_with(name, "arg") || !isdigit((unsigned char)name[3]) || name[4])
		return false;
	*number_ret = (unsigned)(name[3] - '0') + 1;
	return true;
}

// args.x, args->x: the parameter itself.
static const char *parameter(struct bt *bt)
{
	struct bt_token member;
	const char *name;

	if (!bt_take(bt, ".") && !bt_take(bt, "->")) {
		bt_refuse(bt, "args as a whole");
		return "0";
	}
	member = bt_next(bt);
	name = bt_text(bt, &member);
	return sp_arena_printf(&bt->arena, "$%s", sp_starts_with(name, "data_loc_") ? name + strlen("data_loc_") : name);
}

static const char *word(struct bt *bt, const char *name)
{
	unsigned n;

	if (sp_streq(name, "args") || (sp_streq(name, "ctx") && bt->place.is_iterator))
		return parameter(bt);
	if (bt_at(bt, "("))
		return bt_call(bt, name);
	if (is_argument(name, &n))
		return sp_arena_printf(&bt->arena, bt->place.is_mark ? "$arg%u" : "ulong_arg(%u)", n);
	if (sp_streq(name, "retval"))
		return bt->place.has_return ? "$return" : "returnval()";
	for (size_t i = 0; i < SP_ARRAY_SIZE(variables); i++)
		if (sp_streq(name, variables[i].name))
			return variables[i].ours;
	sp_vec_each(define, &bt->defines)
		if (sp_streq(*define, name))
			return sp_arena_printf(&bt->arena, "@%s", name);
	if (sp_streq(name, "username"))
		bt_refuse(bt, "username: uid() is known alone");
	if (sp_streq(name, "numaid") || sp_streq(name, "usermode"))
		bt_refuse(bt, "%s", name);
	return sp_arena_printf(&bt->arena, "@enum(\"%s\")", name);
}

// What there is no value for yet is 0 in bpftrace. A key that changes something is computed once.
static const char *value_or_zero(struct bt *bt, const struct bt_map *map, const char *element)
{
	const char *value = bt_map_value(bt, map, element);

	if (*value != '@' || strstr(element, "++") || strstr(element, "--"))
		return value;
	return sp_arena_printf(&bt->arena, "(@count(%s) ? %s : 0)", element, value);
}

// A stack in a variable is one as a key, too.
static const char *key(struct bt *bt, struct bt_map *map, unsigned number)
{
	const char *ret = bt_expr(bt);
	char stack = bt_stack_kind(bt, ret);

	if (stack && number < BT_STACK_BITS)
		*(stack == 'u' ? &map->ustack_keys : &map->stack_keys) |= 1u << number;
	return ret;
}

static const char *map_value(struct bt *bt, const struct bt_token *token)
{
	struct bt_map *map = bt_map(bt, token);
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	unsigned outer = bt->parens, n = 0;
	bool is_place = bt->wants_place, is_address = bt->wants_address;

	bt->wants_place = bt->wants_address = false;
	sp_buf_puts(&out, map->ours);
	if (bt_take(bt, "[")) {
		bt->parens++;
		sp_buf_printf(&out, "[%s", key(bt, map, n++));
		while (bt_take(bt, ","))
			sp_buf_printf(&out, ", %s", key(bt, map, n++));
		sp_buf_puts(&out, "]");
		if (!bt_take(bt, "]"))
			bt_refuse(bt, "the key of @%s", map->name);
		bt->parens = outer;
	}
	bt->wants_place = is_place;
	bt->wants_address = is_address;
	return is_place ? sp_arena_strdup(&bt->arena, sp_buf_str(&out)) : value_or_zero(bt, map, sp_buf_str(&out));
}

const char *bt_place(struct bt *bt)
{
	const char *ret;

	bt->wants_place = true;
	ret = bt_expr(bt);
	bt->wants_place = false;
	return ret;
}

// $1, $#
static const char *script_argument(struct bt *bt, const char *name)
{
	return name[1] == '#' ? name : sp_arena_printf(&bt->arena, "%%( $# >= %s %%? %s %%: 0 %%)", name + 1, name);
}

const char *bt_argument_text(struct bt *bt)
{
	struct bt_token open = bt_peek(bt), argument = bt_lex(bt->text, open.at + open.len), end = bt_lex(bt->text, argument.at + argument.len);
	const char *number;

	if (argument.kind != BT_VARIABLE || !bt_is(bt->text, &end, ")") || !isdigit((unsigned char)bt->text[argument.at + 1]))
		return NULL;
	bt->at = end.at + end.len;
	number = bt_text(bt, &argument) + 1;
	return sp_arena_printf(&bt->arena, "%%( $# >= %s %%? @%s %%: \"\" %%)", number, number);
}

// $kv.0, $kv.0.1, $kv.1 in `for ($kv : @map)`. NULL: the variable is another one.
static const char *pair_member(struct bt *bt, const char *variable)
{
	const struct bt_walk *walk = NULL;
	unsigned long part, key = 0;
	struct bt_token token;

	sp_vec_each(around, &bt->walks)
		if (sp_streq(around->variable, variable))
			walk = around;
	if (!walk)
		return NULL;
	token = bt_take(bt, ".") ? bt_next(bt) : (struct bt_token){ 0 };
	part = token.kind == BT_NUMBER ? strtoul(bt_text(bt, &token), NULL, 10) : 2;
	if (part == 0 && walk->map->n_keys > 1) {
		token = bt_take(bt, ".") ? bt_next(bt) : (struct bt_token){ 0 };
		key = token.kind == BT_NUMBER ? strtoul(bt_text(bt, &token), NULL, 10) : walk->map->n_keys;
	}
	if (part > 1 || key >= walk->map->n_keys)
		bt_refuse(bt, "a tuple");
	if (part == 1)
		return bt_map_value(bt, walk->map, sp_arena_printf(&bt->arena, "%s%s", walk->map->ours, walk->keys));
	return sp_arena_printf(&bt->arena, "k%lu", walk->first_key + key);
}

static const char *variable(struct bt *bt, const char *name)
{
	const char *ret;

	if (isdigit((unsigned char)name[1]) || name[1] == '#')
		return script_argument(bt, name);
	ret = pair_member(bt, name + 1);
	return ret ? ret : bt_local(bt, name + 1);
}

// @f(x), but not @f(x) + g(y).
static bool is_one_operator(const char *value)
{
	unsigned depth = 0;
	bool in_text = false;

	if (value[0] != '@' || value[1 + strspn(value + 1, "abcdefghijklmnopqrstuvwxyz_")] != '(')
		return false;
	for (const char *p = value; *p; p++) {
		if (in_text && *p == '\\' && p[1])
			p++;
		else if (*p == '"')
			in_text = !in_text;
		else if (!in_text && (*p == '(' || *p == ')'))
			depth += *p == '(' ? 1 : -1;
		if (!in_text && *p == ')' && !depth)
			return !p[1];
	}
	return false;
}

// x[0], and what it is an element of, which has a type.
static bool is_element(const char *value)
{
	size_t len = strlen(value);

	return len > 3 && sp_streq(value + len - 3, "[0]") && !strchr(value, ' ') && !strchr("-!~&+", value[0]);
}

static const char *primary(struct bt *bt)
{
	struct bt_token token = bt_peek(bt);
	struct bt_type type = bt_cast_type(bt);
	const char *inner;

	if (type.name)
		return bt_cast(bt, &type, bt_unary(bt));
	bt_next(bt);
	switch (token.kind) {
	case BT_NUMBER:
		return bt_number(bt, bt_text(bt, &token));
	case BT_STRING:
		return bt_text(bt, &token);
	case BT_VARIABLE:
		return variable(bt, bt_text(bt, &token));
	case BT_MAP:
		return map_value(bt, &token);
	case BT_NAME:
		return word(bt, bt_text(bt, &token));
	case BT_MARK:
		if (bt_is(bt->text, &token, "(")) {
			bt->parens++;
			inner = bt_expr(bt);
			bt->parens--;
			if (bt_at(bt, ","))
				bt_refuse(bt, "a tuple");
			else if (!bt_take(bt, ")"))
				bt_refuse(bt, "an expression that is not understood");
			return is_one_operator(inner) || is_element(inner) ? inner : sp_arena_printf(&bt->arena, "(%s)", inner);
		}
		break;
	case BT_END:
		break;
	}
	bt_refuse(bt, "`%s`", bt_text(bt, &token));
	return "0";
}

// Each operator copies what stands before it.
static bool is_too_long(struct bt *bt, const char *expr)
{
	if (strlen(expr) > MAX_EXPR)
		bt_refuse(bt, "it is too long");
	return bt->why_not && strlen(expr) > MAX_EXPR;
}

// Arrays of characters, which are texts in bpftrace, and addresses here: those that the script has in a structure, and well-known ones.
static bool is_characters(const struct bt *bt, const char *name)
{
	static const char *const known[] = { "d_iname", "disk_name", "nodename", "rwbs", "sun_path", "sysname" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(known); i++)
		if (sp_streq(name, known[i]))
			return true;
	sp_vec_each(member, &bt->characters)
		if (sp_streq(name, *member))
			return true;
	return sp_ends_with(name, "comm");
}

// In a program's place, the structure may be the kernel's.
static const char *characters(struct bt *bt, const char *value)
{
	const char *name = value + 1;

	for (const char *next = strstr(value, "->"); next; next = strstr(name, "->"))
		name = next + 2;
	if (bt->wants_address || !is_member(value) || !is_characters(bt, name))
		return value;
	bt->uses_text |= bt->place.is_user;
	return bt->place.is_user ? sp_arena_printf(&bt->arena, BT_TEXT "(%s)", value) : sp_arena_printf(&bt->arena, "kernel_string(%s, \"\")", value);
}

// .member and ->member are the same here; of an array of a structure, [i] too.
static const char *postfix(struct bt *bt)
{
	const char *ret = primary(bt);

	while (!is_too_long(bt, ret)) {
		if (bt_take(bt, ".") || bt_take(bt, "->")) {
			struct bt_token member = bt_next(bt);

			if (member.kind != BT_NAME)
				bt_refuse(bt, "a member of a tuple");
			ret = sp_arena_printf(&bt->arena, "%s->%s", ret, bt_text(bt, &member));
		} else if (bt_take(bt, "[")) {
			const struct bt_type *pointer = bt_pointer_type(bt, ret);

			bt->parens++;
			ret = pointer ? bt_target(bt, pointer, ret, bt_expr(bt)) : sp_arena_printf(&bt->arena, "%s[%s]", ret, bt_expr(bt));
			bt->parens--;
			if (!bt_take(bt, "]"))
				bt_refuse(bt, "an index that is not understood");
		} else if (bt_at(bt, "++") || bt_at(bt, "--")) {
			struct bt_token token = bt_next(bt);

			if (bt_counts_elements(bt, ret))
				bt_refuse(bt, "a pointer of a type that counts elements");
			ret = sp_arena_printf(&bt->arena, "%s%s", ret, bt_text(bt, &token));
		} else {
			break;
		}
	}
	return characters(bt, ret);
}

static const char *prefixed(struct bt *bt)
{
	static const char *const operators[] = { "!", "~", "-", "++", "--", "&" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(operators); i++) {
		bool is_address = bt->wants_address;
		const char *operand;

		if (!bt_take(bt, operators[i]))
			continue;
		bt->wants_address |= *operators[i] == '&';
		operand = bt_unary(bt);
		bt->wants_address = is_address;
		if (*operand == '-' && *operators[i] == '-') // together they would be `--`
			operand = sp_arena_printf(&bt->arena, "(%s)", operand);
		return sp_arena_printf(&bt->arena, "%s%s", operators[i], operand);
	}
	return bt_take(bt, "*") ? bt_dereference(bt) : postfix(bt);
}

const char *bt_unary(struct bt *bt)
{
	const char *ret = "0";

	if (bt->nesting == BT_MAX_NESTING) {
		bt_refuse(bt, "it is nested too deeply");
		return ret;
	}
	bt->nesting++;
	ret = prefixed(bt);
	bt->nesting--;
	return ret;
}

// ---- the rest -------------------------------------------------------------------------------------------------------

static bool is_operator(const struct bt *bt)
{
	static const char *const operators[] = {
		"+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||",
	};

	if (bt_at(bt, "/") && bt->in_filter && !bt->parens)
		return false;
	for (size_t i = 0; i < SP_ARRAY_SIZE(operators); i++)
		if (bt_at(bt, operators[i]))
			return true;
	return false;
}

// A text that is written there, an argument of the script as text, or what a function has read.
static bool is_known_text(const char *value)
{
	static const char *const beginnings[] = { "\"", "execname()", "kernel_string(", "user_string(", BT_TEXT "(" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(beginnings); i++)
		if (sp_starts_with(value, beginnings[i]))
			return true;
	return sp_starts_with(value, "%( $# >= ") && strstr(value, "%? @");
}

// What a text is compared with is a text; `left` may be the end of a longer expression.
static const char *compared(struct bt *bt, const char *left, const char *op, const char *right)
{
	const char *last = strrchr(left, ' ');

	if (sp_streq(op, "==") || sp_streq(op, "!=")) {
		last = last ? last + 1 : left;
		if (is_known_text(right))
			left = sp_arena_printf(&bt->arena, "%.*s%s", (int)(last - left), left, bt_member_text(bt, last));
		if (is_known_text(last))
			right = bt_member_text(bt, right);
	}
	return sp_arena_printf(&bt->arena, "%s %s %s", left, op, right);
}

const char *bt_expr(struct bt *bt)
{
	const char *ret = bt_unary(bt);

	while (is_operator(bt) && !is_too_long(bt, ret)) {
		struct bt_token token = bt_next(bt);
		const char *op = bt_is(bt->text, &token, ">>") ? ">>>" : bt_text(bt, &token), *right = bt_unary(bt); // it shifts zeros in

		if ((*op == '+' || *op == '-') && (bt_counts_elements(bt, ret) || bt_counts_elements(bt, right)))
			bt_refuse(bt, "a pointer of a type that counts elements");
		ret = compared(bt, ret, op, right);
	}
	if (bt->nesting < BT_MAX_NESTING && bt_take(bt, "?")) {
		const char *yes;

		bt->nesting++;
		yes = bt_expr(bt);
		if (!bt_take(bt, ":"))
			bt_refuse(bt, "`?` without `:`");
		ret = sp_arena_printf(&bt->arena, "%s ? %s : %s", ret, yes, bt_expr(bt));
		bt->nesting--;
	}
	return ret;
}
