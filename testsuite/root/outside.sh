# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers outside of the kernel read its memory as those in the kernel do.
. "$SUITE/lib.sh"
if ! "$SPILE" -e 'probe begin { println(task_current() != 0) exit() }' 2>err >/dev/null || grep -q WARNING err; then
	skip "$(sed -n 's/^WARNING: //p' err | head -n 1)"
fi

# The first process, found by the current one's ancestors, looks the same from each side.
cat >same.stp <<'S2'
global first
function show(where, p) {
	print(where, " ", task_execname(p), " ", task_pid(p), " ", @task(p)->mm != 0, " ", task_uid(p))
	println(" ", kernel_string(&@task(p)->comm), " ", @task(p)->comm$, " ", @task(p)->cred->uid$, " ", task_nice(p))
	try { println(@task(p - p + 8)->tgid) } catch (text) { println(substr(text, 0, 32)) }
	println(kernel_string(8, "none"), " ", kernel_string_n(&@task(p)->comm, 2), " ", @kderef(4, &@task(p)->tgid))
}
function ancestor(p) {
	while (task_pid(p) > 1)
		p = task_parent(p)
	return p
}
probe begin { show("begin:", ancestor(task_current())) println(task_pid(task_current()) == pid() && pid() == stap_pid()) }
probe kernel.trace("sys_enter") {
	if (pid() != target() || first)
		next
	first = ancestor(task_current())
	show("kernel:", first)
}
probe end { show("end:", first) }
S2
expect 0 "$SPILE" -c true same.stp
quiet
grep -v : out | grep -v '^1$' | sort | uniq -c | awk '{ print $1 }' | grep -vx 3 && fail "not the same on all sides"
sed -n 's/^begin: //p; s/^kernel: //p; s/^end: //p' out | sort -u >first
[ "$(wc -l <first)" = 1 ] || fail "the first process is not the same on all sides"
grep -qE "^[^ ]+ 1 1 0 " first || fail "it is not the first process: $(cat first)"
[ "$(grep -cx 1 out)" = 1 ] || fail "the current task of begin is another"

# All tasks of the kernel's list, which no handler in the kernel could walk to its end.
cat >list.stp <<'S2'
probe timer.ms(1) {
	links = &@task(task_current())->tasks
	for (at = links; n == 0 || at != links; at = @cast(at, "list_head")->next) {
		n++
		println(task_pid(@cast(at - &@task(0)->tasks, "task_struct")))
	}
	exit()
}
S2
sleep 60 &
expect 0 "$SPILE" -DMAXACTION=100000 list.stp
quiet
for pid in 1 $$ $!; do
	grep -qx $pid out || fail "process $pid is not in the list"
done

# User memory is the target's: here a text that a probe in it has seen the address of.
cat >user.stp <<'S2'
global at
probe begin { println(user_string(4096, "not there")) }
probe kernel.syscall("execve").return { if (pid() == target()) at = @task(task_current())->mm->arg_start }
probe timer.ms(10) { if (at) { println(user_string(at), " ", user_int8(at), " ", cmdline_str() == "") exit() } }
S2
expect 0 timeout 60 "$SPILE" -c "sleep 50" user.stp
quiet
is 'not there
sleep 115 1'
kill $!

# Without a target it is spile's own.
expect 0 env KNOWN=text "$SPILE" -e 'probe begin { println(cmdline_arg(1), " ", env_var("KNOWN")) exit() }'
is '-e text'
