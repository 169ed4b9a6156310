// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // waitid, syscall

#include "runtime/ptrace/ptrace_call.h"

#include "runtime/base/util.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 500 // with a thread that is let go on to its call

// ---- the instruction -------------------------------------------------------------------------------------------------

static bool find_vdso(void *ctx, const struct ptrace_range *range)
{
	struct ptrace_range *ret = ctx;

	if (!sp_streq(range->name, "[vdso]"))
		return true;
	*ret = *range;
	return false;
}

#if defined(__x86_64__)

#define CS_64 0x33 // __USER_CS

// Results of a call that goes on when signals have been looked for (linux/errno.h).
#define ERESTARTSYS 512
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

// Those that fail with EINTR instead are not here (epoll_wait, sigtimedwait, semtimedop; signal(7)), nor those that do for some files.
static bool goes_on(int number)
{
	switch (number) {
	case SYS_futex:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_poll:
	case SYS_wait4:
		return true;
	default:
		return false;
	}
}

// As the kernel does it.
static void restart(struct user_regs_struct *regs)
{
	uint64_t error = -regs->rax;

	if ((int64_t)regs->orig_rax < 0 || error < ERESTARTSYS || error > ERESTART_RESTARTBLOCK)
		return;
	regs->rax = error > ERESTARTNOHAND ? SYS_restart_syscall : regs->orig_rax;
	regs->rip -= 2; // to the instruction
}

// What fails with EINTR when its thread has stopped, though no handler has run, and has done nothing yet (signal(7)).
static bool was_in_vain(const struct user_regs_struct *regs)
{
	static const uint16_t calls[] = { SYS_epoll_wait, SYS_epoll_pwait, 441 /* epoll_pwait2 */, SYS_semop, SYS_semtimedop,
					 SYS_rt_sigtimedwait };

	if ((int64_t)regs->rax != -EINTR || regs->cs != CS_64)
		return false;
	for (unsigned i = 0; i < SP_ARRAY_SIZE(calls); i++)
		if (regs->orig_rax == calls[i])
			return true;
	return false;
}

int64_t ptrace_call_number(pid_t tid)
{
	struct ptrace_cpu cpu;

	return ptrace_cpu_get(tid, &cpu) ? (int64_t)cpu.regs.orig_rax : -1;
}

uint64_t ptrace_call_interrupted(pid_t tid, int64_t *number_ret)
{
	struct ptrace_cpu cpu;
	uint64_t error;

	if (!ptrace_cpu_get(tid, &cpu) || (int64_t)cpu.regs.orig_rax < 0)
		return 0;
	error = -cpu.regs.rax;
	if (!was_in_vain(&cpu.regs) && (error < ERESTARTSYS || error > ERESTART_RESTARTBLOCK))
		return 0;
	*number_ret = (int64_t)cpu.regs.orig_rax;
	return cpu.regs.rip;
}

// Of the signals that are about to come: those that the program ignores come to a thread that is traced alone.
static bool has_signals(pid_t tid, int signal)
{
	uint64_t ignored = PTRACE_SIGNAL(SIGCHLD) | PTRACE_SIGNAL(SIGURG) | PTRACE_SIGNAL(SIGWINCH), coming;

	ignored = (ignored & ~ptrace_proc_signals(tid, "SigCgt: %lx")) | ptrace_proc_signals(tid, "SigIgn: %lx");
	coming = (ptrace_proc_signals(tid, "SigPnd: %lx") | ptrace_proc_signals(tid, "ShdPnd: %lx")) & ~ptrace_proc_signals(tid, "SigBlk: %lx");
	return (coming | (signal ? PTRACE_SIGNAL(signal) : 0)) & ~ignored;
}

static bool is_epoll(const struct user_regs_struct *regs)
{
	return regs->orig_rax == SYS_epoll_wait || regs->orig_rax == SYS_epoll_pwait;
}

