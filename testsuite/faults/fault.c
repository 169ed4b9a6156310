// SPDX-License-Identifier: GPL-2.0-or-later
// For LD_PRELOAD: counts the calls by which spile asks libc for something, and lets one of them fail.
//   FAULT_AT=N       the Nth call fails; without it all are as ever
//   FAULT_KIND=KIND  which calls count: memory, system, write, trace: what changes another process, call: what lets it go on to a system
//                    call (default: memory and system)
//   FAULT_KILL=1     does not let the call fail, but kills the process
//   FAULT_FREEZE=FILE  nor here: 1 is written to FILE, cgroup.freeze of a control group, or FROZEN to freezer.state of version 1
//   FAULT_STOP=1     nor here: the process that is let go on (KIND call) gets SIGSTOP
//   FAULT_CUT=FILE   nor here: FILE becomes shorter
//   FAULT_ERRNO=N    what the failed call says; default: ENOMEM, EIO where there is no memory in it
//   FAULT_COUNT=FILE gets, at the end, the number of calls that counted
//   FAULT_TRACE=1    the call that fails is named on standard error
// A call counts when it comes from spile itself or a library that reports failures: those of LLVM end the process by design.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { MEMORY = 1, SYSTEM = 2, WRITE = 4, TRACE = 8, CALL = 16 };

static struct {
	unsigned long at;
	unsigned kinds;
	int error;
	bool traces, kills, stops;
	const char *freeze, *cut; // file; NULL: none
	int count_file; // open from the beginning: later the process may not open files to write; < 0: none
	pid_t pid;
} fault;
static atomic_ulong n_calls;
static _Thread_local bool is_inside;

// ---- who calls ------------------------------------------------------------------------------------------------------

enum { MAX_RANGES = 64 };
static struct range {
	uintptr_t from, to;
	bool counts;
} ranges[MAX_RANGES];
static atomic_uint n_ranges;

static bool counts(const char *path)
{
	static const char *const names[] = { "", "/spile", "/spile-run", "/libspile.so.0", "/libspile.so", "/spile-gen.so", "/libbpf.so.1", "/libdw.so.1",
					     "/libelf.so.1" };
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (i == 0 ? len == 0 : len >= n && !strncmp(path + len - n, names[i], n))
			return true;
	}
	return strstr(path, "/libspile.so.") || strstr(path, "/libelf-") || strstr(path, "/libdw-") || strstr(path, "/libbpf.so.");
}

static int add_ranges(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		unsigned n = n_ranges;
		uintptr_t from = info->dlpi_addr + p->p_vaddr;
		bool known = false;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		for (unsigned k = 0; k < n; k++)
			known |= ranges[k].from == from;
		if (known || n == MAX_RANGES)
			continue;
		ranges[n] = (struct range){ from, from + p->p_memsz, counts(info->dlpi_name) };
		n_ranges = n + 1;
	}
	return 0;
}

static const struct range *find(uintptr_t caller)
{
	for (unsigned i = 0; i < n_ranges; i++)
		if (caller >= ranges[i].from && caller < ranges[i].to)
			return &ranges[i];
	return NULL;
}

static bool is_ours(const void *address)
{
	uintptr_t caller = (uintptr_t)address;
	const struct range *r = find(caller);

	if (!r) {
		dl_iterate_phdr(add_ranges, NULL);
		r = find(caller);
	}
	return r && r->counts;
}

// ---- when -----------------------------------------------------------------------------------------------------------

static void write_count(void)
{
	char text[32];

	if (fault.count_file < 0 || fault.pid != getpid())
		return;
	snprintf(text, sizeof(text), "%lu\n", (unsigned long)n_calls);
	syscall(SYS_write, fault.count_file, text, strlen(text));
	syscall(SYS_close, fault.count_file);
}

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *kind = getenv("FAULT_KIND"), *count_file = getenv("FAULT_COUNT");

	fault.kinds = !kind			? MEMORY | SYSTEM | WRITE :
		      !strcmp(kind, "memory")	? MEMORY :
		      !strcmp(kind, "write")	? WRITE :
		      !strcmp(kind, "trace")	? TRACE :
		      !strcmp(kind, "call")	? CALL :
						  SYSTEM | WRITE;
	fault.kills = number("FAULT_KILL");
	fault.error = (int)number("FAULT_ERRNO");
	fault.traces = number("FAULT_TRACE");
	fault.count_file = count_file ? (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
	fault.pid = getpid();
	fault.at = number("FAULT_AT");
	fault.freeze = getenv("FAULT_FREEZE");
	fault.stops = number("FAULT_STOP");
	fault.cut = getenv("FAULT_CUT");
	// What spile starts is somebody else.
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	write_count();
	fault.kinds = 0;
}

