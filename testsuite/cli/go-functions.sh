# SPDX-License-Identifier: GPL-2.0-or-later
# Functions as values of Go: pointers to closures, which begin with the address of the code.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
command -v go >/dev/null || skip "no Go compiler"
cat >prog.go <<'GO'
package main

type job struct {
	name string
	run  func(int) int
}

func double(n int) int { return 2 * n }

//go:noinline
func use(f func(int) int, j *job, n int) int { return f(n) + j.run(n) }

//go:noinline
func choose(n int) func(int) int {
	if n > 1 {
		return double
	}
	return nil
}

func main() {
	add := 5
	j := &job{"add", func(n int) int { return n + add }}
	if use(choose(2), j, 3) != 14 {
		panic(1)
	}
}
GO
export GOCACHE=$PWD/cache GO111MODULE=off
go build -o prog prog.go 2>/dev/null || skip "go builds no program"
expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e '
probe process.function("main.use") {
  printf("%s %s %d\n", usymname($f[0]), usymname($j->run[0]), $n)
  printf("%s %s\n", $f$, $j$)
}
probe process.function("main.choose").return { println(usymname($return[0])) }'
sed -Ei 's/0x[0-9a-f]+/POINTER/g' out
is 'main.double
main.double main.main.func1 3
<function>:POINTER {.name="add", .run=POINTER}'
