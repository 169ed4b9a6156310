// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_stat.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_map.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/value/gen_map.h"
#include "compiler/gen/value/gen_wide.h"

static const struct ir_map *map_of(struct gen *g, uint32_t map)
{
	return &g->unit->maps.v[map];
}

static LLVMValueRef part_at(struct gen *g, const struct ir_map *map, LLVMValueRef record, enum sp_stat_part part)
{
	return gen_at(g, record, (uint64_t)sp_stat_word(&map->stat, part) * 8);
}

static LLVMValueRef load_part(struct gen *g, const struct ir_map *map, LLVMValueRef record, enum sp_stat_part part)
{
	return gen_load(g, part_at(g, map, record, part));
}

static void add_to(struct gen *g, LLVMValueRef at, LLVMValueRef value)
{
	gen_store(g, LLVMBuildAdd(g->b, gen_load(g, at), value, ""), at);
}

static void keep_larger(struct gen *g, LLVMValueRef at, LLVMValueRef value)
{
	LLVMBasicBlockRef larger = gen_block(g), done = gen_block(g);

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntUGT, value, gen_load(g, at), ""), larger, done);
	gen_enter(g, larger);
	gen_store(g, value, at);
	gen_goto(g, done);
	gen_enter(g, done);
}

// ---- a value goes in ------------------------------------------------------------------------------------------------

// Least and greatest values as numbers that only grow (abi/stat.h).
static LLVMValueRef as_least(struct gen *g, LLVMValueRef value)
{
	return LLVMBuildSub(g->b, gen_i64(g, INT64_MAX), value, "");
}

static LLVMValueRef as_greatest(struct gen *g, LLVMValueRef value)
{
	return LLVMBuildSub(g->b, value, gen_i64(g, INT64_MIN), "");
}

static LLVMValueRef magnitude(struct gen *g, LLVMValueRef value, LLVMValueRef sign)
{
	return LLVMBuildSub(g->b, LLVMBuildXor(g->b, value, sign, ""), sign, "");
}

static LLVMValueRef sign_of(struct gen *g, LLVMValueRef value)
{
	return LLVMBuildAShr(g->b, value, gen_i64(g, 63), "");
}

// Adds the square of `size` to the number of three words there.
static void add_square(struct gen *g, LLVMValueRef at, LLVMValueRef size)
{
	LLVMValueRef words[3];

	for (unsigned i = 0; i < 3; i++)
		words[i] = gen_load(g, gen_at(g, at, (uint64_t)i * 8));
	gen_wide_add_product(g, words, 3, size, size, 0);
	for (unsigned i = 0; i < 3; i++)
		gen_store(g, words[i], gen_at(g, at, (uint64_t)i * 8));
}

// The number of bits of a byte, from a table.
static LLVMValueRef bits_of_byte(struct gen *g, LLVMValueRef byte)
{
	uint8_t bits[256] = { 0 };

	for (unsigned i = 1; i < SP_ARRAY_SIZE(bits); i++)
		bits[i] = bits[i / 2] + 1;
	// The verifier wants to see that it is inside.
	byte = LLVMBuildAnd(g->b, gen_keep(g, byte), gen_i64(g, SP_ARRAY_SIZE(bits) - 1), "");
	return gen_load_sized(g, gen_at_index(g, gen_constant(g, bits, sizeof(bits)), byte), 1, false);
}

