# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of uncommon kinds: static and position-independent, and Go without symbols, whose own table of functions is read.
. "$SUITE/lib.sh"
cat >add.c <<'C'
int __attribute__((noinline)) add(int a, int b) { asm volatile(""); return a + b; }
int main(void) { return add(1, 2) != 3; }
C
if ${CC:-cc} -g -O1 -static-pie -o static add.c 2>/dev/null; then
	expect 0 "$SPILE" --engine=user -w -c ./static -e 'probe process("./static").function("add") { printf("%d %d %s\n", $a, $b, usymname(uaddr())) }'
	is '1 2 add'
fi
command -v go >/dev/null || skip "needs go"
cat >add.go <<'GO'
package main

//go:noinline
func add(a, b int) int { return a + b }
func main()            { println(add(1, 2)) }
GO
export GOCACHE=$PWD/cache GO111MODULE=off
for mode in exe pie; do
	go build -buildmode=$mode -ldflags='-s -w' -o "$mode" add.go 2>/dev/null || skip "go builds no program"
	expect 0 "$SPILE" -l "process(\"./$mode\").function(\"main.*\")"
	sed -i "s,$PWD/,," out
	is "process(\"$mode\").function(\"main.add\")
process(\"$mode\").function(\"main.main\")"
	[ "$(uname -m)" = x86_64 ] || continue
	expect 0 "$SPILE" --engine=user -w -c "./$mode" -e "probe process(\"./$mode\").function(\"main.add\") { printf(\"%s %d\n\", ppfunc(), register(\"rax\")) }"
	is 'main.add 1'
	expect 0 "$SPILE" --engine=user -w -o events -c "./$mode" -e "probe process(\"./$mode\").function(\"main.add\").return {
		println(returnval()); print_ubacktrace() }"
	sed -E 's/0x[0-9a-f]+ : //; s,/0x.*,,; s,\+0x[1-9a-f].*,+N,' events >out
	is '3
Returning from:  main.add+0x0
Returning to  : main.main+N
 runtime.main+N
 runtime.goexit+N'
done
