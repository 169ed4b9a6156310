# SPDX-License-Identifier: GPL-2.0-or-later
# printk() and ftrace(): texts in the kernel's log and its trace buffer, from spile and from the kernel; who may not write is told once.
. "$SUITE/lib.sh"
[ -w /dev/kmsg ] && [ -w /sys/kernel/tracing/trace_marker ] && dd if=/dev/kmsg iflag=nonblock bs=8192 of=log 2>/dev/null; [ -s log ] || skip "the kernel's log cannot be read and written"
on=/sys/kernel/tracing/tracing_on was=$(cat /sys/kernel/tracing/tracing_on)
trap 'echo "$was" >$on' EXIT
echo 1 >$on
word=spile-$$-$RANDOM
expect 0 "$SPILE" -e "probe oneshot { printk(3, \"$word \" . \"a\") ftrace(\"$word b\") }"
[ ! -s err ] || fail "$(cat err)"
# Of level 3, and of a program (8).
in_log() { dd if=/dev/kmsg iflag=nonblock bs=8192 2>/dev/null | grep "$1"; }
in_log "$word" >log
grep -qE "^11,[0-9]+,[0-9]+,-[^;]*;$word a$" log || fail "the log has: $(cat log)"
grep "$word" /sys/kernel/tracing/trace >trace
grep -qE "tracing_mark_write: $word b$" trace || fail "the trace buffer has: $(cat trace)"
# From a handler in the kernel, whose text may have any level.
expect 0 "$SPILE" -c true -e "probe process.begin { __kernel_log(\"<6>$word \" . execname()) ftrace(\"$word of \" . execname()) exit() }"
in_log "$word true" >log
grep -q "^14,.*;$word true$" log || fail "the log has: $(cat log)"
grep -q "$word of true" /sys/kernel/tracing/trace || fail "the trace buffer has not the handler's text"
# A message that is too long for the log is cut.
expect 0 "$SPILE" -D MAXSTRINGLEN=4000 -e "probe oneshot { s = \"$word-\" for (i = 0; i < 200; i++) s .= \"0123456789\" printk(5, s) }"
in_log "$word-0123456789" >log
[ "$(wc -l <log)" = 1 ] || fail "the log has not the long message"
# Another user has neither file.
expect 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$SPILE" -e 'probe oneshot { printk(6, "x") ftrace("y") printk(6, "z") }'
[ "$(cat err)" = "WARNING: cannot write to /dev/kmsg: Permission denied" ] || fail "said: $(cat err)"
# Nor has anyone a trace buffer that is switched off.
echo 0 >$on
expect 0 "$SPILE" -e 'probe oneshot { ftrace("x") ftrace("y") }'
[ "$(cat err)" = "WARNING: cannot write to /sys/kernel/tracing/trace_marker: tracing is switched off (tracing_on)" ] || fail "said: $(cat err)"
