# SPDX-License-Identifier: GPL-2.0-or-later
# Embedded C of scripts that take for granted what SystemTap's modules include: the kernel's types, its small functions.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >kernel.stp <<'S'
function ids:string () %{
	struct task_struct *t = current;
	snprintf(STAP_RETVALUE, MAXSTRINGLEN, "%d %d %d", task_pid_nr(t), task_tgid_nr(t), task_ppid_nr(t));
%}
function name:string (task:long) %{
	char comm[16];
	get_task_comm(comm, (struct task_struct *)(long)STAP_ARG_task);
	strlcpy(STAP_RETVALUE, comm, MAXSTRINGLEN);
%}
function is_error:long (p:long) %{ STAP_RETVALUE = IS_ERR((void *)(long)STAP_ARG_p) ? PTR_ERR((void *)(long)STAP_ARG_p) : 0; %}
function show (n:long) %{
	rcu_read_lock();
	_stp_dbug(__FUNCTION__, __LINE__, "never");
	_stp_printf("%d %d\n", ntohs(0x1234) == 0x3412, abs(-(int)STAP_ARG_n));
	rcu_read_unlock();
%}
probe kernel.trace("sys_enter") {
	if (pid() != target()) next
	println(ids() == sprintf("%d %d %d", tid(), pid(), ppid()), name(task_current()) == execname())
	println(is_error(-14), " ", is_error(0xffff888000000000), " ", is_error(0))
	show(3)
	exit()
}
S
expect 0 "$SPILE" -g -c true kernel.stp
is '11
-14 0 0
1 3'
quiet
# A read that fails is an error, without a STAP_ERROR, too. Macros of the script may print and fail.
cat >hidden.stp <<'S'
%{
#define SHOW(...) STAP_PRINTF(__VA_ARGS__)
#define REFUSE(n) STAP_ERROR("refused %d", n)
#define FOLLOW(p) kread((long *)(p))
%}
function show (n:long) %{ SHOW("shown %d\n", (int)STAP_ARG_n); %}
function refuse (n:long) %{ if (STAP_ARG_n) REFUSE((int)STAP_ARG_n); %}
function follow:long (p:long) %{ STAP_RETVALUE = FOLLOW(STAP_ARG_p); %}
probe kernel.trace("sys_enter") {
	if (pid() != target()) next
	show(3)
	try { refuse(4) } catch (m) { println(m) }
	try { println(follow(16)) } catch (m) { println(m) }
	exit()
}
S
expect 0 "$SPILE" -g -c true hidden.stp
is "shown 3
refused 4
read fault [address=0x10]"
expect 0 "$SPILE" -g -c true -e 'function follow:long (p:long) %{ STAP_RETVALUE = kread((long *)STAP_ARG_p); %}
probe kernel.trace("sys_enter") { if (pid() != target()) next; try { println(follow(16)) } catch (m) { println(m) } exit() }'
is "read fault [address=0x10]"
# What is wrong with the types and without is told as it is without.
expect 1 "$SPILE" -g -e 'function f:long () %{ STAP_RETVALUE = nothing(); %} probe begin { println(f()) }'
says "^semantic error: call to undeclared function 'nothing'"
[ "$(grep -c '^semantic error' err)" = 1 ] || fail "it is told twice"
# Handlers outside of the kernel have it, too: `current` is spile's own task, and in the rest of a handler the one that hit the probe. A loop
# that the verifier does not see the end of may follow it.
cat >current.stp <<'S'
global seen
function ids:string () %{
	struct task_struct *t = current;
	snprintf(STAP_RETVALUE, MAXSTRINGLEN, "%d %d %d", t->pid, t->real_parent->tgid, kread(&t->tgid));
%}
function depth:long () %{
	struct task_struct *t = current;
	int n = 0;
	while (t->pid) { t = t->real_parent; n++; }
	STAP_RETVALUE = n;
%}
function nothing:long () %{ STAP_RETVALUE = ((struct task_struct *)0 == current) + (long)current->signal->tty; %}
probe begin {
	println(ids() == sprintf("%d %d %d", tid(), ppid(), pid()), depth() > 1, nothing() >= 0)
}
probe kernel.trace("sys_enter") {
	if (pid() != target()) next
	seen[fp_to_string(long_to_fp(1), 1)]++
	println(ids() == sprintf("%d %d %d", tid(), ppid(), pid()), depth() > 1)
	exit()
}
probe end { println(%{ current->tgid %} == pid(), seen["1.0"] > 0) }
S
expect 0 "$SPILE" -g -c true current.stp
is '111
11
11'
quiet
# Where members are is known for the kernel whose types they are: an object that is kept may meet another one.
expect 1 "$SPILE" -g -p4 -o kept.spo -e 'function f:long () %{ STAP_RETVALUE = current->pid; %} probe begin { println(f()) }'
says '^semantic error: embedded C in a handler outside of the kernel reads members of the kernel.s structures, which another kernel has elsewhere \[E656\]$'
expect 1 "$SPILE" -g -p4 -o kept.spo -e '%{
#include <linux/sched.h>
%}
function f:long (p:long) %{ STAP_RETVALUE = ((struct task_struct *)STAP_ARG_p)->pid; %} probe begin { println(f(0)) }'
says '^semantic error: embedded C in a handler outside of the kernel reads members of the kernel.s structures, which another kernel has elsewhere \[E656\]$'
says '^    at <input>:4:81$'
expect 1 "$SPILE" -g --engine=user -c true -e 'probe process("/bin/true").begin { println(%{ current->pid %}) }'
says '^semantic error: bpf_get_current_task_btf\(\) is a helper of the kernel, and this handler runs outside of it \[E656\]$'
# A mistake of a script that needs the types is told as it is with them.
expect 1 "$SPILE" -g -e 'function f:long () %{ STAP_RETVALUE = current->pid + current->nosuch; %} probe begin { println(f()) }'
says "^semantic error: no member named 'nosuch' in 'struct task_struct' \[E654\]$"
[ "$(grep -c '^semantic error' err)" = 1 ] || fail "more is told than is wrong"
# An index behind an aligned variable; one that may be too large is a fault of the C.
index='function f:long (n:long) %{ char b[8] = { 3 }; b[STAP_ARG_n & MASK] |= 1; STAP_RETVALUE = b[STAP_ARG_n & 7] & 1; %}
probe kernel.trace("sys_enter") { if (pid() != target()) next; println(f(gettimeofday_ns())) exit() }'
expect 0 "$SPILE" -g -c true -e "${index/MASK/7}"
is 1
expect 1 "$SPILE" -g -c true -e "${index/MASK/15}"
says '^ERROR: the kernel refused the handler of kernel\.trace\("raw_syscalls:sys_enter"\) at <input>:1:[0-9]+: an access by an index can be outside of the stack.s object \(verifier, instruction [0-9]+: invalid variable-offset .*\); the embedded C that the handler calls does this, or the fault is ours; -vv shows the whole log$'
# ... or behind a member of one, in the middle of several, or by a pointer that may be one of two.
expect 0 "$SPILE" -g -c true -e 'function f:long (n:long) %{
	struct s { int a; short b[3]; char c[2][4]; } t[2] = { { STAP_ARG_n, { 1, STAP_ARG_n + 2 }, { { 3, 4 } } } }, *p = STAP_ARG_n & 4 ? &t[1] : &t[0];
	STAP_RETVALUE = t[0].b[STAP_ARG_n & 1] + t[0].c[STAP_ARG_n & 1][1] * 10 + p->b[~STAP_ARG_n & 1] * 100 + t[STAP_ARG_n & 1].c[0][0] * 1000; %}
