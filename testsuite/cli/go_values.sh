# SPDX-License-Identifier: GPL-2.0-or-later
# Go starts a function anew that needs a larger stack: a call counts once nevertheless. Debug information of structures in registers has no gaps
# between the members, and does not say which member it tells of when that is one alone.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
command -v go >/dev/null || skip "no Go compiler"
cat >prog.go <<'GO'
package main

type gaps struct {
	A int8
	B int32
	C int8
	D int32
}
type text struct {
	X bool
	S string
}
type inner struct {
	X uint16
	Y [1]uint64
	Z struct {
		P int8
		Q float32
	}
}
type four struct{ A, B, C, D int64 }

//go:noinline
func takeGaps(v gaps) int { return int(v.A) + int(v.B) + int(v.C) + int(v.D) }

//go:noinline
func takeText(v text, k int) int { return len(v.S) + k }

//go:noinline
func takeInner(v inner, k int) int { return int(v.X) + int(v.Y[0]) + int(v.Z.P) + k }

//go:noinline
func nothing() {}

//go:noinline
func takeFour(v four) int {
	k := v
	k.B = 77
	nothing()
	return int(k.D)
}

//go:noinline
func giveGaps(n int8) (gaps, int) { return gaps{n, int32(n) * -2, 3, 70000}, 1 }

//go:noinline
func giveInner(n int8) inner {
	r := inner{X: 65535, Y: [1]uint64{1 << 33}}
	r.Z.P = n
	return r
}

//go:noinline
func small(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + small(n-1)
}

//go:noinline
func middle(n int) int {
	var pad [10]int
	pad[n%10] = n
	if n == 0 {
		return pad[0]
	}
	return pad[n%10] - n + 1 + middle(n-1)
}

//go:noinline
func huge(n int) int {
	var pad [1000]int
	pad[n%1000] = n
	if n == 0 {
		return pad[0]
	}
	return pad[n%1000] - n + 1 + huge(n-1)
}

func main() {
	v, n := giveGaps(1)
	n += takeGaps(v) + takeText(text{true, "hello"}, 3) + takeInner(giveInner(-1), 9) + takeFour(four{1, 2, 3, 4})
	done := make(chan int)
	for i := 0; i < 3; i++ {
		go func() { done <- small(999) + middle(299) + huge(29) }()
		n += <-done
	}
	println(n)
}
GO
export GOCACHE=$PWD/cache GO111MODULE=off
go build -o prog prog.go 2>/dev/null || skip "go builds no program"
go build -gcflags='-N -l' -o plain prog.go
strip -o bare prog
counts()
{
	expect 0 timeout 60 "$SPILE" --engine=$1 -c ./$2 -e 'global n, r
	probe process.function("main.small"), process.function("main.middle"), process.function("main.huge") { n[ppfunc()]++ }
	probe process.function("main.small").return, process.function("main.middle").return, process.function("main.huge").return { r[ppfunc()]++ }
	probe end { foreach (f+ in n) println(f, " ", n[f], " ", r[f]) }'
	is 'main.huge 90 90
main.middle 900 900
main.small 3000 3000'
}
for engine in user kernel; do
	[ $engine = user ] || [ "$(id -u)" = 0 ] || continue
	for program in prog plain bare; do
		counts $engine $program 2>err
	done
	expect 0 "$SPILE" --engine=$engine -c ./prog -e 'global n
	probe process.statement("main.middle"), process.statement("main.huge@*+0") { n[ppfunc()]++ }
	probe end { foreach (f+ in n) println(f, " ", n[f]) }' 2>err
	is 'main.huge 90
main.middle 900'
done
expect 0 "$SPILE" --engine=user -c ./prog -e '
probe process.function("main.take*") { println(ppfunc(), " ", $$parms$$) }
probe process.statement("main.takeFour@*+3") { println($$vars$$) }
probe process.function("main.give*").return { println(ppfunc(), " ", $$return$$) }' 2>err
sed -i -E 's/0x[0-9a-f]+/POINTER/g; s/ ~r[0-9]=\?//g' out
is 'main.giveGaps return={.A=1, .B=-2, .C=3, .D=70000}
main.takeGaps v={.A=1, .B=-2, .C=3, .D=70000}
main.takeText v={.X=1, .S="hello"} k=3
main.giveInner return={.X=65535, .Y=[8589934592], .Z={.P=-1, .Q=0}}
main.takeInner v={.X=65535, .Y=[8589934592], .Z={.P=-1, .Q=0}} k=9
main.takeFour v={.A=1, .B=2, .C=3, .D=4}
v={.A=1, .B=2, .C=3, .D=4} k=?'
expect 0 "$SPILE" --engine=user -c ./plain -e '
probe process.function("main.takeGaps"), process.function("main.takeText"), process.function("main.takeInner") { println($v$$) }' 2>err
sed -i -E 's/0x[0-9a-f]+/POINTER/g' out
is '{.A=1, .B=-2, .C=3, .D=70000}
{.X=1, .S="hello"}
{.X=65535, .Y=[8589934592], .Z={.P=-1, .Q=0}}'
