# SPDX-License-Identifier: GPL-2.0-or-later
# What Go has inlined is entered at its first line, not at the lowest address of its code: calls that the program counts itself are as many.
# Go before 1.21 does not tell where an inlined function is declared; its lines are its own, not those of what is inlined into it.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
command -v go >/dev/null || skip "no Go compiler"
cat >prog.go <<'GO'
package main

var sink int
var called [6]int

func f0(x int) int {
	called[0]++
	return x&1023 + 3
}

func f1(x int) int {
	called[1]++
	return x&1023 + 4
}

//go:noinline
func f2(x int) int {
	called[2]++
	for j := 0; j < x&3; j++ { sink ^= j + x }
	for j := 0; j < x&3; j++ { sink ^= j + x }
	return x&1023 + 5
}

func f3(x int) int {
	called[3]++
	if x&2 != 0 { sink += x * 8 }
	if x&1 != 0 { sink += x * 5 }
	return x&1023 + 8
}

func f4(x int) int {
	called[4]++
	x += f0(x + 1)
	return x&1023 + 9
}

func f5(x int) int {
	called[5]++
	if x&2 != 0 { sink += x * 9 }
	for j := 0; j < x&3; j++ { sink ^= j + x }
	return x&1023 + 11
}

func main() {
	for i := 0; i < 20; i++ {
		sink += f0(i * 4)
		sink += f1(i * 5)
		sink += f2(i * 6)
		sink += f3(i * 9)
		sink += f4(i * 10)
		sink += f5(i * 12)
	}
	println(called[0], called[1], called[2], called[3], called[4], called[5])
}
GO
export GOCACHE=$PWD/cache GO111MODULE=off
go build -o prog prog.go 2>/dev/null || skip "go builds no program"
expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e 'global n
probe process.function("main.f?") { n[ppfunc()]++ }
probe end {
	for (i = 0; i < 6; i++) text .= sprintf(" %d", n[sprintf("main.f%d", i)])
	println(substr(text, 1, 100))
}'
is "$(cat err)"
expect 0 "$SPILE" -l 'process("./prog").statement("main.f4@prog.go:*")'
[ "$(grep -oE '[0-9]+"' out | tr -d '"' | sort -n | tr '\n' ' ')" = "32 33 34 " ] || fail "lines: $(cat out)"
