// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_capture.h"

#include "compiler/ir/ir_clone.h"
#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_symbols.h"
#include "runtime/abi/bundle.h"
#include "runtime/abi/event.h"

#define COMM 16 // bytes of a task's name
#define WHY 128u // bytes of what a function says that fails

// Whose process it is, names of addresses and reads of memory need to know: the rest asks for that in any case.
static const struct {
	enum builtin_id builtin;
	size_t offset;
} task_members[] = {
	{ BUILTIN_PID, offsetof(struct sp_deferred, pid) },
	{ BUILTIN_TID, offsetof(struct sp_deferred, tid) },
	{ BUILTIN_UID, offsetof(struct sp_deferred, uid) },
	{ BUILTIN_GID, offsetof(struct sp_deferred, gid) },
	{ BUILTIN_CPU, offsetof(struct sp_deferred, cpu) },
	{ BUILTIN_KTIME_GET_NS, offsetof(struct sp_deferred, time) },
	{ BUILTIN_TASK_CURRENT, offsetof(struct sp_deferred, task) },
	{ BUILTIN_EXECNAME, offsetof(struct sp_deferred, comm) },
};

void capture_task(struct cut *c)
{
	c->told = UINT32_MAX;
}

// ---- what is captured -----------------------------------------------------------------------------------------------

static bool are_captured(const struct cut *c, const struct ir_expr *e)
{
	for (unsigned i = 0; i < e->n_args; i++)
		if (!capture_is_possible(c, e->args[i]))
			return false;
	return (!e->a || capture_is_possible(c, e->a)) && (!e->b || capture_is_possible(c, e->b)) && (!e->c || capture_is_possible(c, e->c));
}

// Is memory read on the way, which may not be there? Then only a read itself can be captured: the rest repeats that.
static bool reads_memory(const struct cut *c, const struct ir_expr *e)
{
	if (!e)
		return false;
	for (unsigned i = 0; i < e->n_args; i++)
		if (reads_memory(c, e->args[i]))
			return true;
	return e->op == IR_LOAD || e->op == IR_LOADSTR || (e->op == IR_LOCAL && reads_memory(c, c->values[e->local])) ||
	       reads_memory(c, e->a) || reads_memory(c, e->b) || reads_memory(c, e->c);
}

static bool are_captured_quietly(const struct cut *c, const struct ir_expr *e)
{
	for (unsigned i = 0; i < e->n_args; i++)
		if (reads_memory(c, e->args[i]))
			return false;
	return !reads_memory(c, e->a) && !reads_memory(c, e->b) && !reads_memory(c, e->c) && are_captured(c, e);
}

bool capture_is_possible(const struct cut *c, const struct ir_expr *e)
{
	switch (e->op) {
	case IR_CONST: case IR_LITERAL: case IR_FIXUP: case IR_CTX: case IR_REG:
		return true;
	case IR_LOCAL:
		if (c->values[e->local])
			return capture_is_possible(c, c->values[e->local]);
		return !c->in_func && !c->sets[e->local];
	case IR_GLOBAL:
		return !c->changed->globals[e->global];
	case IR_BUILTIN:
		return facts_is_of_moment(e->builtin) && are_captured_quietly(c, e);
	case IR_NEG: case IR_NOT: case IR_LNOT: case IR_ADD: case IR_SUB: case IR_MUL: case IR_AND: case IR_OR: case IR_XOR:
	case IR_SHL: case IR_SHR: case IR_USHR: case IR_EQ: case IR_NE: case IR_LT: case IR_LE: case IR_GT: case IR_GE:
	case IR_LAND: case IR_LOR: case IR_COND: case IR_SEXT: case IR_ZEXT:
		return e->type == IR_LONG && are_captured(c, e);
	case IR_LOAD: case IR_LOADSTR:
		return are_captured(c, e);
	case IR_LOADMEM: // the rest knows how many bytes it wants
		return capture_is_possible(c, e->a);
	case IR_CAPTURE: // tells by itself what could not be read
		return are_captured(c, e);
	case IR_SYMBOLS:
		return !e->a && are_captured_quietly(c, e);
	case IR_MAP_GET: case IR_MAP_HAS: // what rests change, rests see in their order
		return !c->changed->maps[e->map] && !c->unit->maps.v[e->map].is_private && are_captured_quietly(c, e);
	case IR_CALL:
		return !(facts_of_func(c->facts, e->func) & (FACT_STATE | FACT_RUNTIME | FACT_KERNEL)) && are_captured(c, e);
	case IR_DIV: case IR_MOD: case IR_UDIV: case IR_UMOD: case IR_CONCAT:
	case IR_STRLEN: case IR_MATCH: case IR_MAP_ADD: case IR_GLOBAL_ADD: case IR_STAT_GET: case IR_STAT_TEXT:
	case IR_SITE: case IR_SPRINTF: case IR_EMBED: case IR_SEQ:
		break;
	}
	return false;
}

