// SPDX-License-Identifier: GPL-2.0-or-later
// random_calls SEED ROUNDS: makes every system call with arguments of all kinds, most of which make no sense: numbers, flags, file
// descriptors, addresses of structures, of texts and of nothing. What it does depends on the seed alone, so that two tracers that
// watch it at once must say the same of each call. It is for a machine that may be thrown away.
//
// A child makes the calls, one after the other; the parent ends one that hangs, and the next child goes on behind that call.
#if !defined(__x86_64__)
int main(void) { return 2; } // its calls are those of x86-64
#else
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_CALLS 452

// Calls that end the machine, the process, or what watches it, that wait for ever, or that return twice.
static const short left_out[] = {
	SYS_reboot, SYS_exit, SYS_exit_group, SYS_pause, SYS_vfork, SYS_fork, SYS_clone, 435 /* clone3 */, SYS_rt_sigreturn, SYS_vhangup,
	SYS_ptrace, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_pivot_root, SYS_chroot,
	SYS_umount2, SYS_swapoff, SYS_restart_syscall, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
	SYS_pidfd_send_signal, SYS_perf_event_open, SYS_bpf, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_brk, SYS_arch_prctl, SYS_settimeofday,
	SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_syslog, SYS_seccomp, SYS_set_tid_address, SYS_set_robust_list, SYS_sync,
	SYS_setrlimit, SYS_prlimit64, SYS_sched_setaffinity, SYS_acct, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_rseq, SYS_unshare, SYS_setns,
	SYS_userfaultfd, SYS_process_madvise, SYS_madvise, SYS_mmap, SYS_execve, SYS_execveat, SYS_sethostname, SYS_setdomainname,
	SYS_shmat, SYS_remap_file_pages, SYS_pkey_mprotect, SYS_prctl, SYS_sigaltstack, SYS_setpgid, SYS_setsid, SYS_quotactl,
	SYS_mount, SYS_close, SYS_close_range, SYS_dup2, SYS_dup3,
};

static struct shared { int next; } *shared; // the call that the child makes
static uint64_t state;

static uint64_t rng(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545F4914F6CDD1D;
}

static uint64_t below(uint64_t n) { return (rng() >> 20) % n; }

static char *arena; // what addresses point to: the same in every round

static long address(void)
{
	char *at = arena + below(32) * 256;
	long *words = (long *)at;

	switch (below(14)) {
	case 0: return 0;
	case 1: return 16; // faults
	case 2: strcpy(at, "/tmp/random_calls.d/file"); break;
	case 3: strcpy(at, "a text with \"quotes\", \t, \n and \377"); break;
	case 4: memset(at, 'x', 255); at[255] = '\0'; break;
	case 5: words[0] = (long)below(3); words[1] = (long)below(1000000); words[2] = 0; words[3] = (long)below(2000000000); break; // a time
	case 6: words[0] = (long)(arena + 8192); words[1] = (long)below(40); words[2] = (long)(arena + 8300); words[3] = 7; break;    // an iovec
	case 7: *(struct sockaddr_in *)at = (struct sockaddr_in){ AF_INET, htons(80 + below(3)), { htonl(INADDR_LOOPBACK) }, { 0 } }; break;
	case 8: *(struct sockaddr_in6 *)at = (struct sockaddr_in6){ AF_INET6, htons(81), 0, IN6ADDR_LOOPBACK_INIT, 0 }; break;
	case 9: *(struct sockaddr_un *)at = (struct sockaddr_un){ AF_UNIX, "/tmp/random_calls.d/no-socket" }; break;
	case 10: for (int i = 0; i < 8; i++) words[i] = (long)rng(); break;
	case 11: for (int i = 0; i < 16; i++) ((int *)at)[i] = (int)below(8); break;
	case 12: memset(at, 0, 256); break;
	case 13: words[0] = 1L << below(64) | 1L << below(64); words[1] = (long)below(3); break; // signals
	}
	return (long)at;
}

static long argument(void)
{
	switch (below(9)) {
	case 0: return (long)below(8);            // a descriptor, a command
	case 1: return (long)below(64);
	case 2: return 1L << below(32) | (long)below(4); // flags
	case 3: return 1L << below(20) | 1L << below(20) | 1L << below(32);
	case 4: return below(2) ? -1 : AT_FDCWD;
	case 5: return below(6) ? (long)below(5000) : (long)rng();
	default: return address();
	}
}

static bool is_left_out(int nr)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
		if (left_out[i] == nr)
			return true;
	return nr >= 335 && nr < 424; // no numbers of x86-64
}

static void on_alarm(int sig) { (void)sig; }

static void child(int from, int round, uint64_t seed)
{
	struct sigaction alarm_action = { .sa_handler = on_alarm };
	sigset_t none;

	sigemptyset(&none);
	for (int nr = from; nr < N_CALLS; nr++) {
		long a[6];

		if (is_left_out(nr))
			continue;
		shared->next = nr;
		state = seed * 1000003 + (uint64_t)round * 7919 + (uint64_t)nr * 31 + 88172645463325252u;
		for (int i = 0; i < 8; i++)
			rng();
		for (int i = 0; i < 6; i++)
			a[i] = argument();
		sigprocmask(SIG_SETMASK, &none, NULL);
		sigaction(SIGALRM, &alarm_action, NULL);
		setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 20000 }, { 0, 20000 } }, NULL);
		syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	shared->next = N_CALLS;
	_exit(0);
}

// A child that makes one call for two seconds is ended.
static void make_calls(int from, int round, uint64_t seed)
{
	pid_t pid = fork();
	int waited = 0, last = -1;

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		setpgid(0, 0);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		child(from, round, seed);
	}
	for (; !waitpid(pid, NULL, WNOHANG); usleep(2000)) {
		waited = shared->next == last ? waited + 1 : 0;
		last = shared->next;
		if (waited > 1000)
			kill(pid, SIGKILL);
	}
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 1;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	arena = mmap((void *)0x20000000, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (shared == MAP_FAILED || arena == MAP_FAILED)
		return perror("mmap"), 1;
	mkdir("/tmp/random_calls.d", 0755);
	chdir("/tmp/random_calls.d");
	for (int round = 0; round < rounds; round++)
		for (int next = 0; next < N_CALLS; next = shared->next + (shared->next < N_CALLS))
			make_calls(next, round, seed);
	return 0;
}
#endif
