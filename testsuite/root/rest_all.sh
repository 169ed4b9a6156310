# SPDX-License-Identifier: GPL-2.0-or-later
# What a cut handler may do behind the cut: ask for any address of the stack, call functions that ask for the context, print memory, run
# embedded C, recurse within foreach; and keep texts that only the runtime makes. Both engines print the same.
. "$SUITE/lib.sh"
calls="process(\"$PROGS/calls\")"

# both COMMAND SCRIPT OPTION...
both()
{
	local command=$1 script=$2
	shift 2
	mkdir -p other && cp -u "$PROGS/calls" "$PROGS/whole" "$PROGS/xmm" other/ # uprobes leave a program some time after their script
	sed "s|$PROGS/|$PWD/other/|g" "$script" >"other/$script"
	expect 0 timeout 60 "$SPILE" --engine=user -w "$@" -c "${command//"$PROGS/"/"$PWD/other/"}" "other/$script"
	quiet
	sed 's|other/||g' out >user
	expect 0 timeout 60 "$SPILE" --engine=kernel -w "$@" -c "$command" "$script"
	diff out user >difference || fail "the engines differ: $(cat difference)"
}

# Addresses of the stack by number, from both a loop and a function.
cat >stack.stp <<S
global seen
function caller() { return usymname(ustack(1)) }
probe $calls.function("add") {
	for (i = 0; i < 3; i++) seen[i, usymname(ustack(i))]++
	try { println(ustack(30)) } catch (e) { if (\$a == 1) println(e) }
	seen[-1, caller()]++
}
probe end { foreach ([i+, n] in seen limit 4) println(i, " ", n, " ", seen[i, n]) }
S
both "$PROGS/calls 3" stack.stp
is 'the stack has no such address
-1 round_trip 3
0 add 3
1 round_trip 3
2 main 3'
cat >kernel.stp <<'S'
global n, s
probe kernel.trace("sys_enter") {
	if (pid() != target() || n) next
	n = 1
	for (i = 0; i < 3; i++) { name = symname(stack(i)); s = s . name . "|" . "|" }
	println(s == sprintf("%s||%s||%s||", symname(stack(0)), symname(stack(1)), symname(stack(2))), sprintf("%.0f", 2))
	exit()
}
S
expect 0 timeout 60 "$SPILE" -w -c "$PROGS/calls 3" kernel.stp
is 10

# What functions read of the event and of globals is as it was then; what rests change, they see in their order.
cat >functions.stp <<S
global n, g, rests
function who(s) { return sprintf("%s %d %s %d", s, ppid() > 0, execname(), int_arg(1)) }
function deep(k) { if (k <= 0) return n * 1000 + int_arg(1); return deep(k - 1) }
function count() { return ++rests }
probe $calls.function("add") { n++; k = usymname(uaddr()); g[who(k)] = deep(3) + count() * 100000 }
probe $calls.function("look") { n += 10 }
probe end { foreach (k+ in g) println(k, " ", g[k]) }
S
both "$PROGS/calls 3" functions.stp
is 'add 1 calls 0 101000
add 1 calls 1 212001
add 1 calls 2 323002'

# Memory, as many bytes as the rest says; the process is gone by then.
cat >memory.stp <<S
probe $calls.function("look") {
	s = usymname(uaddr()); n = strlen(s)
	printf("%s %.*M %.5m|%.2M %.3M\n", s, n, \$o->name, \$o->name, \$o->next->name, @cast(\$o, "struct outer")->next->name)
	kept = sprintf("%.4M", \$o->name)
	println(kept)
	try { printf("%.8M\n", 16) } catch (e) { println(e) }
}
S
both "$PROGS/calls 1" memory.stp
is 'look 66697273 first|7365 736563
66697273
read fault at 0x0000000000000010'

# Texts of floating point numbers, of 128 bits and of characters in registers.
cat >texts.stp <<S
global texts
probe process("$PROGS/whole").function("take") {
	s = \$all->name\$
	s = \$all->word\$ . s
	texts[\$all->twice\$] = s
	b = \$bad\$
	println(@defined(\$all\$), b, \$all->single\$ == "0.1", strlen(\$\$parms\$) > 100)
}
probe end { foreach (t in texts) println(t, " ", strlen(texts[t]) > 50) }
S
both "sh -c '$PROGS/whole >/dev/null'" texts.stp
prints '^1ERROR11$'
prints '^2.5e-07 1$'
cat >wide.stp <<S
probe process("$PROGS/xmm").function("measure") { s = \$wide\$; println(s == sprintf("%s", \$wide\$)) s .= "!" println(s) }
probe process("$PROGS/xmm").function("call").return { s = \$return\$\$; println(s) }
S
both "sh -c '$PROGS/xmm >/dev/null'" wide.stp
prints '^\{\.big=-5, \.all=340282366920938463463374607431768211455, \.far=3.25, \.near=0.1\}!$'