bool capture_is_of_event(const struct cut *c, const struct ir_expr *e)
{
	if (e->op == IR_CALL)
		return facts_of_func(c->facts, e->func) & (FACT_CONTEXT | FACT_EVENT);
	return e->op == IR_CTX || e->op == IR_REG || ir_reads_memory(e) || ir_is_stack(e) ||
	       e->op == IR_GLOBAL || e->op == IR_MAP_GET || e->op == IR_MAP_HAS ||
	       (e->op == IR_BUILTIN && facts_is_of_moment(e->builtin));
}

static struct ir_expr *record_value(struct cut *c)
{
	struct ir_expr *e = ir_expr_new(c->unit, IR_CTX, IR_LONG, IR_NO_PLACE);

	e->size = 8;
	return e;
}

static struct ir_expr *record_address(struct cut *c)
{
	return ir_expr_new(c->unit, IR_CTX, IR_LONG, IR_NO_PLACE);
}

// How the rest reads the value of a capture. A string in the record is read as one of the machine's own memory.
static struct ir_expr *reader(struct cut *c, const struct ir_expr *e, struct ir_expr **offset)
{
	struct ir_expr *value;

	if (e->type != IR_STR)
		return *offset = record_value(c);
	*offset = record_address(c);
	value = ir_expr_new(c->unit, e->op == IR_SYMBOLS ? IR_SYMBOLS : e->op == IR_CAPTURE ? IR_LOADMEM : IR_LOADSTR, IR_STR, e->place);
	value->cap = e->cap;
	if (e->op == IR_SYMBOLS) {
		value->what = e->what;
		value->space = e->space;
		value->is_late = e->is_late;
		value->c = *offset;
	} else {
		value->space = IR_SPACE_RECORD;
		value->a = *offset;
		value->bytes = e->op == IR_CAPTURE ? e->cap : 0; // the struct sp_captured
	}
	return value;
}

// A function can fail, also one that is called for a key or an address.
static bool calls(const struct ir_expr *e)
{
	if (!e)
		return false;
	for (unsigned i = 0; i < e->n_args; i++)
		if (calls(e->args[i]))
			return true;
	return e->op == IR_CALL || calls(e->a) || calls(e->b) || calls(e->c);
}

// Can the rest not repeat it, but only tell what it failed with? A function may ask for the context, as a computed length may.
static bool fails_for_good(const struct ir_expr *e)
{
	return calls(e) || (e->op == IR_LOADSTR && e->c && e->c->op != IR_CONST);
}

// A text that stands for one that could not be read. When a program has it, it is read twice.
static struct ir_expr *unread(struct cut *c)
{
	static const char text[] = "\1unread\1";

	return ir_literal(c->unit, text, sizeof(text) - 1);
}

// What a function failed with is the rest's error.
static struct ir_expr *fail_late(struct cut *c, const struct ir_expr *e, struct ir_expr *value, struct capture *capture)
{
	const struct ir_expr text = { .op = IR_LOADSTR, .type = IR_STR, .cap = SP_MIN(WHY, c->unit->max_string), .place = e->place };
	struct ir_stmt *fail = ir_stmt_new(c->unit, IR_S_FAIL, e->place), *test = ir_stmt_new(c->unit, IR_S_IF, e->place);

	fail->a = reader(c, &text, &capture->why);
	test->a = capture->other = record_value(c);
	test->then = fail;
	return ir_seq(c->unit, test, value);
}

// What could not be read is read again. Tests in the kernel would double the paths that the verifier follows, with each of them.
static struct ir_expr *read_again(struct cut *c, const struct ir_expr *e, struct ir_expr *value, struct capture *capture)
{
	struct ir_expr *again = ir_expr_new(c->unit, e->op, e->type, e->place), *is_unread, *same;

	*again = *e;
	again->a = capture->why = record_value(c);
	if (e->op == IR_LOADSTR) {
		same = ir_expr_new(c->unit, IR_LOADSTR, IR_STR, e->place);
		*same = *value;
		same->bytes = same->cap; // not counted a second time
		is_unread = ir_binary(c->unit, IR_EQ, same, unread(c), IR_NO_PLACE);
	} else {
		capture->other = record_value(c);
		is_unread = ir_binary(c->unit, IR_NE, value, capture->other, IR_NO_PLACE);
	}
	again = lower_choose(c->l, is_unread, again, value);
	again->type = e->type;
	again->cap = e->cap;
	return again;
}

