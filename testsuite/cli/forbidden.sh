# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel functions that cannot be probed: left out of wildcards, refused by name with the reason.
. "$SUITE/debug/lib"
program vmlinux kernel

refused() # FUNCTION REASON
{
	expect 1 "$SPILE" -r ./vmlinux -p2 -e "probe kernel.function(\"$1\") { exit() }"
	says "^semantic error: $1 cannot be probed: $2.* \[E408\]"
	says '^    at <input>:1:23$'
	[ "$(grep -c error err)" = 1 ] || fail "several errors"
}
refused work_init 'it is thrown away when the kernel has started'
refused work_exit 'it is never run in a built-in part'
refused work_nokprobe 'it is on the kernel.s list .*NOKPROBE_SYMBOL'
refused work_noinstr 'it must not be instrumented'
refused work_entry 'it is a part of the kernel.s entry code'
refused inlined 'it is on the kernel.s list'
says 'note: it is inlined into caller_nokprobe; its code is at 0x[0-9a-f]+-0x[0-9a-f]+$'

expect 0 "$SPILE" -r ./vmlinux -L 'kernel.function("work*")'
is 'kernel.function("work") $x:int'
expect 0 "$SPILE" -r ./vmlinux -p2 -e 'probe kernel.function("work_init")?, kernel.function("work") { exit() }'
quiet
expect 1 "$SPILE" -r ./vmlinux -p2 -e 'probe kernel.function("work_*") { exit() }'
says '^semantic error: [0-9]+ functions that match cannot be probed \[E408\]$'
says '^    note: it must not be instrumented \(.noinstr.text\): work_noinstr \(0x[0-9a-f]+-0x[0-9a-f]+\)$'

# The others are set; a listing lists them, and says nothing.
expect 0 "$SPILE" -r ./vmlinux -p2 -e 'probe kernel.function("work*") { exit() }'
grep -q 'site kernel.function("work' out || fail "no site"
says '^WARNING: [0-9]+ functions that match cannot be probed \[W404\]$'
says "^    note: it is on the kernel's list .*: work_nokprobe \(0x"
! grep -qE 'work_init|work_replaced' err || fail "functions that never run are told"
# Those that never run any more are told with -v.
expect 0 "$SPILE" -v -r ./vmlinux -p2 -e 'probe kernel.function("work*") { exit() }'
says '^  work_init is left out: it is thrown away when the kernel has started \(.init.text\)$'
says '^  work_replaced is left out: it is a weak definition that another one has replaced: nothing calls it$'
expect 0 "$SPILE" -w -r ./vmlinux -p2 -e 'probe kernel.function("work*") { exit() }'
quiet
expect 0 "$SPILE" -r ./vmlinux -l 'kernel.function("work*")'
quiet

# A symbol without debug information can be probed, but has no variables.
expect 0 "$SPILE" -r ./vmlinux -L 'kernel.function("only_symbol")'
is 'kernel.function("only_symbol")'
expect 1 "$SPILE" -r ./vmlinux -p2 -e 'probe kernel.function("only_symbol") { println($x) }'
says '\$x cannot be found: only_symbol has no debug information'
