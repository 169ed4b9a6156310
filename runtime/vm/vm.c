// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter: memory that programs may touch, decoding, and one switch over the operations, which is fast because the compiler sees
// all that it uses.
#define _GNU_SOURCE
#include "runtime/vm/vm.h"

#include "runtime/unwind/unwind_walk.h"
#include "runtime/vm/vm_call.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef BPF_MEMSX
#define BPF_MEMSX 0x80
#endif

#define FRAME_POINTER 10
#define FRAME_ALIGN 64
#define N_REGS 11
#define STEPS_TO_LOOK (1 << 20) // that a handler without a limit does between two looks for signals

// 64 or 32 bits; R register, I immediate.
enum vm_opcode {
#define VM_BINARY(name, sign, value) OP_##name##_64R, OP_##name##_64I, OP_##name##_32R, OP_##name##_32I,
#define VM_JUMP VM_BINARY
#define VM_LOAD(name, type, extended) OP_##name,
#define VM_STORE VM_LOAD
#define VM_ATOMIC VM_LOAD
#define VM_SET(name, value) OP_##name,
#define VM_OTHER(name) OP_##name,
#include "runtime/vm/vm_op.def"
};

struct vm_op {
	uint8_t op; // enum vm_opcode
	uint8_t dst, src;
	int32_t off; // jumps: to the target, from the next operation
	uint64_t imm; // sign-extended
};

// ---- decoding -------------------------------------------------------------------------------------------------------

// The first of the four forms of an operation, moved to the one that `insn` has.
static uint8_t form(int first, const struct bpf_insn *insn, bool is64)
{
	return (uint8_t)(first + (is64 ? 0 : 2) + (BPF_SRC(insn->code) == BPF_X ? 0 : 1));
}

