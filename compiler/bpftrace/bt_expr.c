// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/bpftrace/bt.h"

#include "runtime/base/cleanup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGS 32
#define MAX_EXPR 16384 // characters

// Variables, and functions whose arguments are the same. What has no row here keeps its name.
static const struct same {
	const char *name, *ours;
} variables[] = {
	{ "cgroup", "cgroup_id()" }, { "comm", "execname()" }, { "cpu", "cpu()" }, { "curtask", "task_current()" },
	{ "elapsed", "(gettimeofday_ns() - elapsed_from)" }, { "func", "ppfunc()" }, { "gid", "gid()" }, { "jiffies", "@var(\"jiffies\")" },
	{ "kstack", "backtrace()" }, { "ncpus", "num_online_cpus()" }, { "nsecs", "gettimeofday_ns()" }, { "pid", "pid()" },
	{ "ppid", "ppid()" }, { "probe", "pp()" }, { "rand", "randint(4294967295)" }, { "tid", "tid()" }, { "uid", "uid()" },
	{ "ustack", "ubacktrace()" }, { "AF_UNIX", "1" }, { "AF_INET", "2" }, { "AF_INET6", "10" }, { "IPPROTO_TCP", "6" },
	{ "IPPROTO_UDP", "17" }, { "TASK_RUNNING", "0" }, { "TASK_INTERRUPTIBLE", "1" }, { "TASK_UNINTERRUPTIBLE", "2" }, { "true", "1" }, { "false", "0" },
}, functions[] = {
	{ "kstack", "backtrace" }, { "ustack", "ubacktrace" }, { "ksym", "symname" }, { "usym", "usymname" }, { "nsecs", "gettimeofday_ns" },
	{ "strlen", "strlen" }, { "strcontains", "isinstr" }, { "strftime", "strftime" }, { "ppid", "ppid" },
};

static const char *find(const struct same *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (sp_streq(rows[i].name, name))
			return rows[i].ours;
	return NULL;
}

// ---- primary expressions --------------------------------------------------------------------------------------------

// 10ms is in nanoseconds; 1e6 and 1_000 are numbers.
static const char *number(struct bt *bt, const char *text)
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

