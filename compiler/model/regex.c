// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/regex.h"

#include "runtime/base/vec.h"

#define MAX_LEN 4096
#define MAX_REPEAT 1000
#define MAX_DEPTH 100 // of parentheses
#define MAX_NODES 10000 // what repetitions of repetitions come to
#define MAX_BUILT 1000000 // parts that are gone through for them: "a{0}{1000}{1000}" has no nodes

enum tree_kind { TREE_SET, TREE_CAT, TREE_ALT, TREE_REPEAT, TREE_GROUP, TREE_BEGIN, TREE_END };

struct tree {
	enum tree_kind kind;
	uint32_t arg; // SET: its index; GROUP: its number
	uint32_t min, max; // REPEAT; max UINT32_MAX: no limit
	struct tree *first, *next; // operands, linked by `next`
};

struct parse {
	struct sp_arena *arena;
	const char *pattern;
	uint32_t len, at;
	unsigned depth, n_groups;
	SP_VEC(struct regex_set) sets;
	SP_VEC(struct regex_node) nodes;
	unsigned n_built; // MAX_BUILT
	struct regex_error *err;
	bool failed;
};

static struct tree *fail(struct parse *p, uint32_t at, const char *text)
{
	if (!p->failed)
		*p->err = (struct regex_error){ at, text };
	p->failed = true;
	return NULL;
}

static struct tree *new_tree(struct parse *p, enum tree_kind kind)
{
	struct tree *t = sp_arena_new(p->arena, struct tree);

	t->kind = kind;
	return t;
}

static int peek(const struct parse *p)
{
	return p->at < p->len ? (unsigned char)p->pattern[p->at] : -1;
}

// ---- sets -------------------------------------------------------------------------------------------------------------

static void add_range(struct regex_set *set, unsigned first, unsigned last)
{
	for (unsigned byte = first; byte <= last; byte++)
		set->bits[byte / 64] |= 1ull << byte % 64;
}

static struct tree *set_tree(struct parse *p, const struct regex_set *set)
{
	struct tree *t = new_tree(p, TREE_SET);

	for (size_t i = 0; i < p->sets.n; i++)
		if (memcmp(&p->sets.v[i], set, sizeof(*set)) == 0) {
			t->arg = (uint32_t)i;
			return t;
		}
	t->arg = (uint32_t)p->sets.n;
	sp_vec_push(&p->sets, *set);
	return t;
}

static struct tree *byte_tree(struct parse *p, unsigned byte)
{
	struct regex_set set = { { 0 } };

	add_range(&set, byte, byte);
	return set_tree(p, &set);
}

// All bytes but those of the set, and but NUL, which ends the text.
static void complement(struct regex_set *set)
{
	for (int i = 0; i < 4; i++)
		set->bits[i] = ~set->bits[i];
	set->bits[0] &= ~1ull;
}

// The classes of the C locale (POSIX 7.3.1) as ranges.
static const struct {
	const char *name;
	uint8_t ranges[8];
} classes[] = {
	{ "alnum", { '0', '9', 'A', 'Z', 'a', 'z' } },
	{ "alpha", { 'A', 'Z', 'a', 'z' } },
	{ "blank", { '\t', '\t', ' ', ' ' } },
	{ "cntrl", { 1, 31, 127, 127 } },
	{ "digit", { '0', '9' } },
	{ "graph", { '!', '~' } },
	{ "lower", { 'a', 'z' } },
	{ "print", { ' ', '~' } },
	{ "punct", { '!', '/', ':', '@', '[', '`', '{', '~' } },
	{ "space", { '\t', '\r', ' ', ' ' } },
	{ "upper", { 'A', 'Z' } },
	{ "xdigit", { '0', '9', 'A', 'F', 'a', 'f' } },
};

// At "[:".
static bool add_class(struct parse *p, struct regex_set *set)
{
	uint32_t first = p->at + 2, end = first;

	while (end + 1 < p->len && !(p->pattern[end] == ':' && p->pattern[end + 1] == ']'))
		end++;
	if (end + 1 >= p->len) {
		fail(p, p->at, "`[:` without `:]`");
		return false;
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(classes); i++) {
		const uint8_t *range = classes[i].ranges;

		if (!sp_is_word(p->pattern + first, end - first, classes[i].name))
			continue;
		for (int k = 0; k < 8 && range[k]; k += 2)
			add_range(set, range[k], range[k + 1]);
		p->at = end + 2;
		return true;
	}
	fail(p, first, sp_arena_printf(p->arena, "no character class is named `%.*s`", (int)(end - first),
				       p->pattern + first));
	return false;
}

// One character between brackets.
static bool bracket_char(struct parse *p, uint32_t open, unsigned *ret)
{
	if (peek(p) == '\\')
		p->at++;
	if (peek(p) < 0) {
		fail(p, open, "`[` without `]`");
		return false;
	}
	*ret = (unsigned)peek(p);
	p->at++;
	return true;
}