// The bucket of @hist_log: the number of bits, found by halving down to a byte, on the side of the value's sign. Without branches, each
// of which the verifier would follow.
static LLVMValueRef log_bucket(struct gen *g, LLVMValueRef value)
{
	LLVMValueRef sign = sign_of(g, value), rest = magnitude(g, value, sign), bits = gen_i64(g, 0);

	for (unsigned shift = 5; shift >= 3; shift--) {
		unsigned step = 1u << shift;
		LLVMValueRef less = LLVMBuildSub(g->b, gen_i64(g, ((int64_t)1 << step) - 1), rest, "");
		LLVMValueRef is_more = LLVMBuildLShr(g->b, less, gen_i64(g, 63), ""); // a magnitude is at most 1 << 63
		LLVMValueRef found = LLVMBuildShl(g->b, is_more, gen_i64(g, shift), "");

		rest = LLVMBuildLShr(g->b, rest, found, "");
		bits = LLVMBuildAdd(g->b, bits, found, "");
	}
	bits = LLVMBuildAdd(g->b, bits, bits_of_byte(g, rest), "");
	return LLVMBuildAdd(g->b, magnitude(g, bits, sign), gen_i64(g, SP_HIST_LOG_ZERO), "");
}

static LLVMValueRef linear_bucket(struct gen *g, const struct sp_hist_linear *h, LLVMValueRef value)
{
	LLVMBasicBlockRef inside = gen_block(g), over = gen_block(g), done = gen_block(g);
	LLVMValueRef bucket = gen_variable(g), last = gen_i64(g, sp_hist_linear_buckets(h) - 1), steps;

	gen_store(g, gen_i64(g, 0), bucket);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSLT, value, gen_i64(g, h->low), ""), done, inside);
	gen_enter(g, inside);
	steps = LLVMBuildSub(g->b, value, gen_i64(g, h->low), "");
	steps = LLVMBuildUDiv(g->b, steps, gen_i64(g, h->width), "");
	steps = LLVMBuildAdd(g->b, steps, gen_i64(g, 1), "");
	gen_store(g, steps, bucket);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntUGT, steps, last, ""), over, done);
	gen_enter(g, over);
	gen_store(g, last, bucket);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, bucket);
}

// The address of a bucket, when there is one of that index; else code goes to `none`.
static LLVMValueRef bucket_at(struct gen *g, LLVMValueRef buckets, LLVMValueRef index, uint32_t n,
			      LLVMBasicBlockRef none)
{
	LLVMBasicBlockRef there = gen_block(g);

	// What the verifier sees checked must be the register that is added.
	index = gen_keep(g, index);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, index, gen_i64(g, n), ""), there, none);
	gen_enter(g, there);
	return gen_at_index(g, buckets, LLVMBuildShl(g->b, index, gen_i64(g, 3), ""));
}

static void count_bucket(struct gen *g, const struct ir_map *map, LLVMValueRef record, enum sp_stat_part part,
			 LLVMValueRef index)
{
	LLVMBasicBlockRef done = gen_block(g);

	add_to(g, bucket_at(g, part_at(g, map, record, part), index, sp_stat_words(&map->stat, part), done),
	       gen_i64(g, 1));
	gen_goto(g, done);
	gen_enter(g, done);
}

static void add_part(struct gen *g, const struct ir_map *map, LLVMValueRef record, enum sp_stat_part part,
		     LLVMValueRef value)
{
	LLVMValueRef at = part_at(g, map, record, part);

	switch (part) {
	case SP_PART_COUNT:
		add_to(g, at, gen_i64(g, 1));
		break;
	case SP_PART_SUM:
		add_to(g, at, value);
		break;
	case SP_PART_MIN:
		keep_larger(g, at, as_least(g, value));
		break;
	case SP_PART_MAX:
		keep_larger(g, at, as_greatest(g, value));
		break;
	case SP_PART_SUM_HIGH: // the sum has the value in it already
		add_to(g, at, LLVMBuildAdd(g->b, sign_of(g, value),
					   gen_wide_carry(g, load_part(g, map, record, SP_PART_SUM), value), ""));
		break;
	case SP_PART_SQUARES:
		add_square(g, at, magnitude(g, value, sign_of(g, value)));
		break;
	case SP_PART_LOG:
		count_bucket(g, map, record, part, log_bucket(g, value));
		break;
	case SP_PART_LINEAR:
		count_bucket(g, map, record, part, linear_bucket(g, &map->stat.linear, value));
		break;
	case SP_PART_END:
		break;
	}
}

