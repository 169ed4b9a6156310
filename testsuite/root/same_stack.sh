# SPDX-License-Identifier: GPL-2.0-or-later
# A stack that is printed at once, one that is printed from its text, and its second address alone have the same names: of the kernel, and
# of a program whose main() ends with a call that does not return.
. "$SUITE/lib.sh"
same()
{
	sed '/^--$/,$d' out >first
	sed '1,/^--$/d; /^==$/,$d' out >second
	[ "$(wc -l <first)" -gt 1 ] || fail "no stack"
	diff -u first second || fail "two stacks"
	sed -n '2s/^ 0x[0-9a-f]* : //p' first >name
	sed '1,/^==$/d' out | diff -u name - || fail "the caller"
}
expect 0 timeout 60 "$SPILE" --engine=kernel -c true -e 'global done
	probe kernel.trace("sys_enter") {
		if (pid() != target() || done++)
			next
		print_backtrace()
		println("--")
		print_syms(backtrace())
		printf("==\n%s\n", __symcaller(stack(1)))
	}'
same

compgen -c gcc | grep -qx gcc || skip "needs gcc"
gcc -O1 -static -o prog -x c - <<'C' # all of its functions have names
#include <unistd.h>
#define FRAME __attribute__((noipa, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
volatile int sink;
__attribute__((noipa)) void leaf(void) { sink++; }
FRAME __attribute__((noreturn)) void forever(void) { leaf(); _exit(sink == 0); }
FRAME int main(void) { forever(); }
C
expect 0 timeout 60 "$SPILE" --engine=kernel -c "$PWD/prog" -e 'probe process(@1).function("leaf") {
		print_ubacktrace()
		println("--")
		print_usyms(ubacktrace())
		printf("==\n%s\n", __usymcaller(ustack(1), pid()))
	}' "$PWD/prog"
same
grep -q ' : main+0x' first || fail "no main()"
