// SPDX-License-Identifier: GPL-2.0-or-later
// Slots are within reach of the code that they stand for, because instructions name memory by its distance. A thread that
// stands at a breakpoint maps memory there; where that may be forbidden (seccomp), unused bytes do, which the end of the
// last page of a program's code has.
#define _GNU_SOURCE // MAP_FIXED_NOREPLACE

#include "runtime/ptrace/ptrace_space.h"

#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_call.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AREA_SIZE 0x100000u
#define REACH 0x70000000 // bytes that a slot may be away: 2 GB, and room for displacements
#define BEHIND_HEAP 0x40000000 // the heap grows

#if defined(__x86_64__)

// ---- the handler -----------------------------------------------------------------------------------------------------

#define HEAD_ACTION 0x400 // struct ptrace_action of the handler
#define HEAD_DEFAULT 0x440 // the same of SIG_DFL: zeros
#define HEAD_GIVEN 0x480 // the same of the program
#define HEAD_COUNT 0xff8 // entries of the table
#define HEAD_TABLE 0x1000
#define PATIENCE_MS 2000 // for the guard
#define HEAD_SIZE (HEAD_TABLE + PTRACE_GUARD_MAX * 16)
#define TEXT(x) TEXT2(x)
#define TEXT2(x) #x

// The program's handler of SIGTRAP, which runs when nobody traces: when the tracer was killed, and in a child that was
// made with CLONE_UNTRACED. A thread that has met a breakpoint goes on in its slot, or, when it has none yet, waits until the
// guard has taken the breakpoint out. 168 is the place of rip in ucontext_t, 16 that of si_addr in siginfo_t.
// A SIGTRAP that is no breakpoint of ours ends the program as by default: it comes again when the action is reset.
__asm__(".pushsection .rodata\n"
	"ptrace_handler_begin:\n"
	"	cmpl $" TEXT(PTRACE_AREA_MOVED) ", 8(%rsi)\n" // si_code
	"	je 6f\n"
	"	movq 168(%rdx), %rax\n"
	"	leaq -1(%rax), %r9\n"
	"	leaq ptrace_handler_begin+" TEXT(HEAD_TABLE) "(%rip), %r8\n"
	"	movq -8(%r8), %rcx\n"
	"1:	testq %rcx, %rcx\n"
	"	jz 3f\n"
	"	cmpq (%r8), %r9\n"
	"	je 2f\n"
	"	cmpq 8(%r8), %rax\n" // the tracer had put it into the slot already
	"	je 4f\n"
	"	addq $16, %r8\n"
	"	decq %rcx\n"
	"	jmp 1b\n"
	"6:	movq 16(%rsi), %rax\n"
	"	jmp 4f\n"
	"2:	movq 8(%r8), %rax\n"
	"	testq %rax, %rax\n"
	"	jz 7f\n"
	"4:	movq %rax, 168(%rdx)\n"
	"	ret\n"
	"7:	pushq %rbx\n"
	"	movq %rdx, %r8\n"
	"	movq %rsi, %r10\n"
	"	movl $" TEXT(PATIENCE_MS) ", %ebx\n"
	"8:	cmpb $" TEXT(PTRACE_CPU_BREAK) ", (%r9)\n"
	"	jne 9f\n"
	"	movl $7, %eax\n" // poll
	"	xorl %edi, %edi\n"
	"	xorl %esi, %esi\n"
	"	movl $1, %edx\n" // ms
	"	syscall\n"
	"	decl %ebx\n"
	"	jnz 8b\n"
	"9:	testl %ebx, %ebx\n"
	"	movq %r8, %rdx\n"
	"	movq %r10, %rsi\n"
	"	popq %rbx\n"
	"	jz 3f\n"
	"	movq %r9, 168(%rdx)\n"
	"	ret\n"
	"3:	pushq %rbx\n"
	"	movl 8(%rsi), %ebx\n" // si_code
	"	pushq %rdx\n"
	"	movl $13, %eax\n" // rt_sigaction
	"	movl $5, %edi\n"
	"	leaq ptrace_handler_begin+" TEXT(HEAD_DEFAULT) "(%rip), %rsi\n"
	"	xorl %edx, %edx\n"
	"	movl $8, %r10d\n"
	"	syscall\n"
	"	popq %rdx\n"
	"	cmpl $0x80, %ebx\n" // SI_KERNEL: a breakpoint of the program's own, which is run again
	"	jne 5f\n"
	"	decq 168(%rdx)\n"
	"	popq %rbx\n"
	"	ret\n"
	"5:	movl $39, %eax\n" // getpid
	"	syscall\n"
	"	movl %eax, %ebx\n"
	"	movl $186, %eax\n" // gettid
	"	syscall\n"
	"	movl %ebx, %edi\n"
	"	movl %eax, %esi\n"
	"	movl $5, %edx\n"
	"	movl $234, %eax\n" // tgkill
	"	syscall\n"
	"	popq %rbx\n"
	"	ret\n"
	"ptrace_handler_restorer:\n"
	"	movl $15, %eax\n" // rt_sigreturn
	"	syscall\n"
	"ptrace_handler_end:\n"
	".popsection\n");

