# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that read their own return address, and C that exceptions pass through, with their returns probed: the program does what it does
# by itself.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
command -v g++ >/dev/null || skip "needs g++"
cat >again.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include <ucontext.h>
static jmp_buf out;
static sigjmp_buf sigout;
static ucontext_t context, here, there;
static char stack[65536];
__attribute__((noipa)) static void leave(int n)
{
	if (n)
		longjmp(out, n);
	siglongjmp(sigout, 7);
}
__attribute__((noipa)) static int jumps(void)
{
	int got = setjmp(out);
	if (got < 2)
		leave(got + 1);
	return got;
}
__attribute__((noipa)) static int sigjumps(void)
{
	int got = sigsetjmp(sigout, 1);
	if (!got)
		leave(0);
	return got;
}
__attribute__((noipa)) static int contexts(void)
{
	volatile int n = 0;
	getcontext(&context);
	if (n++ < 2)
		setcontext(&context);
	return n;
}
static void aside(void)
{
	for (;;) {
		puts("aside");
		swapcontext(&there, &here);
	}
}
int main(void)
{
	printf("%d %d %d\n", jumps(), sigjumps(), contexts());
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	makecontext(&there, aside, 0);
	for (int i = 0; i < 3; i++)
		swapcontext(&here, &there);
	puts("done");
	return 0;
}
C
mkdir libs
cat >next.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
pid_t getppid(void)
{
	puts(dlsym(RTLD_NEXT, "getppid") ? "the next one" : dlerror());
	return 1;
}
void open_other(void)
{
	puts(dlopen("libother.so", RTLD_NOW) ? "opened" : dlerror());
}
C
cat >each.c <<'C'
int each(int (*f)(int), int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}
C
cat >main.cc <<'C'
#include <cstdio>
#include <unistd.h>
extern "C" { void open_other(void); int each(int (*)(int), int); }
static int thrower(int n) { if (n == 2) throw n; return n; }
int main()
{
	getppid();
	open_other();
	try {
		each(thrower, 5);
	} catch (int n) {
		printf("caught %d\n", n);
	}
	printf("%d\n", each(thrower, 2));
}
C
gcc -O2 -o again again.c && gcc -shared -o libs/libother.so -x c - <<<'int other;' && gcc -shared -fPIC -o libnext.so next.c -Wl,-rpath,"$TMP/libs" &&
	gcc -g -O1 -fexceptions -c each.c && g++ -O1 -o calls main.cc each.o -L. -lnext -Wl,-rpath,"$TMP" || fail "they are not made"
libc=$(ldd again | sed -nE 's/.*libc\.so\.6 => (\S+) .*/\1/p')
libgcc=$(ldd calls | sed -nE 's/.*libgcc_s\.so\.1 => (\S+) .*/\1/p')
[ -n "$libc" ] && [ -n "$libgcc" ] || skip "another C library"

# unharmed PROGRAM EVENTS POINTS: there are so many events.
unharmed()
{
	./$1 >native || fail "$1: $?"
	expect 0 timeout 60 "$SPILE" --engine=kernel -o events -c ./$1 -e "global n probe $3 { n++ } probe end { println(n) }"
	cmp -s native out || fail "$1, $3: $(cat out err)"
	[ "$(cat events)" $2 ] || fail "$1, $3: $(cat events) events"
}
# A program calls _setjmp() at its start, too.
unharmed again "-eq 4" "process(\"$libc\").function(\"_setjmp\").return, process(\"$libc\").function(\"getcontext\").return"
unharmed again "-ge 2" "process(\"$libc\").function(\"*setjmp*\").return"
unharmed again "-ge 5" "process(\"$libc\").function(\"swapcontext\").return"
unharmed calls "-ge 1" "process(\"$libc\").function(\"*dlsym*\").return"
unharmed calls "-eq 1" 'process("./calls").function("each").return' # the other one is left by an exception
unharmed calls "-ge 1" "process(\"$libgcc\").function(\"_Unwind_*\").return ?"