static bool add_item(struct parse *p, uint32_t open, struct regex_set *set)
{
	unsigned first, last;
	uint32_t at = p->at;

	if (peek(p) == '[' && p->at + 1 < p->len && p->pattern[p->at + 1] == ':')
		return add_class(p, set);
	if (!bracket_char(p, open, &first))
		return false;
	last = first;
	if (peek(p) == '-' && p->at + 1 < p->len && p->pattern[p->at + 1] != ']') {
		p->at++;
		if (!bracket_char(p, open, &last))
			return false;
		if (last < first) {
			fail(p, at, "the range ends before it begins");
			return false;
		}
	}
	add_range(set, first, last);
	return true;
}

static struct tree *parse_bracket(struct parse *p)
{
	struct regex_set set = { { 0 } };
	uint32_t open = p->at++;
	bool negated = peek(p) == '^';

	p->at += negated;
	// A bracket that comes first is a character.
	do {
		if (peek(p) < 0)
			return fail(p, open, "`[` without `]`");
		if (!add_item(p, open, &set))
			return NULL;
	} while (peek(p) != ']');
	p->at++;
	if (negated)
		complement(&set);
	return set_tree(p, &set);
}

// ---- expressions --------------------------------------------------------------------------------------------------------

static struct tree *parse_alternatives(struct parse *p);

static struct tree *parse_group(struct parse *p)
{
	uint32_t open = p->at++;
	struct tree *t = new_tree(p, TREE_GROUP);

	if (++p->depth > MAX_DEPTH)
		return fail(p, open, "parentheses are nested too deeply");
	t->arg = p->n_groups++;
	t->first = parse_alternatives(p);
	if (!t->first)
		return NULL;
	if (peek(p) != ')')
		return fail(p, open, "`(` without `)`");
	p->at++;
	p->depth--;
	return t;
}

static struct tree *parse_escape(struct parse *p)
{
	uint32_t at = p->at++;
	int c = peek(p);

	if (c < 0)
		return fail(p, at, "a backslash ends the pattern");
	if (c >= '1' && c <= '9')
		return fail(p, at, "back references are no part of the language");
	p->at++;
	return byte_tree(p, (unsigned)c);
}

static struct tree *parse_atom(struct parse *p)
{
	static const struct regex_set nothing;
	struct regex_set all = nothing;
	int c = peek(p);

	switch (c) {
	case '(':
		return parse_group(p);
	case '[':
		return parse_bracket(p);
	case '\\':
		return parse_escape(p);
	case '*': case '+': case '?': case '{':
		return fail(p, p->at, "nothing is there to be repeated");
	case '^':
		p->at++;
		return new_tree(p, TREE_BEGIN);
	case '$':
		p->at++;
		return new_tree(p, TREE_END);
	case '.':
		p->at++;
		complement(&all);
		return set_tree(p, &all);
	case 0:
		return fail(p, p->at, "a text holds no NUL byte");
	}
	p->at++;
	return byte_tree(p, (unsigned)c);
}

static bool parse_number(struct parse *p, uint32_t *ret)
{
	uint32_t at = p->at, value = 0;

	if (peek(p) < '0' || peek(p) > '9') {
		fail(p, p->at, "a number of repetitions is missing");
		return false;
	}
	for (; peek(p) >= '0' && peek(p) <= '9'; p->at++)
		value = SP_MIN(value * 10 + (uint32_t)(peek(p) - '0'), MAX_REPEAT + 1u);
	if (value > MAX_REPEAT) {
		fail(p, at, sp_arena_printf(p->arena, "at most %u repetitions can be counted", MAX_REPEAT));
		return false;
	}
	*ret = value;
	return true;
}

// {n}, {n,}, {n,m}
static bool parse_count(struct parse *p, uint32_t *min, uint32_t *max)
{
	uint32_t open = p->at++;

	if (!parse_number(p, min))
		return false;
	*max = *min;
	if (peek(p) == ',') {
		p->at++;
		*max = UINT32_MAX;
		if (peek(p) != '}' && !parse_number(p, max))
			return false;
	}
	if (peek(p) != '}') {
		fail(p, open, "`{` without `}`");
		return false;
	}
	p->at++;
	if (*max < *min) {
		fail(p, open, "the second number of repetitions is the smaller one");
		return false;
	}
	return true;
}

static struct tree *parse_piece(struct parse *p)
{
	struct tree *atom = parse_atom(p), *t;

	while (atom && peek(p) > 0 && strchr("*+?{", peek(p))) {
		if (atom->kind == TREE_BEGIN || atom->kind == TREE_END)
			return fail(p, p->at, "an anchor cannot be repeated");
		t = new_tree(p, TREE_REPEAT);
		t->first = atom;
		t->min = peek(p) == '+';
		t->max = peek(p) == '?' ? 1 : UINT32_MAX;
		if (peek(p) != '{')
			p->at++;
		else if (!parse_count(p, &t->min, &t->max))
			return NULL;
		atom = t;
	}
	return atom;
}

static struct tree *parse_sequence(struct parse *p)
{
	struct tree *t = new_tree(p, TREE_CAT), **end = &t->first;

