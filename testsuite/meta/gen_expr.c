// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions. Arguments of a FUNC_EXPR are literals and local variables, which its value does not change: so they can be put where a parameter is read.
#include "testsuite/meta/gen.h"

struct node *gen_form(struct gen *g, enum type type, unsigned n_kids, struct node *const *kids, const char *text, ...)
{
	struct sp_buf form = { 0 };
	struct node *n;
	va_list args;

	va_start(args, text);
	sp_buf_vprintf(&form, text, args);
	va_end(args);
	n = node_form(g->tree, type, sp_arena_strdup(g->tree->arena, sp_buf_str(&form)), n_kids, kids);
	sp_buf_deinit(&form);
	return n;
}

static const struct global *global_but(struct gen *g, enum global_kind kind, enum type type, uint32_t excluded)
{
	unsigned fit[MAX_GLOBALS], n = 0, i;

	for (i = 0; i < g->script->n_globals; i++) {
		const struct global *a = &g->script->globals[i];

		if (a->kind == kind && !a->is_unread && (type == T_NONE || a->type == type) && !(excluded >> i & 1))
			fit[n++] = i;
	}
	if (!n)
		return NULL;
	i = fit[below(g->rng, n)];
	g->named |= 1u << i;
	return &g->script->globals[i];
}

const struct global *gen_global(struct gen *g, enum global_kind kind, enum type type)
{
	return global_but(g, kind, type, 0);
}

const struct global *gen_writable(struct gen *g, enum global_kind kind, enum type type)
{
	const struct global *a = g->is_plain || g->is_pure ? NULL : global_but(g, kind, type, g->frozen);

	if (a)
		g->writes |= 1u << (a - g->script->globals);
	return a;
}

// ---- leaves ---------------------------------------------------------------------------------------------------------

static struct node *number(struct gen *g)
{
	static const struct {
		const char *text, *alt;
	} numbers[] = {
		{ "0", "0x0" }, { "1", "01" }, { "2", "0x2" }, { "3", "03" }, { "5", NULL }, { "7", "0x7" }, { "10", "0xa" },
		{ "10", "012" }, { "31", NULL }, { "63", "0x3f" }, { "64", "0100" }, { "100", NULL }, { "255", "0xff" },
		{ "1000", NULL }, { "65535", "0xFFFF" }, { "0x7fffffff", "2147483647" }, { "0x80000000", "2147483648" },
		{ "0xffffffff", "4294967295" }, { "0x7fffffffffffffff", "9223372036854775807" },
		{ "-1", "0xffffffffffffffff" }, { "-2", NULL }, { "-7", NULL }, { "-100", NULL },
		{ "-0x7fffffffffffffff", NULL }, { "0x8000000000000000", NULL },
		{ "0x7ffffffffffffffe", NULL }, { "0x100000000", "4294967296" }, { "-2147483648", NULL }, { "-2147483649", NULL },
		{ "0x5555555555555555", NULL }, { "65", NULL }, { "-64", NULL }, { "511", "0777" },
		{ "0x8000000000000001", NULL }, { "0xffffffff80000000", "-2147483648" }, { "62", NULL }, { "32", "0b100000" },
		{ "-0x8000000000000000", NULL }, { "128", NULL }, { "256", "0x100" }, { "10000000000", NULL },
	};
	unsigned i = chance(g->rng, 60) ? below(g->rng, 10) : below(g->rng, SP_ARRAY_SIZE(numbers));
	struct node *n = node_leaf(g->tree, T_LONG, numbers[i].text);

	n->alt = numbers[i].alt;
	if (numbers[i].text[0] == '-')
		n->level = L_UNARY;
	return n;
}

