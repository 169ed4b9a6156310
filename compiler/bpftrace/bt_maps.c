// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/bpftrace/bt.h"

#include "runtime/base/cleanup.h"

#include <string.h>

static const struct {
	const char *function;
	enum bt_map_kind kind;
} kinds[] = {
	{ "avg", BT_MAP_AVG }, { "min", BT_MAP_MIN }, { "max", BT_MAP_MAX }, { "stats", BT_MAP_STATS }, { "hist", BT_MAP_HIST },
	{ "lhist", BT_MAP_LHIST },
};

// The token behind the brackets or parentheses that open at `token`; counts the commas between, outside of inner ones.
static struct bt_token behind(const struct bt *bt, struct bt_token token, unsigned *commas_ret)
{
	unsigned depth = 0;

	*commas_ret = 0;
	for (; token.kind != BT_END; token = bt_lex(bt->text, token.at + token.len)) {
		char c = bt->text[token.at];

		if (token.kind != BT_MARK)
			continue;
		depth += c == '[' || c == '(';
		*commas_ret += depth == 1 && c == ',';
		depth -= c == ']' || c == ')';
		if (!depth)
			return bt_lex(bt->text, token.at + token.len);
	}
	return token;
}

// Is a key of the map a stack? Sets its bit.
static void find_stacks(struct bt *bt, struct bt_map *map, struct bt_token token)
{
	unsigned depth = 0, key = 0;

	for (; token.kind != BT_END; token = bt_lex(bt->text, token.at + token.len)) {
		char c = bt->text[token.at];

		if (token.kind == BT_MARK) {
			depth += c == '[' || c == '(';
			depth -= c == ']' || c == ')';
			key += depth == 1 && c == ',';
			if (!depth)
				return;
		}
		if (depth == 1 && key < BT_STACK_BITS && bt_is(bt->text, &token, "kstack"))
			map->stack_keys |= 1u << key;
		if (depth == 1 && key < BT_STACK_BITS && bt_is(bt->text, &token, "ustack"))
			map->ustack_keys |= 1u << key;
	}
}

static void learn_value(const struct bt *bt, struct bt_map *map, struct bt_token value)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++)
		if (bt_is(bt->text, &value, kinds[i].function))
			map->kind = kinds[i].kind;
}

// bt_define_functions() has variables of these names, which would be a map's.
static const char *name_of(struct bt *bt, const char *name)
{
	static const char *const taken[] = { "address", "all", "i", "length" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(taken); i++)
		if (sp_streq(name, taken[i]))
			return sp_arena_printf(&bt->arena, "%s_", name);
	return *name ? bt_local(bt, name) : "map";
}

struct bt_map *bt_map(struct bt *bt, const struct bt_token *token)
{
	const char *name = sp_arena_strndup(&bt->arena, bt->text + token->at + 1, token->len - 1);
	struct bt_map *map;

	sp_vec_each(known, &bt->maps)
		if (sp_streq((*known)->name, name))
			return *known;
	map = sp_arena_new(&bt->arena, struct bt_map);
	*map = (struct bt_map){ .name = name, .limits = "", .ours = name_of(bt, name) };
	sp_vec_push(&bt->maps, map);
	return map;
}

void bt_find_maps(struct bt *bt)
{
	struct bt_token token = bt_lex(bt->text, 0), last = { 0 }, before = { 0 };
	bool in_end = false;

	for (; token.kind != BT_END; before = last, last = token, token = bt_lex(bt->text, token.at + token.len)) {
		struct bt_token next = bt_lex(bt->text, token.at + token.len);
		struct bt_map *map;
		unsigned commas = 0;

		if (token.kind == BT_NAME && bt_is(bt->text, &next, "{"))
			in_end = bt_is(bt->text, &token, "END") || bt_is(bt->text, &token, "end");
		if (token.kind != BT_MAP)
			continue;
		map = bt_map(bt, &token);
		if (bt_is(bt->text, &next, "[")) {
			find_stacks(bt, map, next);
			next = behind(bt, next, &commas);
			map->n_keys = commas + 1;
		}
		if (bt_is(bt->text, &next, "="))
			learn_value(bt, map, bt_lex(bt->text, next.at + next.len));
		else if (bt_is(bt->text, &last, "(") && bt_is(bt->text, &before, "clear"))
			map->is_cleared_at_end |= in_end;
	}
}

const char *bt_key_list(struct bt *bt, const struct bt_map *map)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf keys = { 0 };

	for (unsigned i = 0; i < map->n_keys; i++)
		sp_buf_printf(&keys, "%sk%u", i ? ", " : "[", map->first_key + i);
	return map->n_keys ? sp_arena_printf(&bt->arena, "%s]", sp_buf_str(&keys)) : "";
}

static const char *extractor(const struct bt_map *map)
{
	switch (map->kind) {
	case BT_MAP_AVG: return "avg";
	case BT_MAP_MIN: return "min";
	case BT_MAP_MAX: return "max";
	case BT_MAP_VALUES: case BT_MAP_STATS: case BT_MAP_HIST: case BT_MAP_LHIST: break;
	}
	return NULL;
}

