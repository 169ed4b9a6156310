# SPDX-License-Identifier: GPL-2.0-or-later
# An aggregate without keys is always there: code makes no record of it, and no handler looks whether the script has ended for it.
. "$SUITE/lib.sh"
handler='probe kernel.trace("raw_syscalls:sys_enter")'
# kernel SCRIPT: the code of its handlers in the kernel.
kernel() { expect 0 "$SPILE" -p4 -o x.spo --dump=gen -e "$1"; sed -n "/ModuleID = 'kernel'/,\$p" out >code; }
has() { grep -qF "$1" code; }
asks_for_end='load volatile i64, ptr @spile_data,'
makes='call i64 inttoptr (i64 2 to ptr)'

kernel "global s $handler { s <<< \$id } probe end { println(@count(s), @avg(s)) }"
has "$makes" && fail "an element is made that is there"
has "$asks_for_end" && fail "a handler that cannot fail looks for the end"
kernel "global s $handler { s[pid()] <<< \$id } probe end { foreach (p in s) println(@avg(s[p])) }"
has "$makes" || fail "no element is made"
has "$asks_for_end" || fail "a handler that may find the array full does not look for the end"

# What fails before the handlers of the kernel are detached ends them, too.
kernel "global s $handler { s <<< \$id } probe timer.s(1) { println(@avg(s)) }"
has "$asks_for_end" || fail "a timer's failure does not end the handler"
kernel "global s $handler { s <<< \$id } probe end { exit() }"
has "$asks_for_end" || fail "exit() does not end the handler"
exit 0
