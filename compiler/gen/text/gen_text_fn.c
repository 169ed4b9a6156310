// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_text_fn.h"

#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_names.h"
#include "compiler/gen/text/gen_regex.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_text.h"
#include "compiler/gen/text/gen_unicode.h"
#include "compiler/gen/value/gen_expr.h"

#include <stdio.h>

#define NAME_SIZE 64

static LLVMValueRef is(struct gen *g, LLVMIntPredicate predicate, LLVMValueRef a, int64_t b)
{
	return LLVMBuildICmp(g->b, predicate, a, gen_i64(g, b), "");
}

static LLVMValueRef between(struct gen *g, LLVMValueRef x, int64_t low, int64_t high)
{
	return is(g, LLVMIntULE, LLVMBuildSub(g->b, x, gen_i64(g, low), ""), high - low);
}

static LLVMValueRef byte_of(struct gen *g, LLVMValueRef word, unsigned i)
{
	return LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, word, gen_i64(g, i * 8), ""), gen_i64(g, 0xff), "");
}

static LLVMValueRef lower_case(struct gen *g, LLVMValueRef c)
{
	return LLVMBuildOr(g->b, c, gen_i64(g, 0x20), "");
}

// ---- substr -------------------------------------------------------------------------------------

static void substr(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	struct gen_str s = gen_str_address(g, e->args[0]);
	LLVMValueRef from = gen_long(g, e->args[1]), n = gen_long(g, e->args[2]);
	struct gen_text t = gen_text_begin(g, dst, gen_slot(g, gen_plan(g, e)->work));

	gen_text_append(g, &t, s, from, n);
	gen_text_end(g, &t);
}

// ---- strpos -------------------------------------------------------------------------------------

struct pair {
	uint32_t caps[2];
};

static LLVMValueRef look_at(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct pair *p = arg;
	struct gen_str s = { live[0], p->caps[0] }, needle = { live[1], p->caps[1] };
	LLVMBasicBlockRef found = gen_block(g), done = gen_block(g);
	LLVMValueRef match = gen_text_match(g, s, index, needle), ended;

	gen_branch(g, match, found, done);
	gen_enter(g, found);
	gen_cell_set(g, live[2], GEN_CELL_A, index);
	gen_goto(g, done);
	gen_enter(g, done);
	ended = gen_is_zero(g, gen_text_byte(g, s, index));
	return LLVMBuildNot(g->b, LLVMBuildOr(g->b, match, ended, ""), "");
}

LLVMValueRef gen_text_fn_strpos(struct gen *g, const struct ir_expr *e)
{
	struct gen_str s = gen_str_address(g, e->args[0]), needle = gen_str_address(g, e->args[1]);
	LLVMValueRef work = gen_slot(g, gen_plan(g, e)->work);
	struct pair p = { { s.cap, needle.cap } };
	struct gen_repeat r = {
		.trips = s.cap, .live = { s.ptr, needle.ptr, work }, .n_live = 3, .arg = &p, .body = look_at
	};
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "text_strpos_%u_%u", s.cap, needle.cap);
	r.name = name;
	gen_cell_set(g, work, GEN_CELL_A, gen_i64(g, -1));
	gen_repeat(g, &r);
	return gen_cell(g, work, GEN_CELL_A);
}

// ---- strtol -------------------------------------------------------------------------------------

static LLVMValueRef add_digit(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const uint32_t *cap = arg;
	LLVMValueRef at = LLVMBuildAdd(g->b, index, live[3], ""), base = live[2];
	LLVMValueRef c = gen_text_byte(g, (struct gen_str){ live[0], *cap }, at);
	LLVMValueRef letter = LLVMBuildSub(g->b, lower_case(g, c), gen_i64(g, 'a' - 10), "");
	LLVMValueRef digit = LLVMBuildSub(g->b, c, gen_i64(g, '0'), ""), ok, value;
	LLVMBasicBlockRef add = gen_block(g), done = gen_block(g);

	digit = LLVMBuildSelect(g->b, between(g, c, '0', '9'), digit, letter, "");
	ok = LLVMBuildAnd(g->b, is(g, LLVMIntULT, digit, 16), LLVMBuildICmp(g->b, LLVMIntULT, digit, base, ""),
			  "");
	gen_branch(g, ok, add, done);
	gen_enter(g, add);
	value = LLVMBuildMul(g->b, gen_cell(g, live[1], GEN_CELL_A), base, "");
	gen_cell_set(g, live[1], GEN_CELL_A, LLVMBuildAdd(g->b, value, digit, ""));
	gen_goto(g, done);
	gen_enter(g, done);
	return ok;
}