// Of those that have their time in memory, which others may use, it is looked at when they are to be made again.
static bool is_over(pid_t tid, const struct user_regs_struct *regs, uint64_t ns)
{
	uint64_t at = regs->orig_rax == SYS_rt_sigtimedwait ? regs->rdx : regs->r10;

	if (regs->orig_rax == SYS_semop || is_epoll(regs))
		return false;
	// What is no address, as there is where it waits without an end, cannot be read, and gives the most.
	return ns / 1000000000 > (uint64_t)ptrace(PTRACE_PEEKDATA, tid, at, 0); // seconds, to which less than one is to be added
}

void ptrace_call_again(pid_t tid, int signal, struct ptrace_again *again)
{
	struct ptrace_cpu cpu;
	bool had = again->pc;

	if (!ptrace_cpu_get(tid, &cpu) || !was_in_vain(&cpu.regs))
		return;
	again->pc = 0;
	if (has_signals(tid, signal))
		return;
	if (!had)
		again->since = sp_now_ns();
	if (had && is_over(tid, &cpu.regs, sp_now_ns() - again->since)) {
		cpu.regs.rax = cpu.regs.orig_rax == 441 ? 0 : (uint64_t)-EAGAIN;
	} else {
		again->pc = cpu.regs.rip;
		again->is_due = true;
		cpu.regs.rax = cpu.regs.orig_rax;
		cpu.regs.rip -= 2; // to the instruction
	}
	cpu.regs.orig_rax = UINT64_MAX;
	ptrace_cpu_set(tid, &cpu);
}

// The register is changed when the call has begun, and is as it was when it has ended: what comes in between does not see that.
void ptrace_call_bound(pid_t tid, bool begins, struct ptrace_again *again)
{
	struct ptrace_cpu cpu;
	int64_t left;

	if (!again->pc || !ptrace_cpu_get(tid, &cpu))
		return;
	if (!begins && again->is_short) {
		cpu.regs.r10 = again->timeout;
		ptrace_cpu_set(tid, &cpu);
	}
	again->is_short = false;
	if (begins ? !again->is_due || cpu.regs.rip != again->pc : (int64_t)cpu.regs.rax != -EINTR)
		again->pc = 0;
	if (!begins || !again->pc)
		return;
	again->is_due = false;
	if (!is_epoll(&cpu.regs) || (int32_t)cpu.regs.r10 <= 0)
		return;
	left = (int32_t)cpu.regs.r10 - (int64_t)((sp_now_ns() - again->since) / 1000000);
	again->is_short = true;
	again->timeout = cpu.regs.r10;
	cpu.regs.r10 = (uint64_t)SP_MAX(left, 0);
	ptrace_cpu_set(tid, &cpu);
}

#define TAIL_SIZE (6 + 8 + 8) // a jump, where it goes, and the mask
#define SIZE_32 (2 * (2 + 7 * 5) + TAIL_SIZE)
#define CODE_MAX (2 * (2 + 11 * 10) + TAIL_SIZE)

static size_t code_size(unsigned word)
{
	return word == 4 ? SIZE_32 : CODE_MAX;
}

#define REG(name) (offsetof(struct user_regs_struct, name) / 8)

// A system call, and behind it what the registers are to be that it may change or takes.
static uint8_t *put_call(uint8_t *at, const struct ptrace_cpu *cpu)
{
	static const uint8_t numbered[] = { REG(rax), REG(rcx), REG(rdx), REG(rbx), 0, REG(rbp), REG(rsi), REG(rdi), REG(r8), REG(r9), REG(r10), REG(r11) };
	unsigned word = ptrace_cpu_word(cpu);

	memcpy(at, word == 4 ? "\xcd\x80" : "\x0f\x05", 2);
	at += 2;
	for (uint8_t number = 0; number < (word == 4 ? 8 : 12); number++) {
		if (number == 4) // the stack pointer
			continue;
		if (word == 8)
			*at++ = 0x48 + number / 8;
		*at = 0xb8 + number % 8; // mov
		memcpy(at + 1, (const uint64_t *)&cpu->regs + numbered[number], word);
		at += 1 + word;
	}
	return at;
}

