# SPDX-License-Identifier: GPL-2.0-or-later
# A listing of all functions of a large program puts out at once what the first units of its debug information settle.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the padding is written for x86_64's assembler"
cat >both.h <<'C'
struct pair { int a, b; };
static __attribute__((noinline)) int shared(struct pair *pair)
{
#ifdef FIRST
	int more = pair->b;
	__asm__ volatile("" : : "r"(more));
#endif
	return pair->a;
}
C
cat >first.c <<'C'
#define FIRST
#include "both.h"
int early(struct pair *pair);
__attribute__((noinline)) int strong(struct pair *pair, int n) { return shared(pair) + n; }
__attribute__((weak)) int weak(int n) { return n; }
int main(int argc, char **argv) { struct pair pair = { argc, 2 }; return strong(&pair, 1) + weak(3) + early(&pair) == 0; }
C
cat >last.c <<'C'
#include "both.h"
int early(struct pair *pair) { return shared(pair); }
C
# A unit of 64 MB without functions: a listing that is sorted as a whole would wait for it.
cat >padding.s <<'S'
	.section .debug_abbrev,"",@progbits
.Labbrev:
	.byte 1, 0x11, 0, 0x13, 0x0b, 0, 0, 0	# DW_TAG_compile_unit, DW_AT_language
	.section .debug_info,"",@progbits
	.long .Lend - .Lstart
.Lstart:
	.value 5
	.byte 1, 8
	.long .Labbrev
	.byte 1, 0x1d
	.zero 64 << 20
.Lend:
S
built() # OPTIONS
{
	for part in first last; do gcc -g -O1 "$@" -c $part.c || fail gcc; done
	gcc -gz -z noexecstack -o prog first.o padding.o last.o || fail gcc
}
gcc -c padding.s || fail as
name() { sed "s|.*|process(\"$TMP/prog\").function(\"&\")|; s|@|@$TMP/|"; }
listed() # OPTION: those of these files, not of crt1.o
{
	expect 0 "$SPILE" "$1" 'process("./prog").function("*")'
	quiet
	grep @ out >named && mv named out
}
built
for time in cold warm; do
	export XDG_CACHE_HOME=$TMP/cache
	listed -l
	is "$(printf '%s\n' main@first.c:6 shared@both.h:2 strong@first.c:4 weak@first.c:5 early@last.c:2 | name)"
	# What `shared` has is known when all its copies are.
	export XDG_CACHE_HOME=$TMP/cache2
	listed -L
	is "$(printf '%s\n' main@first.c:6 strong@first.c:4 early@last.c:2 shared@both.h:2 weak@first.c:5 | name |
		sed 's/main@.*/& $argc:int $argv:char**/; s/strong@.*/& $pair:struct pair* $n:int/; s/weak@.*/& $n:int/
		s/early@.*/& $pair:struct pair*/; s/shared@.*/& $pair:struct pair*/')"
done
# A unit that refers to others is not understood alone.
built -fdebug-types-section
listed -l
is "$(printf '%s\n' early@last.c:2 main@first.c:6 shared@both.h:2 strong@first.c:4 weak@first.c:5 | name)"
# Beside other kinds of points they are put out under the title of theirs. A kernel has 1 MB at once.
sed -i 's/64 << 20/2 << 20/' padding.s
gcc -c padding.s || fail as
for part in first last; do gcc -g -O1 -c $part.c || fail gcc; done
gcc -z noexecstack -o vmlinux first.o padding.o last.o || fail gcc
for name in '*' '**'; do
	expect 0 "$SPILE" -r "$TMP/vmlinux" -l "$name"
	sed -n '/^# kernel functions/,/^#.*aliases/p' out | grep -v aliases >named && mv named out
	is '# kernel functions: 5
kernel.function("early@last.c:2")
kernel.function("main@first.c:6")
kernel.function("shared@both.h:2")
kernel.function("strong@first.c:4")
kernel.function("weak@first.c:5")'
done