// Like the kernel's simple_strtol: a `-`, then 0x where the base is 16 or 0, then digits up to what is none.
LLVMValueRef gen_text_fn_strtol(struct gen *g, const struct ir_expr *e)
{
	struct gen_str s = gen_str_address(g, e->args[0]);
	LLVMValueRef base = gen_long(g, e->args[1]), work = gen_slot(g, gen_plan(g, e)->work), word, minus, hex, zero,
		     from, value, c;
	struct gen_repeat r = { .trips = s.cap, .n_live = 4, .arg = &s.cap, .body = add_digit };
	char name[NAME_SIZE];

	word = gen_text_word(g, s, gen_i64(g, 0));
	minus = is(g, LLVMIntEQ, byte_of(g, word, 0), '-');
	word = LLVMBuildSelect(g->b, minus, LLVMBuildLShr(g->b, word, gen_i64(g, 8), ""), word, "");
	zero = is(g, LLVMIntEQ, byte_of(g, word, 0), '0');
	hex = LLVMBuildAnd(g->b, zero, is(g, LLVMIntEQ, lower_case(g, byte_of(g, word, 1)), 'x'), "");
	c = byte_of(g, word, 2);
	value = LLVMBuildOr(g->b, between(g, c, '0', '9'), between(g, lower_case(g, c), 'a', 'f'), "");
	value = LLVMBuildSelect(g->b, LLVMBuildAnd(g->b, hex, value, ""), gen_i64(g, 16), gen_i64(g, 8), "");
	value = LLVMBuildSelect(g->b, zero, value, gen_i64(g, 10), "");
	base = LLVMBuildSelect(g->b, gen_is_zero(g, base), value, base, "");
	hex = LLVMBuildAnd(g->b, hex, is(g, LLVMIntEQ, base, 16), "");
	from = LLVMBuildSelect(g->b, hex, gen_i64(g, 2), gen_i64(g, 0), "");
	from = LLVMBuildAdd(g->b, from, gen_bool(g, minus), "");
	gen_cell_set(g, work, GEN_CELL_A, gen_i64(g, 0));
	snprintf(name, sizeof(name), "text_strtol_%u", s.cap);
	r.name = name;
	r.live[0] = s.ptr;
	r.live[1] = work;
	r.live[2] = base;
	r.live[3] = gen_forget(g, from);
	gen_repeat(g, &r);
	value = gen_cell(g, work, GEN_CELL_A);
	return LLVMBuildSelect(g->b, minus, LLVMBuildNeg(g->b, value, ""), value, "");
}

// ---- str_replace --------------------------------------------------------------------------------

struct replace {
	uint32_t caps[3], dst_cap;
};

// CELL_A: where to go on behind what was replaced. live: the three strings, dst, work, length of what is searched.
static LLVMValueRef replace_at(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct replace *p = arg;
	struct gen_str s = { live[0], p->caps[0] }, old = { live[1], p->caps[1] }, by = { live[2], p->caps[2] };
	struct gen_text t = { .dst = { live[3], p->dst_cap }, .work = live[4] };
	LLVMBasicBlockRef look = gen_block(g), match = gen_block(g), keep = gen_block(g), done = gen_block(g);
	LLVMValueRef c = gen_text_byte(g, s, index), skip = gen_cell(g, live[4], GEN_CELL_A);

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, index, skip, ""), done, look);
	gen_enter(g, look);
	gen_branch(g, gen_text_match(g, s, index, old), match, keep);
	gen_enter(g, match);
	gen_text_append(g, &t, by, NULL, NULL);
	gen_cell_set(g, live[4], GEN_CELL_A, LLVMBuildAdd(g->b, index, live[5], ""));
	gen_goto(g, done);
	gen_enter(g, keep);
	gen_text_put(g, &t, c, gen_bool(g, is(g, LLVMIntNE, c, 0)));
	gen_goto(g, done);
	gen_enter(g, done);
	return is(g, LLVMIntNE, c, 0);
}