void gen_stat_add(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_map *map = map_of(g, s->map);
	LLVMValueRef key = gen_map_key(g, s->map, s->args, gen_plan_stmt(g, s)->key), value = gen_long(g, s->a), record;
	LLVMBasicBlockRef gone = gen_block(g);

	record = gen_kernel_map_element(g, s->map, key, s->place, gone);
	for (unsigned part = 0; part < SP_PART_END; part++)
		if (sp_stat_words(&map->stat, (enum sp_stat_part)part))
			add_part(g, map, record, (enum sp_stat_part)part, value);
	gen_goto(g, gone);
	gen_enter(g, gone);
}

// ---- each CPU's record ----------------------------------------------------------------------------------------------

struct each_cpu {
	LLVMValueRef cpu; // variable
	LLVMValueRef n; // how many records
	LLVMValueRef record;
	LLVMBasicBlockRef head, next;
};

static LLVMValueRef n_cpus(struct gen *g)
{
	for (size_t i = 0; i < g->plan->n_fixups; i++)
		if (g->plan->fixups[i].kind == SP_FIX_CPUS)
			return gen_load_volatile(g, gen_fixup(g, (uint32_t)i));
	gen_bug(g, "no fixup for the number of CPUs");
	return gen_i64(g, 1);
}

// What user-side handlers have added comes behind the records of the CPUs.
static LLVMValueRef find_record(struct gen *g, uint32_t map, LLVMValueRef key, LLVMValueRef cpu)
{
	LLVMBasicBlockRef of_cpu, own, done;
	LLVMValueRef records[2], found;

	if (!g->plan->maps[map].is_apart)
		return gen_call(g, GEN_MAP_LOOKUP_PERCPU, 3, gen_map_ref(g, map), key, cpu);
	of_cpu = gen_block(g);
	own = gen_block(g);
	done = gen_block(g);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, cpu, n_cpus(g), ""), of_cpu, own);
	gen_enter(g, of_cpu);
	records[0] = gen_call(g, GEN_MAP_LOOKUP_PERCPU, 3, gen_map_ref(g, map), key, cpu);
	gen_goto(g, done);
	gen_enter(g, own);
	records[1] = gen_call(g, GEN_MAP_LOOKUP, 2, gen_kernel_def_own(g, map), key);
	gen_goto(g, done);
	gen_enter(g, done);
	found = LLVMBuildPhi(g->b, g->i64, "");
	LLVMAddIncoming(found, records, (LLVMBasicBlockRef[]){ of_cpu, own }, 2);
	return found;
}

static void each_cpu_begin(struct gen *g, uint32_t map, LLVMValueRef key, struct each_cpu *ret)
{
	LLVMBasicBlockRef there;

	*ret = (struct each_cpu){ .cpu = gen_variable(g), .head = gen_block(g), .next = gen_block(g) };
	ret->n = gen_keep(g, LLVMBuildAdd(g->b, n_cpus(g), gen_i64(g, g->plan->maps[map].is_apart), ""));
	there = gen_block(g);
	gen_store(g, gen_i64(g, 0), ret->cpu);
	gen_goto(g, ret->head);
	gen_enter(g, ret->head);
	ret->record = LLVMBuildIntToPtr(g->b, find_record(g, map, key, gen_load(g, ret->cpu)), g->ptr, "");
	gen_branch(g, gen_is_zero(g, ret->record), ret->next, there);
	gen_enter(g, there);
}

// The verifier sees the end by the count, where the loop goes back (kernels before 6.6).
static void each_cpu_end(struct gen *g, const struct each_cpu *each)
{
	LLVMBasicBlockRef done = gen_block(g);
	LLVMValueRef next;

	gen_goto(g, each->next);
	gen_enter(g, each->next);
	next = gen_keep(g, LLVMBuildAdd(g->b, gen_load(g, each->cpu), gen_i64(g, 1), ""));
	gen_store(g, next, each->cpu);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, next, each->n, ""), each->head, done);
	gen_enter(g, done);
}

