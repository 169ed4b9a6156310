# SPDX-License-Identifier: GPL-2.0-or-later
# Which handlers take a lock, and of which globals: those whose operations others could tell from one.
. "$SUITE/lib.sh"
threads=$PROGS/threads

# locks WANT SCRIPT: @step and @main are probes of functions, which all processors may hit. WANT has a word for each handler that
# takes a lock: its function, a colon, the globals.
locks()
{
	local script=$2
	script=${script//@step/probe process(\"$threads\").function(\"step\")}
	script=${script//@main/probe process(\"$threads\").function(\"main\")}
	expect 0 "$SPILE" -w --cost --engine=kernel -e "$script"
	sed -nE 's/^probe (process.*function\("([a-z]+).*|([a-z.]+).*)/\2\3/p; s/^  lock of (.*)/:\1/p' out |
		awk '/^:/ { gsub(/ /, ""); printf "%s%s%s", n++ ? " " : "", probe, $0; next } { probe = $0 } END { print "" }' >got
	[ "$(cat got)" = "$1" ] || fail "locks: $(cat got), expected: $1: $2"
}

# How long others are waited for: MAXTRYLOCK times TRYLOCKDELAY us.
expect 0 "$SPILE" --engine=kernel -D MAXTRYLOCK=7 -D TRYLOCKDELAY=3 --dump=gen -p4 -o wait.spo \
	-e "global a probe process(\"$threads\").function(\"step\") { a[1] = a[1] + 1 }"
prints ', 21000$|, 21000,'

# One operation on each global, and operations that commute.
locks '' 'global n, a, s, last; @step { n++; a[$number] += 2; s <<< $number } @main { last = 1 }'
locks '' 'global n; @step { if (n++ == 10) exit() } @main { println(n) }'
locks '' 'global a, b; @step { a[pid()]++; b[pid()] += 2 } @main { a[1]++; b[2]++ }'
locks '' 'global n; @step { n++ } probe timer.s(1) { println(n); n = 0 }'
locks '' 'global most, least; @step { x = $number * 2; if (x > most) most = x; if (least >= x) least = x } @main { if (most < $argc) most = $argc }'
locks '' 'global a, b; @step { if ($number > a[1]) a[1] = $number; k = $number & 7; if (b[execname(), k] <= k) b[execname(), k] = k }'
locks '' 'global a, b; @step { if (!($number in a) || 7 < a[$number]) a[$number] = 7 } @main { if (!(1 in a) || a[1] > $argc) a[1] = $argc }'
locks '' 'global a; @step { if ($number > a["x"]) a["x"] = $number } probe timer.s(1) { foreach (k in a) println(a[k]) }'
locks '' 'global text = "x", n; @step { if (text == "y") n++ } @main { println(text, text) }'
locks '' 'global on; probe begin { on["a"] = 1 } @step { if (on["a"] && on["b"]) println(1) } probe end { delete on }'

# Several operations on one.
locks 'step:a' 'global a; @step { a[1] = a[1] + 1 }'
locks 'step:n' 'global n; @step { n = n * 2 }'
locks 'step:n' 'global n; @step { n++; println(n) }'
locks 'step:n' 'global n; @step { if (n < 10) n++ }'
locks 'step:a' 'global a; @step { if (!(pid() in a)) a[pid()] = 1 }'
locks 'step:a' 'global a; function f() { return a[1] } @step { a[1] = f() + 1 }'
locks 'step:a main:a' 'global a; function f(n) { a[n] = n } @step { if (a[$number]) f(1) } @main { a[1]++ }'
locks 'step:a main:a' 'global a; @step { foreach (k in a) println(k) } @main { a[1] = 1 }'
locks 'step:s main:s' 'global s; @step { println(@avg(s)) } @main { s <<< 1 }'
locks 'step:n main:n' 'global n; @step { n = 1; if ($number) n = 2 } @main { println(n) }'
# Who adds must not come between; who reads a number once can be told from nobody, unless the other one changes it twice.
locks 'step:n main:n' 'global n; @step { n = n * 2 } @main { n++ }'
locks 'step:n' 'global n; @step { n = n * 2 } @main { println(n) }'
locks 'step:n main:n' 'global n; @step { n = n * 2; n = n + 1 } @main { println(n) }'

locks 'step:most main:most' 'global most; @step { if ($number > most) most = $number } @main { most = most + 1 }'
locks 'step:x,y' 'global x, y; @step { if ($number > x) x = $number; if (x > $number) x = $number; y = 1 }'
locks 'step:n' 'global n; @step { if ($number > n) n = $number; if (n > $number) n = $number }'
locks 'step:a' 'global a; @step { if ($number > a[1]) a[2] = $number }'
locks 'step:a' 'global a; @step { if ($number > a[1]) a[1] = $number + 1 }'
locks 'step:a' 'global a; @step { if (!(2 in a) || $number > a[1]) a[1] = $number }'
locks 'step:a' 'global a; @step { if (jiffies() > a[1]) a[1] = jiffies() }'
# An element that may be deleted, or that code outside of the kernel sets, may be another one meanwhile.
locks 'step:a main:a' 'global a; @step { if ($number > a[1]) a[1] = $number } @main { delete a[1] }'
locks 'step:a' 'global a; @step { if ($number > a[1]) a[1] = $number } probe begin { a[1] = 7 }'
# Who reads a text as 0 before it is there must not store a smaller one.
locks 'step:a' 'global a; @step { if (!("x" in a) || $number < a["x"]) a["x"] = $number }'

# Texts.
locks 'step:s' 'global s; @step { s = execname() } @main { println(1) }'
locks 'step:s main:s' 'global s; @step { s = execname() } @main { println(s) }'
locks 'step:s timer.s:s' 'global s; @step { s = execname() } probe timer.s(1) { println(s) }'
locks '' 'global s; @step { s[pid()] = execname() } probe end { foreach (k in s) println(s[k]) }'
locks 'step:s main:s' 'global s; @step { s[pid()] = execname() } @main { println(s[pid()]) }'

# Two globals that belong together have one lock.
locks 'step:x,y main:x,y' 'global x, y; @step { x = $number; y = $number } @main { println(x, y) }'
locks 'step:x,y' 'global x, y; @step { x = $number; y = $number }'
locks 'step:x,y main:x,y' 'global x, y; @step { if (!x) y = 1 } @main { if (!y) x = 1 }'
locks 'step:x,y main:x,y' 'global x, y; @step { x++; y++ } @main { println(x, y) }'
locks '' 'global x, y; @step { x = $number } @main { println(x); y++ }'
locks 'step:x,a,b main:x,a,b' 'global a, b, x; @step { a[1] = a[1] + 1; b[1] = b[1] + 1; x = x + 1 } @main { x = 0 }'

# What belongs to one thread, or one processor.
locks '' 'global t; @step { t[tid()] = 1 } @main { if (tid() in t) { println(t[tid()]); delete t[tid()] } }'
locks '' 'global t; @step { me = tid(); t[1, me] = t[1, me] + 1 } probe timer.s(1) { foreach ([a, b] in t) println(a) }'
# A variable that is read before it is set, or is not set on each way, is 0 for all.
locks '' 'global t; @step { k = 7; me = tid(); t[me] = t[me] + k } probe timer.s(1) { foreach (a in t) println(a) }'
locks 'step:t' 'global t; @step { if ($number) me = tid(); t[me] = t[me] + 1 } probe timer.s(1) { foreach (a in t) println(a) }'
locks 'step:t' 'global t; @step { t[me] = t[me] + 1; me = tid(); t[me] = t[me] + 1 } probe timer.s(1) { foreach (a in t) println(a) }'
locks 'step:t' 'global t; @step { me = tid(); if ($number) me = 3; t[me] = t[me] + 1 } probe timer.s(1) { foreach (a in t) println(a) }'
locks 'step:t' 'global t; function f(me) { t[me] = t[me] + 1 } @step { f(1) } probe timer.s(1) { foreach (a in t) println(a) }'
locks 'step:t timer.s:t' 'global t; @step { t[tid()] = t[tid()] + 1 } probe timer.s(1) { delete t }'
locks 'step:t main:t' 'global t; @step { t[tid()] = t[tid()] + 1 } @main { t[$argc] = 1 }'
locks 'step:t' 'global t; @step { t[cpu()] = t[cpu()] + 1 }' # uprobes can be preempted
locks '' 'global t; probe timer.profile { t[cpu()] = t[cpu()] + 1 }'
locks 'step:t timer.profile:t' 'global t; @step { t[tid()] = t[tid()] + 1 } probe timer.profile { t[tid()] = t[tid()] + 1 }'

# Why there is a lock.
expect 0 "$SPILE" -w -v -p4 -o why.spo --engine=kernel -e "global a, n, s, u, x
	probe process(\"$threads\").function(\"step\") { a[\$number] = a[\$number] + 1; n++; s = execname(); x = n }
	probe process(\"$threads\").function(\"main\") { u++; println(s, x) }"
says '^  process\(.*\.function\("step@.*: the handler takes the lock of n \(a handler reads it and adds to it\), s \(its texts are not set at once\), .*a \(a handler reads and sets it\)$'
says '^  process\(.*\.function\("main@.*: the handler takes the lock of n '

# The handlers that take no lock are the same, whatever others do.
instructions() { "$SPILE" -w --cost --engine=kernel -e "$1" | sed -n '/function("main/,$p' | grep kernel: ; }
main="probe process(\"$threads\").function(\"main\") { b[1]++ }"
expect 0 instructions "global b $main"
cp out alone
expect 0 instructions "global a, b probe process(\"$threads\").function(\"step\") { a[1] = a[1] + 1 } $main"
cmp -s out alone || fail "a handler without a lock costs more when another one takes one"
