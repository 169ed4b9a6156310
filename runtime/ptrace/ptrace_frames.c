// SPDX-License-Identifier: GPL-2.0-or-later
// Calls are known by their stack pointers: a thread may change stacks (swapcontext), and a call may come back in another
// thread. A call that was left by longjmp is forgotten when another one begins in its place, or when its return address
// is found to be overwritten. Tail calls begin in its place, too: where a function that makes some is called, a breakpoint tells that another
// call begins.
#include "runtime/ptrace/ptrace_proc.h"
#include "runtime/ptrace/ptrace_space.h"

#include <stdlib.h>

#define FEW 1024 // calls for which nobody looks whether they are alive

static struct ptrace_calls *find(const struct ptrace_space *space, uint64_t sp)
{
	void **value = sp_hash_find(&space->calls, &sp, sizeof(sp));

	return value ? *value : NULL;
}

static void pop(struct ptrace_space *space, struct ptrace_calls *calls)
{
	struct ptrace_break *brk = ptrace_space_find(space, sp_vec_last(&calls->frames).ret);

	(void)sp_vec_pop(&calls->frames);
	space->n_frames--;
	if (brk && brk->n_returns)
		brk->n_returns--; // at 0 it is taken out when a thread comes by: here one may stand on it
}

static void drop_empty(struct ptrace_space *space, uint64_t sp, struct ptrace_calls *calls)
{
	if (calls->frames.n)
		return;
	sp_hash_remove(&space->calls, &sp, sizeof(sp));
	sp_vec_deinit(&calls->frames);
	free(calls);
}

static bool is_dead(const struct ptrace_space *space, const struct ptrace_calls *calls)
{
	const struct ptrace_frame *last = &sp_vec_last(&calls->frames);
	uint64_t ret = 0;

	return ptrace_space_read(space, last->sp, &ret, space->bits / 8) < 0 || ret != last->ret;
}

static void sweep(struct ptrace_space *space)
{
	sp_hash_each(it, &space->calls) {
		struct ptrace_calls *calls = it->value;
		uint64_t sp = sp_vec_last(&calls->frames).sp;

		if (!is_dead(space, calls))
			continue;
		while (calls->frames.n)
			pop(space, calls);
		drop_empty(space, sp, calls);
	}
	space->swept = space->n_frames;
}

void ptrace_frames_drop(struct ptrace_space *space, uint64_t sp)
{
	struct ptrace_calls *calls = find(space, sp);

	while (calls && calls->frames.n)
		pop(space, calls);
	if (calls)
		drop_empty(space, sp, calls);
}

static bool holds(const struct ptrace_space *space, uint64_t address, uint64_t value)
{
	uint64_t word = 0;

	return address && ptrace_space_read(space, address, &word, space->bits / 8) == 0 && word == value;
}

// The instruction that has called a function, which returns to `ret`; 0: it is not known.
static uint64_t find_call(const struct ptrace_space *space, uint64_t entry, uint64_t ret)
{
	uint8_t before[PTRACE_CALL_MAX], plt[PTRACE_PLT_MAX] = { 0 };
	uint64_t call, target;
	bool is_word;

	if (ptrace_space_read(space, ret - sizeof(before), before, sizeof(before)) < 0)
		return 0;
	call = ptrace_insn_call(before, ret, space->bits, &target, &is_word);
	if (!call || (!is_word && target == entry))
		return call;
	if (!is_word) {
		ptrace_space_read_some(space, target, plt, sizeof(plt));
		target = ptrace_insn_plt(plt, target);
	}
	return holds(space, target, entry) ? call : 0;
}

static void watch_call(struct ptrace_space *space, const struct ptrace_frame *first)
{
	uint64_t call = find_call(space, first->entry, first->ret);
	struct ptrace_break *brk = ptrace_space_find(space, call);

	if (!call || (!brk && ptrace_proc_has_shadow_stack(space->pid)))
		return;
	if (brk || ptrace_space_add(space, call, &brk) == PTRACE_ADDED)
		brk->is_call = true;
}

// The same stack pointer: a tail call, if it goes back to the same place and is another function; else the older call is
// gone.
void ptrace_frames_begin(struct ptrace_space *space, const struct ptrace_frame *call)
{
	struct ptrace_calls *calls = find(space, call->sp);

	if (space->n_frames > FEW && space->n_frames > 2 * space->swept) {
		sweep(space);
		calls = find(space, call->sp);
	}
	while (calls && calls->frames.n &&
	       (sp_vec_last(&calls->frames).ret != call->ret || sp_vec_last(&calls->frames).entry == call->entry))
		pop(space, calls);
	if (!calls)
		return;
	if (calls->frames.n && calls->frames.v[0].entry == sp_vec_last(&calls->frames).entry)
		watch_call(space, &calls->frames.v[0]); // the first tail call
	drop_empty(space, call->sp, calls);
}

void ptrace_frames_add(struct ptrace_space *space, const struct ptrace_frame *frame, struct ptrace_break *ret)
{
	void **value = sp_hash_insert(&space->calls, &frame->sp, sizeof(frame->sp));
	struct ptrace_calls *calls = *value;

	if (!calls)
		*value = calls = sp_calloc(1, sizeof(*calls));
	sp_vec_push(&calls->frames, *frame);
	space->n_frames++;
	ret->n_returns++;
}

#define MAX_POPPED 64 // bytes of arguments

// In 32-bit programs a function may take arguments from the stack as it returns: the address of a result in memory, or all of them
// (stdcall). Then the stack pointer of its call is further below.
static struct ptrace_calls *find_popped(const struct ptrace_space *space, uint64_t address, uint64_t *sp)
{
	for (uint64_t at = *sp; space->bits == 32 && at >= *sp - MAX_POPPED; at -= 4) {
		struct ptrace_calls *calls = find(space, at);

		if (!calls || sp_vec_last(&calls->frames).ret != address)
			continue;
		*sp = at;
		return calls;
	}
	return find(space, *sp);
}

bool ptrace_frames_take(struct ptrace_space *space, uint64_t address, uint64_t sp, struct ptrace_frame *ret)
{
	struct ptrace_calls *calls = find_popped(space, address, &sp);
	bool found = false;

	while (calls && calls->frames.n && !found) {
		*ret = sp_vec_last(&calls->frames);
		found = ret->ret == address;
		pop(space, calls);
	}
	if (calls)
		drop_empty(space, sp, calls);
	return found;
}

void ptrace_frames_forget(struct ptrace_space *space, pid_t tid)
{
	sp_hash_each(it, &space->calls) {
		struct ptrace_calls *calls = it->value;
		uint64_t sp = sp_vec_last(&calls->frames).sp;

		while (calls->frames.n && sp_vec_last(&calls->frames).tid == tid)
			pop(space, calls);
		drop_empty(space, sp, calls);
	}
}

void ptrace_frames_copy(struct ptrace_space *to, const struct ptrace_space *from)
{
	sp_hash_each(it, &from->calls)
		sp_vec_each(frame, &((const struct ptrace_calls *)it->value)->frames) {
			struct ptrace_break *brk = ptrace_space_find(to, frame->ret);

			if (brk)
				ptrace_frames_add(to, frame, brk);
		}
}

void ptrace_frames_deinit(struct ptrace_space *space)
{
	sp_hash_each(it, &space->calls) {
		struct ptrace_calls *calls = it->value;

		sp_vec_deinit(&calls->frames);
		free(calls);
	}
	sp_hash_deinit(&space->calls);
}