// Lengths (`l`, `h`) are unknown here; what is left is the same but for %r.
static const char *format(struct bt *bt, const char *text)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };

	for (const char *p = text; *p; p++) {
		sp_buf_putc(&out, *p);
		if (*p != '%')
			continue;
		for (p++; *p && strchr("-+ #0123456789.*", *p); p++)
			sp_buf_putc(&out, *p);
		p += strspn(p, "lhzj");
		if (*p == 'r')
			bt_refuse(bt, "%%r");
		sp_buf_putc(&out, *p == 'i' ? 'd' : *p);
		if (!*p)
			break;
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

static const char *read_text(struct bt *bt, const char *value)
{
	return is_member(value) ? sp_arena_printf(&bt->arena, "%s_string(%s, \"\")", bt->place.is_user ? "user" : "kernel", value) : value;
}

const char *bt_as_text(struct bt *bt, const char *place, const char *value)
{
	const char *name = base_name(bt, place);

	return name && is_text(bt, name) ? read_text(bt, value) : value;
}

// An argument of %s. A stack as text is not its addresses but their names.
static const char *text_argument(struct bt *bt, const char *arg)
{
	const char *name = base_name(bt, arg), *printer = bt_stack_printer(bt, arg);

	if (printer)
		return sp_arena_printf(&bt->arena, "s%s", printer);
	if (name && !is_text(bt, name))
		sp_vec_push(&bt->texts, name);
	return read_text(bt, arg);
}

// What the conversion of the argument `number` is in the format; 0: there is none.
static char conversion(const char *format, unsigned number)
{
	for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
		p++;
		p += strspn(p, "-+ #0123456789.");
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
	unsigned n = bt_args(bt, args, MAX_ARGS);

	if (n)
		args[0] = format(bt, args[0]);
	sp_buf_printf(&out, "(%s", n ? args[0] : "");
	for (unsigned i = 1; i < n; i++)
		sp_buf_printf(&out, ", %s", conversion(args[0], i) == 's' ? text_argument(bt, args[i]) : args[i]);
	sp_buf_puts(&out, ")");
	return sp_arena_strdup(&bt->arena, sp_buf_str(&out));
}

// An address of IPv4 is a number, one of IPv6 an array.
static const char *address_text(struct bt *bt, const char *family, const char *address)
{
	bool is_v6 = strstr(address, "v6") || strstr(address, "in6");

	return sp_arena_printf(&bt->arena, "format_ipaddr(%s%s, %s)", is_v6 ? "&" : "", address, family ? family : is_v6 ? "10" : "2");
}

// A port has 16 bits, an address 32; of others the length is not known.
static const char *swapped(struct bt *bt, const char *value)
{
	if (strstr(value, "port") || strstr(value, "& 0xffff)"))
		return sp_arena_printf(&bt->arena, "ntohs(%s)", value);
	if (strstr(value, "addr") || strstr(value, "& 0xffffffff)"))
		return sp_arena_printf(&bt->arena, "ntohl(%s)", value);
	bt_refuse(bt, "bswap() of a number whose length is not known: ntohs() has 16 bits, ntohl() 32");
	return "0";
}

// In the kernel, a probe may have addresses of both.
static const char *text_of(struct bt *bt, const char *address, const char *length)
{
	if (length && bt->place.is_user)
		return sp_arena_printf(&bt->arena, "user_string_n(%s, %s, \"\")", address, length);
	if (bt->place.is_user)
		return sp_arena_printf(&bt->arena, "user_string(%s, \"\")", address);
	bt->uses_text = true;
	return length ? sp_arena_printf(&bt->arena, "substr(" BT_TEXT "(%s), 0, %s)", address, length) :
			sp_arena_printf(&bt->arena, BT_TEXT "(%s)", address);
}

// kstack(), kstack(3), kstack(perf), kstack(perf, 3): callers() takes the last number that counts from 0, and no more than 20.
static const char *first_callers(struct bt *bt, const char *ours, const char *limit)
{
	long n = strtol(limit, NULL, 10);

	if (n < 1 || n > 20)
		return sp_arena_printf(&bt->arena, "%s()", ours);
	return sp_arena_printf(&bt->arena, "%scallers(%ld)", *ours == 'u' ? "u" : "", n - 1);
}

const char *bt_stack_printer(struct bt *bt, const char *stack)
{
	bool is_program = *stack == 'u';
	const char *name = is_program ? stack + 1 : stack;

	if (sp_streq(name, "backtrace()"))
		return sp_arena_printf(&bt->arena, "print_%s", stack);
	if (sp_starts_with(name, "callers("))
		return sp_arena_printf(&bt->arena, "print_%ssyms(%s)", is_program ? "u" : "", stack);
	return NULL;
}

static const char *call(struct bt *bt, const char *name)
{
	const char *args[MAX_ARGS] = { 0 };
	unsigned n = bt_args(bt, args, MAX_ARGS);
	const char *ours = find(functions, SP_ARRAY_SIZE(functions), name);

	if (sp_streq(name, "str") && n && args[0][0] == '$' && isdigit((unsigned char)args[0][1]))
		return sp_arena_printf(&bt->arena, "@%s", args[0] + 1);
	if (sp_streq(name, "str") && n && n <= 2)
		return text_of(bt, args[0], n == 2 ? args[1] : NULL);
	if (sp_streq(name, "ntop") && (n == 1 || n == 2))
		return address_text(bt, n == 2 ? args[0] : NULL, args[n - 1]);
	if (sp_streq(name, "bswap") && n == 1)
		return swapped(bt, args[0]);
	if (sp_streq(name, "strncmp") && n == 3)
		return sp_arena_printf(&bt->arena, "(substr(%s, 0, %s) != substr(%s, 0, %s))", args[0], args[2], args[1], args[2]);
	if (sp_streq(name, "kaddr") && n == 1)
		return sp_arena_printf(&bt->arena, "&@var(%s)", args[0]);
	if (sp_streq(name, "reg") && n == 1)
		return sp_arena_printf(&bt->arena, "register(%s)", args[0]);
	if ((sp_streq(name, "kptr") || sp_streq(name, "uptr")) && n == 1)
		return args[0];
	if (sp_streq(name, "kstack") || sp_streq(name, "ustack"))
		return first_callers(bt, ours, n ? args[n - 1] : "");
	if (ours && n < 3)
		return sp_arena_printf(&bt->arena, "%s(%s%s%s)", ours, n ? args[0] : "", n > 1 ? ", " : "", n > 1 ? args[1] : "");
	bt_refuse(bt, "%s()", name);
	return "0";
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
	const char *ours;
	unsigned n;

	if (sp_streq(name, "args"))
		return parameter(bt);
	if (bt_at(bt, "("))
		return call(bt, name);
	if (is_argument(name, &n))
		return sp_arena_printf(&bt->arena, bt->place.is_mark ? "$arg%u" : "ulong_arg(%u)", n);
	if (sp_streq(name, "retval"))
		return "returnval()";
	ours = find(variables, SP_ARRAY_SIZE(variables), name);
	if (ours)
		return ours;
	sp_vec_each(define, &bt->defines)
		if (sp_streq(*define, name))
			return sp_arena_printf(&bt->arena, "@%s", name);
	if (sp_streq(name, "username"))
		bt_refuse(bt, "username: uid() is known alone");
	return sp_arena_printf(&bt->arena, "@enum(\"%s\")", name);
}

static const char *map_value(struct bt *bt, const struct bt_token *token)
{
	const struct bt_map *map = bt_map(bt, token);
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	unsigned outer = bt->parens;

	sp_buf_puts(&out, map->ours);
	if (bt_take(bt, "[")) {
		bt->parens++;
		sp_buf_printf(&out, "[%s", bt_expr(bt));
		while (bt_take(bt, ","))
			sp_buf_printf(&out, ", %s", bt_expr(bt));
		sp_buf_puts(&out, "]");
		if (!bt_take(bt, "]"))
			bt_refuse(bt, "the key of @%s", map->name);
		bt->parens = outer;
	}
	return sp_arena_strdup(&bt->arena, sp_buf_str(&out));
}

// The type in `(struct sock *)x`, without the `*`; NULL: the parentheses hold no type. Takes them when they do.
static const char *cast_type(struct bt *bt)
{
	static const char *const numbers[] = {
		"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int", "long", "unsigned", "char", "short", "u8", "u16",
		"u32", "u64", "s8", "s16", "s32", "s64", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "bool", "void",
	};
	size_t start = bt->at;
	struct bt_token open = bt_next(bt), first = bt_next(bt), token = first;
	bool is_type = bt_is(bt->text, &first, "struct") || bt_is(bt->text, &first, "union");
	size_t end = first.at + first.len;

	(void)open;
	for (size_t i = 0; i < SP_ARRAY_SIZE(numbers); i++)
		is_type |= bt_is(bt->text, &first, numbers[i]);
	while (token.kind == BT_NAME) {
		end = token.at + token.len;
		token = bt_next(bt);
	}
	is_type |= first.kind == BT_NAME && bt_is(bt->text, &token, "*"); // (size_name_t *)
	while (bt_is(bt->text, &token, "*"))
		token = bt_next(bt);
	if (first.kind != BT_NAME || !is_type || !bt_is(bt->text, &token, ")")) {
		bt->at = start;
		return NULL;
	}
	return sp_arena_strndup(&bt->arena, bt->text + first.at, end - first.at);
}

static const char *unary(struct bt *bt);

static const char *cast(struct bt *bt, const char *type)
{
	static const struct { const char *type, *mask; } masks[] = {
		{ "uint8", "0xff" }, { "u8", "0xff" }, { "uint8_t", "0xff" }, { "uint16", "0xffff" }, { "u16", "0xffff" },
		{ "uint16_t", "0xffff" }, { "uint32", "0xffffffff" }, { "u32", "0xffffffff" }, { "uint32_t", "0xffffffff" },
	};
	static const struct { const char *type; int shift; } signs[] = {
		{ "int8", 56 }, { "s8", 56 }, { "int8_t", 56 }, { "char", 56 }, { "int16", 48 }, { "s16", 48 }, { "int16_t", 48 },
		{ "short", 48 }, { "int32", 32 }, { "s32", 32 }, { "int32_t", 32 }, { "int", 32 },
	};
	const char *value = unary(bt);

	for (size_t i = 0; i < SP_ARRAY_SIZE(signs); i++)
		if (sp_streq(type, signs[i].type))
			return sp_arena_printf(&bt->arena, "((%s << %d) >> %d)", value, signs[i].shift, signs[i].shift);

	for (size_t i = 0; i < SP_ARRAY_SIZE(masks); i++)
		if (sp_streq(type, masks[i].type))
			return sp_arena_printf(&bt->arena, "(%s & %s)", value, masks[i].mask);
	if (strstr(type, "struct ") || strstr(type, "union ") || (strlen(type) > 2 && sp_streq(type + strlen(type) - 2, "_t") && !strstr(type, "int")))
		return sp_arena_printf(&bt->arena, "@cast(%s, \"%s\")", value, type);
	return value;
}

static const char *primary(struct bt *bt)
{
	struct bt_token token = bt_peek(bt);
	const char *type = bt_at(bt, "(") ? cast_type(bt) : NULL, *inner;

	if (type)
		return cast(bt, type);
	bt_next(bt);
	switch (token.kind) {
	case BT_NUMBER:
		return number(bt, bt_text(bt, &token));
	case BT_STRING:
		return bt_text(bt, &token);
	case BT_VARIABLE:
		inner = bt_text(bt, &token) + 1;
		return isdigit((unsigned char)*inner) || *inner == '#' ? inner - 1 : bt_local(bt, inner);
	case BT_MAP:
		return map_value(bt, &token);
	case BT_NAME:
		if (bt_is(bt->text, &token, "sizeof"))
			bt_refuse(bt, "sizeof");
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
			return inner[0] == '@' && inner[strlen(inner) - 1] == ')' ? inner : sp_arena_printf(&bt->arena, "(%s)", inner);
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
			bt->parens++;
			ret = sp_arena_printf(&bt->arena, "%s[%s]", ret, bt_expr(bt));
			bt->parens--;
			if (!bt_take(bt, "]"))
				bt_refuse(bt, "an index that is not understood");
		} else if (bt_at(bt, "++") || bt_at(bt, "--")) {
			struct bt_token token = bt_next(bt);

			ret = sp_arena_printf(&bt->arena, "%s%s", ret, bt_text(bt, &token));
		} else {
			break;
		}
	}
	return ret;
}

static const char *prefixed(struct bt *bt)
{
	static const char *const operators[] = { "!", "~", "-", "++", "--", "&" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(operators); i++)
		if (bt_take(bt, operators[i]))
			return sp_arena_printf(&bt->arena, "%s%s", operators[i], unary(bt));
	if (bt_take(bt, "*")) {
		bt_refuse(bt, "a pointer's target: user_long(), kernel_long() and their like read one");
		return unary(bt);
	}
	return postfix(bt);
}

static const char *unary(struct bt *bt)
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

const char *bt_expr(struct bt *bt)
{
	const char *ret = unary(bt);

	while (is_operator(bt) && !is_too_long(bt, ret)) {
		struct bt_token token = bt_next(bt);

		ret = sp_arena_printf(&bt->arena, "%s %s %s", ret, bt_text(bt, &token), unary(bt));
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
