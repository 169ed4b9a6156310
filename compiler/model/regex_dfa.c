// SPDX-License-Identifier: GPL-2.0-or-later
// The subset construction with tags (V. Laurikari, "NFAs with tagged transitions", 2000), with one byte of lookahead:
// what is reached without a byte is followed when the next byte is known, so tags are set only where they may matter.
#include "compiler/model/regex_dfa.h"

#include "runtime/base/buf.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

#define MAX_STEPS 32768
#define MAX_STATES 4096
#define MAX_REGS 250
#define MAX_THREADS 200000 // of all states
#define MAX_WORK 10000000 // nodes visited
#define MAX_TAGS (2 * REGEX_MAX_CAPTURES)

// What a tag holds in a thread: a register, or one of these.
#define VALUE_UNSET 0xfe
#define VALUE_POS 0xfd // the position of the byte that is looked at

struct thread {
	uint32_t node;
	uint8_t tags[MAX_TAGS];
};

// Threads are in the order of preference. Those of one beginning share the register of tag 0, and stand together.
struct state {
	struct thread *threads;
	uint32_t n_threads;
	bool at_begin; // nothing was read
	bool searches; // a match may begin at the next byte, too
	bool has_matched; // was recorded before, or is going to be: `always`
	bool always; // is the end of a match whatever comes next
	struct regex_step *steps; // by class; next: a number of states
};

struct make {
	struct sp_arena *arena;
	const struct regex *regex;
	unsigned n_tags; // 0: matching is all
	struct regex_dfa *dfa;
	uint8_t sample[256]; // a byte of each class
	SP_VEC(struct state) states;
	struct sp_hash known; // states by what tells them apart
	struct sp_hash lists; // of assignments
	unsigned ring, n_regs; // ring: the register that put_copies uses
	uint64_t work, n_threads;
	const char *error;
	bool *is_final; // nodes: lead to the end without a byte, wherever the text begins and ends
	// Of the step that is being made.
	uint32_t *visited; // nodes: round in which
	uint32_t *taken; // the same for those that a byte led to
	uint32_t round;
	SP_VEC(struct thread) stack;
	SP_VEC(struct thread) next;
	struct thread accepted;
	bool accepts;
};

// ---- classes of bytes -------------------------------------------------------------------------------------------------

static void find_classes(struct make *m)
{
	const struct regex *r = m->regex;
	struct regex_dfa *dfa = m->dfa;

	dfa->n_classes = 1;
	for (unsigned byte = 1; byte < 256; byte++) {
		unsigned class = 1;

		for (; class < dfa->n_classes; class++) {
			bool same = true;

			for (uint32_t i = 0; i < r->n_sets && same; i++)
				same = regex_set_has(&r->sets[i], byte) ==
				       regex_set_has(&r->sets[i], m->sample[class]);
			if (same)
				break;
		}
		dfa->classes[byte] = (uint8_t)class;
		if (class < dfa->n_classes)
			continue;
		m->sample[class] = (uint8_t)byte;
		dfa->n_classes++;
	}
}

// ---- threads ----------------------------------------------------------------------------------------------------------

static void find_final(struct make *m)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < m->regex->n_nodes; i++) {
			const struct regex_node *node = &m->regex->nodes[i];
			bool final = node->op == REGEX_ACCEPT;

			if (node->op == REGEX_SPLIT)
				final = m->is_final[node->out] || m->is_final[node->other];
			else if (node->op == REGEX_TAG)
				final = m->is_final[node->out];
			changed |= final != m->is_final[i];
			m->is_final[i] = final;
		}
	}
}

static void accept(struct make *m, const struct thread *t)
{
	if (!m->accepts)
		m->accepted = *t;
	m->accepts = true;
}

// What `thread` reaches in `s` when the next byte is of `class`, in the order of preference.
static void follow(struct make *m, const struct state *s, const struct thread *thread, unsigned class)
{
	sp_vec_push(&m->stack, *thread);
	while (m->stack.n) {
		struct thread t = sp_vec_pop(&m->stack);
		const struct regex_node *node = &m->regex->nodes[t.node];

		if (m->visited[t.node] == m->round)
			continue;
		m->visited[t.node] = m->round;
		m->work++;
		switch (node->op) {
		case REGEX_SPLIT:
			t.node = node->other;
			sp_vec_push(&m->stack, t);
			t.node = node->out;
			sp_vec_push(&m->stack, t);
			break;
		case REGEX_TAG:
			if (node->arg < m->n_tags)
				t.tags[node->arg] = VALUE_POS;
			t.node = node->out;
			sp_vec_push(&m->stack, t);
			break;
		case REGEX_BEGIN:
			t.node = node->out;
			if (s->at_begin)
				sp_vec_push(&m->stack, t);
			break;
		case REGEX_END:
			t.node = node->out;
			if (class == 0)
				sp_vec_push(&m->stack, t);
			break;
		case REGEX_ACCEPT:
			accept(m, &t);
			break;
		case REGEX_SET:
			t.node = node->out;
			if (class == 0 || !regex_set_has(&m->regex->sets[node->arg], m->sample[class]) ||
			    m->taken[t.node] == m->round)
				break;
			m->taken[t.node] = m->round;
			sp_vec_push(&m->next, t);
			break;
		}
	}
}