// Only short ones for what has to stay the same text with every MAXSTRINGLEN.
static struct node *literal(struct gen *g)
{
	static const struct {
		const char *text, *alt;
	} texts[] = {
		{ "\"\"", NULL }, { "\"a\"", NULL }, { "\"b\"", NULL }, { "\"ab\"", "\"a\" \"b\"" }, { "\"abc\"", "\"ab\" \"c\"" },
		{ "\"abd\"", NULL }, { "\"7\"", NULL }, { "\"-12\"", NULL }, { "\"0x1f\"", NULL }, { "\"3 apples\"", NULL },
		{ "\"eight by\"", "\"eight\" \" by\"" }, { "\"nine byte\"", NULL }, { "\"fifteen bytes..\"", NULL },
		{ "\"sixteen bytes ..\"", NULL }, { "\"a,b;c,d\"", NULL }, { "\"k=v\"", NULL }, { "\"two\\nlines\"", NULL },
		{ "\"a\\ttab and a \\\"quote\\\"\"", NULL }, { "\"\303\251\"", NULL }, { "\"100%\"", NULL },
		{ "\"\\x41\\102\\a\"", "\"AB\" \"\\007\"" }, { "\"\\377b\"", "\"\\xff\" \"b\"" }, { "\"\\\\d+'\"", NULL },
		{ "\"\\x80\"", NULL }, { "\"a\\xff\"", NULL }, { "\"\\x7f\\x80\"", NULL }, { "\"B\"", NULL }, { "\"_\"", NULL },
		{ "\"  12\"", NULL }, { "\"+7\"", NULL }, { "\"-0x10\"", NULL }, { "\"0x\"", NULL }, { "\"08\"", NULL }, { "\"-\"", NULL },
		{ "\"9223372036854775808\"", NULL }, { "\"-9223372036854775809\"", NULL }, { "\"uu,UU\"", NULL }, { "\"\\r\\v x\"", NULL },
		{ "\"a text of more bytes than fit into eight words of eight bytes each, and so of a loop\"", NULL },
	};
	unsigned i = chance(g->rng, 50) ? below(g->rng, 8) : below(g->rng, SP_ARRAY_SIZE(texts));
	struct node *n = node_leaf(g->tree, T_STR, texts[i].text);

	n->alt = texts[i].alt;
	return n;
}

static struct node *variable(struct gen *g, enum type type)
{
	const struct var *fit[MAX_VARS];
	const struct var *v;
	unsigned n = 0;

	for (unsigned i = 0; i < g->n_vars; i++)
		if (g->vars[i].type == type && (!g->is_plain || g->vars[i].is_fixed))
			fit[n++] = &g->vars[i];
	if (!n)
		return NULL;
	v = fit[below(g->rng, n)];
	return v->param >= 0 ? node_param(g->tree, g->func, (unsigned)v->param) : node_leaf(g->tree, type, v->name);
}

static unsigned weight(const struct gen *g, const struct leaf *l, enum type type)
{
	if (g->func && strpbrk(l->text, "$@")) // of the probed place: functions have none
		return 0;
	return l->type != type || (g->is_focused && l->names_site) ? 0 : l->weight;
}

struct node *gen_value(struct gen *g, enum type type)
{
	unsigned total = 0, at;

	if ((g->func && !g->wants->leaves_in_functions) || g->is_plain || g->is_end || g->has_no_leaves)
		return NULL;
	for (unsigned i = 0; i < g->wants->n_leaves; i++)
		total += weight(g, &g->wants->leaves[i], type);
	if (!total)
		return NULL;
	at = below(g->rng, total);
	for (unsigned i = 0; i < g->wants->n_leaves; i++) {
		const struct leaf *l = &g->wants->leaves[i];
		unsigned w = weight(g, l, type);

		if (at < w)
			return node_leaf(g->tree, type, l->text);
		at -= w;
	}
	return NULL;
}

static struct node *wanted_leaf(struct gen *g, enum type type)
{
	return g->is_focused || chance(g->rng, 35) ? NULL : gen_value(g, type);
}

struct node *gen_leaf(struct gen *g, enum type type)
{
	struct node *n = wanted_leaf(g, type);
	unsigned which = below(g->rng, 10);
	const struct global *a;

	if (!n && which < 5)
		n = variable(g, type);
	if (!n && which < 7 && !g->is_plain) {
		a = gen_global(g, GLOBAL_SCALAR, type);
		n = a ? node_leaf(g->tree, type, a->name) : NULL;
	}
	if (!n)
		n = type == T_LONG ? number(g) : literal(g);
	return n;
}

// ---- elements -------------------------------------------------------------------------------------------------------

struct node *gen_small(struct gen *g, unsigned depth)
{
	static const char *const few[] = { "0", "1", "2", "3", "4" };
	static const char *const divided[] = { "(((\1) & 255) % 5)", "(((\1) & 255) / 60)", "(1 >> (\1))", "(((\1) & 9) * ((\1) & 1) % 4)" };
	struct node *a;