	while (peek(p) >= 0 && peek(p) != '|' && (peek(p) != ')' || p->depth == 0)) {
		if (peek(p) == ')')
			return fail(p, p->at, "`)` without `(`");
		*end = parse_piece(p);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return t;
}

static struct tree *parse_alternatives(struct parse *p)
{
	struct tree *t = new_tree(p, TREE_ALT), **end = &t->first;

	for (;;) {
		*end = parse_sequence(p);
		if (!*end)
			return NULL;
		end = &(*end)->next;
		if (peek(p) != '|')
			return t;
		p->at++;
	}
}

// ---- the automaton --------------------------------------------------------------------------------------------------------

static void fail_of_size(struct parse *p)
{
	fail(p, 0, "the repetitions come to too many states");
}

static uint32_t add_node(struct parse *p, enum regex_op op, uint32_t arg, uint32_t out, uint32_t other)
{
	if (p->nodes.n >= MAX_NODES) {
		fail_of_size(p);
		return 0;
	}
	sp_vec_push(&p->nodes, (struct regex_node){ op, arg, out, other });
	return (uint32_t)p->nodes.n - 1;
}

// Each function gives the node where `t` begins when `out` is what follows it: built from the end to the beginning.
static uint32_t build(struct parse *p, const struct tree *t, uint32_t out);

static uint32_t build_list(struct parse *p, const struct tree *t, uint32_t out)
{
	return t ? build(p, t, build_list(p, t->next, out)) : out;
}

static uint32_t build_choice(struct parse *p, const struct tree *t, uint32_t out)
{
	uint32_t begin = build(p, t, out);

	return t->next ? add_node(p, REGEX_SPLIT, 0, begin, build_choice(p, t->next, out)) : begin;
}

// One round or more.
static uint32_t build_loop(struct parse *p, const struct tree *body, uint32_t out)
{
	uint32_t split = add_node(p, REGEX_SPLIT, 0, 0, out), begin = build(p, body, split);

	if (!p->failed)
		p->nodes.v[split].out = begin;
	return begin;
}

static uint32_t build_repeat(struct parse *p, const struct tree *t, uint32_t out)
{
	uint32_t begin = out;

	// A body that may be empty goes round at least once, so that its groups are there.
	if (t->max == UINT32_MAX && t->min == 0) {
		begin = build_loop(p, t->first, out);
		return add_node(p, REGEX_SPLIT, 0, begin, out);
	}
	if (t->max == UINT32_MAX)
		begin = build_loop(p, t->first, out);
	else
		for (uint32_t i = t->min; i < t->max && !p->failed; i++)
			begin = add_node(p, REGEX_SPLIT, 0, build(p, t->first, begin), out);
	for (uint32_t i = t->max == UINT32_MAX; i < t->min && !p->failed; i++)
		begin = build(p, t->first, begin);
	return begin;
}

static uint32_t build(struct parse *p, const struct tree *t, uint32_t out)
{
	if (++p->n_built > MAX_BUILT)
		fail_of_size(p);
	if (p->failed)
		return 0;
	switch (t->kind) {
	case TREE_SET:
		return add_node(p, REGEX_SET, t->arg, out, 0);
	case TREE_CAT:
		return build_list(p, t->first, out);
	case TREE_ALT:
		return build_choice(p, t->first, out);
	case TREE_REPEAT:
		return build_repeat(p, t, out);
	case TREE_GROUP:
		out = add_node(p, REGEX_TAG, 2 * t->arg + 1, out, 0);
		return add_node(p, REGEX_TAG, 2 * t->arg, build(p, t->first, out), 0);
	case TREE_BEGIN:
		return add_node(p, REGEX_BEGIN, 0, out, 0);
	case TREE_END:
		return add_node(p, REGEX_END, 0, out, 0);
	}
	return out;
}

struct regex *regex_parse(struct sp_arena *arena, const char *pattern, uint32_t len, struct regex_error *err)
{
	struct parse p = { .arena = arena, .pattern = pattern, .len = len, .n_groups = 1, .err = err };
	const struct tree *tree = len <= MAX_LEN ? parse_alternatives(&p) : fail(&p, MAX_LEN, "the pattern is too long");
	struct regex *regex = NULL;
	uint32_t start = 0;

	if (tree) {
		uint32_t accept = add_node(&p, REGEX_ACCEPT, 0, 0, 0);

		start = add_node(&p, REGEX_TAG, 0, build(&p, tree, accept), 0);
	}
	if (!p.failed) {
		regex = sp_arena_new(arena, struct regex);
		*regex = (struct regex){
			.nodes = sp_arena_memdup(arena, p.nodes.v, p.nodes.n * sizeof(*p.nodes.v)),
			.n_nodes = (uint32_t)p.nodes.n,
			.start = start,
			.sets = sp_arena_memdup(arena, p.sets.v, p.sets.n * sizeof(*p.sets.v)),
			.n_sets = (uint32_t)p.sets.n,
			.n_groups = p.n_groups,
		};
	}
	sp_vec_deinit(&p.sets);
	sp_vec_deinit(&p.nodes);
	return regex;
}