struct each_word {
	LLVMValueRef offset; // in bytes
	LLVMValueRef variable;
	LLVMBasicBlockRef head;
	uint32_t size;
};

static void each_word_begin(struct gen *g, uint32_t n, struct each_word *ret)
{
	*ret = (struct each_word){ .variable = gen_variable(g), .head = gen_block(g), .size = n * 8 };
	gen_store(g, gen_i64(g, 0), ret->variable);
	gen_goto(g, ret->head);
	gen_enter(g, ret->head);
	ret->offset = gen_load(g, ret->variable);
}

static void each_word_end(struct gen *g, const struct each_word *each)
{
	LLVMBasicBlockRef done = gen_block(g);
	LLVMValueRef next = gen_keep(g, LLVMBuildAdd(g->b, each->offset, gen_i64(g, 8), ""));

	gen_store(g, next, each->variable);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, next, gen_i64(g, each->size), ""), each->head, done);
	gen_enter(g, done);
}

// ---- reading ------------------------------------------------------------------------------------------

static LLVMValueRef zero_variable(struct gen *g)
{
	LLVMValueRef variable = gen_variable(g);

	gen_store(g, gen_i64(g, 0), variable);
	return variable;
}

static void fail_if_empty(struct gen *g, LLVMValueRef count, uint32_t place)
{
	gen_fail_if(g, gen_is_zero(g, count), SP_RT_STAT_EMPTY, place, NULL);
}

// The sum of a part's word over all CPUs, or the largest; with the count of values when that is asked for.
static LLVMValueRef merge(struct gen *g, uint32_t index, LLVMValueRef key, enum sp_stat_part part,
			  LLVMValueRef *count_ret)
{
	const struct ir_map *map = map_of(g, index);
	LLVMValueRef all = zero_variable(g), count = zero_variable(g), value;
	struct each_cpu each;

	each_cpu_begin(g, index, key, &each);
	value = load_part(g, map, each.record, part);
	if (part == SP_PART_MIN || part == SP_PART_MAX)
		keep_larger(g, all, value);
	else
		add_to(g, all, value);
	if (count_ret)
		add_to(g, count, load_part(g, map, each.record, SP_PART_COUNT));
	each_cpu_end(g, &each);
	if (count_ret)
		*count_ret = gen_load(g, count);
	return gen_load(g, all);
}

// Adds a word of a record to one of a number in variables; `carry` comes from the word below, and goes to the one above.
static LLVMValueRef add_word(struct gen *g, LLVMValueRef variable, LLVMValueRef value, LLVMValueRef carry)
{
	LLVMValueRef sum = LLVMBuildAdd(g->b, gen_load(g, variable), value, ""), first = gen_wide_carry(g, sum, value);

	sum = LLVMBuildAdd(g->b, sum, carry, "");
	gen_store(g, sum, variable);
	return LLVMBuildOr(g->b, first, gen_wide_carry(g, sum, carry), "");
}

static LLVMValueRef variance(struct gen *g, const struct ir_expr *e, LLVMValueRef key, LLVMValueRef *count_ret)
{
	const struct ir_map *map = map_of(g, e->map);
	LLVMValueRef count = zero_variable(g), sum[2], squares[3], carry = gen_i64(g, 0), at;
	struct gen_moments m;
	struct each_cpu each;

	for (unsigned i = 0; i < 2; i++)
		sum[i] = zero_variable(g);
	for (unsigned i = 0; i < 3; i++)
		squares[i] = zero_variable(g);
	each_cpu_begin(g, e->map, key, &each);
	add_to(g, count, load_part(g, map, each.record, SP_PART_COUNT));
	carry = add_word(g, sum[0], load_part(g, map, each.record, SP_PART_SUM), carry);
	add_word(g, sum[1], load_part(g, map, each.record, SP_PART_SUM_HIGH), carry);
	at = part_at(g, map, each.record, SP_PART_SQUARES);
	carry = gen_i64(g, 0);
	for (unsigned i = 0; i < 3; i++)
		carry = add_word(g, squares[i], gen_load(g, gen_at(g, at, i * 8ull)), carry);
	each_cpu_end(g, &each);
	m.count = *count_ret = gen_load(g, count);
	for (unsigned i = 0; i < 2; i++)
		m.sum[i] = gen_load(g, sum[i]);
	for (unsigned i = 0; i < 3; i++)
		m.squares[i] = gen_load(g, squares[i]);
	return gen_wide_variance(g, &m, gen_slot(g, gen_plan(g, e)->work));
}

