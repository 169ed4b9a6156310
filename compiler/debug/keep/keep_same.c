// SPDX-License-Identifier: GPL-2.0-or-later
// Types that are the same, in whichever units they are.
//
// Two types are the same when nothing that the reader does can tell them apart: they have the same attributes, their parts have the
// same, and what they refer to is the same. Types refer to each other in circles, so this is found the other way round: types
// begin as one class for each content, and a class is split as long as its types refer to types of different classes. What is left
// together cannot be told apart. (It is the minimisation of an automaton, by hashes.)
#include "compiler/debug/keep/keep_impl.h"

#include "compiler/debug/dwarf/dw_attr.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <dwarf.h>

#define MAX_ROUNDS 200

struct node {
	struct keep_ref ref;
	uint64_t hash, next; // of this round and the next one
	size_t first_edge, n_edges;
};

struct same {
	struct keep *keep;
	SP_VEC(struct node) nodes;
	SP_VEC(uint32_t) edges; // numbers of nodes
	struct sp_buf text; // the content of the node that is being read
	uint32_t self; // its DIE
	struct keep_unit *unit;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15 + (hash << 12) + (hash >> 4);
	hash *= 0xff51afd7ed558ccd;
	hash ^= hash >> 32;
	hash *= 0xc4ceb9fe1a85ec53;
	return hash ^ hash >> 29;
}

static void add_reference(struct same *s, Dwarf_Attribute *attr)
{
	struct keep_ref ref, definition;
	Dwarf_Die target;

	if (!dwarf_formref_die(attr, &target) || !keep_find(s->keep, &target, &ref))
		return;
	if (keep_definition(s->keep, ref, &definition))
		ref = definition;
	uint32_t node = keep_at(s->keep, ref)->class;
	if (node != KEEP_NO_CLASS)
		sp_vec_push(&s->edges, node);
	else // one of its own kind: by its place
		sp_buf_add(&s->text, &ref, sizeof(ref));
	sp_buf_putc(&s->text, node != KEEP_NO_CLASS ? 'e' : 'r');
}

static int add_attr(Dwarf_Attribute *attr, void *ctx)
{
	struct same *s = ctx;
	const struct keep_die *die = &s->unit->dies.v[s->self];
	unsigned name = dwarf_whatattr(attr);
	enum keep_class class = keep_classify(s->keep, die, attr);
	const char *string;
	Dwarf_Block block;
	Dwarf_Word number;
	bool flag;

	if (class == KEEP_DROPPED)
		return DWARF_CB_OK;
	sp_buf_add(&s->text, &name, sizeof(name));
	if (class == KEEP_REFERENCE) {
		add_reference(s, attr);
	} else if ((string = dwarf_formstring(attr))) {
		sp_buf_add(&s->text, string, strlen(string) + 1);
	} else if (dwarf_formblock(attr, &block) == 0) {
		sp_buf_add(&s->text, block.data, block.length);
	} else if (dwarf_formflag(attr, &flag) == 0) {
		sp_buf_putc(&s->text, flag);
	} else if (dwarf_formudata(attr, &number) == 0) {
		sp_buf_add(&s->text, &number, sizeof(number));
	} else {
		sp_buf_add(&s->text, &attr->valp, sizeof(attr->valp)); // what it is cannot be told: it is like no other
	}
	return DWARF_CB_OK;
}

static uint64_t read_content(struct same *s, struct keep_ref ref)
{
	struct keep_unit *unit = s->keep->units.v[ref.unit];

	s->unit = unit;
	sp_buf_clear(&s->text);
	for (uint32_t i = ref.die; i < unit->dies.v[ref.die].end; i++) {
		Dwarf_Die die = keep_libdw(unit, i);

		if (!unit->dies.v[i].how)
			continue;
		uint32_t head[2] = { unit->dies.v[i].tag, unit->dies.v[i].end - i };
		s->self = i;
		sp_buf_add(&s->text, head, sizeof(head));
		dwarf_getattrs(&die, add_attr, s, 0);
	}
	return sp_hash_bytes(s->text.data, s->text.len);
}

// Does a type have other types within it? They could be referred to from elsewhere: it stays where it is.
static bool has_inner(const struct keep_unit *unit, uint32_t die)
{
	for (uint32_t i = die + 1; i < unit->dies.v[die].end; i++)
		if (unit->dies.v[i].how && keep_is_type(unit->dies.v[i].tag) && unit->dies.v[i].tag != DW_TAG_subrange_type)
			return true;
	return false;
}

