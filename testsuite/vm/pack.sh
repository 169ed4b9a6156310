# SPDX-License-Identifier: GPL-2.0-or-later
# One file for two kernels: the one that runs takes what was compiled for it, with its lines and locals. What is bound to no kernel
# runs on one that is none of the targets.
. "$SUITE/lib.sh"
cat >script.stp <<'S'
probe kernel.statement("vfs_read@fs/read_write.c:+6") { if (pid() == target() && $count == 4321) { println($count, " ", ppfunc()) exit() } }
probe kernel.function("vfs_read") { if (pid() == target() && $count == 4321) println("entry ", $file->f_flags & 3) }
S
told() { grep -qF -- "$1" err || fail "not said: $1"; }
others=$(ls /usr/lib/debug/boot | sed -n 's/^vmlinux-//p' | grep -v "^$(uname -r)$")
[ -n "$others" ] || skip "no debug information of another kernel"
other=$(echo "$others" | tail -n 1)
expect 0 "$SPILE" --pack -o tool.spo --for "$other" --for "$(uname -r)" script.stp
expect 0 "$SPILE_RUN" -v -c "dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none" tool.spo
prints '^entry 0$'
prints '^4321 vfs_read$'
told "  the pack's script for $(uname -r) is used"

expect 0 "$SPILE" --pack -o tool.spo --for "$other" script.stp
expect 4 "$SPILE_RUN" -c "dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none" tool.spo
told "  $other: made for kernel $other, this is $(uname -r): "
tail -n 1 script.stp >any.stp
expect 0 "$SPILE" --pack -o tool.spo --for "$other" any.stp
expect 0 "$SPILE_RUN" -v -c "dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none" tool.spo
prints '^entry 0$'
told "  the pack's script for $other is used"
expect 0 "$SPILE" pack show tool.spo
prints '^  kernel    [^ ]*, build-id [0-9a-f]{40}; others do, too: fields and functions are looked up there$'
prints '^  field     struct file\.f_flags: at [0-9]+, 4 bytes$'
prints '^  field     vfs_read\(file,buf,count,pos\) must have these parameters$'

# Before: what is otherwise there than for the first target.
expect 0 "$SPILE" check --for "$other" --for "$(uname -r)" any.stp
prints '^[^ ]*: ok$'
prints '^  otherwise than for [^ ]*:$'
prints '^  - field     struct file\.f_flags: at [0-9]+, 4 bytes$'
prints '^  \+ field     struct file\.f_flags: at [0-9]+, 4 bytes$'
! grep -q 'must have these' out || fail "what is the same is said"
expect 0 "$SPILE" check --json --for "$other" --for "$(uname -r)" any.stp
prints '^\{"target":"[^"]*","status":0,"kernel":"[^"]*others do, too[^"]*","compared_with":null,"gone":\[\],"new":\[\],"variables":\[\]\}$'
prints '"gone":\[.*"field     struct file\.f_flags: at [0-9]+, 4 bytes"\],"new":\[.*\],"variables":\[.*\]\}$'