LLVMValueRef gen_stat_read(struct gen *g, uint32_t map, LLVMValueRef key, enum sp_stat what, LLVMValueRef *count_ret)
{
	LLVMValueRef value, count, sign;

	switch (what) {
	case SP_STAT_COUNT:
		return merge(g, map, key, SP_PART_COUNT, NULL);
	case SP_STAT_SUM:
		return merge(g, map, key, SP_PART_SUM, NULL);
	case SP_STAT_MIN:
		return as_least(g, merge(g, map, key, SP_PART_MIN, count_ret));
	case SP_STAT_MAX:
		value = merge(g, map, key, SP_PART_MAX, count_ret);
		return LLVMBuildAdd(g->b, value, gen_i64(g, INT64_MIN), "");
	case SP_STAT_AVG:
		value = merge(g, map, key, SP_PART_SUM, &count);
		if (count_ret)
			*count_ret = count;
		sign = sign_of(g, value);
		// BPF divides by 0, too: that gives 0.
		return magnitude(g, LLVMBuildUDiv(g->b, magnitude(g, value, sign), gen_keep(g, count), ""), sign);
	case SP_STAT_VARIANCE:
	case SP_STAT_LOG:
	case SP_STAT_LINEAR:
	case SP_STAT_KIND_COUNT:
		break;
	}
	gen_bug(g, "an extractor that is not read in the kernel");
	return gen_i64(g, 0);
}

static LLVMValueRef read_bucket(struct gen *g, const struct ir_expr *e, LLVMValueRef key, LLVMValueRef index)
{
	const struct ir_map *map = map_of(g, e->map);
	enum sp_stat_part part = e->stat == SP_STAT_LOG ? SP_PART_LOG : SP_PART_LINEAR;
	uint32_t n = sp_stat_words(&map->stat, part);
	LLVMValueRef all = zero_variable(g), count = zero_variable(g), at, is_out;
	struct each_cpu each;

	each_cpu_begin(g, e->map, key, &each);
	add_to(g, count, load_part(g, map, each.record, SP_PART_COUNT));
	at = bucket_at(g, part_at(g, map, each.record, part), index, n, each.next);
	add_to(g, all, gen_load(g, at));
	each_cpu_end(g, &each);
	fail_if_empty(g, gen_load(g, count), e->place);
	is_out = LLVMBuildICmp(g->b, LLVMIntUGE, index, gen_i64(g, n), "");
	gen_fail_if(g, is_out, SP_RT_HIST_INDEX, e->place, index);
	return gen_load(g, all);
}

static LLVMValueRef read(struct gen *g, const struct ir_expr *e, LLVMValueRef key)
{
	LLVMValueRef value, count = NULL;

	if (e->stat >= SP_STAT_LOG)
		return read_bucket(g, e, key, gen_long(g, e->a));
	if (e->stat == SP_STAT_COUNT || e->stat == SP_STAT_SUM)
		return gen_stat_read(g, e->map, key, e->stat, NULL);
	value = e->stat == SP_STAT_VARIANCE ? variance(g, e, key, &count) : gen_stat_read(g, e->map, key, e->stat, &count);
	if (count)
		fail_if_empty(g, count, e->place);
	return value;
}