	if (!depth || chance(g->rng, g->effects == MANY_EFFECTS ? 20 : 50))
		return node_leaf(g->tree, T_LONG, *pick(g->rng, few));
	a = gen_expr(g, T_LONG, depth - 1);
	if (below(g->rng, 3) == 0) // LLVM knows that these are small, the verifier does not
		return node_form(g->tree, T_LONG, *pick(g->rng, divided), 1, &a);
	return node_binary(g->tree, T_LONG, L_AND, "&", a, node_leaf(g->tree, T_LONG, "3"));
}

// One of two literals, or one of them.
static struct node *known_key(struct gen *g)
{
	static const char *const few[] = { "\"a\"", "\"b\"", "\"ab\"", "\"\"", "\"sixteen bytes ..\"", "\"a key that is long\"", "\"\\xff\"" };
	struct node *kids[3] = { NULL, node_leaf(g->tree, T_STR, *pick(g->rng, few)), node_leaf(g->tree, T_STR, *pick(g->rng, few)) };

	if (below(g->rng, 3))
		return kids[1];
	kids[0] = gen_condition(g, 1);
	return gen_form(g, T_STR, 3, kids, "((\1) ? \2 : \3)");
}

// Few texts, so that elements are found again; those of the program are few, too.
static struct node *key(struct gen *g, enum type type, bool is_known)
{
	static const char *const few[] = { "\"a\"", "\"b\"", "\"ab\"", "\"a,b;c,d\"", "\"sixteen bytes ..\"", "\"\\x80a\"", "\"a\\xff\"" };
	struct node *n;

	if (type == T_LONG)
		return gen_small(g, 2);
	if (is_known)
		return known_key(g);
	n = wanted_leaf(g, T_STR);
	if (n && chance(g->rng, 70))
		return n;
	if (chance(g->rng, g->effects == MANY_EFFECTS ? 50 : 15))
		return gen_expr(g, T_STR, 1);
	return node_leaf(g->tree, T_STR, *pick(g->rng, few));
}

static const char *const element_forms[] = { "%s", "%s[\1]", "%s[\1, \2]" };

struct node *gen_element(struct gen *g, const struct global *a)
{
	struct node *keys[MAX_KEYS];

	if (a->is_own)
		return gen_form(g, a->type, 0, NULL, "%s[%s]", a->name, below(g->rng, 2) || a->is_of_thread ? "tid()" : "pid()");
	for (unsigned i = 0; i < a->n_keys; i++)
		keys[i] = key(g, a->keys[i], a->is_known);
	return gen_form(g, a->type, a->n_keys, keys, element_forms[a->n_keys], a->name);
}

static struct node *membership(struct gen *g)
{
	const struct global *a = gen_global(g, chance(g->rng, 80) ? GLOBAL_ARRAY : GLOBAL_STAT, T_NONE);
	struct node *keys[MAX_KEYS], *n;

	if (!a || !a->n_keys)
		return NULL;
	for (unsigned i = 0; i < a->n_keys; i++)
		keys[i] = key(g, a->keys[i], a->is_known);
	if (a->is_own)
		return gen_form(g, T_LONG, 0, NULL, "([tid()] in %s)", a->name);
	if (a->n_keys == 2 && chance(g->rng, 25)) {
		n = gen_form(g, T_LONG, 1, &keys[below(g->rng, 2)], "([*, *] in %s)", a->name);
		n->form = keys[0] == n->kid[0] ? sp_arena_printf(g->tree->arena, "([\1, *] in %s)", a->name) :
						 sp_arena_printf(g->tree->arena, "([*, \1] in %s)", a->name);
		return n;
	}
	n = gen_form(g, T_LONG, a->n_keys, keys, a->n_keys == 1 ? "[\1] in %s" : "[\1, \2] in %s", a->name);
	n->level = L_IN;
	return n;
}

static struct node *change(struct gen *g)
{
	static const char *const forms[] = { "\1++", "\1--", "++\1", "--\1" };
	const struct global *a = gen_writable(g, below(g->rng, 2) ? GLOBAL_ARRAY : GLOBAL_SCALAR, T_LONG);
	struct node *e, *n;

	if (!a)
		return NULL;
	e = gen_element(g, a);
	n = node_of_place(g->tree, T_LONG, *pick(g->rng, forms), 1, &e);
	n->level = L_UNARY;
	return n;
}

// ---- statistics -----------------------------------------------------------------------------------------------------