// The bytes for %m: as many as it may be. Where they end on a page that is not there, the rest reads what it wants itself.
static struct ir_expr *add_bytes(struct cut *c, struct ir_expr *e)
{
	struct ir_expr *bytes = ir_expr_new(c->unit, IR_CAPTURE, IR_STR, e->place), *again, *value;
	struct capture capture = { .e = bytes, .fails = BYTES, .value = record_address(c), .other = record_value(c), .why = record_value(c) };

	bytes->bytes = e->bytes;
	bytes->cap = (uint32_t)SP_ALIGN_UP(sizeof(struct sp_captured) + (uint64_t)e->bytes, 8);
	bytes->space = e->space;
	bytes->a = e->a;
	again = ir_clone_expr(c->unit, e);
	again->a = capture.why;
	value = e;
	value->space = IR_SPACE_RECORD;
	value->a = capture.value;
	sp_vec_push(&c->captures, capture);
	value = lower_choose(c->l, lower_with(c->l, IR_LT, capture.other, 0), again, value);
	value->type = IR_STR;
	value->cap = again->cap;
	return value;
}

void capture_stack(struct cut *c, struct ir_expr *frame)
{
	enum ir_space space = frame->builtin == BUILTIN_USTACK ? IR_SPACE_USER : IR_SPACE_KERNEL;
	struct capture *known = NULL, capture = { .fails = STACK };
	struct ir_expr *stack, *at = record_address(c);

	sp_vec_each(other, &c->captures)
		if (other->fails == STACK && other->e->space == space)
			known = other;
	if (!known) {
		stack = ir_expr_new(c->unit, IR_SYMBOLS, IR_STR, IR_NO_PLACE);
		stack->what = SP_SYMBOL_HEX;
		stack->space = space;
		stack->cap = 8;
		stack->b = frame->n_args == 2 ? frame->args[1] : NULL;
		stack->tracer = frame->tracer;
		stack->link = frame->link;
		capture.e = stack;
		sp_vec_push(&c->captures, capture);
		known = &c->captures.v[c->captures.n - 1];
	}
	at->c = known->value; // the readers of one place: until it is known
	known->value = at;
	frame->args = sp_arena_memdup(&c->unit->arena, (struct ir_expr *[]){ frame->args[0], at }, 2 * sizeof(*frame->args));
	frame->n_args = 2;
	frame->tracer = SP_TRACER_NONE;
	frame->link = 0;
}

// What struct sp_deferred has anyway; NULL: it has not.
static struct ir_expr *read_task(struct cut *c, const struct ir_expr *e)
{
	struct ir_expr *offset, *value;

	for (unsigned i = 0; e->op == IR_BUILTIN && !e->n_args && i < SP_ARRAY_SIZE(task_members); i++) {
		if (task_members[i].builtin != e->builtin)
			continue;
		c->told |= 1u << i;
		value = reader(c, e, &offset);
		offset->offset = (int64_t)task_members[i].offset;
		return value;
	}
	return NULL;
}

// The rest's temporaries are not known in the kernel: their values are.
static void resolve(struct cut *c, struct ir_expr **place)
{
	struct ir_expr *e = *place;

	if (!e)
		return;
	if (e->op == IR_LOCAL && c->values[e->local]) {
		*place = ir_clone_expr(c->unit, c->values[e->local]);
		resolve(c, place);
		return;
	}
	resolve(c, &e->a);
	resolve(c, &e->b);
	resolve(c, &e->c);
	for (unsigned i = 0; i < e->n_args; i++)
		resolve(c, &e->args[i]);
}

// Whether a text is cut, the rest counts when it uses it: a word more shows that.
static void leave_count(struct ir_expr *e)
{
	if (e->op != IR_LOADSTR || e->bytes || e->c)
		return;
	e->cap += 8;
	e->bytes = e->cap;
}

// Loads on the way to an address give 0 where there is nothing, near which nothing is, either.
static void make_quiet(struct cut *c, struct ir_expr *e)
{
	if (!e)
		return;
	if (e->op == IR_LOAD && e->space != IR_SPACE_TASK && !e->b)
		e->b = ir_const(c->unit, 0);
	make_quiet(c, e->a);
	make_quiet(c, e->b);
	make_quiet(c, e->c);
	for (unsigned i = 0; i < e->n_args; i++)
		make_quiet(c, e->args[i]);
}

