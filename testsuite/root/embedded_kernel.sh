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