static struct node *statistic(struct gen *g)
{
	static const char *const safe[] = { "@count", "@sum" };
	static const char *const risky[] = { "@min", "@max", "@avg", "@variance" };
	const struct global *a = gen_global(g, GLOBAL_STAT, T_NONE);
	struct node *e;

	if (!a)
		return NULL;
	e = gen_element(g, a);
	if (below(g->rng, 2))
		return node_of_place(g->tree, T_LONG, sp_arena_printf(g->tree->arena, "%s(\1)", *pick(g->rng, safe)), 1, &e);
	// What is not there is an error, but where it is all that is printed, outside of the kernel and of try.
	if (chance(g->rng, g->tries ? 30 : 2))
		return gen_form(g, T_LONG, 1, &e, g->tries ? "%s(\1)" : "(%s(\1) + 0)", *pick(g->rng, risky));
	return gen_form(g, T_LONG, 1, &e, "(@count(\1) ? %s(\1) : -1)", *pick(g->rng, risky));
}

// ---- numbers --------------------------------------------------------------------------------------------------------

static struct node *arithmetic(struct gen *g, unsigned depth)
{
	static const struct {
		const char *op;
		enum level level;
	} ops[] = {
		{ "+", L_ADD }, { "+", L_ADD }, { "-", L_ADD }, { "*", L_MUL }, { "&", L_AND }, { "|", L_OR }, { "^", L_XOR },
		{ "<<", L_SHIFT }, { ">>", L_SHIFT }, { ">>>", L_SHIFT }, { "/", L_MUL }, { "%", L_MUL },
	};
	unsigned i = below(g->rng, SP_ARRAY_SIZE(ops));
	struct node *a = gen_expr(g, T_LONG, depth - 1), *b = gen_expr(g, T_LONG, depth - 1), *n;
	bool divides = ops[i].level == L_MUL && *ops[i].op != '*';

	if (divides && (g->is_plain || !chance(g->rng, g->tries ? 30 : 3)))
		b = node_binary(g->tree, T_LONG, L_OR, "|", b, node_leaf(g->tree, T_LONG, "1"));
	n = node_binary(g->tree, T_LONG, ops[i].level, ops[i].op, a, b);
	if (*ops[i].op == '-')
		n->alt = "\1 + -\2";
	return n;
}

static struct node *comparison(struct gen *g, unsigned depth, enum type type)
{
	static const struct {
		const char *op, *alt;
	} ops[] = {
		{ "==", "!(\1 != \2)" }, { "!=", "!(\1 == \2)" }, { "<", "!(\1 >= \2)" },
		{ "<=", "!(\1 > \2)" }, { ">", "!(\1 <= \2)" }, { ">=", "!(\1 < \2)" },
	};
	unsigned i = below(g->rng, SP_ARRAY_SIZE(ops));
	struct node *a = gen_expr(g, type, depth - 1), *b = gen_expr(g, type, depth - 1), *n;

	n = node_binary(g->tree, T_LONG, L_COMPARE, ops[i].op, a, b);
	n->alt = ops[i].alt;
	return n;
}

static struct node *logic(struct gen *g, unsigned depth)
{
	bool is_and = below(g->rng, 2);
	struct node *a = gen_condition(g, depth - 1), *b = gen_condition(g, depth - 1), *n;

	n = node_binary(g->tree, T_LONG, is_and ? L_LAND : L_LOR, is_and ? "&&" : "||", a, b);
	n->alt = is_and ? "\1 ? \2 != 0 : 0" : "\1 ? 1 : \2 != 0";
	return n;
}

static struct node *ternary(struct gen *g, enum type type, unsigned depth)
{
	struct node *kids[3], *n;

	kids[0] = gen_condition(g, depth - 1);
	kids[1] = gen_expr(g, type, depth - 1);
	kids[2] = gen_expr(g, type, depth - 1);
	n = node_operator(g->tree, type, L_TERNARY, "\1 ? \2 : \3", 3, kids);
	n->need[0] = n->need[1] = L_LOR;
	n->alt = "!\1 ? \3 : \2";
	n->order = ORDER_CHOICE;
	return n;
}

static struct node *unary(struct gen *g, unsigned depth)
{
	static const struct {
		const char *form, *alt;
	} ops[] = { { "-\1", "0 - \1" }, { "~\1", "-1 ^ \1" }, { "!\1", "\1 == 0" } };
	unsigned i = below(g->rng, SP_ARRAY_SIZE(ops));
	struct node *a = gen_expr(g, T_LONG, depth - 1), *n;