static struct thread fresh(const struct make *m)
{
	struct thread t = { .node = m->regex->start };

	memset(t.tags, VALUE_UNSET, sizeof(t.tags));
	return t;
}

// All threads of the state; behind a match, those that began later are of no use.
static void follow_all(struct make *m, const struct state *s, unsigned class)
{
	const struct thread first = fresh(m);

	m->round++;
	m->next.n = 0;
	m->accepts = false;
	for (uint32_t i = 0; i < s->n_threads; i++) {
		if (m->accepts && (!m->n_tags || s->threads[i].tags[0] != m->accepted.tags[0]))
			return;
		follow(m, s, &s->threads[i], class);
	}
	if (s->searches && !m->accepts)
		follow(m, s, &first, class);
}

// ---- states -----------------------------------------------------------------------------------------------------------

static int by_node(const void *a, const void *b)
{
	uint32_t x = ((const struct thread *)a)->node, y = ((const struct thread *)b)->node;

	return x < y ? -1 : x > y;
}

// Registers by number of first appearance: states that are the same but for their registers' names have one key.
struct naming {
	uint8_t values[256]; // what stands for the n-th name
	unsigned n;
};

static uint8_t name_of(struct naming *names, uint8_t value)
{
	unsigned i = 0;

	if (value == VALUE_UNSET)
		return VALUE_UNSET;
	while (i < names->n && names->values[i] != value)
		i++;
	if (i == names->n)
		names->values[names->n++] = value;
	return (uint8_t)i;
}

static void put_key(const struct make *m, struct sp_buf *key, const struct state *s, struct naming *names)
{
	sp_buf_putc(key, (char)(s->at_begin | s->searches << 1 | s->has_matched << 2));
	for (uint32_t i = 0; i < s->n_threads; i++) {
		sp_buf_add(key, &s->threads[i].node, sizeof(s->threads[i].node));
		for (unsigned t = 0; t < m->n_tags; t++)
			sp_buf_putc(key, (char)name_of(names, s->threads[i].tags[t]));
	}
}

// The position goes to a register that the state does not use.
static uint8_t free_register(const struct make *m, const struct naming *names)
{
	for (unsigned reg = m->ring + 1;; reg++) {
		unsigned i = 0;

		while (i < names->n && names->values[i] != reg)
			i++;
		if (i == names->n)
			return (uint8_t)reg;
	}
}

static void add_copy(struct regex_assign *copies, unsigned *n, unsigned dst, unsigned src)
{
	if (dst != src)
		copies[(*n)++] = (struct regex_assign){ (uint8_t)dst, (uint8_t)src };
}

// Copies that are meant to be done at once, one by one: first those whose target no other one reads.
static void put_copies(struct make *m, struct sp_buf *list, struct regex_assign *copies, unsigned n)
{
	m->work += (uint64_t)n * n;
	while (n) {
		unsigned pick = 0, i;

		for (; pick < n; pick++) {
			for (i = 0; i < n; i++)
				if (i != pick && copies[i].src == copies[pick].dst)
					break;
			if (i == n)
				break;
		}
		if (pick == n) { // a ring: the first one's source waits in a register of its own
			struct regex_assign save = { (uint8_t)m->ring, copies[0].src };

			sp_buf_add(list, &save, sizeof(save));
			copies[0].src = (uint8_t)m->ring;
			continue;
		}
		sp_buf_add(list, &copies[pick], sizeof(*copies));
		copies[pick] = copies[--n];
	}
}