static uint8_t decode_alu(const struct bpf_insn *i)
{
	bool is64 = BPF_CLASS(i->code) == BPF_ALU64;

	switch (BPF_OP(i->code)) {
#define CASE(name)                                                                                 \
	case BPF_##name:                                                                           \
		return form(OP_##name##_64R, i, is64);
	CASE(ADD) CASE(SUB) CASE(MUL) CASE(OR) CASE(AND) CASE(LSH) CASE(RSH) CASE(XOR) CASE(ARSH)
#undef CASE
	case BPF_DIV:
		return form(i->off ? OP_SDIV_64R : OP_DIV_64R, i, is64);
	case BPF_MOD:
		return form(i->off ? OP_SMOD_64R : OP_MOD_64R, i, is64);
	case BPF_MOV:
		if (i->off == 8)
			return is64 ? OP_MOVSX8_64 : OP_MOVSX8_32;
		if (i->off == 16)
			return is64 ? OP_MOVSX16_64 : OP_MOVSX16_32;
		return i->off == 32 ? OP_MOVSX32_64 : form(OP_MOV_64R, i, is64);
	case BPF_NEG:
		return is64 ? OP_NEG_64 : OP_NEG_32;
	case BPF_END:
		// "To little-endian" only cuts here; bswap and "to big-endian" swap.
		if (!is64 && BPF_SRC(i->code) == BPF_TO_LE)
			return i->imm == 16 ? OP_LOW16 : i->imm == 32 ? OP_LOW32 : OP_LOW64;
		return i->imm == 16 ? OP_SWAP16 : i->imm == 32 ? OP_SWAP32 : OP_SWAP64;
	}
	return OP_NEVER;
}

static uint8_t decode_jump(const struct bpf_insn *i)
{
	bool is64 = BPF_CLASS(i->code) == BPF_JMP;

	switch (BPF_OP(i->code)) {
#define VM_JUMP(name, sign, taken)                                                                  \
	case BPF_##name:                                                                           \
		return form(OP_##name##_64R, i, is64);
#include "runtime/vm/vm_op.def"
	case BPF_JA:
		return OP_JA;
	case BPF_CALL:
		return i->src_reg == BPF_PSEUDO_CALL ? OP_CALL_LOCAL : OP_CALL;
	case BPF_EXIT:
		return OP_EXIT;
	}
	return OP_NEVER;
}

static uint8_t by_size(const struct bpf_insn *i, uint8_t b, uint8_t h, uint8_t w, uint8_t dw)
{
	switch (BPF_SIZE(i->code)) {
	case BPF_B:
		return b;
	case BPF_H:
		return h;
	case BPF_W:
		return w;
	}
	return dw;
}

static void decode(const struct bpf_insn *i, struct vm_op *ret)
{
	*ret = (struct vm_op){ OP_NEVER, i->dst_reg, i->src_reg, i->off, (uint64_t)(int64_t)i->imm };
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		ret->op = decode_alu(i);
		break;
	case BPF_JMP32:
		ret->op = decode_jump(i);
		if (ret->op == OP_JA)
			ret->off = i->imm;
		break;
	case BPF_JMP:
		ret->op = decode_jump(i);
		if (ret->op == OP_CALL_LOCAL)
			ret->off = i->imm;
		break;
	case BPF_LDX:
		ret->op = BPF_MODE(i->code) == BPF_MEMSX ? by_size(i, OP_LDS8, OP_LDS16, OP_LDS32, OP_NEVER) :
							   by_size(i, OP_LD8, OP_LD16, OP_LD32, OP_LD64);
		break;
	case BPF_ST:
		ret->op = by_size(i, OP_ST8I, OP_ST16I, OP_ST32I, OP_ST64I);
		break;
	case BPF_STX:
		ret->op = BPF_MODE(i->code) == BPF_ATOMIC ?
				  by_size(i, OP_NEVER, OP_NEVER, OP_ATOMIC32, OP_ATOMIC64) :
				  by_size(i, OP_ST8R, OP_ST16R, OP_ST32R, OP_ST64R);
		break;
	case BPF_LD:
		ret->op = OP_LOAD_IMM;
		if (i->src_reg == SP_VM_LD_MAP)
			ret->imm = VM_MAP_HANDLE + (uint32_t)i->imm;
		else if (i->src_reg == SP_VM_LD_AREA)
			ret->imm = vm_address((enum vm_area)i->imm, (uint32_t)i[1].imm);
		else
			ret->imm = (uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32;
		break;
	}
}

static struct vm_op *decode_all(const struct bundle *bundle)
{
	struct vm_op *ops = sp_calloc((size_t)bundle->n_user + 1, sizeof(*ops));

	for (unsigned n = 0; n < bundle->n_user; n++)
		ops[n].op = OP_NEVER;
	// Only code of programs is decoded, which vm_verify has checked; what lies between them is not code.
	for (unsigned p = 0; p < bundle->n_progs; p++) {
		uint32_t at = bundle->progs[p].user_insn, end = at + bundle->progs[p].n_user_insns;

		for (; at < end; at++) {
			decode(&bundle->user[at], &ops[at]);
			at += ops[at].op == OP_LOAD_IMM;
		}
	}
	return ops;
}

// ---- create and destroy ---------------------------------------------------------------------------------------------

// The coarse clock moves once a tick, so its resolution tells the kernel's HZ.
static unsigned kernel_hz(void)
{
	struct timespec res;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &res) < 0 || res.tv_sec || res.tv_nsec <= 0)
		return 250;
	return (unsigned)((1000000000 + res.tv_nsec / 2) / res.tv_nsec);
}

// The cast drops const: `writable` keeps such an area from being written. An area that is not there is empty, not NULL.
static void set_area(struct vm *vm, enum vm_area area, const void *base, uint64_t size, bool writable)
{
	vm->areas[area].base = base ? (char *)(uintptr_t)base : (char *)vm;
	vm->areas[area].size = base ? size : 0;
	vm->areas[area].writable = writable;
}