static void str_replace(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	struct gen_str s[3];
	LLVMValueRef work = gen_slot(g, gen_plan(g, e)->work), length;
	LLVMBasicBlockRef whole = gen_block(g), search = gen_block(g), done = gen_block(g);
	struct replace p = { .dst_cap = dst.cap };
	struct gen_repeat r = { .n_live = 6, .arg = &p, .body = replace_at };
	struct gen_text t;
	char name[NAME_SIZE];

	for (int i = 0; i < 3; i++) {
		s[i] = gen_str_address(g, e->args[i]);
		p.caps[i] = s[i].cap;
		r.live[i] = s[i].ptr;
	}
	length = gen_text_length(g, s[1], work);
	t = gen_text_begin(g, dst, work);
	gen_branch(g, gen_is_zero(g, length), whole, search);
	gen_enter(g, whole);
	gen_text_append(g, &t, s[0], NULL, NULL);
	gen_goto(g, done);
	gen_enter(g, search);
	gen_cell_set(g, work, GEN_CELL_A, gen_i64(g, 0));
	snprintf(name, sizeof(name), "text_replace_%u_%u_%u_%u", s[0].cap, s[1].cap, s[2].cap, dst.cap);
	r.name = name;
	r.trips = s[0].cap;
	r.live[3] = dst.ptr;
	r.live[4] = work;
	r.live[5] = length;
	gen_repeat(g, &r);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_text_end(g, &t);
}

// ---- tokenize -----------------------------------------------------------------------------------

struct tokenize {
	uint32_t cap, delim_cap, dst_cap;
};

// An i1: is the byte (not 0) among those of `set`?
static LLVMValueRef is_member(struct gen *g, LLVMValueRef byte, struct gen_str set)
{
	LLVMBasicBlockRef head = gen_block(g), next = gen_block(g), done = gen_block(g);
	LLVMValueRef at = gen_variable(g), found = gen_variable(g), all = gen_text_spread(g, byte), i, hit;

	gen_store(g, gen_i64(g, 0), at);
	gen_goto(g, head);
	gen_enter(g, head);
	i = gen_load(g, at);
	hit = gen_text_zeros(g, LLVMBuildXor(g->b, all, gen_load(g, gen_at_index(g, set.ptr, i)), ""));
	gen_store(g, hit, found);
	gen_branch(g, gen_is_zero(g, hit), next, done);
	gen_enter(g, next);
	i = gen_keep(g, LLVMBuildAdd(g->b, i, gen_i64(g, 8), ""));
	gen_store(g, i, at);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, i, gen_i64(g, set.cap), ""), head, done);
	gen_enter(g, done);
	return LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, found)), "");
}

// live: the state's text, the delimiters, dst, work, the state. A delimiter ends the token, if it has begun.
static LLVMValueRef token_byte(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct tokenize *p = arg;
	struct gen_text t = { .dst = { live[2], p->dst_cap }, .work = live[3] };
	LLVMBasicBlockRef more = gen_block(g), end = gen_block(g), keep = gen_block(g), done = gen_block(g);
	LLVMValueRef next = gen_cell(g, live[4], 0), go = gen_variable(g), c;

	(void)index;
	gen_store(g, gen_i64(g, 0), go);
	c = gen_text_byte(g, (struct gen_str){ live[0], p->cap }, next);
	gen_branch(g, gen_is_zero(g, c), done, more);
	gen_enter(g, more);
	gen_cell_set(g, live[4], 0, LLVMBuildAdd(g->b, next, gen_i64(g, 1), ""));
	gen_branch(g, is_member(g, c, (struct gen_str){ live[1], p->delim_cap }), end, keep);
	gen_enter(g, end);
	gen_store(g, gen_bool(g, gen_is_zero(g, gen_cell(g, live[3], GEN_CELL_END))), go);
	gen_goto(g, done);
	gen_enter(g, keep);
	gen_text_put(g, &t, c, gen_i64(g, 1));
	gen_store(g, gen_i64(g, 1), go);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, go)), "");
}

