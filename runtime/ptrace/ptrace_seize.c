// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // REG_RIP
#include "runtime/ptrace/ptrace_engine.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define TICK_NS 10000000

#ifdef __x86_64__
// The kernel would make the call again: it fails instead.
static void leave_ptrace(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)(uintptr_t)regs[REG_RIP];

	(void)signal;
	(void)info;
	if (regs[REG_RAX] != SYS_ptrace || code[0] != 0x0f || code[1] != 0x05) // syscall
		return;
	regs[REG_RIP] += 2;
	regs[REG_RAX] = -EINTR;
}
#endif

void ptrace_seize_begin(struct ptrace_seizing *seizing)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
	struct itimerspec ticks = { { 0, TICK_NS }, { 0, TICK_NS } };

#ifdef __x86_64__
	action.sa_sigaction = leave_ptrace;
#endif
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	sigaction(SIGURG, &action, &seizing->old);
	seizing->ticks = timer_create(CLOCK_MONOTONIC, &event, &seizing->timer) == 0 && timer_settime(seizing->timer, 0, &ticks, NULL) == 0;
}

void ptrace_seize_end(struct ptrace_seizing *seizing)
{
	if (seizing->ticks)
		timer_delete(seizing->timer);
	sigaction(SIGURG, &seizing->old, NULL);
}

// Other stops are left for later, as is the event of the execve(2).
static void let_end(struct attach_ptrace *engine)
{
	for (size_t i = 0; i < engine->threads.n_entries; i++) {
		struct ptrace_thread *thread = engine->threads.entries[i].value;
		siginfo_t info = { .si_pid = 0 };

		if (engine->threads.entries[i].deleted ||
		    waitid(P_PID, (id_t)thread->tid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) || !info.si_pid)
			continue;
		if (info.si_code == CLD_TRAPPED && info.si_status >> 8 == PTRACE_EVENT_EXIT) {
			ptrace(PTRACE_CONT, thread->tid, 0, 0);
		} else if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) {
			waitpid(thread->tid, NULL, __WALL | __WNOTHREAD | WNOHANG);
			ptrace_thread_remove(engine, thread);
		}
	}
}

bool ptrace_seize(struct attach_ptrace *engine, pid_t tid)
{
	while (ptrace(PTRACE_SEIZE, tid, 0, engine->options)) {
		if (errno != EINTR)
			return false;
		let_end(engine);
	}
	return true;
}