// What a call needs of the stack: how far below the frame pointer the code goes, by itself or through a pointer that it makes.
static uint32_t frame_size(const struct bundle *b)
{
	int lowest = -FRAME_ALIGN;

	for (uint32_t i = 0; i < b->n_user; i++) {
		const struct bpf_insn *insn = &b->user[i], *next = i + 1 < b->n_user ? insn + 1 : insn;
		int class = BPF_CLASS(insn->code);

		if (class == BPF_LDX ? insn->src_reg == FRAME_POINTER :
		    (class == BPF_ST || class == BPF_STX) && insn->dst_reg == FRAME_POINTER)
			lowest = SP_MIN(lowest, (int)insn->off);
		else if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn->src_reg == FRAME_POINTER &&
			 next->code == (BPF_ALU64 | BPF_ADD | BPF_K) && next->dst_reg == insn->dst_reg)
			lowest = SP_MIN(lowest, next->imm);
	}
	return (uint32_t)SP_ALIGN_UP(-(int64_t)SP_MAX(lowest, -SP_VM_MAX_FRAME), FRAME_ALIGN);
}

struct vm *vm_create(const struct vm_env *env)
{
	struct vm *vm = sp_calloc(1, sizeof(*vm));
	const struct bundle *b = env->bundle;

	vm->env = *env;
	vm->ops = decode_all(b);
	vm->frame_size = frame_size(b);
	vm->scratch_room = VM_SCRATCH_CHUNK;
	vm->scratch = sp_malloc(vm->scratch_room);
	set_area(vm, VM_AREA_DATA, env->data, b->head->data_size, true);
	set_area(vm, VM_AREA_SLOTS, env->slots, (uint64_t)b->head->n_slots * sizeof(uint64_t), false);
	set_area(vm, VM_AREA_UDATA, b->udata, b->udata_size, false);
	set_area(vm, VM_AREA_STACK, vm, 0, true);
	set_area(vm, VM_AREA_SCRATCH, vm->scratch, 0, true);
	if (getrandom(&vm->random, sizeof(vm->random), GRND_NONBLOCK) != sizeof(vm->random) || !vm->random)
		vm->random = (uint64_t)(uintptr_t)vm | 1;
	vm->hz = kernel_hz();
	return vm;
}

void vm_destroy(struct vm *vm)
{
	if (!vm)
		return;
	vm_call_reset(vm);
	kernel_memory_close(vm->kernel);
	sp_err_free(vm->kernel_err);
	unwind_walker_destroy(vm->walker);
	sp_buf_deinit(&vm->text);
	free(vm->scratch);
	free(vm->stack);
	free(vm->frames);
	free(vm->ops);
	free(vm);
}

void vm_forget_code(struct vm *vm)
{
	if (vm->walker)
		unwind_walker_forget(vm->walker);
}

void vm_task_self(struct vm_task *task)
{
	int fd = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC);
	int cpu = sched_getcpu();

	*task = (struct vm_task){
		.pid = (uint32_t)getpid(), .tid = (uint32_t)syscall(SYS_gettid), .ppid = (uint32_t)getppid(),
		.uid = getuid(), .gid = getgid(), .euid = geteuid(), .egid = getegid(),
		.cpu = cpu < 0 ? 0 : (uint32_t)cpu, .runs_here = true,
	};
	if (fd >= 0) {
		ssize_t len = read(fd, task->comm, sizeof(task->comm) - 1);

		task->comm[len < 0 ? 0 : len] = '\0';
		task->comm[strcspn(task->comm, "\n")] = '\0';
		close(fd);
	}
}

// ---- execution ------------------------------------------------------------------------------------------------------

struct frame {
	const struct vm_op *ret;
	uint64_t saved[4]; // r6..r9
};

static uint64_t swap16(uint64_t n)
{
	return __builtin_bswap16((uint16_t)n);
}

static uint64_t swap32(uint64_t n)
{
	return __builtin_bswap32((uint32_t)n);
}

// Division as the kernel defines it: x / 0 is 0, x % 0 is x, and INT64_MIN / -1 is INT64_MIN.
static int64_t sdiv(int64_t a, int64_t b)
{
	return b == 0 ? 0 : b == -1 ? (int64_t)-(uint64_t)a : a / b;
}

static int64_t smod(int64_t a, int64_t b)
{
	return b == 0 ? a : b == -1 ? 0 : a % b;
}