// Gives the number of the state whose threads are in m->next; what its registers get is added to the copies.
static uint32_t enter_state(struct make *m, struct state *s, struct regex_assign *copies, unsigned *n_copies)
{
	struct naming names = { .n = 0 }, own = { .n = 0 };
	struct sp_buf key = { 0 };
	struct state *known;
	uint32_t index;
	void **place;

	s->threads = m->next.v;
	s->n_threads = (uint32_t)m->next.n;
	if (!m->n_tags && s->n_threads)
		qsort(s->threads, s->n_threads, sizeof(*s->threads), by_node);
	put_key(m, &key, s, &names);
	place = sp_hash_insert(&m->known, key.data, key.len);
	if (!*place) {
		s->threads = sp_arena_memdup(m->arena, s->threads, s->n_threads * sizeof(*s->threads));
		for (unsigned i = 0; i < names.n; i++) {
			uint8_t reg = names.values[i];

			if (reg == VALUE_POS)
				reg = free_register(m, &names);
			own.values[own.n++] = reg;
			m->n_regs = SP_MAX(m->n_regs, reg + 1u);
		}
		for (uint32_t i = 0; i < s->n_threads; i++)
			for (unsigned t = 0; t < m->n_tags; t++)
				if (s->threads[i].tags[t] != VALUE_UNSET)
					s->threads[i].tags[t] =
						own.values[name_of(&names, s->threads[i].tags[t])];
		*place = (void *)(uintptr_t)(m->states.n + 1);
		sp_vec_push(&m->states, *s);
		m->n_threads += s->n_threads;
		if (m->states.n > MAX_STATES || m->n_threads > MAX_THREADS || m->n_regs >= MAX_REGS)
			m->error = "too many states";
	}
	index = (uint32_t)((uintptr_t)*place - 1);
	known = &m->states.v[index];
	own.n = 0;
	for (uint32_t i = 0; i < known->n_threads; i++)
		for (unsigned t = 0; t < m->n_tags; t++)
			name_of(&own, known->threads[i].tags[t]);
	for (unsigned i = 0; i < names.n; i++)
		add_copy(copies, n_copies, own.values[i],
			 names.values[i] == VALUE_POS ? m->dfa->pos : names.values[i]);
	sp_buf_deinit(&key);
	return index;
}

// ---- steps ------------------------------------------------------------------------------------------------------------

static uint16_t intern_list(struct make *m, const struct sp_buf *list)
{
	void **place = sp_hash_insert(&m->lists, sp_buf_str(list), list->len);

	if (!*place) {
		*place = (void *)(uintptr_t)m->lists.n_entries;
		m->dfa->list_len = SP_MAX(m->dfa->list_len, (unsigned)(list->len / sizeof(struct regex_assign)));
		if (m->lists.n_entries * m->dfa->list_len > MAX_STEPS)
			m->error = "too many states";
	}
	return (uint16_t)((uintptr_t)*place - 1);
}

// The match that ends before the byte that is looked at.
static void put_record(struct make *m, struct sp_buf *list)
{
	for (unsigned t = 0; t < m->n_tags; t++) {
		uint8_t value = t == 1 ? VALUE_POS : m->accepted.tags[t];
		struct regex_assign op = { (uint8_t)t, value };

		if (value == VALUE_POS)
			op.src = (uint8_t)m->dfa->pos;
		else if (value == VALUE_UNSET)
			op.src = (uint8_t)m->dfa->unset;
		sp_buf_add(list, &op, sizeof(op));
	}
}

static void make_step(struct make *m, uint32_t index, unsigned class)
{
	const struct state from = m->states.v[index];
	struct state to = { .searches = from.searches, .has_matched = from.has_matched };
	struct regex_assign copies[2 * MAX_REGS];
	struct sp_buf list = { 0 };
	uint32_t next = REGEX_FAIL;
	unsigned n_copies = 0;
	bool accepts;

	follow_all(m, &from, class);
	accepts = m->accepts;
	to.has_matched |= accepts;
	to.searches &= !accepts;
	for (size_t i = 0; i < m->next.n; i++)
		to.always |= m->is_final[m->next.v[i].node];
	if ((accepts || to.always) && !m->n_tags) {
		next = REGEX_MATCH;
	} else if (class == 0 || (m->next.n == 0 && !to.searches)) {
		next = to.has_matched ? REGEX_MATCH : REGEX_FAIL;
	} else {
		next = enter_state(m, &to, copies, &n_copies);
	}
	// Where the next state is a match whatever comes then, that one is going to be recorded.
	if (accepts && (next >= REGEX_FAIL || !to.always))
		put_record(m, &list);
	put_copies(m, &list, copies, n_copies);
	m->states.v[index].steps[class] = (struct regex_step){ (uint16_t)next, intern_list(m, &list) };
	sp_buf_deinit(&list);
}

static void make_states(struct make *m)
{
	struct state first = { .at_begin = true, .searches = true };
	unsigned n = m->dfa->n_classes;

	m->next.n = 0;
	enter_state(m, &first, NULL, &(unsigned){ 0 });
	for (uint32_t i = 0; i < m->states.n && !m->error; i++) {
		m->states.v[i].steps = sp_arena_array(m->arena, struct regex_step, n);
		for (unsigned class = 0; class < n && !m->error; class++) {
			make_step(m, i, class);
			if (m->work > MAX_WORK)
				m->error = "too many states";
		}
	}
}