// A system call that needs nobody to come back from it: if we are killed meanwhile, the thread sets its signal mask and its registers,
// and goes on by itself. No flag is changed.
static void make_code(const struct ptrace_cpu *cpu, uint64_t mask, uint64_t place, uint8_t *at)
{
	struct ptrace_cpu masks = *cpu, own = *cpu;
	bool is_32 = ptrace_cpu_word(cpu) == 4;
	uint64_t tail = place + code_size(ptrace_cpu_word(cpu)) - 16, jump = is_32 ? tail : 0; // 64-bit code tells how far away it is

	ptrace_cpu_set_call(&masks, is_32 ? 175 : SYS_rt_sigprocmask, (uint64_t[6]){ SIG_SETMASK, tail + 8, 0, 8 });
	restart(&own.regs);
	at = put_call(put_call(at, &masks), &own);
	memcpy(at, "\xff\x25", 2);
	memcpy(at + 2, &jump, 4);
	memcpy(at + 6, &own.regs.rip, 8);
	memcpy(at + 14, &mask, 8);
}

#else

int64_t ptrace_call_number(pid_t tid)
{
	(void)tid;
	return -1;
}

uint64_t ptrace_call_interrupted(pid_t tid, int64_t *number_ret)
{
	(void)tid;
	(void)number_ret;
	return 0;
}

void ptrace_call_again(pid_t tid, int signal, struct ptrace_again *again)
{
	(void)tid;
	(void)signal;
	(void)again;
}

void ptrace_call_bound(pid_t tid, bool begins, struct ptrace_again *again)
{
	(void)tid;
	(void)begins;
	(void)again;
}

static bool goes_on(int number)
{
	(void)number;
	return false;
}

#define CODE_MAX 1

static size_t code_size(unsigned word)
{
	(void)word;
	return CODE_MAX;
}

static void make_code(const struct ptrace_cpu *cpu, uint64_t mask, uint64_t place, uint8_t *at)
{
	(void)cpu;
	(void)mask;
	(void)place;
	(void)at;
}

#endif

// Where that code can be: the last bytes of the kernel's own code in each process that nobody uses. 0: there is no place.
static uint64_t find_place(const struct ptrace_space *space, pid_t tid, size_t size)
{
	struct ptrace_range vdso = { .start = 0 };
	uint8_t *bytes, *at = NULL;
	size_t end, n_unused = 0;

	ptrace_proc_each_range(tid, find_vdso, &vdso);
	bytes = sp_malloc(vdso.end - vdso.start + 1);
	end = ptrace_space_read_some(space, vdso.start, bytes, vdso.end - vdso.start);
	while (!at && end-- > 0) {
		n_unused = bytes[end] ? 0 : n_unused + 1;
		at = n_unused == size ? bytes + end : NULL;
	}
	vdso.start = at ? vdso.start + (uint64_t)(at - bytes) : 0;
	free(bytes);
	return vdso.start;
}

// ---- the call --------------------------------------------------------------------------------------------------------

enum step { MADE, LEFT, PUT_OFF, REFUSED };

// Its end is left to be waited for. A thread that is frozen (cgroups(7)) does not come to the call: it is interrupted, for which it
// stops at once, but under version 1 of cgroups only when it thaws. What waits in the kernel stops later, too. Without `interrupted_ret` it has
// been, and nothing is lost if it is not waited for. False: it has ended, or has not stopped.
static bool wait_for(pid_t tid, siginfo_t *ret, bool *interrupted_ret)
{
	unsigned pause_us = 1, waited_us = 0;
	int got;

	for (;;) {
		ret->si_pid = 0;
		got = waitid(P_PID, (id_t)tid, ret, WEXITED | WSTOPPED | WNOWAIT | __WALL | WNOHANG);
		if (!got && ret->si_pid)
			return ret->si_code == CLD_TRAPPED || ret->si_code == CLD_STOPPED;
		if (got && errno != EINTR)
			return false;
		usleep(pause_us);
		waited_us += pause_us;
		pause_us = SP_MIN(pause_us * 2, 1000u);
		if (waited_us <= PATIENCE_MS * 1000u)
			continue;
		if (!interrupted_ret || *interrupted_ret)
			return false;
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		*interrupted_ret = true;
		waited_us = 0;
	}
}