extern const uint8_t ptrace_handler_begin[] __attribute__((visibility("hidden")));
extern const uint8_t ptrace_handler_restorer[] __attribute__((visibility("hidden")));
extern const uint8_t ptrace_handler_end[] __attribute__((visibility("hidden")));

bool ptrace_area_set_action(struct ptrace_space *space, pid_t tid, const struct ptrace_action *action)
{
	uint64_t args[6] = { SIGTRAP, 0, 0, 8 }, result;

	sp_vec_each(area, &space->areas)
		if (area->has_handler)
			args[1] = area->start + (action ? HEAD_GIVEN : HEAD_ACTION);
	return args[1] && (!action || ptrace_space_poke(space, args[1], action, sizeof(*action))) &&
	       ptrace_call(space, tid, SYS_rt_sigaction, args, &result) && !result;
}

bool ptrace_area_is_handler(const struct ptrace_space *space, uint64_t address)
{
	uint8_t code[0x400];
	size_t size = (size_t)(ptrace_handler_end - ptrace_handler_begin);

	return ptrace_space_read(space, address, code, size) == 0 && !memcmp(code, ptrace_handler_begin, size);
}

// The handler's code and table are in front of the first area's slots.
static void put_handler(struct ptrace_space *space, struct ptrace_area *area)
{
	const uint64_t flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | PTRACE_SA_RESTORER;
	const struct ptrace_action action = { .handler = area->start, .flags = flags,
					      .restorer = area->start + (uint64_t)(ptrace_handler_restorer - ptrace_handler_begin) };
	size_t size = (size_t)(ptrace_handler_end - ptrace_handler_begin);

	area->has_handler = ptrace_space_poke(space, area->start, ptrace_handler_begin, size) &&
			    ptrace_space_poke(space, area->start + HEAD_ACTION, &action, sizeof(action));
	if (area->has_handler)
		area->next = SP_MAX(area->next, area->start + HEAD_SIZE);
}

#else

#define HEAD_COUNT 0
#define HEAD_TABLE 0
static void put_handler(struct ptrace_space *space, struct ptrace_area *area)
{
	(void)space;
	(void)area;
}

bool ptrace_area_set_action(struct ptrace_space *space, pid_t tid, const struct ptrace_action *action)
{
	(void)space;
	(void)tid;
	(void)action;
	return false;
}

bool ptrace_area_is_handler(const struct ptrace_space *space, uint64_t address)
{
	(void)space;
	(void)address;
	return false;
}

#endif

// What the handler knows of a breakpoint.
struct line {
	uint64_t address, slot; // 0: it has none yet
};