// Is memory read on the way whose fault is an error?
static bool may_fail(const struct cut *c, const struct ir_expr *e)
{
	if (!e || c->unit->faults_are_zero)
		return false;
	for (unsigned i = 0; i < e->n_args; i++)
		if (may_fail(c, e->args[i]))
			return true;
	return ((e->op == IR_LOAD || e->op == IR_LOADSTR) && e->space != IR_SPACE_TASK && !e->b) ||
	       (e->op == IR_LOCAL && may_fail(c, c->values[e->local])) || may_fail(c, e->a) || may_fail(c, e->b) || may_fail(c, e->c);
}

// Temporaries stay, and with them their own captures.
static void capture_way(struct cut *c, struct ir_expr **place)
{
	struct ir_expr *e = *place;

	if (!e)
		return;
	if (capture_is_of_event(c, e) && !(e->op == IR_CTX && !e->size)) {
		*place = capture_add(c, e);
		return;
	}
	capture_way(c, &e->a);
	capture_way(c, &e->b);
	capture_way(c, &e->c);
	for (unsigned i = 0; i < e->n_args; i++)
		capture_way(c, &e->args[i]);
}

// What a read needs that has a fallback: its address, and how long a text is.
static struct ir_expr *way_to(struct cut *c, const struct ir_expr *e)
{
	struct ir_expr *way = ir_clone_expr(c->unit, e->a);

	return e->c ? ir_binary(c->unit, IR_ADD, way, ir_clone_expr(c->unit, e->c), IR_NO_PLACE) : way;
}

// What stands for memory that is not there is no error, but to find no address is one, which `try` may catch: so the rest computes that,
// too, in front of `value`.
static struct ir_expr *fail_on_way(struct cut *c, struct ir_expr *way, struct ir_expr *value)
{
	struct ir_stmt *eval = ir_stmt_new(c->unit, IR_S_EVAL, value->place);

	capture_way(c, &way);
	eval->a = way;
	return ir_seq(c->unit, eval, value);
}

struct ir_expr *capture_add(struct cut *c, struct ir_expr *e)
{
	bool reads = (e->op == IR_LOAD || e->op == IR_LOADSTR) && e->space != IR_SPACE_TASK;
	bool may_fault = reads && !e->b && !c->unit->faults_are_zero;
	bool may_fail_on_way = reads && e->b && (may_fail(c, e->a) || may_fail(c, e->c)), fallback_may_fail = reads && may_fail(c, e->b);
	struct ir_expr *way = may_fail_on_way ? way_to(c, e) : NULL, *value;
	struct capture capture = { 0 };

	if (e->op == IR_LOADMEM) {
		resolve(c, &e->a);
		return add_bytes(c, e);
	}
	value = read_task(c, e);
	if (value)
		return value;
	resolve(c, &e);
	capture.e = e;
	value = reader(c, e, &capture.value);
	if (calls(e) || (may_fault && fails_for_good(e)) || fallback_may_fail) {
		capture.fails = FAILURE;
		value = fail_late(c, e, value, &capture);
	} else if (may_fault) {
		capture.fails = FAULT;
		value = read_again(c, e, value, &capture);
	}
	leave_count(e);
	sp_vec_push(&c->captures, capture);
	if (!way || capture.fails != CANNOT_FAIL)
		return value;
	make_quiet(c, e->a);
	make_quiet(c, e->c);
	return fail_on_way(c, way, value);
}

// ---- the record -----------------------------------------------------------------------------------------------------

// Where the argument will be, the rest's CTX says: `at` is in it. Several of one place are linked by c.
struct reader {
	struct ir_expr *ctx;
	size_t arg;
};

struct record {
	SP_VEC(struct ir_expr *) args;
	SP_VEC(struct ir_arg) types;
	SP_VEC(struct reader) readers;
};

static void read_by(struct record *r, struct ir_expr *ctx, size_t at)
{
	if (!ctx)
		return;
	ctx->offset = (int64_t)at;
	sp_vec_push(&r->readers, ((struct reader){ ctx, r->args.n - 1 }));
}

static void put(struct record *r, struct ir_expr *e, struct ir_expr *reader)
{
	struct ir_arg arg = { .type = e->type, .is_late = e->is_late };

	arg.size = e->is_late ? lower_symbols_size(e) : e->type == IR_STR ? e->cap : 8;
	sp_vec_push(&r->args, e);
	sp_vec_push(&r->types, arg);
	read_by(r, reader, 0);
}