# foreach and a function that calls itself.
cat >walk.stp <<S
global a
function f(n) { if (n <= 0) return 0; s = 0; foreach (k in a) s += f(n - 1) + k; return s + 1 }
probe $calls.function("add") { a[1] = 1; a[2] = 2; println(f(\$a + 3)) }
S
both "$PROGS/calls 2" walk.stp
is '28
60'
cat >deep.stp <<S
function deep(n) { return n > 0 ? 1 + deep(n - 1) : 0 }
probe $calls.function("add") { println(deep(\$b - 1)) }
S
both "$PROGS/calls 1" deep.stp -DMAXNESTING=1000
is 999

# The kernel's part has no room for the texts of the rest.
cat >room.stp <<S
global g, s, big
function ctx() { return sprintf("%s %d %s", pp(), ppid(), execname()) }
probe $calls.function("add") {
	k = usymname(uaddr())
	for (i = 0; i < 3; i++) k = k . " " . usymname(ustack(i))
	g[k, execname()]++
	foreach ([a, b] in big-) { s = a; break }
	big[k, 1] = pid()
	println(s == "" || s == k, ppid() > 0, cpu() >= 0, " ", ctx() == sprintf("%s %d %s", pp(), ppid(), execname()), " ", k)
}
S
both "$PROGS/calls 2" room.stp
is '111 1 add add round_trip main
111 1 add add round_trip main
g["add add round_trip main","calls"]=2'

# Why not, and why, is told.
cat >signal.stp <<S
global a
probe $calls.function("add") { a[usymname(uaddr())] = 1; raise(0) }
S
expect 1 "$SPILE" --engine=kernel -g -p3 signal.stp
says '^semantic error: the name of an address is kept as a value in a handler that runs in the kernel \[E608\]$'
says '^    note: the rest of the handler cannot run outside of the kernel: it sends a signal$'
# C runs in the rest, too, but for helpers that only the kernel has.
cat >c.stp <<S
%{ static int twice(int x) { return 2 * x; } %}
function tw:long(x:long) %{ STAP_RETVALUE = twice(STAP_ARG_x); %}
function nm:string(x:long) %{ snprintf(STAP_RETVALUE, MAXSTRINGLEN, "<%d>", (int)STAP_ARG_x); %}
function who:long() %{ STAP_RETVALUE = bpf_get_current_pid_tgid() >> 32; %}
global g = 0
function setg(x:long) %{ /* pragma:write:g */ STAP_GLOBAL_SET_g(STAP_ARG_x); %}
probe $calls.function("add") {
	s = usymname(uaddr()); printf("%s %d %s %d\n", s, tw(\$a), nm(\$a), who() == pid()); setg(\$b + \$a + strlen(s)); println(g)
}
S
if command -v clang >/dev/null; then
	both "$PROGS/calls 2" c.stp -g
	is 'add 0 <0> 1
1003
add 2 <1> 1
1004'
	expect 1 "$SPILE" --engine=kernel -g -p3 -e "function f:long() %{ STAP_RETVALUE = bpf_send_signal(0); %}
		probe $calls.function(\"add\") { s = usymname(uaddr()); println(s, f()) }"
	says '^semantic error: bpf_send_signal\(\) is a helper of the kernel, and this handler runs outside of it \[E656\]$'
	says '^    note: the rest of the handler does, from here on: the name of an address is kept as a value$'
fi

# Long strings, for which the kernel has no room; short ones of the event are there.
cat >long.stp <<S
global kept
probe $calls.function("look") {
	s = execname() . "0123456789abcdef"
	for (i = 0; i < 12; i++) s = s . s
	kept = s . "tail"
	t = sprintf("<%s>", kept)
	u = substr(kept, 30000, 60000) . s
	println(strlen(s), " ", strlen(t), " ", strlen(u), " ", substr(t, 65530, 10), " ", kept == t, " ", \$o->in->small)
}
S
both "$PROGS/calls 2" long.stp -DMAXSTRINGLEN=65536
prints '^65535 65535 65535 [^ ]* 0 [0-9]+$'
expect 0 "$SPILE" -w -v --engine=kernel -DMAXSTRINGLEN=65536 -p4 -o long.spo long.stp
says '^  .*: the rest of the handler runs outside of the kernel: its strings take more memory than the kernel has for a handler at .*long\.stp:3:'

# It is told.
expect 0 "$SPILE" -w -v -p4 -o walk.spo walk.stp
says '^  .*: the rest of the handler runs outside of the kernel: a function calls itself within foreach at .*walk\.stp:2:[0-9]+$'
expect 0 "$SPILE" -w -v -DMAXNESTING=61 -p4 -o deep.spo deep.stp
says '^  .*: the rest of the handler runs outside of the kernel: a function calls itself deeper than the kernel has room for at .*deep\.stp:2:[0-9]+$'
