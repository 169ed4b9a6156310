# SPDX-License-Identifier: GPL-2.0-or-later
# A process that makes it hard for the tracer to run the instructions under its breakpoints, when that comes: memory that cannot be mapped,
# system calls that may not be made, single steps of its own, code of another word size, memory whose readers wait. Each call is counted once; it goes on as by itself.
. "$SUITE/lib.sh"
cp "$PROGS/hostile" . # nobody else runs or probes it
p="process(\"$PWD/hostile\").function"
expect 0 "$SPILE" --engine=user -w -p4 -m hostile -e "global n, r probe $p(\"work\"), $p(\"calls_first\"), $p(\"code_32\") { n[ppfunc()]++ }
	probe $p(\"work\").return { r++ } probe $p(\"looks_at\") { println(user_string2(\$text, \"absent\")) } probe end { foreach (f+ in n) printf(\"%s %d\n\", f, n[f]) println(r) }"
# way NAME TEXT COUNTS
way()
{
	local pid
	rm -f said
	./hostile "$1" >said 2>&1 &
	pid=$!
	wait_for 10 grep -q ready said
	expect 0 timeout -k 5 60 "$SPILE_RUN" --engine=user -x $pid hostile.spo
	wait $pid
	[ $? = 11 ] || fail "$1: its status"
	[ "$(cat said)" = "ready
$2" ] || fail "$1: $(cat said)"
	is "$3"
}
way locked locked "work 3
3"
quiet
way dispatched '0 10 1' "work 4
4"
quiet
way steps 'as alone' "calls_first 5
0"
quiet
if takes_32_bit_calls; then # a kernel that takes none may run no such code, either
	way other_words 62 "code_32 1
work 2
2"
	says '^WARNING: the breakpoint at 0x[0-9a-f]* in process [0-9]* was taken out: it is met in another word size$'
fi
[ "$(id -u)" = 0 ] || exit 0 # others may not have faults of the kernel served
way served_elsewhere served "served
served
served
0"
quiet
for way in unserved unserved_elsewhere $([ ! -c /dev/fuse ] || echo unserved_file); do
	way $way unserved "absent
absent
absent
0"
	says '^WARNING: memory that a program serves itself \(userfaultfd\(2\), FUSE\) did not come within a second, and was not read$'
done