#define ATOMIC_BODY(T)                                                                             \
	T value = (T)*src, old;                                                                    \
	switch (op) {                                                                              \
	case BPF_ADD:                                                                              \
	case BPF_ADD | BPF_FETCH:                                                                  \
		old = __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                             \
		break;                                                                             \
	case BPF_AND:                                                                              \
	case BPF_AND | BPF_FETCH:                                                                  \
		old = __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);                             \
		break;                                                                             \
	case BPF_OR:                                                                               \
	case BPF_OR | BPF_FETCH:                                                                   \
		old = __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);                              \
		break;                                                                             \
	case BPF_XOR:                                                                              \
	case BPF_XOR | BPF_FETCH:                                                                  \
		old = __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);                             \
		break;                                                                             \
	case BPF_XCHG:                                                                             \
		old = __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                            \
		break;                                                                             \
	default: /* BPF_CMPXCHG: r0 is compared, and gets what was there */                        \
		old = (T)*r0;                                                                      \
		__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST,              \
					    __ATOMIC_SEQ_CST);                                     \
		*r0 = old;                                                                         \
		return;                                                                            \
	}                                                                                          \
	if (op & BPF_FETCH)                                                                        \
		*src = old;

static void atomic64(uint64_t *at, int op, uint64_t *src, uint64_t *r0)
{
	ATOMIC_BODY(uint64_t)
}

static void atomic32(uint32_t *at, int op, uint64_t *src, uint64_t *r0)
{
	ATOMIC_BODY(uint32_t)
}

static void fault_access(struct vm *vm, const struct vm_op *op, uint64_t addr, const char *what)
{
	const struct bundle *b = vm->env.bundle;
	const struct sp_prog *prog = &b->progs[vm->prog];

	vm->fault = sp_err_new(SP_ERR_BUG,
			       "handler %s, user instruction %u: %s at 0x%llx is outside its memory",
			       bundle_text(b, prog->name), (unsigned)(op - vm->ops) - prog->user_insn,
			       what, (unsigned long long)addr);
}

static void report_maxaction(struct vm *vm)
{
	const struct sp_control *control = vm->env.data;
	const struct bundle *b = vm->env.bundle;
	bool is_known = control->user_place < b->n_places;
	const struct sp_event_error error = {
		.head = { SP_EVENT_ERROR, (uint16_t)vm->prog,
			  is_known ? (uint32_t)control->user_place : b->progs[vm->prog].place },
		.code = SP_RT_MAXACTION,
		.site = vm->site,
	};

	transport_record(vm->env.transport, &error, sizeof(error));
}

// The stack's addresses are the machine's, so they stay valid when it moves.
static void grow_stack(struct vm *vm)
{
	vm->n_frames = SP_MAX(2 * vm->n_frames, 16u);
	vm->stack = sp_realloc(vm->stack, (size_t)vm->n_frames * vm->frame_size);
	vm->frames = sp_realloc(vm->frames, vm->n_frames * sizeof(*vm->frames));
	vm->areas[VM_AREA_STACK].base = vm->stack;
}

// Enters a function: `depth` frames are in use then.
static void open_frame(struct vm *vm, uint64_t *r, unsigned depth)
{
	if (depth > vm->n_frames)
		grow_stack(vm);
	vm->areas[VM_AREA_STACK].size = (uint64_t)depth * vm->frame_size;
	r[FRAME_POINTER] = vm_address(VM_AREA_STACK, vm->areas[VM_AREA_STACK].size);
	memset(vm->stack + (size_t)(depth - 1) * vm->frame_size, 0, vm->frame_size);
}

// Leaves one, to that of `depth`.
static void close_frame(struct vm *vm, uint64_t *r, unsigned depth, const struct frame *frame)
{
	memcpy(&r[6], frame->saved, sizeof(frame->saved));
	vm->areas[VM_AREA_STACK].size = (uint64_t)depth * vm->frame_size;
	r[FRAME_POINTER] = vm_address(VM_AREA_STACK, vm->areas[VM_AREA_STACK].size);
}