	n = node_operator(g->tree, T_LONG, L_UNARY, ops[i].form, 1, &a);
	n->need[0] = L_POSTFIX;
	n->order = ORDER_KIDS;
	n->alt = ops[i].alt;
	return n;
}

struct node *gen_matched(struct gen *g, unsigned depth)
{
	return gen_expr(g, T_STR, depth);
}

static struct node *match(struct gen *g, unsigned depth)
{
	const char *op = chance(g->rng, 75) ? "=~" : "!~", *pattern = gen_pattern(g);
	struct node *a = gen_matched(g, depth - 1), *n;

	n = gen_form(g, T_LONG, 1, &a, "\1 %s \"%s\"", op, pattern);
	n->level = L_COMPARE;
	n->need[0] = L_SHIFT;
	n->order = ORDER_KIDS;
	return n;
}

static struct node *of_text(struct gen *g, unsigned depth)
{
	struct node *kids[2];
	unsigned which = below(g->rng, 7);

	kids[0] = gen_expr(g, T_STR, depth - 1);
	switch (which) {
	case 0:
	case 1:
		return node_form(g->tree, T_LONG, "strlen(\1)", 1, kids);
	case 2:
		return gen_form(g, T_LONG, 1, kids, "strtol(\1, %d)", below(g->rng, 2) ? 10 : below(g->rng, 2) ? 0 : 16);
	case 3:
		kids[1] = gen_expr(g, T_STR, depth - 1);
		return node_form(g->tree, T_LONG, "strpos(\1, \2)", 2, kids);
	case 4:
		kids[1] = gen_expr(g, T_STR, depth - 1);
		return node_form(g->tree, T_LONG, "isinstr(\1, \2)", 2, kids);
	case 5:
		kids[1] = gen_small(g, depth - 1);
		return node_form(g->tree, T_LONG, "__string_byte(\1, \2)", 2, kids);
	default:
		kids[1] = gen_small(g, depth - 1);
		if (g->tries && !g->is_plain)
			return node_form(g->tree, T_LONG, "stringat(\1, \2)", 2, kids);
		return node_form(g->tree, T_LONG, "strlen(\1)", 1, kids);
	}
}

static struct node *plain_long(struct gen *g, unsigned depth)
{
	switch (below(g->rng, 6)) {
	case 0:
	case 1:
		return arithmetic(g, depth);
	case 2:
		return comparison(g, depth, below(g->rng, 2) ? T_LONG : T_STR);
	case 3:
		return ternary(g, T_LONG, depth);
	case 4:
		return unary(g, depth);
	default:
		return of_text(g, depth);
	}
}

static struct node *any_long(struct gen *g, unsigned depth)
{
	unsigned which = below(g->rng, 100);
	const struct global *a;

	if (which < 24)
		return arithmetic(g, depth);
	if (which < 32)
		return comparison(g, depth, T_LONG);
	if (which < 40)
		return comparison(g, depth, T_STR);
	if (which < 45)
		return logic(g, depth);
	if (which < 51)
		return ternary(g, T_LONG, depth);
	if (which < 55)
		return unary(g, depth);
	if (which < 64) {
		a = gen_global(g, GLOBAL_ARRAY, T_LONG);
		return a ? gen_element(g, a) : NULL;
	}
	if (which < 69)
		return membership(g);
	if (which < 74)
		return change(g);
	if (which < 82)
		return gen_call(g, T_LONG);
	if (which < 90)
		return of_text(g, depth);
	return which < 95 ? statistic(g) : match(g, depth);
}

// ---- strings --------------------------------------------------------------------------------------------------------

static struct node *text_of_values(struct gen *g, unsigned depth)
{
	struct node *kids[2], *n;

	if (below(g->rng, 5) == 0)
		return gen_format(g, T_STR);
	kids[0] = gen_expr(g, T_LONG, depth - 1);
	kids[1] = gen_expr(g, T_STR, depth - 1);
	switch (below(g->rng, 4)) {
	case 0:
		return node_form(g->tree, T_STR, "sprintf(\"%d:%s\", \1, \2)", 2, kids);
	case 1:
		n = node_form(g->tree, T_STR, "sprint(\1, \2)", 2, kids);
		n->alt = "sprintf(\"%d%s\", \1, \2)";
		return n;
	case 2:
		return node_form(g->tree, T_STR, "sprintd(\"-\", \1, \2)", 2, kids);
	default:
		return node_form(g->tree, T_STR, "sprintf(\"<%x|%5s>\", \1, \2)", 2, kids);
	}
}

