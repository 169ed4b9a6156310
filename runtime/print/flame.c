// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem

#include "runtime/print/flame.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/base/util.h"
#include "runtime/print/stack_key.h"
#include "runtime/vm/stat.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

struct reading {
	struct flame *flame;
	const struct bundle *bundle;
	struct symbols *symbols;
	SP_VEC(const char *) frames; // of one element: other keys, then the stack, innermost first
};

// ---- what a stack is -------------------------------------------------------------------------------------------------

// "name+0x12 [module]\n", "0x12 [module+0x4]\n", " 0x12 : name+0x12/0x34 [module]\n": lines that end so, but for the last one,
// which may be cut.
static bool is_lines(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && (memmem(text, (size_t)(end - text), "+0x", 3) || sp_starts_with(text, "0x") || sp_starts_with(text, " 0x"));
}

static void add_frame(struct reading *r, const char *text, size_t len)
{
	char *name = sp_arena_strndup(&r->flame->arena, text, len);

	for (char *at = name; *at; at++)
		if (*at == ';' || iscntrl((unsigned char)*at))
			*at = *at == ';' ? ':' : ' ';
	sp_vec_push(&r->frames, name);
}

// What runs the handler itself.
static bool is_of_tracer(const char *name)
{
	static const char *const prefixes[] = { "bpf_prog_", "bpf_trampoline_", "bpf_trace_run", "__bpf_trace_", "__traceiter_",
						"bpf_get_stack", "[uprobes]" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(prefixes); i++)
		if (sp_starts_with(name, prefixes[i]))
			return true;
	return false;
}

static void add_addresses(struct reading *r, const struct stack_key *key)
{
	for (size_t i = 0; i < key->n; i++) {
		bool is_kernel = stack_key_is_kernel(key->addresses[i]);
		struct sp_buf name = { 0 };

		symbols_put_frame(&name, r->symbols, is_kernel, key->pid, key->addresses[i], i > 0);
		if (is_kernel)
			sp_buf_puts(&name, "_[k]");
		if (!is_of_tracer(sp_buf_str(&name)))
			add_frame(r, sp_buf_str(&name), name.len);
		sp_buf_deinit(&name);
	}
}

// The name in a line: without what comes before it, its offset and its module; without a name, what there is.
static void add_line(struct reading *r, const char *line, size_t len)
{
	const char *colon = memmem(line, len, " : ", 3), *end, *plus, *module;

	if (colon) {
		len -= (size_t)(colon + 3 - line);
		line = colon + 3;
	}
	while (len && *line == ' ')
		line++, len--;
	end = line + len;
	plus = memmem(line, len, "+0x", 3);
	if (sp_starts_with(line, "0x") && (module = memmem(line, len, " [", 2))) { // there is no name
		const char *module_end = plus > module ? plus : end - 1;
		const char *text = sp_arena_printf(&r->flame->arena, "%.*s]", (int)(module_end - module - 1), module + 1);

		add_frame(r, text, strlen(text));
		return;
	}
	if (len && !(plus && is_of_tracer(line)))
		add_frame(r, line, plus ? (size_t)(plus - line) : len);
}

static void add_lines(struct reading *r, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		add_line(r, text, (size_t)(end - text));
}

// ---- the tree --------------------------------------------------------------------------------------------------------

static struct flame_node *child_of(struct flame *flame, struct flame_node *node, const char *name)
{
	size_t at = sp_bisect(node->children.n, i, strcmp(node->children.v[i]->name, name) >= 0);
	struct flame_node *child;

	if (at < node->children.n && sp_streq(node->children.v[at]->name, name))
		return node->children.v[at];
	child = sp_arena_new(&flame->arena, struct flame_node);
	child->name = name;
	sp_vec_push(&node->children, child);
	memmove(&node->children.v[at + 1], &node->children.v[at], (node->children.n - 1 - at) * sizeof(child));
	node->children.v[at] = child;
	return child;
}

static void add_stack(struct reading *r, size_t n_keys, uint64_t weight)
{
	struct flame *flame = r->flame;
	struct flame_node *node = &flame->root;

	node->total += weight;
	for (size_t i = 0; i < r->frames.n; i++) {
		size_t from_outside = i < n_keys ? i : r->frames.n - 1 - (i - n_keys);

		node = child_of(flame, node, r->frames.v[from_outside]);
		node->total += weight;
	}
	node->own += weight;
	flame->depth = SP_MAX(flame->depth, (unsigned)r->frames.n);
}

// ---- arrays ----------------------------------------------------------------------------------------------------------

static const char *string_key(const struct sp_field *field, const uint8_t *key)
{
	return field->type == SP_STRING ? (const char *)key + field->offset : NULL;
}

static bool is_stack(const char *text)
{
	return text && (stack_key_is_addresses(text) || is_lines(text));
}

static uint64_t weight_of(const struct sp_map *map, const uint64_t *value)
{
	int64_t weight = (int64_t)*value;

	if (map->kind == SP_MAP_STAT)
		stat_read(&map->stat, value, map->stat.reads >> SP_STAT_COUNT & 1 ? SP_STAT_COUNT : SP_STAT_SUM, &weight);
	return weight > 0 ? (uint64_t)weight : 0;
}

// By its innermost frame: an address, or a line that has one, or the module, which of a program is a path.
static bool is_of_kernel(const char *stack)
{
	const char *address = stack + strspn(stack, " ");

	if (sp_starts_with(address, "0x"))
		return stack_key_is_kernel(strtoull(address, NULL, 16));
	return !memmem(stack, strcspn(stack, "\n"), " [/", 3);
}