// One operation in its four forms. `a` and `b` are the operands in type S##64 or S##32 (S: uint or int), BITS their
// width.
#define VM_BINARY(name, S, expr)                                                                      \
	case OP_##name##_64R: {                                                                    \
		S##64_t a = (S##64_t)r[op->dst], b = (S##64_t)r[op->src];                          \
		enum { BITS = 64 };                                                                \
		r[op->dst] = (uint64_t)(expr);                                                     \
		break;                                                                             \
	}                                                                                          \
	case OP_##name##_64I: {                                                                    \
		S##64_t a = (S##64_t)r[op->dst], b = (S##64_t)op->imm;                             \
		enum { BITS = 64 };                                                                \
		r[op->dst] = (uint64_t)(expr);                                                     \
		break;                                                                             \
	}                                                                                          \
	case OP_##name##_32R: {                                                                    \
		S##32_t a = (S##32_t)r[op->dst], b = (S##32_t)r[op->src];                          \
		enum { BITS = 32 };                                                                \
		r[op->dst] = (uint32_t)(expr);                                                     \
		break;                                                                             \
	}                                                                                          \
	case OP_##name##_32I: {                                                                    \
		S##32_t a = (S##32_t)r[op->dst], b = (S##32_t)op->imm;                             \
		enum { BITS = 32 };                                                                \
		r[op->dst] = (uint32_t)(expr);                                                     \
		break;                                                                             \
	}

#define TAKE(target)                                                                               \
	do {                                                                                       \
		const struct vm_op *to = (target);                                                 \
		steps += (uint64_t)(op - run + 1);                                                 \
		run = to;                                                                          \
		op = to - 1;                                                                       \
		if (steps > max_steps)                                                             \
			goto too_long;                                                             \
	} while (0)

#define JUMP_FORM(form, T, expr, operand)                                                          \
	case OP_##form: {                                                                          \
		T a = (T)r[op->dst], b = (T)(operand);                                             \
		if (expr)                                                                          \
			TAKE(op + 1 + op->off);                                                    \
		break;                                                                             \
	}