static struct node *concatenation(struct gen *g, unsigned depth)
{
	struct node *a = gen_expr(g, T_STR, depth - 1), *b = gen_expr(g, T_STR, depth - 1);
	struct node *n = node_binary(g->tree, T_STR, L_CONCAT, ".", a, b);

	n->alt = "sprintf(\"%s%s\", \1, \2)";
	return n;
}

static struct node *part(struct gen *g, unsigned depth)
{
	struct node *kids[3];

	kids[0] = gen_expr(g, T_STR, depth - 1);
	switch (below(g->rng, 5)) {
	case 0:
	case 1:
		kids[1] = gen_small(g, depth - 1);
		kids[2] = gen_small(g, depth - 1);
		return node_form(g->tree, T_STR, "substr(\1, \2, \3)", 3, kids);
	case 2:
		kids[1] = gen_leaf(g, T_STR);
		return node_form(g->tree, T_STR, "str_replace(\1, \"a\", \2)", 2, kids);
	case 3:
		return node_form(g->tree, T_STR, "tokenize(\1, \",;= \")", 1, kids);
	default:
		return node_form(g->tree, T_STR, "text_strn(\1, 20, 1)", 1, kids);
	}
}

static struct node *any_str(struct gen *g, unsigned depth)
{
	unsigned which = below(g->rng, 100);
	const struct global *a;

	if (which < 28)
		return concatenation(g, depth);
	if (which < 50)
		return text_of_values(g, depth);
	if (which < 64)
		return part(g, depth);
	if (which < 74)
		return ternary(g, T_STR, depth);
	if (which < 88) {
		a = gen_global(g, GLOBAL_ARRAY, T_STR);
		return a ? gen_element(g, a) : NULL;
	}
	return gen_call(g, T_STR);
}

struct node *gen_expr(struct gen *g, enum type type, unsigned depth)
{
	struct node *n = NULL;

	if (chance(g->rng, g->effects))
		n = gen_effect(g, type, depth);
	if (!n && depth && !chance(g->rng, 18)) {
		if (g->is_plain)
			n = type == T_LONG ? plain_long(g, depth) : NULL;
		else if (chance(g->rng, 8))
			n = gen_rare(g, type);
		else
			n = type == T_LONG ? any_long(g, depth) : any_str(g, depth);
	}
	return n ? n : gen_leaf(g, type);
}

struct node *gen_condition(struct gen *g, unsigned depth)
{
	if (!depth)
		return gen_leaf(g, T_LONG);
	switch (below(g->rng, 8)) {
	case 0:
	case 1:
		return comparison(g, depth, T_LONG);
	case 2:
	case 3:
		return comparison(g, depth, T_STR);
	case 4:
		return g->is_plain ? comparison(g, depth, T_LONG) : match(g, depth);
	case 5:
		return logic(g, depth);
	default:
		return gen_expr(g, T_LONG, depth);
	}
}

// ---- calls ----------------------------------------------------------------------------------------------------------

struct node *gen_call_of(struct gen *g, const struct function *f)
{
	struct node *args[MAX_PARAMS];

	g->writes |= f->writes;
	g->is_recursive |= f->is_recursive;
	for (unsigned i = 0; i < f->n_params; i++) {
		if (f->kind == FUNC_EXPR) {
			struct node *v = below(g->rng, 4) ? variable(g, f->types[i]) : NULL;

			args[i] = v ? v : f->types[i] == T_LONG ? number(g) : literal(g);
		} else {
			// The first parameter of a recursive function says how deep it goes.
			args[i] = i == 0 && f->kind == FUNC_FREE && f->types[0] == T_LONG ? gen_small(g, 1) :
											    gen_expr(g, f->types[i], 2);
		}
	}
	return node_call(g->tree, f, args);
}

struct node *gen_call(struct gen *g, enum type result)
{
	const struct function *fit[MAX_FUNCS], *f;
	unsigned n = 0;

	if (g->is_plain || g->is_pure)
		return NULL;
	for (unsigned i = 0; i < g->n_callable; i++) {
		f = g->script->funcs[i];
		if (f->result == result && !(f->writes & g->frozen) && !(f->is_recursive && g->frozen))
			fit[n++] = f;
	}
	return n ? gen_call_of(g, fit[below(g->rng, n)]) : NULL;
}