// What the rest does not ask for is not computed.
static void put_task(struct cut *c, struct record *r)
{
	for (unsigned i = 0; i < SP_ARRAY_SIZE(task_members); i++) {
		bool is_text = task_members[i].builtin == BUILTIN_EXECNAME, is_told = c->told & 1u << i;
		struct ir_expr *e = is_text ? ir_literal(c->unit, "", 0) : ir_const(c->unit, 0);

		if (is_told) {
			e = lower_task_value(c->l, task_members[i].builtin, is_text ? COMM : 0);
		}
		e->cap = is_text ? COMM : 0;
		put(r, e, NULL);
	}
}

// What may fail is tried: the rest decides what comes of it.
static void put_tried(struct cut *c, struct record *r, const struct capture *capture)
{
	struct ir_expr *e = capture->e;
	uint32_t why = lower_temp(c->l, IR_STR, SP_MIN(WHY, c->unit->max_string));
	uint32_t failed = lower_temp(c->l, IR_LONG, 0), value = lower_temp(c->l, e->type, e->cap);
	struct ir_stmt *try = ir_stmt_new(c->unit, IR_S_TRY, c->prog->place);

	lower_emit(c->l, ir_set(c->unit, why, lower_zero(c->l, IR_STR), c->prog->place));
	lower_emit(c->l, ir_set(c->unit, failed, ir_const(c->unit, 0), c->prog->place));
	lower_emit(c->l, ir_set(c->unit, value, lower_zero(c->l, e->type), c->prog->place));
	try->then = ir_set(c->unit, value, e, c->prog->place);
	try->message = why;
	try->otherwise = ir_set(c->unit, failed, ir_const(c->unit, 1), c->prog->place);
	lower_emit(c->l, try);
	put(r, lower_read(c->l, value), capture->value);
	put(r, lower_read(c->l, failed), capture->other);
	put(r, lower_read(c->l, why), capture->why);
}

static void put_memory(struct cut *c, struct record *r, const struct capture *capture)
{
	struct ir_expr *e = capture->e, *other;
	uint32_t at = lower_temp(c->l, IR_LONG, 0);

	make_quiet(c, e->a);
	lower_emit(c->l, ir_set(c->unit, at, e->a, c->prog->place));
	e->a = lower_read(c->l, at);
	e->b = e->op == IR_LOADSTR ? unread(c) : ir_const(c->unit, 0);
	put(r, e, capture->value);
	if (capture->other) {
		other = ir_expr_new(c->unit, e->op, e->type, e->place);
		*other = *e;
		other->b = ir_const(c->unit, 1);
		put(r, other, capture->other);
	}
	put(r, lower_read(c->l, at), capture->why);
}

static void put_bytes(struct cut *c, struct record *r, const struct capture *capture)
{
	uint32_t at = lower_temp(c->l, IR_LONG, 0);

	make_quiet(c, capture->e->a);
	lower_emit(c->l, ir_set(c->unit, at, capture->e->a, c->prog->place));
	capture->e->a = lower_read(c->l, at);
	put(r, capture->e, NULL);
	read_by(r, capture->value, capture->fails == BYTES ? offsetof(struct sp_captured, bytes) : 0);
	read_by(r, capture->other, offsetof(struct sp_captured, result));
	read_by(r, capture->why, offsetof(struct sp_captured, address));
}

static void find_place(struct ir_expr *ctx, uint32_t offset)
{
	while (ctx) {
		struct ir_expr *next = ctx->c;

		ctx->offset += offset;
		ctx->c = NULL;
		ctx = next;
	}
}

void capture_send(struct cut *c)
{
	struct ir_stmt *emit = ir_stmt_new(c->unit, IR_S_EMIT, c->prog->place);
	const struct ir_format *format;
	struct record r = { 0 };

	put_task(c, &r);
	sp_vec_each(capture, &c->captures) {
		capture->e->is_late = capture->e->op == IR_SYMBOLS;
		if (capture->fails == FAILURE)
			put_tried(c, &r, capture);
		else if (capture->fails == FAULT)
			put_memory(c, &r, capture);
		else if (capture->fails == BYTES || capture->e->op == IR_CAPTURE)
			put_bytes(c, &r, capture);
		else
			put(&r, capture->e, capture->value);
	}
	emit->format = ir_format_parts(c->unit, "", SP_FORMAT_DEFERRED, r.types.v, (unsigned)r.types.n, NULL, 0);
	emit->args = sp_arena_memdup(&c->unit->arena, r.args.v, r.args.n * sizeof(*r.args.v));
	emit->n_args = (unsigned)r.args.n;
	lower_emit(c->l, emit);
	format = &c->unit->formats.v[emit->format];
	sp_vec_each(reader, &r.readers)
		find_place(reader->ctx, format->args[reader->arg].offset);
	sp_vec_deinit(&r.args);
	sp_vec_deinit(&r.types);
	sp_vec_deinit(&r.readers);
}