static bool make_line(struct ptrace_area *area, struct ptrace_break *brk, struct line *ret)
{
	if (brk->original == PTRACE_CPU_BREAK)
		return false; // the program's own is there, and stays
	if (!brk->line && area->n_lines < PTRACE_GUARD_MAX)
		brk->line = ++area->n_lines;
	*ret = (struct line){ brk->address, brk->is_placed ? brk->slot.address : 0 };
	return brk->line;
}

void ptrace_area_enter(struct ptrace_space *space, struct ptrace_break *brk)
{
	struct line line;

	sp_vec_each(area, &space->areas) {
		if (!area->has_handler || !make_line(area, brk, &line))
			continue;
		ptrace_space_poke(space, area->start + HEAD_TABLE + (brk->line - 1) * sizeof(line), &line, sizeof(line));
		ptrace_space_poke(space, area->start + HEAD_COUNT, &area->n_lines, sizeof(area->n_lines));
	}
}

static void put_lines(struct ptrace_space *space)
{
	sp_hash_each(it, &space->breaks)
		ptrace_area_enter(space, it->value);
}

// ---- unused memory ---------------------------------------------------------------------------------------------------

struct slack {
	const struct ptrace_space *space;
	uint64_t near;
	struct ptrace_area area;
};

// The end of the code in a file's segment, by its program header; 0: not known.
static uint64_t segment_end(int fd, uint64_t offset)
{
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	if (fd < 0 || pread(fd, &head, sizeof(head), 0) != sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(segment))
		return 0;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment), (off_t)(head.e_phoff + i * sizeof(segment))) != sizeof(segment))
			return 0;
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && offset >= (segment.p_offset & ~UINT64_C(4095)) &&
		    offset < segment.p_offset + segment.p_filesz && segment.p_filesz == segment.p_memsz)
			return segment.p_offset + segment.p_filesz;
	}
	return 0;
}

static bool look_for_slack(void *ctx, const struct ptrace_range *range)
{
	struct slack *slack = ctx;
	sp_cleanup_close int fd = -1;
	uint64_t end;

	if (!range->executable || range->name[0] != '/' || slack->near < range->start || slack->near >= range->end)
		return true;
	fd = ptrace_proc_open_file(slack->space->pid, range->name);
	end = segment_end(fd, range->offset + (slack->near - range->start));
	end = end > range->offset ? range->start + (end - range->offset) : range->end;
	slack->area.start = slack->area.next = (end + 15) & ~UINT64_C(15);
	slack->area.end = (end + 4095) & ~UINT64_C(4095);
	slack->area.from = range->start;
	if (slack->area.end > range->end)
		slack->area.end = 0;
	return false;
}

static bool add_slack(struct ptrace_space *space, uint64_t near)
{
	struct slack slack = { .space = space, .near = near };

	ptrace_proc_each_range(space->pid, look_for_slack, &slack);
	if (slack.area.start + PTRACE_SLOT_SIZE > slack.area.end)
		return false;
	sp_vec_each(area, &space->areas)
		if (area->start == slack.area.start)
			return false; // it is full
	sp_vec_push(&space->areas, slack.area);
	return true;
}

// ---- mapped memory ---------------------------------------------------------------------------------------------------