probe kernel.trace("sys_enter") { if (pid() != target()) next; println(f(pid() - target())) exit() }'
is 3241
# What `?` leaves out is what this kernel does not have: code that the verifier refuses is told.
index=${index/sys_enter\")/sys_enter\") ?}
expect 0 "$SPILE" -g -c true -e "${index/MASK/15} probe end { println(2) }"
is 2
says '^WARNING: optional probe left out: the kernel refused the handler of kernel\.trace\("raw_syscalls:sys_enter"\) .*; -vv shows the whole log$'
# A walk over all processes, whose end the verifier does not see: what it prints is of the kernel's memory.
cat >walk.stp <<'S'
%{
#include <linux/sched.h>
static void show(struct task_struct *t)
{
	_stp_printf("%s,%-4.2s|%sx\n", t->comm, t->comm, t->comm);
}
%}
function walk:long (wanted:long) %{
	struct task_struct *p, *t;
	int n = 0;

	for_each_process(p) {
		if (p->pid == STAP_ARG_wanted)
			show(p);
		for_each_thread(p, t)
			n++;
	}
	STAP_RETVALUE = n;
%}
probe kernel.trace("sys_enter") { if (pid() != target()) next; println(walk(1) > 3) exit() }
S
expect 0 "$SPILE" -g -c true walk.stp
read -r name </proc/1/comm
[ "$(head -n 1 out)" = "$(printf '%s,%-4s|%sx' "$name" "${name:0:2}" "$name")" ] || fail "the first process is told as: $(head -n 1 out)"
[ "$(tail -n 1 out)" = 1 ] || fail "the walk is too short"
