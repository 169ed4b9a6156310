// SPDX-License-Identifier: GPL-2.0-or-later
// capabilities(7), seccomp(2). No libseccomp: the list is the filter.
#define _GNU_SOURCE // syscall
#include "runtime/machine/sandbox.h"

#include "runtime/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- capabilities ----------------------------------------------------------------------------------------------------

#ifndef CAP_BPF
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif
#define BIT(x) (UINT64_C(1) << (x))

static const struct {
	unsigned need; // 0: everybody
	uint64_t capabilities;
} wanted[] = {
	{ 0, BIT(CAP_BPF) },
	{ SANDBOX_ATTACH | SANDBOX_SAMPLE, BIT(CAP_PERFMON) | BIT(CAP_SYS_ADMIN) }, // for events Debian's kernels want both
	{ SANDBOX_ATTACH | SANDBOX_READ, BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYSLOG) },
	{ SANDBOX_READ | SANDBOX_TRACE, BIT(CAP_SYS_PTRACE) },
	// The memory of a process that becomes another user's is a file of that user; the next file can be in another user's folder.
	{ SANDBOX_TRACE | SANDBOX_REMOVE, BIT(CAP_DAC_OVERRIDE) },
	{ SANDBOX_KILL, BIT(CAP_KILL) },
	{ SANDBOX_RAISE, BIT(CAP_SYS_NICE) },
};

void sandbox_drop_capabilities(unsigned needs)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	uint64_t kept = 0;

	for (size_t i = 0; i < SP_ARRAY_SIZE(wanted); i++)
		if (!wanted[i].need || wanted[i].need & needs)
			kept |= wanted[i].capabilities;
	if (syscall(SYS_capget, &head, data))
		return;
	// Without CAP_SYS_PTRACE, who looks at a process must have all that it has; the command began with the same as we.
	if (needs & (SANDBOX_TRACE | SANDBOX_READ) && !(data[CAP_SYS_PTRACE / 32].permitted & CAP_TO_MASK(CAP_SYS_PTRACE)))
		return;
	// Before Linux 5.8, and without CAP_BPF, this is what BPF takes.
	if (!(data[CAP_BPF / 32].permitted & CAP_TO_MASK(CAP_BPF)))
		kept |= BIT(CAP_SYS_ADMIN);
	for (unsigned i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(kept >> 32 * i);
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	syscall(SYS_capset, &head, data);
}

// ---- system calls ----------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH

// Those that libc makes for what the runtime calls, in all its versions.
static const struct {
	uint16_t number, need;
} calls[] = {
	{ SYS_read, 0 }, { SYS_write, 0 }, { SYS_futex, 0 }, { SYS_epoll_pwait, 0 }, { SYS_ppoll, 0 }, { SYS_clock_nanosleep, 0 },
	{ SYS_clock_gettime, 0 }, { SYS_clock_getres, 0 }, { SYS_gettimeofday, 0 }, { SYS_nanosleep, 0 }, { SYS_restart_syscall, 0 },
	{ SYS_close, 0 }, { SYS_close_range, 0 }, { SYS_fstat, 0 }, { SYS_newfstatat, 0 }, { SYS_statx, 0 }, { SYS_lseek, 0 },
	{ SYS_faccessat, 0 }, { SYS_readlinkat, 0 }, { SYS_getdents64, 0 }, { SYS_fcntl, 0 }, { SYS_ioctl, 0 }, { SYS_dup, 0 },
	{ SYS_dup3, 0 }, { SYS_pread64, 0 }, { SYS_pwrite64, 0 }, { SYS_readv, 0 }, { SYS_writev, 0 }, { SYS_fstatfs, 0 },
	{ SYS_statfs, 0 }, { SYS_ftruncate, 0 }, { SYS_fsync, 0 }, { SYS_getcwd, 0 }, { SYS_mmap, 0 }, { SYS_mprotect, 0 },
	{ SYS_munmap, 0 }, { SYS_mremap, 0 }, { SYS_madvise, 0 }, { SYS_brk, 0 }, { SYS_rt_sigaction, 0 },
	{ SYS_rt_sigprocmask, 0 }, { SYS_rt_sigreturn, 0 }, { SYS_rt_sigpending, 0 }, { SYS_rt_sigtimedwait, 0 },
	{ SYS_sigaltstack, 0 }, { SYS_kill, 0 }, { SYS_tgkill, 0 }, { SYS_getpid, 0 }, { SYS_gettid, 0 }, { SYS_getppid, 0 },
	{ SYS_capget, 0 }, { SYS_capset, 0 }, { SYS_getuid, 0 }, { SYS_geteuid, 0 }, { SYS_getgid, 0 }, { SYS_getegid, 0 }, { SYS_uname, 0 }, { SYS_sysinfo, 0 },
	{ SYS_getrandom, 0 }, { SYS_getrusage, 0 }, { SYS_setpriority, 0 }, { SYS_prlimit64, 0 }, { SYS_sched_getaffinity, 0 }, { SYS_sched_yield, 0 }, { SYS_getcpu, 0 },
	{ SYS_exit, 0 }, { SYS_exit_group, 0 }, { SYS_wait4, 0 }, { SYS_waitid, 0 }, { SYS_set_robust_list, 0 }, { SYS_rseq, 0 },
	{ SYS_clone, 0 }, { SYS_clone3, 0 }, { SYS_setsid, 0 }, { SYS_socketpair, 0 }, { SYS_epoll_ctl, 0 },
	{ SYS_epoll_create1, 0 }, { SYS_signalfd4, 0 }, { SYS_eventfd2, 0 }, { SYS_pipe2, 0 }, { SYS_timerfd_create, 0 },
	{ SYS_timerfd_settime, 0 }, { SYS_timerfd_gettime, 0 }, { SYS_inotify_add_watch, 0 }, { SYS_recvfrom, 0 },
	{ SYS_recvmsg, 0 }, { SYS_sendto, 0 }, { SYS_sendmsg, 0 }, { SYS_accept4, 0 }, { SYS_shutdown, 0 },
	{ SYS_process_vm_readv, 0 }, { SYS_pidfd_open, 0 }, { SYS_ptrace, SANDBOX_TRACE }, { SYS_kcmp, SANDBOX_TRACE },
	{ SYS_process_vm_writev, SANDBOX_TRACE }, { SYS_tkill, SANDBOX_TRACE }, { SYS_getxattr, SANDBOX_TRACE }, { SYS_perf_event_open, SANDBOX_ATTACH | SANDBOX_SAMPLE },
	{ SYS_sched_getparam, SANDBOX_RAISE }, { SYS_sched_getscheduler, SANDBOX_RAISE }, { SYS_sched_setscheduler, SANDBOX_RAISE },
	{ SYS_unlinkat, SANDBOX_REMOVE },
#ifdef __x86_64__
	{ SYS_epoll_wait, 0 }, { SYS_poll, 0 }, { SYS_stat, 0 }, { SYS_lstat, 0 }, { SYS_access, 0 }, { SYS_readlink, 0 },
	{ SYS_time, 0 }, { SYS_dup2, 0 }, { SYS_fork, 0 }, { SYS_arch_prctl, 0 }, { SYS_unlink, SANDBOX_REMOVE },
#endif
};

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOWED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

struct sp_err *sandbox_filter(unsigned needs)
{
	// Each call that is looked at ends with a result or with the number in the accumulator.
	static const struct sock_filter head[] = {
		LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0), REFUSED, LOAD(nr),
	};
	const struct sock_filter open[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4), LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, needs & SANDBOX_WRITE ? 0 : WRITES, 0, 1), REFUSED, ALLOWED,
	};
	const struct sock_filter bpf[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 4), LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, needs & SANDBOX_ATTACH ? UINT32_MAX : BPF_PROG_LOAD, 0, 1), REFUSED, ALLOWED,
	};
	struct sock_filter code[SP_ARRAY_SIZE(head) + SP_ARRAY_SIZE(open) + SP_ARRAY_SIZE(bpf) + 2 * SP_ARRAY_SIZE(calls) + 1];
	struct sock_fprog filter = { .filter = code };

	for (size_t i = 0; i < SP_ARRAY_SIZE(head); i++)
		code[filter.len++] = head[i];
	for (size_t i = 0; i < SP_ARRAY_SIZE(calls); i++) {
		if (calls[i].need && !(calls[i].need & needs))
			continue;
		code[filter.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
		code[filter.len++] = (struct sock_filter)ALLOWED;
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(open); i++)
		code[filter.len++] = open[i];
	for (size_t i = 0; i < SP_ARRAY_SIZE(bpf); i++)
		code[filter.len++] = bpf[i];
	code[filter.len++] = (struct sock_filter)REFUSED;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter))
		return sp_err_errno(errno, "cannot limit the system calls");
	return NULL;
}

#else

struct sp_err *sandbox_filter(unsigned needs)
{
	(void)needs;
	return NULL;
}

#endif
