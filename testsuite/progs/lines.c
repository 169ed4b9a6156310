// SPDX-License-Identifier: GPL-2.0-or-later
// Makes system calls with known arguments between close(1000) and close(1001), for testsuite/root/strace.sh: what it prints of
// them is compared with the lines of strace. What they would fill in they do not: they fail. All memory is at MEMORY.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY ((char *)0x10000000)
#define C(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

#ifdef __x86_64__
static char *next = MEMORY;

// A copy of `size` bytes at the next place.
static void *put(const void *bytes, size_t size)
{
	char *at = next;

	memcpy(at, bytes, size);
	next += (size + 63) / 64 * 64;
	return at;
}

#define TEXT(s) put(s, sizeof(s))
#define STRUCT(type, ...) put(&(type){ __VA_ARGS__ }, sizeof(type))

static void files(void)
{
	char *file = TEXT("/nosuch/file"), *other = TEXT("/nosuch/other"), *name = TEXT("user.name"), *value = TEXT("value");
	char *buf = TEXT("0123456789abcdefghijklmnopqrstuvwxyzABCDEF"), *odd = TEXT("tab\tquote\"line\n");

	C(open, file, O_RDONLY);
	C(open, file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	C(open, file, O_WRONLY | O_TRUNC | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_DIRECTORY);
	C(openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
	C(openat, 77, odd, O_WRONLY | O_CREAT | O_SYNC, 0);
	C(openat, AT_FDCWD, other, O_RDWR | O_DSYNC | O_PATH | 0x40000000);
	C(openat, AT_FDCWD, 0x99, O_RDONLY);
	C(creat, file, 0755);
	C(read, 77, buf, 10);
	C(write, 77, buf, 10);
	C(write, 77, buf, 40);
	C(write, 77, odd, 15);
	C(pread64, 77, buf, 10, 4096);
	C(pwrite64, 77, buf, 5, 1L << 33);
	C(readv, 77, 8, 2);
	C(writev, 77, put((struct iovec[]){ { buf, 4 }, { odd, 3 } }, 32), 2);
	C(lseek, 77, -5, SEEK_END);
	C(lseek, 77, 0, 23);
	C(dup, 77);
	C(dup2, 77, 78);
	C(dup3, 77, 78, O_CLOEXEC);
	C(fcntl, 77, F_GETFD);
	C(fcntl, 77, F_SETFD, FD_CLOEXEC);
	C(fcntl, 77, F_SETFL, O_RDONLY | O_NONBLOCK);
	C(fcntl, 77, F_DUPFD_CLOEXEC, 10);
	C(fcntl, 77, F_SETLK, STRUCT(struct flock, .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 7));
	C(access, file, R_OK | W_OK);
	C(access, file, F_OK);
	C(faccessat, AT_FDCWD, file, X_OK);
	C(stat, file, buf);
	C(lstat, file, buf);
	C(fstat, 77, buf);
	C(newfstatat, AT_FDCWD, file, buf, AT_SYMLINK_NOFOLLOW);
	C(statx, AT_FDCWD, file, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, 0x7ff, buf);
	C(statfs, file, buf);
	C(fstatfs, 77, buf);
	C(mkdir, file, 0700);
	C(mkdirat, 77, name, 0755);
	C(rmdir, file);
	C(unlink, file);
	C(unlinkat, AT_FDCWD, file, AT_REMOVEDIR);
	C(rename, file, other);
	C(renameat, AT_FDCWD, file, 77, name);
	C(renameat2, AT_FDCWD, file, AT_FDCWD, other, 1);
	C(link, file, other);
	C(linkat, AT_FDCWD, file, AT_FDCWD, other, AT_SYMLINK_FOLLOW);
	C(symlink, name, file);
	C(symlinkat, name, 77, value);
	C(readlink, file, buf, 40);
	C(readlinkat, AT_FDCWD, file, buf, 40);
	C(chmod, file, 0644);
	C(fchmod, 77, 0600);
	C(fchmodat, AT_FDCWD, file, 0644);
	C(chown, file, 1000, -1);
	C(lchown, file, 0, 0);
	C(fchown, 77, 1, 2);
	C(fchownat, AT_FDCWD, file, 1, 2, AT_SYMLINK_NOFOLLOW);
	C(truncate, file, 4096);
	C(ftruncate, 77, 4096);
	C(fallocate, 77, 3, 4096, 8192);
	C(mknod, file, S_IFIFO | 0600, 0);
	C(mknodat, AT_FDCWD, file, S_IFCHR | 0644, 0x103);
	C(chdir, file);
	C(fchdir, 77);
	C(chroot, file);
	C(fsync, 77);
	C(fdatasync, 77);
	C(flock, 77, 6);
	C(getdents64, 77, buf, 100);
	C(getcwd, 8, 0);
	C(umask, 022);
	C(umask, 022);
	C(fadvise64, 77, 0, 4096, 4);
	C(readahead, 77, 0, 4096);
	C(sync_file_range, 77, 0, 4096, 2);
	C(splice, 77, 0, 78, 0, 100, 3);
	C(tee, 77, 78, 100, 2);
	C(sendfile, 77, 78, 0, 100);
	C(copy_file_range, 77, 0, 78, 0, 100, 0);
	C(setxattr, file, name, value, 5, 1);
	C(getxattr, file, name, buf, 40);
	C(removexattr, file, name);
	C(listxattr, file, buf, 40);
	C(utimensat, AT_FDCWD, file, put((struct timespec[]){ { 0, UTIME_NOW }, { 0, UTIME_OMIT } }, 32), AT_SYMLINK_NOFOLLOW);
	C(mount, file, other, name, 3, 0);
	C(umount2, file, 2);
	C(inotify_add_watch, 77, file, 0x102);
	C(inotify_rm_watch, 77, 5);
	C(memfd_create, 8, 1);
	C(ioctl, 77, 0x5401, buf);
	C(ioctl, 77, 0x541b, buf);
	C(syncfs, 77);
}

static void memory(void)
{
	char *buf = TEXT("buffer");

	C(mmap, 0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	C(mmap, MEMORY + 0x100000, 4096, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	C(mmap, 0, 4096, PROT_READ, MAP_SHARED, 77, 0x2000);
	C(mprotect, MEMORY + 0x100000, 4096, PROT_READ);
	C(madvise, MEMORY + 0x100000, 4096, MADV_DONTNEED);
	C(mremap, MEMORY + 0x100000, 4096, 4096, MREMAP_MAYMOVE);
	C(msync, MEMORY + 0x100000, 4096, MS_SYNC);
	C(mlock, MEMORY + 0x100001, 0);
	C(mlock2, 1, 0, 8);
	C(mlockall, 64);
	C(munmap, MEMORY + 0x100000, 4096);
	C(mincore, MEMORY + 1, 4096, buf);
	C(membarrier, 0x4000, 0);
	C(pkey_free, 99);
}

static void processes(void)
{
	char *buf = TEXT("buffer");

	C(getpgid, 0x7ffffff0);
	C(getppid);
	C(setpgid, -3, 0);
	C(getsid, 0x7ffffff0);
	C(setuid, 0);
	C(setresuid, -1, -1, 0);
	C(setreuid, -1, -1);
	C(getresuid, 8, 8, 8);
	C(getgroups, -1, buf);
	C(setgroups, -1, 0);
	C(getpriority, 7, 0);
	C(setpriority, PRIO_PROCESS, 0x7ffffff0, 5);
	C(getrlimit, 99, buf);
	C(setrlimit, 99, STRUCT(struct rlimit, 4096, RLIM_INFINITY));
	C(prlimit64, 0x7ffffff0, RLIMIT_NOFILE, STRUCT(struct rlimit, 100, 200), 0);
	C(getrusage, 9, buf);
	C(sched_setaffinity, 0x7ffffff0, 8, STRUCT(uint64_t, 5));
	C(sched_getscheduler, 0x7ffffff0);
	C(sched_setscheduler, 0, SCHED_FIFO, STRUCT(int, 0));
	C(sched_getparam, 0x7ffffff0, buf);
	C(sched_get_priority_max, SCHED_RR);
	C(sched_yield);
	C(wait4, 0x7ffffff0, buf, WNOHANG | WUNTRACED, 0);
	C(waitid, 1, 0x7ffffff0, 0, WEXITED | WNOHANG, 0);
	C(execve, TEXT("/nosuch/program"), put((char *[]){ TEXT("program"), TEXT("-x"), 0 }, 24), put((char *[]){ TEXT("A=1"), 0 }, 16));
	C(unshare, 0x1);
	C(setns, 77, CLONE_NEWNET);
	C(personality, 0xffffffff);
	C(getrandom, 8, 16, 1);
	C(set_robust_list, 0, 1);
	C(futex, 8, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
	C(futex, put("\1\0\0\0", 4), FUTEX_WAIT, 0, STRUCT(struct timespec, 1, 2));
	C(ioprio_get, 1, 0x7ffffff0);
	C(capget, 8, 0);
}

static void signals(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} action = { SIG_IGN, SA_RESTART | SA_NOCLDSTOP, 0, 0x4002 };

	C(kill, 0x7ffffff0, SIGTERM);
	C(kill, 0x7ffffff0, 0);
	C(tkill, -1, SIGUSR1);
	C(tgkill, 0x7ffffff0, 0x7ffffff0, 34);
	C(rt_sigaction, SIGUSR2, put(&action, sizeof(action)), 0, 8);
	C(rt_sigaction, SIGKILL, put(&action, sizeof(action)), 0, 8);
	C(rt_sigprocmask, SIG_BLOCK, STRUCT(uint64_t, 0x4002), 0, 8);
	C(rt_sigprocmask, SIG_SETMASK, STRUCT(uint64_t, 0), 0, 8);
	C(sigaltstack, STRUCT(stack_t, .ss_sp = MEMORY, .ss_size = 1), 0);
}

static void times(void)
{
	C(nanosleep, STRUCT(struct timespec, 0, 1000), 0);
	C(nanosleep, STRUCT(struct timespec, 1, 2000000000), 0);
	C(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, STRUCT(struct timespec, 1, 5), 0);
	C(clock_gettime, 99, 8);
	C(clock_settime, 99, STRUCT(struct timespec, 3, 4));
	C(setitimer, 99, STRUCT(struct itimerval, { 1, 2 }, { 3, 4 }), 0);
	C(getitimer, 99, 8);
	C(alarm, 0);
	C(timerfd_create, 99, 02000000);
	C(timerfd_settime, 77, 1, STRUCT(struct itimerspec, { 0, 0 }, { 5, 6 }), 0);
	C(timer_delete, 99);
}

static void sockets(void)
{
	struct sockaddr_in in = { AF_INET, htons(80), { htonl(0x7f000001) }, "" };
	struct sockaddr_in6 in6 = { AF_INET6, htons(443), 0, in6addr_loopback, 0 };
	struct sockaddr_un un = { AF_UNIX, "/nosuch/socket" };
	char *buf = TEXT("some data");
	struct iovec iov = { buf, 4 };
	struct msghdr msg = { .msg_iov = put(&iov, sizeof(iov)), .msg_iovlen = 1 };
	struct pollfd fds[] = { { -1, POLLIN, 0 }, { 77, POLLOUT | POLLPRI, 0 } };

	C(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 99);
	C(socket, AF_UNIX, SOCK_DGRAM, 7);
	C(socketpair, AF_UNIX, 9, 0, 8);
	C(bind, 77, put(&in, sizeof(in)), sizeof(in));
	C(connect, 77, put(&in6, sizeof(in6)), sizeof(in6));
	C(connect, 77, put(&un, sizeof(un)), sizeof(un));
	C(listen, 77, 128);
	C(accept, 77, 0, 0);
	C(accept4, 77, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
	C(sendto, 77, buf, 9, MSG_DONTWAIT | MSG_NOSIGNAL, put(&in, sizeof(in)), sizeof(in));
	C(recvfrom, 77, buf, 9, MSG_PEEK, 0, 0);
	C(sendmsg, 77, put(&msg, sizeof(msg)), MSG_MORE);
	C(shutdown, 77, SHUT_RDWR);
	C(setsockopt, 77, SOL_SOCKET, SO_REUSEADDR, put("\1\0\0\0", 4), 4);
	C(setsockopt, 77, IPPROTO_TCP, 1, put("\1\0\0\0", 4), 4);
	C(getsockopt, 77, SOL_SOCKET, SO_TYPE, 0, 0);
	C(getsockname, 77, 8, 8);
	C(poll, put(fds, sizeof(fds)), 2, 0);
	C(epoll_create1, 8);
	C(epoll_ctl, 77, EPOLL_CTL_ADD, 78, STRUCT(struct epoll_event, EPOLLIN | EPOLLET, { .u64 = 7 }));
	C(epoll_wait, 77, buf, 10, -1);
	C(eventfd2, 0, 64);
	C(pipe2, 8, 02000000);
}

static void ipc(void)
{
	struct sembuf op = { 0, -1, IPC_NOWAIT };

	C(shmget, 0x5350, 4096, 0600);
	C(shmat, -1, 0, 010000);
	C(shmctl, -1, IPC_RMID, 0);
	C(shmdt, MEMORY + 1);
	C(semget, 0x5350, 1, 0);
	C(semop, -1, put(&op, sizeof(op)), 1);
	C(semctl, -1, 0, IPC_RMID, 0);
	C(msgget, 0x5350, 0);
	C(msgsnd, -1, MEMORY, 4, IPC_NOWAIT);
	C(msgrcv, -1, MEMORY, 4, 0, IPC_NOWAIT);
	C(msgctl, -1, IPC_RMID, 0);
	C(sethostname, TEXT("name"), 100);
	C(reboot, 1, 2, 3, 0);
	C(delete_module, TEXT("nosuchmodule"), 04000);
	C(swapoff, TEXT("/nosuch/swap"));
	C(syslog, 2, 0, 0);
}

#endif

int main(void)
{
#ifdef __x86_64__
	if (mmap(MEMORY, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return 1;
	memset(MEMORY, 0, 0x10000);
	C(close, 1000);
	files();
	memory();
	processes();
	signals();
	times();
	sockets();
	ipc();
	C(close, 1001);
#endif
	return 0;
}
