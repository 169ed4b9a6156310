# SPDX-License-Identifier: GPL-2.0-or-later
# System calls of a 32-bit program: by int 0x80, and by the entry of the kernel's own page, as its C library makes them.
. "$SUITE/lib.sh"
cat >calls32.c <<'C'
static unsigned entry; // __kernel_vsyscall, AT_SYSINFO
static char line[] = "from 32 bits\n", path[] = "/dev/null", room[256];

static int gate(int by_entry, int nr, int a, int b, int c, int d, int e)
{
	int ret;

	if (by_entry)
		__asm__ volatile("call *%[entry]" : "=a"(ret)
				 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [entry] "m"(entry) : "memory");
	else
		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
	return ret;
}

// Times of 8 bytes, whose part of a second has 4 and then something else, beside those of 4; locks of files in both widths.
static void two_widths(int how, int fd)
{
	unsigned set[2] = { 1 << 9, 0 }, ts[2] = { 0, 3000 }, old[4] = { 5, 6, 7, 0x3ffffffe };
	unsigned t64[4] = { 0, 0, 2000, -1u }, u64[8] = { 5, 0, 6, -1u, 7, 0, 0x3fffffff, -1u }, i64[8] = { 1, 0, 2, 0, 3, 0, 4, 0 };
	struct { short type, whence; int start, len, pid; } lock = { 1, 0, 100, 50, 0 };
	struct { short type, whence; long long start, len; int pid; } __attribute__((packed)) lock64 = { 1, 0, 1LL << 33, 500, 0 };

	gate(how, 421, (int)set, 0, (int)t64, 8, 0); // rt_sigtimedwait_time64
	gate(how, 177, (int)set, 0, (int)ts, 8, 0); // rt_sigtimedwait
	gate(how, 412, -100, (int)path, (int)u64, 1 << 24, 0); // utimensat_time64
	gate(how, 320, -100, (int)path, (int)old, 1 << 24, 0); // utimensat
	gate(how, 411, -1, 0, (int)i64, 0, 0); // timerfd_settime64
	gate(how, 325, -1, 0, (int)old, 0, 0); // timerfd_settime
	gate(how, 422, (int)set, 0, 1, (int)t64, 0); // futex_time64
	gate(how, 240, (int)set, 0, 1, (int)ts, 0); // futex
	gate(how, 221, fd, 6, (int)&lock, 0, 0); // fcntl64
	gate(how, 221, fd, 13, (int)&lock64, 0, 0);
}

// Numbers with a sign, and what ipc() has behind an address: the message's place and type, and the argument of semctl().
static void words(int how, int fd)
{
	unsigned kludge[2] = { (unsigned)room, -7u }, seven = 7;

	gate(how, 19, fd, -3, 1, 0, 0); // lseek
	gate(how, 93, fd, -5, 0, 0, 0); // ftruncate
	gate(how, 117, 12, -1, 8, 04000, (int)kludge); // ipc: msgrcv
	gate(how, 117, 3, -1, 0, 0x110, (int)&seven); // ipc: semctl
}

// What the kernel has functions of its own for.
static void own_functions(int how)
{
	static char program[] = "/nowhere";
	unsigned argv[4] = { (unsigned)program, (unsigned)line + 5, (unsigned)line, 0 };

	gate(how, 238, 1 << 30, 10, 0, 0, 0); // tkill
	gate(how, 270, 1 << 29, 1 << 30, 12, 0, 0); // tgkill
	gate(how, 176, (int)room, 8, 0, 0, 0); // rt_sigpending
	gate(how, 11, (int)program, (int)argv, 0, 0, 0); // execve
	gate(how, 358, -100, (int)program, (int)argv, 0, 0); // execveat
}

