# SPDX-License-Identifier: GPL-2.0-or-later
# Thread-local variables, of a program and of a library that is built in several ways: each thread's own.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
source=$SUITE/debug/fixtures/tls.c
[ "$(uname -m)" = x86_64 ] || skip "thread-local variables are read on x86_64"
command -v gcc >/dev/null || skip "needs gcc"

cat >tls.stp <<'STP'
probe process("./tls").function("seen") {
  printf("%d %d %s %d\n", $counter, $record->a, user_string(&$record->name), @var("wide"))
}
probe process("./tls").function("seen").return { printf("and %d\n", @var("counter@tls.c")) }
STP
cat >library.stp <<'STP'
probe process("./libtls.so").function("library_seen") { printf("library %d %d\n", $first, @var("second")) }
STP
cat tls.stp library.stp >both.stp
library() # OPTION...
{
	gcc -g -O2 -fPIC -shared -DLIBRARY "$@" -o libtls.so "$source" || fail "no library: $*"
}
program() # OPTION...
{
	gcc -g -O2 -pthread "$@" -o tls "$source" ./libtls.so || fail "no program: $*"
}

library
program
want='6 14 Btart 98
and 6
library 4 1001
7 14 Ctart 98
and 7
library 4 1002
8 14 Dtart 98
and 8
library 4 1003'
expect 0 "$SPILE" --engine="$engine" -c ./tls both.stp
is "$want"
program -no-pie
library -ftls-model=initial-exec
expect 0 "$SPILE" --engine="$engine" -c ./tls both.stp
is "$want"
# Split debug information has the offsets in .debug_addr, where gcc writes addresses.
for split in gcc clang; do
	command -v $split >/dev/null || continue
	for version in 4 5; do
		options="-g -gdwarf-$version -gsplit-dwarf -fPIC -c"
		$split $options -DLIBRARY -o library.o "$source" && $split -shared -o libtls.so library.o &&
			$split $options -o main.o "$source" && $split -pthread -o tls main.o ./libtls.so || fail "$split -gsplit-dwarf"
		expect 0 "$SPILE" --engine="$engine" -c ./tls both.stp
		is "$want"
	done
done
library
program

# A program that loads its library late; a thread has no block of it before it touches one.
library
cat >late.c <<'C'
#include <dlfcn.h>
int main(void) { ((void (*)(int))dlsym(dlopen("./libtls.so", RTLD_NOW), "library_step"))(7); return 0; }
C
gcc -o late late.c || fail "no program that loads its library late"
cat library.stp - >late.stp <<'STP'
probe process("./libtls.so").function("library_step") { try { println($first) } catch { println("none yet") } }
STP
expect 0 "$SPILE" --engine="$engine" -c ./late late.stp
is 'none yet
library 4 1007'
# musl has vectors of its own.
if command -v musl-gcc >/dev/null; then
	musl-gcc -g -O2 -fPIC -shared -DLIBRARY -o libtls.so "$source" && musl-gcc -g -O2 -o tls "$source" ./libtls.so || fail musl-gcc
	expect 0 "$SPILE" --engine="$engine" -c ./tls both.stp
	is "$want"
fi

# Descriptors of the other dialect are the dynamic linker's own business.
library -mtls-dialect=gnu2
expect 1 "$SPILE" -p2 library.stp
says '\$first has no value at the start of library_seen: it is thread-local in a library that does not tell where its block is'
# A thread-local variable is that of the current thread, which runs another file's code here.
expect 1 "$SPILE" -p4 -e 'probe process("./libtls.so").function("library_seen") { println(@var("counter", "./tls")) }'
says 'it is thread-local, which is known at probes inside of its file only'