LLVMValueRef gen_stat_get(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = gen_map_key(g, e->map, e->args, gen_plan(g, e)->key), value;

	value = read(g, e, key);
	gen_release(g, mark);
	return value;
}

// ---- others ---------------------------------------------------------------------------------------------------------

static void fill_hist_head(struct gen *g, const struct ir_stmt *s, LLVMValueRef record)
{
	gen_store(g, gen_fail_stamp(g, gen_fail_head(g, SP_EVENT_HIST, s->map)), record);
	gen_store(g, gen_i64(g, s->stat), gen_at(g, record, offsetof(struct sp_event_hist, what)));
}

// Adds all CPUs' buckets to the record's. Gives a number that is 0 when all are.
static LLVMValueRef sum_buckets(struct gen *g, const struct ir_stmt *s, LLVMValueRef key, LLVMValueRef into)
{
	const struct ir_map *map = map_of(g, s->map);
	enum sp_stat_part part = s->stat == SP_STAT_LOG ? SP_PART_LOG : SP_PART_LINEAR;
	uint32_t n = sp_stat_words(&map->stat, part);
	LLVMValueRef any = zero_variable(g), value;
	struct each_word word;
	struct each_cpu each;

	each_word_begin(g, n, &word);
	gen_store(g, gen_i64(g, 0), gen_at_index(g, into, word.offset));
	each_word_end(g, &word);
	each_cpu_begin(g, s->map, key, &each);
	each_word_begin(g, n, &word);
	value = gen_load(g, gen_at_index(g, part_at(g, map, each.record, part), word.offset));
	gen_store(g, LLVMBuildOr(g->b, gen_load(g, any), value, ""), any);
	add_to(g, gen_at_index(g, into, word.offset), value);
	each_word_end(g, &word);
	each_cpu_end(g, &each);
	return gen_load(g, any);
}

void gen_stat_print(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef key = gen_map_key(g, s->map, s->args, gen_plan_stmt(g, s)->key);
	enum sp_stat_part part = s->stat == SP_STAT_LOG ? SP_PART_LOG : SP_PART_LINEAR;
	uint32_t size = (uint32_t)sizeof(struct sp_event_hist) +
			sp_stat_words(&map_of(g, s->map)->stat, part) * 8;
	LLVMBasicBlockRef full = gen_block(g), ok = gen_block(g), empty = gen_block(g), some = gen_block(g),
			  done = gen_block(g);
	LLVMValueRef record = gen_call(g, GEN_RING_RESERVE, 3, gen_kernel_def_events(g), gen_i64(g, size), gen_i64(g, 0)), any;

	record = LLVMBuildIntToPtr(g->b, record, g->ptr, "");
	gen_branch(g, gen_is_zero(g, record), full, ok);
	gen_enter(g, full);
	gen_fail_count(g, SP_LOSS_DROPPED);
	gen_goto(g, done);
	gen_enter(g, ok);
	fill_hist_head(g, s, record);
	any = sum_buckets(g, s, key, gen_at(g, record, sizeof(struct sp_event_hist)));
	gen_branch(g, gen_is_zero(g, any), empty, some);
	gen_enter(g, empty);
	gen_call(g, GEN_RING_DISCARD, 2, record, gen_i64(g, 0));
	gen_goto(g, done);
	gen_enter(g, some);
	gen_call(g, GEN_RING_SUBMIT, 2, record, gen_i64(g, 0));
	gen_fail_go_on(g);
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_stat_clear(struct gen *g, uint32_t map)
{
	struct each_cpu each;
	struct each_word word;

	each_cpu_begin(g, map, gen_map_key(g, map, NULL, (struct plan_slot){ PLAN_SLOT_NONE, 0 }), &each);
	each_word_begin(g, sp_stat_word(&map_of(g, map)->stat, SP_PART_END), &word);
	gen_store(g, gen_i64(g, 0), gen_at_index(g, each.record, word.offset));
	each_word_end(g, &word);
	each_cpu_end(g, &each);
}