// Until it stops at the begin or the end of the system call. SIGSTOP, which no mask holds back, stops its process; the thread alone
// goes on to its call, and is interrupted for when it is let go on behind that: it stops as its process then does. Another signal says
// that the call may not be made there (PR_SET_SYSCALL_USER_DISPATCH).
static enum step go_on(pid_t tid, bool *stopped_ret)
{
	siginfo_t info = { .si_status = 0 };
	bool interrupted = false, is_event;
	long signal = 0;

	do {
		if (ptrace(PTRACE_SYSCALL, tid, 0, signal) || !wait_for(tid, &info, &interrupted))
			return LEFT;
		is_event = info.si_status >> 8 == PTRACE_EVENT_STOP;
		signal = info.si_status == SIGSTOP ? SIGSTOP : 0;
		*stopped_ret |= is_event;
		if (is_event && interrupted)
			return PUT_OFF;
		if (info.si_status < NSIG && !signal) {
			if (ptrace(PTRACE_GETSIGINFO, tid, 0, &info) || info.si_code <= 0)
				syscall(SYS_tkill, tid, SIGSYS); // it was sent just now
			return REFUSED;
		}
	} while (info.si_status != (SIGTRAP | 0x80));
	return MADE;
}

// The number of a system call in 32-bit programs; 0: it is none of those that are made.
static long number_32(long number)
{
	return number == SYS_mmap ? 192 : 0; // mmap2, whose offset is in pages
}

static bool may_call(pid_t tid)
{
	int seccomp;

	return ptrace_proc_status(tid, "Seccomp: %d", &seccomp) && !seccomp;
}

bool ptrace_call_stop(pid_t tid)
{
	struct ptrace_again again = { 0 };
	siginfo_t info;

	if (!goes_on(ptrace_proc_syscall(tid)) || !may_call(tid) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    !wait_for(tid, &info, NULL) || info.si_status != (SIGTRAP | PTRACE_EVENT_STOP << 8))
		return false;
	ptrace_call_again(tid, 0, &again); // it may have woken, and made another call, since it was looked at
	return true;
}

bool ptrace_call(struct ptrace_space *space, pid_t tid, long number, const uint64_t args[6], uint64_t *ret)
{
	struct ptrace_cpu saved, cpu;
	uint64_t mask, held = ~PTRACE_SIGNAL(SIGSYS), place; // one that is held back loses its handler when the call is refused by it
	uint8_t code[CODE_MAX];
	size_t size;
	enum step step = LEFT;
	bool stopped = false;

	if (!may_call(tid))
		return false;
	*ret = (uint64_t)-EAGAIN;
	if (!ptrace_cpu_get(tid, &saved) || ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask))
		return false; // it has not stopped: it was left
	*ret = 0;
	if (ptrace_cpu_word(&saved) * 8 != space->bits || (space->bits == 32 && !(number = number_32(number))))
		return false;
	size = code_size(ptrace_cpu_word(&saved));
	place = find_place(space, tid, size);
	if (!place)
		return false;
	make_code(&saved, mask, place, code);
	if (!ptrace_space_poke(space, place, code, size))
		return false;
	cpu = saved;
	ptrace_cpu_set_call(&cpu, number, args);
	ptrace_cpu_set_pc(&cpu, place);
	if (ptrace_cpu_set(tid, &cpu)) {
		ptrace(PTRACE_SETSIGMASK, tid, sizeof(held), &held); // no signal may come in between
		step = go_on(tid, &stopped);
		if (step == MADE)
			step = go_on(tid, &stopped);
		if (step == MADE && !ptrace_cpu_get(tid, &cpu))
			step = LEFT;
	}
	*ret = step != MADE ? (uint64_t)-EAGAIN : ptrace_cpu_word(&saved) == 4 ? (uint32_t)ptrace_cpu_call_result(&cpu) : ptrace_cpu_call_result(&cpu);
	if (step == REFUSED)
		*ret = 0;
	if (step == LEFT) { // it makes the call when it can, and goes on by itself as if we had been killed
		space->left_code = place;
		return false;
	}
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask); // the code sets it again
	ptrace_cpu_set(tid, &saved);
	memset(code, 0, size);
	ptrace_space_poke(space, place, code, size);
	if (stopped)
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	return step == MADE;
}
