# SPDX-License-Identifier: GPL-2.0-or-later
# Fields of embedded structures of Go, also behind pointers: the one that is least deep counts, and two at one depth are none.
. "$SUITE/lib.sh"
type go >/dev/null 2>&1 || skip "there is no go"
cat >prog.go <<'GO'
package main

type Inner struct{ Deep, X int }
type Base struct {
	Inner
	Id int
}
type Other struct{ X, Both int }
type More struct{ Both int }
type Outer struct {
	Base
	*Other
	More
	Name string
}

//go:noinline
func look(o *Outer, v Outer) int { return o.Id + v.X }

func main() {
	o := Outer{Base{Inner{1, 2}, 3}, &Other{4, 5}, More{6}, "seven"}
	if look(&o, o) != 7 || o.Base.X != 2 {
		panic(1)
	}
}
GO
export GOCACHE=$PWD/cache GO111MODULE=off
go build -o prog prog.go 2>/dev/null || skip "go builds no program"
expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e '
probe process.function("main.look") {
  println($o->Id, " ", $o->Deep, " ", $o->X, " ", $o->Base->X, " ", $o->Inner->X, " ", $o->Base->Inner->X)
  println(@defined($o->Both), @defined($o->Nothing))
}'
is '3 1 4 2 2 2
00'
expect 1 timeout 60 "$SPILE" -p2 -e 'probe process("./prog").function("main.look") { println($o->Both) }'
says "^semantic error: struct main\.Outer has no member 'Both' \[E503\]\$"
