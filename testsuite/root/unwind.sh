# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of programs without frame pointers, walked in the kernel by .eh_frame. gdb says what they are.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"
command -v setarch >/dev/null || skip "needs setarch"
"$SPILE" -v -e 'probe process("'"$PROGS"'/omit").function("stop_here") { print_ubacktrace_brief(); println("--") }' \
	-c "$PROGS/omit" >out 2>err || fail "spile"
grep -qE '^unwind tables of [0-9]+ files with [0-9]+ rows: [0-9]+ KB in the kernel$' err || fail "no word of tables"
# The names of three stacks: of deep calls, under qsort(), under a signal handler.
names() { sed -E 's/\+0x.*//; s/@@.*//' out | awk -v RS='--\n' -v n="$1" 'NR == n' | paste -sd' ' | sed 's, *$,,'; }
[ "$(names 2)" = "stop_here large huge aligned recurse recurse recurse recurse main __libc_start_call_main __libc_start_main _start" ] ||
	fail "deep calls: $(names 2)"
names 4 | grep -qE '^stop_here compare (.* )?main __libc_start_call_main __libc_start_main _start$' || fail "qsort: $(names 4)"
grep -A 5 '^handler' out | grep -q '^interrupted' || fail "no handler of a signal is called from interrupted()"

# Functions that return later, and whose returns are probed, too.
point='process("'"$PROGS"'/omit")'
expect 0 timeout 60 "$SPILE" -e "global n
probe $point.function(\"recurse\").return, $point.function(\"aligned\").return, $point.function(\"main\").return {
	if (n++ < 2) { print_ubacktrace_brief(); println(\"--\") }
}" -c "$PROGS/omit"
[ "$(names 1)" = "recurse recurse recurse recurse main __libc_start_call_main __libc_start_main _start" ] || fail "return: $(names 1)"
[ "$(names 2)" = "recurse recurse recurse main __libc_start_call_main __libc_start_main _start" ] || fail "return: $(names 2)"

# In the kernel: from a system call, and from a timer's interrupt.
expect 0 timeout 60 "$SPILE" -e 'probe kernel.syscall("tgkill") { if (pid() == target()) print_ubacktrace_brief() }' -c "$PROGS/omit"
[ "$(names 1 | grep -oE 'interrupted .*')" = "interrupted main __libc_start_call_main __libc_start_main _start" ] ||
	fail "system call: $(names 1)"
expect 0 timeout 60 "$SPILE" -w -c "$PROGS/omit 8 2000000000" -e '
probe timer.profile.freq.hz(99) {
	if (pid() != target()) next
	n = 0
	while (n < 20 && __ustack(n)) n++
	if (n >= 12) { println("whole"); exit() }
}'
is whole

# A process's stacks are whole from the first one on, also where the kernel cannot be asked what is mapped.
expect 0 timeout 60 "$SPILE" -c "sleep 0.01" -e 'probe kernel.trace("sched_switch") {
	if (pid() == target() && execname() == "sleep") printf("--\n%s", sprint_ubacktrace())
}'
awk '$0 == "--" { n = 0; next } ++n == 1 { asleep = /nanosleep/ } asleep { last = $0; frames = n }
	END { print (frames > 4 && last ~ /\[sleep\+/ ? "whole" : "cut: " last) }' out >stack
[ "$(cat stack)" = whole ] || fail "$(cat stack)"

# Where the kernel cannot do it, -v says why.
"$SPILE_RUN" --describe | sed 's/ bpf-loop//' >old.target
expect 0 "$SPILE" -v --target old.target -p4 -o old.spo -e "probe $point.function(\"stop_here\") { print_ubacktrace_brief() }"
says '^  stacks of programs are walked by frame pointers: the kernel has no bpf_loop \(Linux 5\.17\)$'
command -v gdb >/dev/null || skip "needs gdb"
command -v objdump >/dev/null || skip "needs objdump"
python3 -c 'import argparse' 2>/dev/null || skip "needs python3"
expect 0 "$SUITE/unwind/compare-stacks" --spile "$SPILE" --places 60 "$PROGS/omit"
prints '^([1-9][0-9]+) of \1 stacks at [1-9][0-9]* of 60 places are equal$'
