# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers that the kernel has too little stack for, and too few calls, are deferred; where that cannot be, they are refused before they
# are loaded.
. "$SUITE/lib.sh"

# nested N [STATEMENT]: so many loops in each other, each a callback of the kernel.
nested()
{
	awk -v n="$1" -v last="$2" -v program="$PROGS/once" 'BEGIN {
		print "global a\nprobe process(\"" program "\").function(\"tick\") {\n  a[1] = x = 1"
		for (i = 0; i < n; i++) print "foreach (k" i " in a)"
		print "x += a[k" n - 1 "]\n  println(x)\n" last "}" }'
}

nested 7 >seven.stp
expect 0 "$SPILE" -p4 --engine=kernel seven.stp -o seven.spo
nested 8 >eight.stp
expect 0 "$SPILE" -v -p4 --engine=kernel eight.stp -o eight.spo
says 'the rest of the handler runs outside of the kernel: its loops and calls nest deeper than the kernel allows at eight.stp:4:1$'
nested 8 'raise(10)' >eight.stp
expect 1 "$SPILE" -g -p4 --engine=kernel eight.stp -o eight.spo
says '^ERROR: eight.stp:2:1: loops and calls of the handler are nested too deep: they become 9 functions .* since it sends a signal$'

# deep N [STATEMENT]: so many values wait for the last, in each of three loops.
deep()
{
	awk -v n="$1" -v last="$2" -v program="$PROGS/once" 'BEGIN {
		print "global a\nprobe process(\"" program "\").function(\"tick\") {\n  a[1] = x = 1"
		for (i = 0; i < 3; i++) {
			printf "foreach (k%d in a) {\n  x += ", i
			for (j = 0; j < n; j++) printf "(x %% (k%d + %d)) - (", i, j + 2
			print "x" sprintf("%*s", n, "") ""
			for (j = 0; j < n; j++) printf ")"
			print ""
		}
		print "}}}\n  println(x)\n" last "}" }'
}

deep 8 >few.stp
expect 0 "$SPILE" -p4 --engine=kernel few.stp -o few.spo
deep 40 >many.stp
expect 0 "$SPILE" -v -p4 --engine=kernel many.stp -o many.spo
says 'the rest of the handler runs outside of the kernel: it takes more stack than the kernel has at many.stp:4:1$'
deep 40 'raise(10)' >many.stp
expect 1 "$SPILE" -g -p4 --engine=kernel many.stp -o many.spo
says '^ERROR: many.stp:2:1: the handler and what it calls take [0-9]+ bytes of stack, of which the kernel has 512: .* since it sends a signal$'

# waiting N: so many numbers wait for the last one in the first probe, which is planned anew without a stack of its own. The
# second one calls the same function, and costs what it costs without the first.
waiting()
{
	awk -v n="$1" -v program="$PROGS/once" 'BEGIN {
		print "function f(x) { s = sprintf(\"%d\", x); for (i = 0; i < x; i++) s .= \"a\"; return strlen(s) }"
		print "probe process(\"" program "\").function(\"tick\") {"
		for (i = 0; i < n; i++) print "x" i " = gettimeofday_ns() * " i + 3
		printf "printf(\""; for (i = 0; i < n; i++) printf "%%d "
		printf "\\n\""; for (i = 0; i < n; i++) printf ", x" i
		print ")\nprintln(f(7)"; for (i = 0; i < n; i++) print "+ (x" i " ^ x" n - 1 - i ")"
		print ")\n}\nprobe process(\"" program "\").function(\"main\") { println(f(pid())) }"
	}'
}

cost_of_main() { awk '/^probe/ { on = /function\("main@/ } on && /kernel:/' out; }
waiting 2 >two.stp
expect 0 "$SPILE" -p4 --engine=kernel --cost two.stp -o two.spo
cost_of_main >alone
waiting 90 >ninety.stp
expect 0 "$SPILE" -p4 --engine=kernel --cost ninety.stp -o ninety.spo
cost_of_main | cmp alone - || fail "a stackless program costs another one: $(cost_of_main), not $(cat alone)"

# alike N: so many handlers of one probe, the second of which takes little. What is too much for a few of them is foreseen of the
# others that are as large.
alike()
{
	awk -v n="$1" -v program="$PROGS/once" 'BEGIN {
		print "global a\nfunction f(x) { s = x"
		for (i = 0; i < 3; i++)
			printf "foreach (k%d in a) {\n  s += (s %% (k%d + 2)) - ((s %% (k%d + 3)) - ((s %% (k%d + 4)) - ((s %% (k%d + 5)) - s)))\n", i, i, i, i, i
		print "}}} return s }"
		for (i = 0; i < n; i++) {
			printf "probe a%d = process(\"%s\").function(\"%s\") {\n", i, program, i < n / 2 ? "main" : "tick"
			if (i == 1) {
				print "y = f(pid()) }"
				continue
			}
			for (j = 0; j < 20; j++) print "x" j " = gettimeofday_ns() * " j + 3 " + " i
			print "y = f(7)"
			for (j = 0; j < 20; j++) print "+ (x" j " ^ x" 19 - j ")"
			print "}"
		}
		print "probe a* {\n  a[1] = 1\n  println(y, f(pid())) }" }'
}

scratches() { sed -n 's/^  kernel: .*, \([0-9]* of scratch\)$/\1/p' out | sort | uniq -c | sed 's/^ *//'; }
alike 8 >some.stp
expect 0 "$SPILE" -v -p4 --engine=kernel --cost some.stp -o some.spo
grep -q 'handlers keep nothing' err && fail "foreseen of a few"
scratches >some
alike 130 >many.stp
expect 0 "$SPILE" -v -p4 --engine=kernel --cost many.stp -o many.spo
says '^  112 handlers keep nothing on the stack, which is too small for others of their probe$'
scratches | sed 's/^129 /7 /' | cmp some - || fail "what is foreseen makes other handlers: $(scratches), not $(cat some)"