static void calls(int how)
{
	unsigned ts[2] = { 0, 1000 }, old[6] = { 0, 4096, 3, 0x22, -1u, 0 }, args[3] = { 2, 1, 0 };
	unsigned long long t64[2] = { 0, 2000 };
	struct { unsigned base, len; } iov[2] = { { (unsigned)line, 4 }, { (unsigned)line + 5, 7 } };
	int addr[4] = { 0x64000002, 0x0100007f, 0, 0 }, fd = gate(how, 5, (int)path, 2, 0, 0, 0), sock;

	gate(how, 4, fd, (int)line, 13, 0, 0); // write
	gate(how, 146, fd, (int)iov, 2, 0, 0); // writev
	gate(how, 140, fd, 1, 2, (int)room, 1); // _llseek
	gate(how, 180, fd, (int)line, 5, 7, 1); // pread64
	gate(how, 162, (int)ts, 0, 0, 0, 0); // nanosleep
	gate(how, 407, 1, 0, (int)t64, 0, 0); // clock_nanosleep_time64
	gate(how, 90, (int)old, 0, 0, 0, 0); // mmap
	gate(how, 192, 0, 8192, 3, 0x22, -1); // mmap2
	sock = gate(how, 102, 1, (int)args, 0, 0, 0); // socketcall: socket
	args[0] = sock, args[1] = (int)addr, args[2] = 16;
	gate(how, 102, 3, (int)args, 0, 0, 0); // socketcall: connect
	gate(how, 7, -1, 0, 1, 0, 0); // waitpid
	gate(how, 114, -1, 0, 1, 0, 0); // wait4
	gate(how, 195, (int)path, 0, 0, 0, 0); // stat64
	gate(how, 221, fd, 3, 0, 0, 0); // fcntl64
	gate(how, 142, 1, 0, 0, 0, (int)ts); // _newselect
	gate(how, 194, fd, 5, 1, 0, 0); // ftruncate64
	gate(how, 120, 1 << 16, 0, 17, 34, 51); // clone
	gate(how, 37, 1 << 30, 0, 0, 0, 0); // kill
	two_widths(how, fd);
	words(how, fd);
	own_functions(how);
	gate(how, 6, sock, 0, 0, 0, 0); // close
	gate(how, 6, fd, 0, 0, 0, 0); // close
}

void begin(unsigned *stack)
{
	unsigned *at = stack + *stack + 2;

	while (*at)
		at++;
	for (at++; *at; at += 2)
		if (*at == 32)
			entry = at[1];
	calls(0);
	if (entry)
		calls(1);
	gate(0, 1, !entry, 0, 0, 0, 0); // exit
}
__asm__(".globl _start\n_start: movl %esp, %eax\npushl %eax\ncall begin\n");
C
gcc -m32 -O1 -fno-pic -no-pie -fno-stack-protector -fcf-protection=none -ffreestanding -nostdlib -static -o calls32 calls32.c 2>/dev/null ||
	skip "gcc makes no 32-bit programs"
./calls32 || skip "this kernel runs no 32-bit programs, or tells them of no entry"
cat >calls.stp <<'S'
global mine
probe syscall.open { if (pid() == target()) mine = 1 } // the first one
probe syscall.{open,write,writev,llseek,pread32,nanosleep,compat_nanosleep,clock_nanosleep,mmap32,mmap2,socket,connect,waitpid,wait4,stat,fcntl,compat_select,
               compat_ftruncate64,clone,kill,rt_sigtimedwait,compat_utimensat,timerfd_settime,futex,compat_futex,lseek,ftruncate,
               compat_sys_msgrcv,compat_sys_semctl,close} {
  if (pid() == target() && mine) printf("%s(%s)\n", name, argstr)
}
probe syscall.{open,write,llseek,waitpid,connect,kill}.return { if (pid() == target() && mine) printf(" = %s\n", retstr) }
S
expect 0 "$SPILE" -c ./calls32 calls.stp
sed -E 's/0x[0-9a-f]{3,}([,)])/P\1/g' out >plain
cat >once <<'T'
open("/dev/null", O_RDWR)
 = 3
write(3, "from 32 bits\n", 13)
 = 13
writev(3, [{iov_base="from", iov_len=4}, {iov_base="32 bits", iov_len=7}], 2)
llseek(3, 0x1, 0x2, P, SEEK_CUR)
 = 0