static void freeze(void)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, fault.freeze, O_WRONLY | O_CLOEXEC);
	const char *text = strstr(fault.freeze, "freezer.state") ? "FROZEN" : "1";

	if (syscall(SYS_write, fd, text, strlen(text)) != (long)strlen(text))
		abort();
	syscall(SYS_close, fd);
}

// Is this call the one?
static bool fails(enum kind kind, const char *name, const void *caller)
{
	bool it;

	if (!(fault.kinds & kind) || is_inside)
		return false;
	is_inside = true;
	it = is_ours(caller) && atomic_fetch_add(&n_calls, 1) + 1 == fault.at;
	if (it) {
		if (fault.traces) {
			char text[160];
			Dl_info info = { 0 };

			dladdr(caller, &info);
			snprintf(text, sizeof(text), "fault: %s from %s+0x%lx\n", name, info.dli_fname ? info.dli_fname : "?",
				 (unsigned long)((const char *)caller - (const char *)info.dli_fbase));
			syscall(SYS_write, 2, text, strlen(text));
		}
		if (fault.kills)
			kill(getpid(), SIGKILL);
		if (fault.freeze)
			freeze();
		if (fault.cut && syscall(SYS_truncate, fault.cut, 4096L))
			abort();
		errno = fault.error ? fault.error : kind == MEMORY ? ENOMEM : EIO;
	}
	is_inside = false;
	return it && !fault.freeze && !fault.cut;
}

// ---- what -----------------------------------------------------------------------------------------------------------

#define CALLER __builtin_return_address(0)
#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
	bool was_inside = is_inside;
	void *f;

	is_inside = true;
	f = dlsym(RTLD_NEXT, name);
	is_inside = was_inside;
	return f;
}

#define WRAP(kind, failed, type, name, parameters, arguments)                                                                  \
	type name parameters                                                                                                   \
	{                                                                                                                      \
		static __typeof__(&name) next;                                                                                 \
		if (!next)                                                                                                     \
			next = REAL(name);                                                                                     \
		return fails(kind, #name, CALLER) ? (failed) : next arguments;                                                 \
	}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size) { return fails(MEMORY, "malloc", CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails(MEMORY, "calloc", CALLER) ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return fails(MEMORY, "realloc", CALLER) ? NULL : __libc_realloc(old, size); }
WRAP(MEMORY, NULL, void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size))
WRAP(MEMORY, NULL, char *, strdup, (const char *s), (s))
WRAP(MEMORY, NULL, char *, strndup, (const char *s, size_t n), (s, n))
WRAP(MEMORY, NULL, char *, realpath, (const char *path, char *out), (path, out))
WRAP(MEMORY, MAP_FAILED, void *, mmap, (void *a, size_t l, int p, int f, int fd, off_t o), (a, l, p, f, fd, o))
WRAP(MEMORY, MAP_FAILED, void *, mmap64, (void *a, size_t l, int p, int f, int fd, off64_t o), (a, l, p, f, fd, o))
WRAP(MEMORY, -1, int, vasprintf, (char **ret, const char *format, va_list list), (ret, format, list))
WRAP(MEMORY, -1, int, __vasprintf_chk, (char **ret, int flag, const char *format, va_list list), (ret, flag, format, list))
WRAP(MEMORY, NULL, FILE *, open_memstream, (char **text, size_t *size), (text, size))