const char *bt_map_value(struct bt *bt, const struct bt_map *map, const char *element)
{
	const char *name = extractor(map);

	return name ? sp_arena_printf(&bt->arena, "@%s(%s)", name, element) : sp_arena_strdup(&bt->arena, element);
}

// What the elements of the map are in the order of: bpftrace sorts averages by themselves, histograms by how many values there are.
static const char *order_of(const struct bt_map *map)
{
	switch (map->kind) {
	case BT_MAP_AVG: case BT_MAP_STATS: return " @avg";
	case BT_MAP_MIN: return " @min";
	case BT_MAP_MAX: return " @max";
	case BT_MAP_VALUES: case BT_MAP_HIST: case BT_MAP_LHIST: break;
	}
	return "";
}

static void print_keys(struct bt *bt, const struct bt_map *map, const char *indent)
{
	bool is_open = false;

	if (!map->n_keys) {
		sp_buf_printf(bt->out, "%sprint(\"@%s: \")\n", indent, map->name);
		return;
	}
	sp_buf_printf(bt->out, "%sprint(\"@%s[\"", indent, map->name);
	is_open = true;
	for (unsigned i = 0; i < map->n_keys; i++) {
		bool is_stack = i < BT_STACK_BITS && (map->stack_keys | map->ustack_keys) >> i & 1;

		if (is_stack) {
			sp_buf_printf(bt->out, "%s%s%s(k%u)\n", is_open ? ", \"\\n\")\n" : "", indent,
				      map->ustack_keys >> i & 1 ? "print_usyms" : "print_syms", map->first_key + i);
			is_open = false;
			continue;
		}
		if (!is_open)
			sp_buf_printf(bt->out, "%sprint(k%u", indent, map->first_key + i);
		else
			sp_buf_printf(bt->out, "%s, k%u", i ? ", \", \"" : "", map->first_key + i);
		is_open = true;
	}
	if (!is_open)
		sp_buf_printf(bt->out, "%sprint(", indent);
	sp_buf_printf(bt->out, "%s\"]: \")\n", is_open ? ", " : "");
}

static void print_value(struct bt *bt, const struct bt_map *map, const char *indent, const char *divisor)
{
	const char *element = sp_arena_printf(&bt->arena, "%s%s", map->ours, bt_key_list(bt, map));

	switch (map->kind) {
	case BT_MAP_HIST:
		sp_buf_printf(bt->out, "%sprintln(\"\")\n%sprint(@hist_log(%s))\n", indent, indent, element);
		break;
	case BT_MAP_LHIST:
		sp_buf_printf(bt->out, "%sprintln(\"\")\n%sprint(@hist_linear(%s%s))\n", indent, indent, element, map->limits);
		break;
	case BT_MAP_STATS:
		sp_buf_printf(bt->out, "%sprintf(\"count %%d, average %%d, total %%d\\n\", @count(%s), @avg(%s), @sum(%s))\n", indent,
			      element, element, element);
		break;
	case BT_MAP_AVG:
	case BT_MAP_MIN:
	case BT_MAP_MAX:
	case BT_MAP_VALUES:
		if (map->stack) {
			sp_buf_printf(bt->out, "%sprintln(\"\")\n%sprint_%ssyms(%s)\n", indent, indent, map->stack == 'u' ? "u" : "", element);
			break;
		}
		sp_buf_printf(bt->out, "%sprintln(%s%s%s)\n", indent, bt_map_value(bt, map, element), divisor ? " / " : "", divisor ? divisor : "");
		break;
	}
}

void bt_name_keys(struct bt *bt, struct bt_map *map)
{
	map->first_key = bt->n_keys + 1;
	bt->n_keys += map->n_keys;
}

static void begin_loop(struct bt *bt, struct bt_map *map, const char *limit, const char *indent)
{
	if (limit) {
		map->is_counted = true;
		sp_buf_printf(bt->out, "%sskipped = length_of_%s() - (%s)\n", indent, map->ours, limit);
	}
	sp_buf_printf(bt->out, "%sforeach (%s in %s%s+) {\n", indent, bt_key_list(bt, map), map->ours, order_of(map));
	if (limit)
		sp_buf_printf(bt->out, "%s  if (skipped-- > 0) continue\n", indent);
}

void bt_print_map(struct bt *bt, struct bt_map *map, const char *limit, const char *divisor)
{
	char indent[64];

	bt_name_keys(bt, map);

	snprintf(indent, sizeof(indent), "%*s", (int)SP_MIN(2 * bt->depth, 40u), "");
	if (map->n_keys)
		begin_loop(bt, map, limit, indent);
	else if (map->kind != BT_MAP_VALUES)
		sp_buf_printf(bt->out, "%sif (@count(%s)) {\n", indent, map->ours);
	if (map->n_keys || map->kind != BT_MAP_VALUES)
		strcat(indent, "  ");
	print_keys(bt, map, indent);
	print_value(bt, map, indent, divisor);
	if (map->n_keys || map->kind != BT_MAP_VALUES) {
		indent[strlen(indent) - 2] = '\0';
		sp_buf_printf(bt->out, "%s}\n", indent);
	}
}
