# SPDX-License-Identifier: GPL-2.0-or-later
# Returns that are probed at the instructions where functions end: of Go, whose stacks move, on both engines; where exceptions go through
# and where the program switches stacks, in the kernel alone, which would end the program otherwise.
. "$SUITE/lib.sh"
grep -q HAVE_LIBIBERTY "$BUILD/Makefile" || skip "spile was built without libiberty"
engine=${ENGINE:-user}
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
run() { expect 0 timeout 100 "$SPILE" --engine="$engine" -o events -c "$@"; quiet; }

# The stack of a coroutine is below that of who has called it.
run "$PROGS/rough coroutines" -e 'global n, wrong
probe process.function("pausing").return { n++; wrong += $i != @entry($i) || $return < $i || $i > 3 }
probe process.end { println(n, " ", wrong) }'
is 'done'
mv events out
is '200 0'

cat >prog.cc <<'C'
#include <cstdio>
#include <stdexcept>
#define KEPT __attribute__((noinline, noclone))
KEPT static int thrower(int n) { asm volatile(""); if (n > 2) throw std::runtime_error("x"); return n; }
KEPT static int middle(int n) { int r = thrower(n); asm volatile(""); return r + 1; }
KEPT static int again(int n) { int r = n > 5 ? again(n - 1) : middle(n); asm volatile(""); return r + 1; }
KEPT static int tail(int n) { asm volatile(""); if (n == 7) return 70; return again(n - 5); }
KEPT static int caught(int n) { try { return n > 1 ? caught(n - 1) : again(7); } catch (std::exception &e) { return n; } }
int main()
{
	for (int i = 1; i < 8; i += 2)
		try {
			printf("%d\n", again(i));
		} catch (std::exception &e) {
			printf("caught %d\n", i);
		}
	printf("%d ", caught(3)), printf("%d ", tail(6)), printf("%d\n", tail(7));
}
C
if g++ -g -O2 -o prog prog.cc; then
	printed='3
caught 3
caught 5
caught 7
1 3 70'
	run ./prog -e 'probe process.function("thrower").return, process.function("middle").return, process.function("again").return,
process.function("caught").return { printf("%s %d from %d\n", ppfunc(), $return, $n) }'
	is "$printed"
	mv events out
	is 'thrower 1 from 1
middle 2 from 1
again 3 from 1
caught 1 from 1
caught 1 from 2
caught 1 from 3
thrower 1 from 1
middle 2 from 1
again 3 from 1'
	# A tail call ends a function: what the other one returns is not known yet.
	run ./prog -e 'probe process.function("tail").return { printf("%d%s\n", $n, @defined($return) ? sprintf(" %d", $return) : "") }'
	is "$printed"
	mv events out
	[ "$engine" = user ] && is '6 3
7 70' || is '6
7 70'
	expect $([ "$engine" = user ]; echo $?) "$SPILE" --engine="$engine" -p2 -e 'probe process("./prog").function("tail").return { println(returnval()) }'
	[ "$engine" = user ] || says '^semantic error: returnval\(\) of tail is not known yet where it ends with a jump to another function, at 0x[0-9a-f]+ \[E5'
	expect $([ "$engine" = user ]; echo $?) "$SPILE" --engine="$engine" -p2 -e 'probe process("./prog").function("tail").return { println($return) }'
	[ "$engine" = user ] || says '^semantic error: \$return of tail is not known yet where it ends with a jump to another function, at 0x[0-9a-f]+ \[E5'
	run ./prog -e 'probe process.function("middle").return { print_ubacktrace(); println(addr() == ustack(0), usymname(ustack(0)), tokenize(ubacktrace(), " ") == sprintf("0x%x", ustack(0))); exit() }'
	grep -v libc events | sed -E 's/0x[0-9a-f]+ : //; s, \[.*,,; s,\+0x[1-9a-f].*,+N,; s,/0x.*,,; /_start/d' >out
	is 'Returning from:  middle+0x0
Returning to  : again+N
 main+N
1again1'
	# The returns of calls of other files: those that unwind the stack are left out.
	if [ "$engine" = kernel ]; then
		expect 0 timeout 100 "$SPILE" --engine=kernel -o events -c ./prog -e 'probe process.plt("__cxa_*").return { println(ppfunc()) }'
		says '^WARNING: an exception from a function that is called so ends the program while its return is probed \[W408\]$'
		is "$printed"
	fi
fi

command -v go >/dev/null || skip "the rest needs go"
cat >prog.go <<'GO'
package main

import "fmt"

//go:noinline
func add(a, b int) int { return a + b }

//go:noinline
func name(n int) (string, error) {
	if n > 1 {
		return "many", nil
	}
	return "one", fmt.Errorf("few")
}

//go:noinline
func deep(n int) int {
	var big [200]int
	big[n%200] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + big[n%200]
}

//go:noinline
func nothing() { fmt.Print("") }

func main() {
	c := make(chan int)
	for i := 0; i < 4; i++ {
		go func(i int) { c <- deep(100 * (i + 1)) }(i)
	}
	t := 0
	for i := 0; i < 4; i++ {
		t += <-c
	}
	name(1)
	name(2)
	nothing()
	fmt.Println(t, add(1, 2))
}
GO
export GOCACHE=$PWD/cache GO111MODULE=off
go build -o go prog.go 2>/dev/null || skip "go builds no program"
run ./go -e 'global n, wrong
probe process.function("main.deep").return { n++; wrong += $return != @entry($n) * (@entry($n) + 1) / 2 }
probe process.function("main.name").return { println($return$, user_string_n($return->str, $return->len), @entry($n)) }
probe process.function("main.add").return { println($return, ppfunc()); print_ubacktrace() }
probe process.function("main.nothing").return { println("nothing") }
probe process.end { println(n, " ", wrong) }'
is '150500 3'
sed -E 's/0x[0-9a-f]+ : //; s,/0x.*,,; s,\+0x[1-9a-f].*,+N,' events >out
is '"one"one1
"many"many2
nothing
3main.add
Returning from:  main.add+0x0
Returning to  : main.main+N
 runtime.main+N
 runtime.goexit.abi0+N
1004 0'
expect 1 "$SPILE" --engine="$engine" -p2 -e 'probe process("./go").function("main.nothing").return { println($return) }'
says '^semantic error: main.nothing returns nothing \[E501\]$'
expect 1 "$SPILE" --engine="$engine" -p2 -e 'probe process("./go").function("runtime.gogo.abi0").return { exit() }'
says '^semantic error: runtime.gogo cannot be probed: Go moves its stacks, and where it returns cannot be told: it is in assembler, which has its goroutine in no register \[E408\]$'