pread32(3, P, 5, 4294967303)
nanosleep({tv_sec=0, tv_nsec=1000}, 0x0)
clock_nanosleep(CLOCK_MONOTONIC, 0, {tv_sec=0, tv_nsec=2000}, 0x0)
mmap32(0x0, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
mmap2(0x0, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
socket(AF_INET, SOCK_STREAM, IPPROTO_IP)
connect(4, {sa_family=AF_INET, sin_port=htons(100), sin_addr=inet_addr("127.0.0.1")}, 16)
 = -111 (ECONNREFUSED)
waitpid(-1, 0x0, WNOHANG)
 = -10 (ECHILD)
wait4(-1, 0x0, WNOHANG, 0x0)
stat("/dev/null", 0x0)
fcntl(3, F_GETFL)
select(1, NULL, NULL, NULL, {tv_sec=0, tv_usec=1000})
ftruncate64(3, 4294967301)
clone(child_stack=0x0, flags=CLONE_THREAD, parent_tid=0x11, child_tid=0x33)
kill(1073741824, 0)
 = -3 (ESRCH)
rt_sigtimedwait([USR1], 0x0, {tv_sec=0, tv_nsec=2000}, 8)
rt_sigtimedwait([USR1], 0x0, {tv_sec=0, tv_nsec=3000}, 8)
utimensat(AT_FDCWD, "/dev/null", [{tv_sec=5, tv_nsec=6}, UTIME_NOW], 0x1000000 /* AT_??? */)
utimensat(AT_FDCWD, "/dev/null", [{tv_sec=5, tv_nsec=6}, UTIME_OMIT], 0x1000000 /* AT_??? */)
timerfd_settime(-1, 0, {it_interval={tv_sec=1, tv_nsec=2}, it_value={tv_sec=3, tv_nsec=4}}, 0x0)
timerfd_settime(-1, 0, {it_interval={tv_sec=5, tv_nsec=6}, it_value={tv_sec=7, tv_nsec=1073741822}}, 0x0)
futex(P, FUTEX_WAIT, 1, {tv_sec=0, tv_nsec=2000})
futex(P, FUTEX_WAIT, 1, {tv_sec=0, tv_nsec=3000})
fcntl(3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=100, l_len=50})
fcntl(3, F_SETLK64, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=8589934592, l_len=500})
lseek(3, -3, SEEK_CUR)
ftruncate(3, -5)
msgrcv(-1, P, 8, -7, IPC_NOWAIT)
semctl(-1, 0, IPC_64|SETVAL, 0x7)
close(4)
close(3)
T
cat once once | diff - plain || fail "other calls, or other arguments"
# By the names of the kernel's parameters, which 32-bit programs have in another order, in halves, or under another name of the call.
cat >names.stp <<'S'
probe kernel.syscall("clone").any { if (pid() == target()) println("clone ", $parent_tidptr, " ", $tls, " ", $child_tidptr) }
probe kernel.syscall("pread64").compat { if (pid() == target()) println("pread64 ", $count, " ", $poslo, " ", $poshi) }
probe kernel.syscall("ftruncate64").compat.return { if (pid() == target()) println("ftruncate64 ", $fd, " ", $offset_low, " ", $offset_high) }
probe syscall.fcntl { if (pid() == target() && $cmd == 3) println("fcntl ", $fd, " ", $cmd) }
S
expect 0 "$SPILE" -c ./calls32 names.stp
printf '%s\n' 'pread64 5 7 1' 'fcntl 3 3' 'ftruncate64 3 5 1' 'clone 17 34 51' >once
cat once once | diff - out || fail "other parameters by name"
# A long, as an argument and in the memory of the program, has its 4 bytes.
cat >width.stp <<'S'
probe nd_syscall.lseek { if (pid() == target()) println(name, " ", long_arg(2), " ", ulong_arg(2), " ", uarch_bytes()) }
probe kernel.syscall("ipc").compat { if (pid() == target() && $arg1 == 12) println("ipc ", user_long($arg5 + 4), " ", user_ulong($arg5 + 4)) }
S
expect 0 "$SPILE" -c ./calls32 width.stp
printf '%s\n' 'lseek -3 4294967293 4' 'ipc -7 4294967289' >once
cat once once | diff - out || fail "other longs"
[ -e /sys/bus/event_source/devices/kprobe ] || skip "this kernel has no kprobes, for signal.* and kprocess.exec"
cat >own.stp <<'S'
probe signal.{syskill,systkill} { if (pid() == target()) println(name, " ", sig, " ", sig_pid) }
probe signal.systgkill { if (pid() == target()) println(name, " ", sig_name, " ", sig_pid, " ", tgid) }
probe signal.{syskill,systkill,systgkill}.return { if (pid() == target()) println(" = ", $return) }
probe signal.pending { if (pid() == target()) println(name, " ", sigset_add > 0, " ", sigset_size) }
probe signal.pending.return { if (pid() == target()) println(" = ", retstr) }
probe kprocess.exec { if (pid() == target() && filename == "/nowhere") print(name, " ", args, ", ", argstr) }
probe kprocess.exec_complete { if (pid() == target() && !success) println(" = ", retstr) }
S
expect 0 "$SPILE" -c ./calls32 own.stp
cat >once <<'T'
syskill 0 1073741824
 = -3
systkill 10 1073741824
 = -3
systgkill SIGUSR2 1073741824 536870912
 = -3
pending 1 8
 = 0
execve /nowhere 32 bits
 from 32 bits
, /nowhere 32 bits
 from 32 bits
 = -2 (ENOENT)
execveat /nowhere 32 bits
 from 32 bits
, /nowhere 32 bits
 from 32 bits
 = -2 (ENOENT)
T
cat once once | diff - out || fail "signals and programs of 32-bit calls"