#define VM_JUMP(name, S, expr)                                                                        \
	JUMP_FORM(name##_64R, S##64_t, expr, r[op->src])                                           \
	JUMP_FORM(name##_64I, S##64_t, expr, op->imm)                                              \
	JUMP_FORM(name##_32R, S##32_t, expr, r[op->src])                                           \
	JUMP_FORM(name##_32I, S##32_t, expr, op->imm)

#define VM_LOAD(name, T, S)                                                                           \
	case OP_##name: {                                                                          \
		const void *at = vm_memory(vm, r[op->src] + (uint64_t)(int64_t)op->off, sizeof(T), false); \
		T value;                                                                           \
		if (!at)                                                                           \
			at = vm_call_follow(vm, r[op->src] + (uint64_t)(int64_t)op->off, sizeof(T)); \
		if (!at) {                                                                         \
			fault_access(vm, op, r[op->src] + (uint64_t)(int64_t)op->off, "a read");   \
			return;                                                                    \
		}                                                                                  \
		memcpy(&value, at, sizeof(value));                                                 \
		r[op->dst] = (uint64_t)(S)value;                                                   \
		break;                                                                             \
	}

#define VM_STORE(name, T, operand)                                                                    \
	case OP_##name: {                                                                          \
		void *at = vm_memory(vm, r[op->dst] + (uint64_t)(int64_t)op->off, sizeof(T), true); \
		T value = (T)(operand);                                                            \
		if (!at) {                                                                         \
			fault_access(vm, op, r[op->dst] + (uint64_t)(int64_t)op->off, "a write");  \
			return;                                                                    \
		}                                                                                  \
		memcpy(at, &value, sizeof(value));                                                 \
		break;                                                                             \
	}

#define VM_ATOMIC(name, T, call)                                                                      \
	case OP_##name: {                                                                          \
		uint64_t addr = r[op->dst] + (uint64_t)(int64_t)op->off;                           \
		void *at = vm_memory(vm, addr, sizeof(T), true);                                   \
		if (!at || (uintptr_t)at % sizeof(T)) {                                            \
			fault_access(vm, op, addr, "an atomic access");                            \
			return;                                                                    \
		}                                                                                  \
		call(at, (int)op->imm, &r[op->src], &r[0]);                                        \
		break;                                                                             \
	}

#define VM_SET(NAME, value)                                                                                    \
	case OP_##NAME:                                                                                    \
		r[op->dst] = value;                                                                        \
		break;

// The loop over all operations. It is as long as the instruction set, and one function, so that its switch is one jump.
static void execute(struct vm *vm, const struct vm_op *op, uint64_t *r)
{
	const uint64_t max_steps = vm->env.max_steps ? vm->env.max_steps : STEPS_TO_LOOK;
	unsigned depth = 1;
	// Steps are counted at each jump, for all operations since the last one.
	const struct vm_op *run = op;
	uint64_t steps = 0;

go_on:
	for (;; op++) {
		switch ((enum vm_opcode)op->op) {
#include "runtime/vm/vm_op.def"
		case OP_LOAD_IMM:
			r[op->dst] = op->imm;
			op++;
			break;
		case OP_JA:
			TAKE(op + 1 + op->off);
			break;
		case OP_CALL:
			if (!vm_call(vm, (int32_t)op->imm, r))
				return;
			break;
		case OP_CALL_LOCAL:
			if (depth == SP_VM_MAX_CALLS) {
				fault_access(vm, op, r[FRAME_POINTER], "a call: the stack");
				return;
			}
			open_frame(vm, r, ++depth);
			vm->frames[depth - 1].ret = op + 1;
			memcpy(vm->frames[depth - 1].saved, &r[6], sizeof(vm->frames->saved));
			TAKE(op + 1 + op->off);
			break;
		case OP_EXIT:
			if (--depth == 0)
				return;
			close_frame(vm, r, depth, &vm->frames[depth]);
			TAKE(vm->frames[depth].ret);
			break;
		case OP_NEVER:
			vm->fault = sp_err_bug("an instruction that was not verified");
			return;
		}
	}
too_long:
	if (vm->env.max_steps) {
		report_maxaction(vm);
	} else if (!vm->env.transport->gives_up(vm->env.transport->ctx, 0)) { // no signal wants the session to end
		steps = 0;
		op++;
		goto go_on;
	}
}

// `code`: the program that runs; `prog`: the one that it speaks for.
static struct sp_err *run(struct vm *vm, unsigned code, unsigned prog, unsigned site, const struct vm_task *task, const void *ctx,
			  size_t ctx_size)
{
	uint64_t r[N_REGS] = { 0 };
	const struct sp_prog *p = &vm->env.bundle->progs[code];
	struct sp_control *control = vm->env.data;
	struct vm_task self;
	struct sp_err *fault;

	if (p->n_user_insns == 0)
		return sp_err_bug("a handler without user-side code");
	if (!task) {
		vm_task_self(&self);
		task = &self;
	}
	vm->prog = prog;
	vm->site = site;
	vm->task = task;
	control->user_place = p->place;
	// The rest of a handler that is cut has the rounds of the handler.
	control->user_left = vm->env.bundle->progs[prog].kind == SP_PROG_USER ? control->max_user_action : control->max_action;
	set_area(vm, VM_AREA_CTX, ctx, ctx_size, task->gets_registers);
	r[1] = ctx ? vm_address(VM_AREA_CTX, 0) : 0;
	open_frame(vm, r, 1);
	execute(vm, &vm->ops[p->user_insn], r);
	vm_call_reset(vm);
	vm->task = NULL;
	fault = vm->fault;
	vm->fault = NULL;
	return fault;
}

struct sp_err *vm_run(struct vm *vm, unsigned prog, unsigned site, const struct vm_task *task, const void *ctx,
		      size_t ctx_size)
{
	return run(vm, prog, prog, site, task, ctx, ctx_size);
}

struct sp_err *vm_run_rest(struct vm *vm, unsigned prog, unsigned site, const struct vm_task *task, const void *record,
			   size_t size)
{
	return run(vm, vm->env.bundle->progs[prog].rest - 1, prog, site, task, record, size);
}