// Types within functions stay where they are, too.
static void find_nodes(struct same *s)
{
	for (uint32_t u = 0; u < s->keep->units.n; u++) {
		struct keep_unit *unit = s->keep->units.v[u];

		for (uint32_t i = 1; unit->is_c && i < unit->dies.n; i = unit->dies.v[i].end) {
			if (!unit->dies.v[i].how || !keep_is_type(unit->dies.v[i].tag) || has_inner(unit, i))
				continue;
			unit->dies.v[i].class = (uint32_t)s->nodes.n;
			sp_vec_push(&s->nodes, (struct node){ .ref = { u, i } });
		}
	}
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t count_classes(const struct same *s, uint64_t *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nodes.n; i++)
		scratch[i] = s->nodes.v[i].hash;
	qsort(scratch, s->nodes.n, sizeof(*scratch), by_number);
	for (size_t i = 0; i < s->nodes.n; i++)
		n += i == 0 || scratch[i] != scratch[i - 1];
	return n;
}

static void split(struct same *s)
{
	uint64_t *scratch = sp_malloc((s->nodes.n + 1) * sizeof(*scratch));
	size_t before = 0, now = count_classes(s, scratch);

	for (unsigned round = 0; now > before && round < MAX_ROUNDS; round++) {
		sp_vec_each(node, &s->nodes) {
			node->next = mix(1, node->hash);
			for (size_t i = 0; i < node->n_edges; i++)
				node->next = mix(node->next, s->nodes.v[s->edges.v[node->first_edge + i]].hash);
		}
		sp_vec_each(node, &s->nodes)
			node->hash = node->next;
		before = now;
		now = count_classes(s, scratch);
	}
	free(scratch);
}

// The name by which a type is looked up: "STAG NAME"; NULL: none.
static char *name_of(const struct keep *keep, struct keep_ref ref)
{
	const struct keep_unit *unit = keep->units.v[ref.unit];
	Dwarf_Die die = keep_libdw(unit, ref.die);
	const char *name = dw_attr_name(&die);
	struct sp_buf text = { 0 };

	if (!*name)
		return NULL;
	sp_buf_printf(&text, "%x %s", unit->dies.v[ref.die].tag, name);
	return sp_buf_take(&text);
}

static void give_classes(struct same *s)
{
	struct keep *keep = s->keep;
	struct sp_hash classes = { 0 }, names = { 0 };

	sp_vec_each(node, &s->nodes) {
		void **number = sp_hash_insert(&classes, &node->hash, sizeof(node->hash));

		if (!*number) {
			sp_cleanup_free char *name = name_of(keep, node->ref);

			sp_vec_push(&keep->first, node->ref);
			*number = (void *)(uintptr_t)keep->first.n;
			if (name && *sp_hash_insert(&names, name, strlen(name)))
				sp_hash_set(&keep->ambiguous, name, keep);
			if (name)
				sp_hash_set(&names, name, keep);
		}
		keep_at(keep, node->ref)->class = (uint32_t)(uintptr_t)*number - 1;
	}
	sp_hash_deinit(&classes);
	sp_hash_deinit(&names);
}

static int by_place(const void *a, const void *b)
{
	const uint8_t *x = (*(struct keep_unit *const *)a)->base, *y = (*(struct keep_unit *const *)b)->base;

	return (x > y) - (x < y);
}

// The reader takes the first of several types of one name: the order of the units is kept.
static void sort_units(struct keep *keep)
{
	if (keep->units.n)
		qsort(keep->units.v, keep->units.n, sizeof(*keep->units.v), by_place);
	for (size_t i = 0; i < keep->units.n; i++)
		*sp_hash_insert(&keep->by_cu, &keep->units.v[i]->top.cu, sizeof(Dwarf_CU *)) = (void *)(uintptr_t)(i + 1);
}

void keep_same(struct keep *keep)
{
	struct same s = { .keep = keep };

	sort_units(keep);
	find_nodes(&s);
	for (size_t i = 0; i < s.nodes.n; i++) {
		size_t first = s.edges.n;
		uint64_t hash = read_content(&s, s.nodes.v[i].ref);

		s.nodes.v[i].hash = hash;
		s.nodes.v[i].first_edge = first;
		s.nodes.v[i].n_edges = s.edges.n - first;
	}
	split(&s);
	give_classes(&s);
	sp_vec_deinit(&s.nodes);
	sp_vec_deinit(&s.edges);
	sp_buf_deinit(&s.text);
}

struct keep_ref keep_written(struct keep *keep, struct keep_ref ref)
{
	const struct keep_unit *unit = keep->units.v[ref.unit];
	sp_cleanup_free char *name = NULL;
	struct keep_ref definition;

	// In C++ a declaration can be that of another namespace's type, which only the reader tells.
	if (unit->is_c && keep_definition(keep, ref, &definition))
		ref = definition;
	unit = keep->units.v[ref.unit];
	uint32_t class = keep_at(keep, ref)->class;
	// Expressions refer to base types of their own unit alone.
	if (class == KEEP_NO_CLASS || keep_at(keep, ref)->tag == DW_TAG_base_type)
		return ref;
	// A function's unit is asked first for a name that several types have: it keeps its own.
	if (unit->has_functions && (name = name_of(keep, ref)) && sp_hash_get(&keep->ambiguous, name))
		return ref;
	return keep->first.v[class];
}