static void add_frames(struct reading *r, const struct sp_map *map, const uint8_t *key, const char *stack)
{
	struct stack_key addresses;

	if (stack_key_is_addresses(stack)) {
		stack_key_read(r->bundle, r->symbols, map, key, stack, &addresses);
		add_addresses(r, &addresses);
	} else {
		add_lines(r, stack);
	}
}

static void add_keys(struct reading *r, const struct sp_map *map, const uint8_t *key)
{
	const struct sp_field *fields = &r->bundle->fields[map->first_key];
	char number[24];

	for (unsigned i = 0; i < map->n_keys; i++) {
		const char *text = string_key(&fields[i], key);

		if (is_stack(text) || (text && !*text))
			continue;
		if (!text)
			snprintf(number, sizeof(number), "%" PRId64, stack_key_number(&fields[i], key));
		add_frame(r, text ? text : number, strlen(text ? text : number));
	}
}

// The kernel's stack is inside of the program's, which called it, in whatever order they are keys.
static bool add_stacks(struct reading *r, const struct sp_map *map, const uint8_t *key)
{
	const struct sp_field *fields = &r->bundle->fields[map->first_key];
	bool found = false;

	for (int kernel = 1; kernel >= 0; kernel--)
		for (unsigned i = 0; i < map->n_keys; i++) {
			const char *text = string_key(&fields[i], key);

			if (!is_stack(text) || is_of_kernel(text) != kernel)
				continue;
			add_frames(r, map, key, text);
			found = true;
		}
	return found;
}

static bool has_stacks(const struct bundle *bundle, const struct sp_map *map)
{
	return strstr(bundle_text(bundle, map->key_names), "backtrace");
}

// False: no key of the element is a stack. An empty one, such as a kernel thread's ubacktrace(), counts too.
static bool add_element(struct reading *r, const struct sp_map *map, const uint8_t *key, const uint64_t *value)
{
	static const char none[] = "[no stack]";
	size_t n_keys;

	r->frames.n = 0;
	add_keys(r, map, key);
	n_keys = r->frames.n;
	if (!add_stacks(r, map, key)) {
		if (!has_stacks(r->bundle, map))
			return false;
		add_frame(r, none, strlen(none));
	}
	if (weight_of(map, value))
		add_stack(r, n_keys, weight_of(map, value));
	return true;
}

static bool read_array(struct reading *r, unsigned index, struct store *store)
{
	const struct sp_map *map = &r->bundle->maps[index];
	sp_cleanup_free uint8_t *key = sp_malloc(map->key_size);
	sp_cleanup_free uint64_t *value = sp_malloc(map->value_size);
	struct store_iter *iter = store_iter_open(store, index, 0, 0, -1);
	bool found = false;

	while (iter && store_iter_next(iter, key, value) == 1)
		found |= add_element(r, map, key, value);
	store_iter_close(iter);
	return found;
}

// Of aggregates, the count or the sum must be kept.
static bool has_weight(const struct sp_map *map)
{
	if (map->kind == SP_MAP_STAT)
		return map->stat.reads & (1u << SP_STAT_COUNT | 1u << SP_STAT_SUM);
	return map->value_type != SP_STRING;
}

static bool has_string_key(const struct bundle *bundle, const struct sp_map *map)
{
	for (unsigned i = 0; i < map->n_keys; i++)
		if (bundle->fields[map->first_key + i].type == SP_STRING)
			return true;
	return false;
}

void flame_read(struct flame *ret, const struct bundle *bundle, struct store *store, struct symbols *symbols, bool *shown)
{
	struct reading r = { .flame = ret, .bundle = bundle, .symbols = symbols };

	*ret = (struct flame){ 0 };
	for (unsigned i = 0; i < bundle->n_maps; i++) {
		const struct sp_map *map = &bundle->maps[i];

		if (map->flags & SP_MAP_PRIVATE || !has_string_key(bundle, map) || !has_weight(map) || !read_array(&r, i, store))
			continue;
		shown[i] = true;
		ret->n_maps++;
	}
	sp_vec_deinit(&r.frames);
}

static void deinit_children(struct flame_node *node)
{
	sp_vec_each(child, &node->children)
		deinit_children(*child);
	sp_vec_deinit(&node->children);
}

void flame_deinit(struct flame *flame)
{
	deinit_children(&flame->root);
	sp_arena_deinit(&flame->arena);
}

static void put_lines(struct sp_buf *out, struct sp_buf *path, const struct flame_node *node)
{
	size_t len = path->len;

	if (node->own)
		sp_buf_printf(out, "%s %" PRIu64 "\n", sp_buf_str(path), node->own);
	sp_vec_each(child, &node->children) {
		sp_buf_printf(path, "%s%s", len ? ";" : "", (*child)->name);
		put_lines(out, path, *child);
		path->len = len;
	}
}

void flame_put_folded(struct sp_buf *out, const struct flame *flame)
{
	struct sp_buf path = { 0 };

	put_lines(out, &path, &flame->root);
	sp_buf_deinit(&path);
}

static void put_node(struct sp_buf *out, const char *key, const struct flame_node *node, uint64_t least)
{
	sp_json_begin(out, key, '{');
	sp_json_text(out, "name", node->name ? node->name : "all");
	sp_json_unsigned(out, "value", node->total);
	sp_json_begin(out, "children", '[');
	sp_vec_each(child, &node->children)
		if ((*child)->total >= least)
			put_node(out, NULL, *child, least);
	sp_json_end(out, ']');
	sp_json_end(out, '}');
}

void flame_put_json(struct sp_buf *out, const char *key, const struct flame *flame, unsigned parts)
{
	put_node(out, key, &flame->root, flame->root.total / parts);
}