WRAP(SYSTEM, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(SYSTEM, NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(SYSTEM, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))
WRAP(SYSTEM, -1, ssize_t, getline, (char **line, size_t *size, FILE *f), (line, size, f))
WRAP(SYSTEM, NULL, char *, fgets, (char *line, int size, FILE *f), (line, size, f))
WRAP(SYSTEM, 0, size_t, fread, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f))
WRAP(SYSTEM, NULL, DIR *, opendir, (const char *path), (path))
WRAP(SYSTEM, NULL, DIR *, fdopendir, (int fd), (fd))
WRAP(SYSTEM, -1, ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))
WRAP(SYSTEM, -1, ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
WRAP(SYSTEM, -1, ssize_t, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
WRAP(WRITE, -1, ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))
WRAP(WRITE, -1, ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
WRAP(WRITE | TRACE, -1, ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
WRAP(WRITE | TRACE, -1, ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
WRAP(WRITE, 0, size_t, fwrite, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f))
WRAP(WRITE, EOF, int, fflush, (FILE *f), (f))
WRAP(SYSTEM, -1, int, fstat, (int fd, struct stat *st), (fd, st))
WRAP(SYSTEM, -1, int, fstat64, (int fd, struct stat64 *st), (fd, st))
WRAP(SYSTEM, -1, int, stat, (const char *path, struct stat *st), (path, st))
WRAP(SYSTEM, -1, int, stat64, (const char *path, struct stat64 *st), (path, st))
WRAP(SYSTEM, -1, int, lstat, (const char *path, struct stat *st), (path, st))
WRAP(SYSTEM, -1, int, fstatat, (int fd, const char *path, struct stat *st, int flags), (fd, path, st, flags))
WRAP(SYSTEM, -1, int, fstatat64, (int fd, const char *path, struct stat64 *st, int flags), (fd, path, st, flags))
WRAP(SYSTEM, -1, ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n))
WRAP(SYSTEM, -1, int, pipe, (int fds[2]), (fds))
WRAP(SYSTEM, -1, int, pipe2, (int fds[2], int flags), (fds, flags))
WRAP(SYSTEM, -1, int, socketpair, (int d, int t, int p, int fds[2]), (d, t, p, fds))
WRAP(SYSTEM, -1, pid_t, fork, (void), ())
WRAP(SYSTEM, -1, int, clone, (int (*f)(void *), void *stack, int flags, void *arg, ...), (f, stack, flags, arg))
WRAP(SYSTEM, -1, pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags))
WRAP(SYSTEM, -1, int, poll, (struct pollfd *fds, nfds_t n, int ms), (fds, n, ms))
WRAP(SYSTEM, -1, int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *set), (fds, n, t, set))
WRAP(SYSTEM, -1, int, epoll_create1, (int flags), (flags))
WRAP(SYSTEM, -1, int, epoll_ctl, (int fd, int op, int of, struct epoll_event *e), (fd, op, of, e))
WRAP(SYSTEM, -1, int, epoll_wait, (int fd, struct epoll_event *e, int n, int ms), (fd, e, n, ms))
WRAP(SYSTEM, -1, int, eventfd, (unsigned n, int flags), (n, flags))
WRAP(SYSTEM, -1, int, timerfd_create, (int clock, int flags), (clock, flags))
WRAP(SYSTEM, -1, int, timerfd_settime, (int fd, int flags, const struct itimerspec *to, struct itimerspec *was), (fd, flags, to, was))
WRAP(SYSTEM, -1, int, memfd_create, (const char *name, unsigned flags), (name, flags))
WRAP(SYSTEM, -1, int, ftruncate, (int fd, off_t size), (fd, size))
WRAP(SYSTEM, -1, int, fsync, (int fd), (fd))
WRAP(SYSTEM, -1, int, rename, (const char *from, const char *to), (from, to))
WRAP(SYSTEM, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(SYSTEM, -1, int, mkstemp, (char *path), (path))
WRAP(SYSTEM, -1, int, dup2, (int from, int to), (from, to))

// Three words behind the first ones are more than any of them has.
#define WRAP_OPEN(name)                                                                                                        \
	int name(const char *path, int flags, ...)                                                                             \
	{                                                                                                                      \
		va_list list;                                                                                                  \
		mode_t mode;                                                                                                   \
		va_start(list, flags);                                                                                         \
		mode = va_arg(list, mode_t);                                                                                   \
		va_end(list);                                                                                                  \
		return fails(SYSTEM, #name, CALLER) ? -1 : REAL(name)(path, flags, mode);                                      \
	}
WRAP_OPEN(open)
WRAP_OPEN(open64)
#define WRAP_OPENAT(name)                                                                                                      \
	int name(int at, const char *path, int flags, ...)                                                                     \
	{                                                                                                                      \
		va_list list;                                                                                                  \
		mode_t mode;                                                                                                   \
		va_start(list, flags);                                                                                         \
		mode = va_arg(list, mode_t);                                                                                   \
		va_end(list);                                                                                                  \
		return fails(SYSTEM, #name, CALLER) ? -1 : REAL(name)(at, path, flags, mode);                                  \
	}
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	return fails(SYSTEM, "ioctl", CALLER) ? -1 : ((int (*)(int, unsigned long, ...))real("ioctl"))(fd, request, argument);
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list list;
	long a, b, c;

	va_start(list, request);
	a = va_arg(list, long);
	b = va_arg(list, long);
	c = va_arg(list, long);
	va_end(list);
	if (!fails(SYSTEM | TRACE | (request == PTRACE_SYSCALL ? CALL : 0), "ptrace", CALLER))
		return REAL(ptrace)(request, a, b, c);
	if (!fault.stops)
		return -1;
	kill((pid_t)a, SIGSTOP);
	return REAL(ptrace)(request, a, b, c);
}

// bpf(2), perf_event_open(2), pidfd_open(2), gettid(2), futex(2), ...
long syscall(long which, ...)
{
	static __typeof__(&syscall) next;
	va_list list;
	char name[48];
	long a[6];

	va_start(list, which);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!next)
		next = REAL(syscall);
	snprintf(name, sizeof(name), "syscall %ld(%ld)", which, a[0]);
	return which != SYS_gettid && fails(SYSTEM, name, CALLER) ? -1 : next(which, a[0], a[1], a[2], a[3], a[4], a[5]);
}