// The state is the place to go on at, then the text.
static void tokenize(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	struct gen_str input = gen_str_address(g, e->args[0]), delim = gen_str_address(g, e->args[1]);
	LLVMValueRef work = gen_slot(g, gen_plan(g, e)->work), state = gen_tokens(g);
	struct gen_str text = { gen_at(g, state, 8), g->plan->tokens_size - 8 };
	LLVMBasicBlockRef fresh = gen_block(g), next = gen_block(g);
	struct tokenize p = { text.cap, delim.cap, dst.cap };
	struct gen_repeat r = { .trips = text.cap,
				.live = { text.ptr, delim.ptr, dst.ptr, work, state },
				.n_live = 5,
				.arg = &p,
				.body = token_byte };
	struct gen_text t;
	char name[NAME_SIZE];

	gen_branch(g, gen_is_zero(g, gen_load_sized(g, input.ptr, 1, false)), next, fresh);
	gen_enter(g, fresh);
	gen_str_copy(g, text, input, true);
	gen_cell_set(g, state, 0, gen_i64(g, 0));
	gen_goto(g, next);
	gen_enter(g, next);
	t = gen_text_begin(g, dst, work);
	snprintf(name, sizeof(name), "text_token_%u_%u", delim.cap, dst.cap);
	r.name = name;
	gen_repeat(g, &r);
	gen_text_end(g, &t);
}

// ---- errno_str ----------------------------------------------------------------------------------

#define ERRNO_ROW 24
#define ERRNO_COUNT 134

// A row for each number.
static void errno_str(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	char rows[ERRNO_COUNT * ERRNO_ROW] = "";
	LLVMValueRef n = gen_long(g, e->args[0]);

	for (unsigned i = 0; i < ERRNO_COUNT; i++) {
		const char *name = builtin_errno(i);

		memcpy(rows + (size_t)i * ERRNO_ROW, name, strlen(name));
	}
	n = gen_keep(g, LLVMBuildSelect(g->b, is(g, LLVMIntSLT, n, 0), LLVMBuildNeg(g->b, n, ""), n, ""));
	n = gen_keep(g, LLVMBuildSelect(g->b, is(g, LLVMIntULT, n, ERRNO_COUNT), n, gen_i64(g, 0), ""));
	n = LLVMBuildMul(g->b, n, gen_i64(g, ERRNO_ROW), "");
	gen_str_copy(g, dst, (struct gen_str){ gen_at_index(g, gen_constant(g, rows, sizeof(rows)), n), ERRNO_ROW }, true);
}

// ---- all ----------------------------------------------------------------------------------------

void gen_text_fn_string(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	static void (*const builtins[BUILTIN_COUNT])(struct gen *, const struct ir_expr *, struct gen_str) = {
		[BUILTIN_ENUM_STR] = gen_names_enum,
		[BUILTIN_ERRNO_STR] = errno_str,
		[BUILTIN_FLAGS_STR] = gen_names_flags,
		[BUILTIN_MATCHED] = gen_regex_part,
		[BUILTIN_STR_REPLACE] = str_replace,
		[BUILTIN_SUBSTR] = substr,
		[BUILTIN_TEXT_STRN] = gen_unicode_quote,
		[BUILTIN_TOKENIZE] = tokenize,
	};

	if (builtins[e->builtin])
		builtins[e->builtin](g, e, dst);
	else
		gen_bug(g, "a builtin that gives no text");
}

LLVMValueRef gen_text_fn_byte(struct gen *g, const struct ir_expr *e)
{
	struct gen_str s = gen_str_address(g, e->args[0]);

	return gen_text_byte(g, s, gen_long(g, e->args[1]));
}
