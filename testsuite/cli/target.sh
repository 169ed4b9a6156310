# SPDX-License-Identifier: GPL-2.0-or-later
# --target: for the machine that a file describes.
. "$SUITE/lib.sh"
cat >old.target <<'T'
spile-target 1
arch x86_64
release 4.19.0-old
cpus 2
hz 250
features bpf kprobe uprobe raw-tracepoint tracepoint perf-event kernel-read
T
loop="global n, m probe process(\"$PROGS/calls\").function(\"add\") { while (n < \$a) n++; m[0] = n } probe end { println(n, m[0]) }"
expect 1 "$SPILE" -p4 -o old.spo --engine=kernel --target=old.target -e "$loop"
says '^semantic error: .*loop.* \[E630\]$'
says "^    note: the target's kernel is 4\.19\.0-old$"
[ ! -e old.spo ] || fail "a script was written"
# What is compiled for a kernel that will not load it says so, at its first handler in the kernel; what can fail has to report it.
expect 0 "$SPILE" -p4 -o small.spo --engine=kernel --target=old.target \
	-e "global n probe process(\"$PROGS/calls\").function(\"add\") { n++ } probe end { println(n) }"
says "^WARNING: the target's kernel will not load this: it does not have global-data.* \[W631\]$"
expect 1 "$SPILE" -p4 -o small.spo --engine=kernel --target=old.target \
	-e "global n probe process(\"$PROGS/calls\").function(\"add\") { n = 10 / \$a } probe end { println(n) }"
says 'does not have \(ringbuf'
# Before 5.12 there are no locks: what would need one is told, each global once.
sed 's/^features .*/& bounded-loops ringbuf global-data map-walk/; s/^release .*/release 5.10.0-old/' old.target >locks.target
expect 0 "$SPILE" -p4 -o locks.spo --engine=kernel --target=locks.target \
	-e "global a, n, s probe process(\"$PROGS/calls\").function(\"add\") { a[1] = a[1] + 1; n++; s <<< \$a } probe end { println(n, @count(s), a[1]) }"
says "^WARNING: 'a' has no lock on this kernel, and another handler may change it in the middle of this one \[W632\]$"
says "^    note: it needs one: a handler reads and sets it; the target's kernel is 5\.10\.0-old, and locks need Linux 5\.12$"
[ "$(grep -c W632 err)" = 1 ] || fail "not one warning of a lock"
# What that machine lacks and this one may have is what counts.
"$SPILE_RUN" --describe | sed 's/^release .*/release 6.99.0-other/; /^build-id/d; s/^features .*/& bounded-loops ringbuf atomics/' >new.target
expect 0 "$SPILE" -p4 -o new.spo --target new.target -e "$loop"
[ -s new.spo ] || fail "nothing was written"
expect 1 "$SPILE" -p4 --target new.target -e 'probe kernel.function("vfs_read") { println($count) }'
says '^semantic error: no debug information for kernel 6\.99\.0-other \(looked at .*\); install linux-image-6\.99\.0-other-dbg, or .* \[E507\]$'
# Files that are no descriptions.
expect 1 "$SPILE" -p4 --target nosuch.target -e 'probe begin { exit() }'
says '^ERROR: cannot read nosuch.target: No such file or directory$'
expect 1 "$SPILE" -p4 --target new.spo -e 'probe begin { exit() }'
says '^ERROR: new.spo: '
sed 's/^cpus .*/cpus many/' old.target >bad.target
expect 1 "$SPILE" -p4 --target bad.target -e 'probe begin { exit() }'
says '^ERROR: bad.target: target description, line 4: '
head -c 20000 /dev/zero | tr '\0' x >long.target
expect 1 "$SPILE" -p4 --target long.target -e 'probe begin { exit() }'
says '^ERROR: long.target: not a target description: it is too long$'
