# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers of many programs share a link (kprobe.multi) where the kernel has such: each runs for its own functions, knows which, and
# at one place they run in the order of the script, one that is attached alone among them, too.
. "$SUITE/lib.sh"
"$SPILE_RUN" --describe >target || fail "no description"
grep -q '^features .*\<kprobe-multi\>' target && multi=1 || multi=
expect 0 timeout 300 "$SPILE" -v -c "dd if=/dev/zero of=/dev/null bs=1 count=3 status=none" -e '
	global on = 1
	probe kernel.function("vfs_[rw]*").call { if (pid() == target()) printf("%s a %s\n", ppfunc(), $$parms) }
	probe kernel.function("vfs_writ[e]").call if (on) { if (pid() == target()) printf("%s b\n", ppfunc()) }
	probe kernel.function("vfs_[rw]*").call { if (pid() == target()) printf("%s c %s\n", ppfunc(), substr($$parms, 0, 4)) }
	probe kernel.function("vfs_[rw]*").return { if (pid() == target()) printf("%s r %s\n", ppfunc(), $$return) }'
grep -E '^vfs_write ' out | sed -E 's/=0x[0-9a-f]+/=N/g; s/=\{.*//' >writes
for i in 1 2 3; do
	printf 'vfs_write a file=N buf=N count=N pos=N\nvfs_write b\nvfs_write c file\nvfs_write r return=N\n'
done >expected
cmp writes expected || fail "$(cat writes)"
[ "$(grep -c '^vfs_read a file=' out)" -ge 3 ] || fail "no reads"
awk '$2 == "a" { a[$1]++ } $2 == "c" { c[$1]++ } END { for (f in a) if (a[f] != c[f]) exit 1 }' out || fail "a handler did not run"
# By what: that of a function alone is a plain kprobe, but for those of the place that has one with a condition.
grep -E '^probe kernel\.function\("vfs_.*\)\.call: kprobe: ' err | grep -v '"vfs_write@' >alone
[ -z "$multi" ] || [ ! -s alone ] || fail "links for functions alone: $(cat alone)"
[ -n "$multi" ] || exit 0
# Handlers that print call functions of the ring buffer, whose handlers cannot run inside of them: that is told of the link.
expect 0 timeout 300 "$SPILE" -c "dd if=/dev/zero of=/dev/null bs=1 count=3 status=none" -e '
	probe kernel.function("*ringbuf*@kernel/bpf/ringbuf.c").call, kernel.function("vfs_[rw]*").call { if (pid() == target()) println($$parms) }'
says '^WARNING: [1-9][0-9]* events of probes that share a link were lost \(the handler was running already\)$'
