# SPDX-License-Identifier: GPL-2.0-or-later
# An ordinary user: process() probes run through ptrace with one warning; kernel probes say what is missing, status 3.
. "$SUITE/lib.sh"
if [ "$(id -u)" = 0 ]; then
	# Somewhere an ordinary user can read, wherever the tree is.
	command -v setpriv >/dev/null || skip "no setpriv to become an ordinary user"
	public=$(mktemp -d /tmp/spile-public.XXXXXX) || exit 1
	trap 'rm -rf "$public"' EXIT
	cp -rL "$SPILE" "$PROGS/calls" "$TOP/tapsets" "$public"
	cp "$BUILD/spile-gen.so" "$BUILD/libspile.so.0" "$public"
	chmod -R a+rX "$public"
	SPILE=$public/spile PROGS=$public
	as_user()
	{
		(cd "$public" && HOME=/nonexistent XDG_CACHE_HOME=/nonexistent TMPDIR=/tmp \
			setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
	}
else
	as_user() { "$@"; }
fi
p="process(\"$PROGS/calls\").function(\"add\")"
expect 0 as_user "$SPILE" -c "$PROGS/calls 2" -e "probe $p { println(\$a) }"
is '0
1'
[ "$(grep -c WARNING err)" = 1 ] || fail "not one warning"
says '^WARNING: process probes run through ptrace, which is slower and sees the target and its children only: '
expect 3 as_user "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { exit() }'
missing='the kernel does not let us load BPF programs: it takes root, or CAP_BPF and CAP_PERFMON \(sudo, setcap\)$'
says "^ERROR: cannot attach probe kernel\.trace\(\"sched_switch\"\) \(raw tracepoint\): $missing"
expect 3 as_user "$SPILE" --engine=kernel -c "$PROGS/calls 2" -e "probe $p { println(\$a) }"
says "^ERROR: cannot attach probe process\(.*\.function\(\"add@.* \(uprobe\): $missing"
expect 0 as_user "$SPILE" -e 'probe begin { println(uid() != 0) exit() }'
is 1
quiet

# A handler outside of the kernel that reads the kernel's memory.
expect 1 as_user "$SPILE" -e 'probe begin { try { println(kernel_string(-4096, "nothing")) } catch { } println(task_current()) }'
is nothing
[ "$(wc -l <err)" = 3 ] || fail "other messages"
says "^WARNING: the kernel's memory cannot be read: it takes root, or CAP_BPF and CAP_PERFMON \(sudo, setcap\)\$"
says "^ERROR: the current task_struct is known in the kernel only: that takes root, or CAP_BPF and CAP_PERFMON near identifier '__task_current' at [^ ]*/task.stp:13:47 \(probe begin, calls task_current at <input>:1:82\)\$"