struct hole {
	uint64_t near, last_end, best, heap;
	bool behind_heap;
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void offer(struct hole *hole, uint64_t start)
{
	if (distance(start, hole->near) < REACH && (!hole->best || distance(start, hole->near) < distance(hole->best, hole->near)))
		hole->best = start;
}

static bool look_for_hole(void *ctx, const struct ptrace_range *range)
{
	struct hole *hole = ctx;
	uint64_t from = hole->last_end + (hole->behind_heap ? BEHIND_HEAP : 0);
	bool is_stack = sp_streq(range->name, "[stack]"); // grows, too

	if (hole->heap >= hole->last_end && hole->heap < range->start) { // there is no heap yet
		if (hole->heap - hole->last_end >= AREA_SIZE)
			offer(hole, hole->last_end);
		from = hole->heap + BEHIND_HEAP;
	}
	if (range->start > from && range->start - from >= AREA_SIZE) {
		offer(hole, from);
		if (!is_stack)
			offer(hole, range->start - AREA_SIZE);
	}
	hole->behind_heap = sp_streq(range->name, "[heap]");
	hole->last_end = range->end;
	return true;
}

static bool add_mapped(struct ptrace_space *space, pid_t tid, uint64_t near)
{
	struct hole hole = { .near = near, .last_end = 0x100000, .heap = ptrace_proc_stat_number(tid, 47) /* start_brk */ };
	struct ptrace_area area = { .start = 0 };
	uint64_t args[6] = { 0, AREA_SIZE, PROT_READ | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, UINT64_MAX, 0 };
	bool is_first = true, is_made;

	if (!tid || space->no_calls)
		return false;
	ptrace_proc_each_range(tid, look_for_hole, &hole);
	args[0] = hole.best;
	is_made = hole.best && ptrace_call(space, tid, SYS_mmap, args, &area.start);
	if (!is_made || area.start != hole.best) {
		// A call that was left to a thread may have mapped it meanwhile. mlockall(2) can have EAGAIN as its result, too.
		space->no_calls = is_made ? (int32_t)area.start != -EEXIST : area.start != (uint64_t)-EAGAIN;
		return false;
	}
	area.next = area.start;
	area.end = area.start + AREA_SIZE;
	sp_vec_each(it, &space->areas)
		is_first = is_first && !it->has_handler;
	if (is_first && space->bits == 64) // without it, breakpoints that nobody traces are left to the guard
		put_handler(space, &area);
	sp_vec_push(&space->areas, area);
	if (area.has_handler)
		put_lines(space);
	return true;
}

// ---- slots -----------------------------------------------------------------------------------------------------------

static bool place_in(struct ptrace_space *space, struct ptrace_area *area, struct ptrace_break *brk, const uint8_t *code,
		     size_t size)
{
	if (area->next + PTRACE_SLOT_SIZE > area->end || !ptrace_insn_relocate(code, size, brk->address, area->next, space->bits, &brk->slot))
		return false;
	if (!ptrace_space_poke(space, area->next, brk->slot.code, brk->slot.size)) {
		brk->slot.address = 0;
		return false;
	}
	area->next += PTRACE_SLOT_SIZE;
	brk->is_placed = true;
	ptrace_area_enter(space, brk);
	return true;
}

// Will it be there as long as the breakpoint's own code is?
static bool stays(const struct ptrace_area *area, const struct ptrace_break *brk)
{
	return !area->from || brk->address - area->from < area->end - area->from;
}

static bool place_in_any(struct ptrace_space *space, bool that_stay, struct ptrace_break *brk, size_t size)
{
	sp_vec_each(area, &space->areas)
		if (stays(area, brk) == that_stay && place_in(space, area, brk, brk->code, size))
			return true;
	return false;
}

// By the program, behind the breakpoint.
static bool is_changed(const struct ptrace_space *space, const struct ptrace_break *brk)
{
	uint8_t rest[X86_INSN_MAX];
	size_t size = brk->slot.length - 1u;

	return size && ptrace_space_peek(space, brk->address + 1, rest, size) && memcmp(rest, brk->code + 1, size);
}

bool ptrace_area_place(struct ptrace_space *space, pid_t tid, struct ptrace_break *brk)
{
	uint8_t *code = brk->code;
	struct ptrace_slot slot;
	size_t size;

	if (brk->is_placed && !is_changed(space, brk))
		return true;
	if (brk->is_placed)
		tid = 0; // where it is it cannot make calls
	size = ptrace_space_read_some(space, brk->address, code, sizeof(brk->code));
	// One that was taken out and is there again has its old slot, unless the code has changed.
	brk->is_placed = brk->slot.address && ptrace_insn_relocate(code, size, brk->address, brk->slot.address, space->bits, &slot) &&
			 !memcmp(&slot, &brk->slot, sizeof(slot));
	if (brk->is_placed) {
		ptrace_area_enter(space, brk);
		return true;
	}
	if (!ptrace_insn_relocate(code, size, brk->address, brk->address, space->bits, &slot))
		return false;
	if (slot.kind == PTRACE_SLOT_CALL && ptrace_proc_has_shadow_stack(space->pid)) // which has what calls push, alone
		return false;
	for (unsigned round = 0; round < 3; round++) {
		if (place_in_any(space, true, brk, size))
			return true;
		if (round == 0 && !add_mapped(space, tid, brk->address))
			round = 1;
		if (round == 1 && !add_slack(space, brk->address))
			break;
	}
	return place_in_any(space, false, brk, size);
}

bool ptrace_area_begin(struct ptrace_space *space, pid_t tid, uint64_t near)
{
	return !space->areas.n && add_mapped(space, tid, near);
}

void ptrace_area_fill(struct ptrace_space *space, pid_t tid)
{
	sp_hash_each(it, &space->breaks)
		ptrace_area_place(space, tid, it->value);
}

static void forget_slots(const struct ptrace_area *area, const struct sp_hash *breaks)
{
	sp_hash_each(it, breaks) {
		struct ptrace_break *brk = it->value;

		if (area->has_handler)
			brk->line = 0;
		if (brk->slot.address - area->start >= area->end - area->start)
			continue;
		brk->slot.address = 0;
		brk->is_placed = false;
	}
}

static void forget_area(struct ptrace_space *space, size_t index)
{
	forget_slots(&space->areas.v[index], &space->breaks);
	forget_slots(&space->areas.v[index], &space->past);
	space->areas.v[index] = space->areas.v[--space->areas.n];
}

void ptrace_area_forget(struct ptrace_space *space)
{
	uint8_t byte;

	for (size_t i = space->areas.n; i-- > 0;)
		if (space->areas.v[i].from && !ptrace_space_peek(space, space->areas.v[i].start, &byte, 1))
			forget_area(space, i);
}

static void repair_slot(struct ptrace_space *space, struct ptrace_break *brk)
{
	uint8_t code[PTRACE_SLOT_SIZE];

	if (!brk->slot.address ||
	    (ptrace_space_peek(space, brk->slot.address, code, brk->slot.size) &&
	     !memcmp(code, brk->slot.code, brk->slot.size)))
		return;
	ptrace_space_poke(space, brk->slot.address, brk->slot.code, brk->slot.size);
	ptrace_area_enter(space, brk);
}

void ptrace_area_repair(struct ptrace_space *space)
{
	uint64_t n_lines;
	uint8_t byte;

	for (size_t i = space->areas.n; i-- > 0;)
		if (!ptrace_space_peek(space, space->areas.v[i].start, &byte, 1))
			forget_area(space, i);
	sp_vec_each(area, &space->areas) {
		if (!area->has_handler)
			continue;
		if (ptrace_space_peek(space, area->start, &byte, 1) && !byte)
			put_handler(space, area); // it was mapped, and not yet written
		if (ptrace_space_peek(space, area->start + HEAD_COUNT, &n_lines, sizeof(n_lines)) && n_lines != area->n_lines)
			put_lines(space);
	}
	sp_hash_each(it, &space->breaks)
		repair_slot(space, it->value);
}

static struct ptrace_break *find_slot(const struct sp_hash *breaks, uint64_t pc)
{
	sp_hash_each(it, breaks) {
		struct ptrace_break *brk = it->value;

		if (brk->slot.address && pc - brk->slot.address < brk->slot.size)
			return brk;
	}
	return NULL;
}

struct ptrace_break *ptrace_area_find(const struct ptrace_space *space, uint64_t pc)
{
	sp_vec_each(area, &space->areas) {
		struct ptrace_break *brk;

		if (pc < area->start || pc >= area->end)
			continue;
		brk = find_slot(&space->breaks, pc);
		return brk ? brk : find_slot(&space->past, pc);
	}
	return NULL;
}
