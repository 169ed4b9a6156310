# SPDX-License-Identifier: GPL-2.0-or-later
# Many functions in one link (kprobe.multi) where the kernel has it, else one link each: the same counts.
. "$SUITE/lib.sh"
"$SPILE_RUN" --describe >target || fail "no description"
grep -q '^features .*\<kprobe-multi\>' target && multi=1 || multi=

# count POINTS: how often dd ran each function; dd writes 100 times, and reads once more to load itself or for its end.
count()
{
	expect 0 "$SPILE" -vv -c "dd if=/dev/zero of=/dev/null bs=1 count=100 status=none" -e "global n
probe $1 { if (pid() == target()) n[ppfunc()]++ }
probe end { foreach (f in n) println(f, \" \", n[f]) }"
	prints '^vfs_write 100$'
	prints '^vfs_read 1[0-9][0-9]$'
	! grep -qvE '^vfs_' out || fail "a function that was not asked for"
}
# by HOOK AT_LEAST REGEX: so many points that match are attached by that hook.
by()
{
	local n
	n=$(grep -cE "^probe kernel\.function\(\"$3.*\)[a-z.]*: ${1//./\\.}(:|,|\$)" err)
	[ "$n" -ge "$2" ] || fail "$n of \"$3\" by $1, not $2"
}

# Where a function was inlined is not at a symbol: a link each, with the same handler. Nor can what tracing itself uses be
# traced: that is said, and does not keep the others from it.
count 'kernel.function("vfs_[rw]*"), kernel.function("tty_init_de*"), kernel.function("trace_seq_put*").call'
by "kprobe${multi:+.multi}" 5 vfs_
by kprobe 1 tty_init_dev
says '^WARNING: cannot attach probe kernel\.function\("trace_seq_puts@.*\(kprobe\)'
count 'kernel.function("vfs_[rw]*").return'
by "kretprobe${multi:+.multi}" 5 vfs_
# Both hooks.
count 'kernel.function("vfs_r*").call, kernel.function("vfs_w*").return'
by "kprobe${multi:+.multi}" 2 vfs_r
by "kretprobe${multi:+.multi}" 2 vfs_w
# Functions of the kernel and of a program with one handler: -c confines the program's alone.
expect 0 "$SPILE" -c "$PROGS/calls 3" -e "global n
probe kernel.function(\"ksys_*\").call, process(\"$PROGS/calls\").function(\"add\") { n[ppfunc() == \"add\", pid() == target()]++ }
probe end { printf(\"%d %d %d\\n\", n[1, 1], n[1, 0], n[0, 0] + n[0, 1] > 0) }"
quiet
is '3 0 1'