# Where these begin there is no address to return to on the stack; the user engine would have put a breakpoint in the linker's data.
linker=$(ldd again | sed -nE 's/^\s*(\/\S*ld-linux\S*) .*/\1/p')
cat >lazy.c <<'C'
#include <signal.h>
#include <stdio.h>
static volatile int n;
static void on(int signal) { n += signal > 0; }
int main(int argc, char **argv)
{
	signal(SIGUSR1, on);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	return !printf("%d %d %s\n", argc, n, argv[0]);
}
C
gcc -O2 -Wl,-z,lazy -o lazy lazy.c || fail "it is not made"
for engine in kernel user; do
	for point in "\"$linker\").function(\"_dl_runtime_resolve*\")" "\"$libc\").function(\"__restore_rt*\")"; do
		expect 0 "$SPILE" --engine=$engine -c ./lazy -e "probe process($point.return ?, process(\"./lazy\").function(\"main\").return { if (target() < 0) exit() }"
		is '1 3 ./lazy'
	done
done
expect 1 "$SPILE" --engine=kernel -p2 -e "probe process(\"$libc\").function(\"__restore_rt\").return { exit() }"
says '^semantic error: __restore_rt cannot be probed: nobody calls it, so that it does not return \[E408\]$'

# OCaml's collector looks up what calls on the stack return to; functions are described by the assembler, if at all.
cat >ocaml.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
extern char __executable_start, etext;
__attribute__((noipa)) int collect(void **returns)
{
	if ((char *)*returns < &__executable_start || (char *)*returns >= &etext)
		abort();
	return 1;
}
__attribute__((noipa, optimize("no-omit-frame-pointer"))) int camlMain__f_1(void)
{
	return collect((void **)__builtin_frame_address(0) + 1) + 1;
}
int camlMain__g_2(void);
int main(void)
{
	return !printf("%d %d\n", camlMain__f_1(), camlMain__g_2());
}
C
cat >g.s <<'S'
	.text
	.globl camlMain__g_2
	.type camlMain__g_2, @function
camlMain__g_2:
	leaq (%rsp), %rdi
	subq $8, %rsp
	call collect
	addq $8, %rsp
	ret
	.size camlMain__g_2, . - camlMain__g_2
	.section .note.GNU-stack, "", @progbits
S
gcc -g -c g.s && gcc -O1 -no-pie -o ocaml ocaml.c g.o || fail "it is not made"
unharmed ocaml "-eq 2" 'process("./ocaml").function("camlMain__*").return'

# GHC's code is jumped to: on the stack is something else.
cat >haskell.s <<'S'
	.data
value:	.long 7
	.text
	.globl outer, Main_main_info, stg_upd_frame_info
outer:
	leaq value(%rip), %rax
	pushq %rax
	jmp Main_main_info
	.type Main_main_info, @function
Main_main_info:
	movq (%rsp), %rax
	movl (%rax), %eax
	addq $8, %rsp
	ret
	.size Main_main_info, . - Main_main_info
	.type stg_upd_frame_info, @function
stg_upd_frame_info:
	ret
	.size stg_upd_frame_info, . - stg_upd_frame_info
	.section .note.GNU-stack, "", @progbits
S
gcc -O1 -o haskell haskell.s -x c - <<<'int printf(const char *, ...), outer(void); int main(void) { return printf("%d\n", outer()) != 2; }' || fail "it is not made"
unharmed haskell "-ge 1" 'process("./haskell").function("*").return, process("./haskell").function("Main_*")'
expect 1 "$SPILE" -p2 -e 'probe process("./haskell").function("Main_main_info").return { exit() }'
says "^semantic error: Main_main_info cannot be probed: Haskell's code is not called, so that it does not return \[E408\]$"

# 32-bit code finds its data by it.
if runs_32_bits; then
	gcc -m32 -O1 -fPIC -pie -o narrow -x c - <<<'int printf(const char *, ...); int main(void) { return printf("here\n") != 5; }'
	unharmed narrow "-ge 1" 'process("./narrow").function("*").return'
fi

# Where a call from another file returns to is told by that address alone.
expect 1 "$SPILE" --engine=kernel -p2 -e 'probe process("./libnext.so").plt("dlsym").return { exit() }'
says '^semantic error: dlsym cannot be probed: it reads its return address, and where it returns cannot be told: where it ends is not known \[E408\]$'
expect 0 "$SPILE" --engine=user -p2 -c ./calls -e 'probe process("./libnext.so").plt("dlsym").return { exit() }'