// ---- fewer states -----------------------------------------------------------------------------------------------------

// Moore's refinement: states are of one block until a step tells them apart. Returns the number of blocks.
static uint32_t refine(const struct make *m, uint32_t *blocks, uint32_t *refined)
{
	struct sp_hash seen = { 0 };
	struct sp_buf key = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->states.n; i++) {
		void **place;

		sp_buf_clear(&key);
		sp_buf_add(&key, &blocks[i], sizeof(*blocks));
		for (unsigned c = 0; c < m->dfa->n_classes; c++) {
			struct regex_step step = m->states.v[i].steps[c];
			uint32_t pair[2] = { step.next < REGEX_FAIL ? blocks[step.next] : step.next, step.list };

			sp_buf_add(&key, pair, sizeof(pair));
		}
		place = sp_hash_insert(&seen, key.data, key.len);
		if (!*place)
			*place = (void *)(uintptr_t)++n;
		refined[i] = (uint32_t)((uintptr_t)*place - 1);
	}
	sp_hash_deinit(&seen);
	sp_buf_deinit(&key);
	return n;
}

// The block of each state; that of the first one is 0.
static uint32_t merge_states(struct make *m, uint32_t *blocks)
{
	uint32_t *refined = sp_calloc(m->states.n, sizeof(*refined)), n = 1, before;

	do {
		before = n;
		n = refine(m, blocks, refined);
		memcpy(blocks, refined, m->states.n * sizeof(*blocks));
	} while (n != before);
	free(refined);
	return n;
}

static void put_lists(struct make *m)
{
	struct regex_dfa *dfa = m->dfa;
	struct regex_assign *to;

	dfa->n_lists = (unsigned)m->lists.n_entries;
	to = dfa->lists = sp_arena_array(m->arena, struct regex_assign, dfa->n_lists * dfa->list_len);
	sp_hash_each(list, &m->lists) {
		memcpy(to, list->key, list->key_len);
		for (size_t i = list->key_len / sizeof(*to); i < dfa->list_len; i++)
			to[i] = (struct regex_assign){ (uint8_t)dfa->pos, (uint8_t)dfa->pos };
		to += dfa->list_len;
	}
}

static const char *put_tables(struct make *m)
{
	struct regex_dfa *dfa = m->dfa;
	uint32_t *blocks = sp_calloc(m->states.n, sizeof(*blocks));
	uint32_t n = merge_states(m, blocks), size = 1;

	dfa->n_states = n;
	while (size < n * dfa->n_classes)
		size *= 2;
	if (size > MAX_STEPS) {
		free(blocks);
		return "too many states";
	}
	dfa->n_steps = size;
	dfa->steps = sp_arena_array(m->arena, struct regex_step, size);
	for (uint32_t i = n * dfa->n_classes; i < size; i++)
		dfa->steps[i].next = REGEX_FAIL;
	for (uint32_t i = 0; i < m->states.n; i++)
		for (unsigned c = 0; c < dfa->n_classes; c++) {
			struct regex_step step = m->states.v[i].steps[c];

			if (step.next < REGEX_FAIL)
				step.next = (uint16_t)(blocks[step.next] * dfa->n_classes);
			dfa->steps[blocks[i] * dfa->n_classes + c] = step;
		}
	put_lists(m);
	dfa->n_regs = m->n_regs;
	free(blocks);
	return NULL;
}

const char *regex_dfa_make(struct sp_arena *arena, const struct regex *regex, unsigned n_captures, struct regex_dfa *ret)
{
	struct make m = { .regex = regex, .n_tags = 2 * n_captures, .dfa = ret };
	struct sp_arena scratch = { 0 };

	*ret = (struct regex_dfa){ .n_captures = n_captures, .pos = m.n_tags, .unset = m.n_tags + 1 };
	m.ring = ret->unset + 1;
	m.n_regs = m.n_tags ? m.ring + 1 : 0;
	m.is_final = sp_calloc(regex->n_nodes, sizeof(*m.is_final));
	m.visited = sp_calloc(regex->n_nodes, sizeof(*m.visited));
	m.taken = sp_calloc(regex->n_nodes, sizeof(*m.taken));
	m.arena = &scratch;
	intern_list(&m, &(struct sp_buf){ 0 });
	find_classes(&m);
	find_final(&m);
	make_states(&m);
	m.arena = arena;
	if (!m.error)
		m.error = put_tables(&m);
	sp_arena_deinit(&scratch);
	sp_hash_deinit(&m.known);
	sp_hash_deinit(&m.lists);
	sp_vec_deinit(&m.states);
	sp_vec_deinit(&m.stack);
	sp_vec_deinit(&m.next);
	free(m.is_final);
	free(m.visited);
	free(m.taken);
	return m.error;
}
