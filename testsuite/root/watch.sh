# SPDX-License-Identifier: GPL-2.0-or-later
# process.data: memory of a process is written, in the command of -c from its start, in processes that run already.
. "$SUITE/lib.sh"
p="process(\"$PROGS/watched\")"
expect 0 "$SPILE" -l "$p.data(\"counter\").write, $p.data(\"point->y\").rw, $p.data(\"point.z\").length(4).write, $p.data(0x7f00).rw"
is "$p.data(\"counter\").write
$p.data(\"point->y\").rw
$p.data(\"point.z\").length(4).write
$p.data(0x7f00).rw"
refuses() # POINT STATUS-1 MESSAGE
{
	expect 1 "$SPILE" -l "$p.$1"
	says "$2"
}
refuses 'data("nosuch").write' '^    note: .*/watched has no variable `nosuch`$'
refuses 'data("point->q").write' '^    note: there is no member `q` that can be watched$'
refuses 'data("pointer->q").write' '^    note: what the pointer before `->q` leads to is another address in each run$'
refuses 'data("").write' '^semantic error: the name of the variable is missing '
refuses 'data("point").length(3).write' '^semantic error: 1, 2, 4 or 8 bytes can be watched '

# Under some hypervisors nothing that is written is told, and the kernel does not know that.
gdb_sees_writes() { gdb -q -batch -ex 'break main' -ex run -ex 'watch counter' -ex continue "$PROGS/watched" 2>/dev/null | grep -q '^Old value'; }
! command -v gdb >/dev/null || gdb_sees_writes || skip "this machine tells of no writes: a hardware watchpoint of gdb sees none, either"

script="probe $p.data(\"counter\").write { println(\"counter \", usymname(uaddr())) }
probe $p.data(\"point->y\").write, $p.data(\"point->z\").write { println(pp(), \" \", pid() == tid()) }"
"$SPILE" -e "$script" -c "$PROGS/watched" >out 2>err
case $? in
0) ;;
3) grep -qE 'cannot watch|no debug register' err && skip "the processor has no debug registers here" ;;
*) fail "exit status" ;;
esac
grep -v '^6$' out >seen
mv seen out
is "counter main
$p.data(\"point->y\").write 1
$p.data(\"point->z\").write 0"
# Where it was written, and what the program's variables are then.
expect 0 "$SPILE" -c "'$PROGS/watched' >/dev/null" -e "probe $p.data(\"counter\").write, $p.data(\"point->y\").write {
	println(probefunc(), \" \", @var(\"counter\"), \" \", @var(\"point\")->y) }"
is 'main 6 0
main 6 3'
# By the address that the file has for it, wherever the program is mapped.
address=0x$(nm "$PROGS/watched" | sed -n 's/ [bd] counter$//p')
expect 0 "$SPILE" -c "'$PROGS/watched' >/dev/null" -e "probe $p.data($address).length(4).write { println(@var(\"counter\")) }"
is 6
# An address of the process does not tell where the file is mapped.
expect 1 "$SPILE" -p4 -e "probe $p.data(0x7f0000000000).write { println(@var(\"counter\")) }"
says '^semantic error: .*static data of a position-independent file, whose load address is only known at probes inside of that file '
# Through a shell that becomes the program.
expect 0 "$SPILE" -v -e "global n probe $p.data(\"counter\").write { n++ } probe end { println(n) }" -c "'$PROGS/watched'"
prints '^1$'
says '^probe process\(.*\)\.data\("counter"\)\.write: watchpoint: 4 bytes of a process$'
# Processes that run already.
mkfifo line
running=
for i in 1 2; do
	"$PROGS/watched" wait <line >/dev/null &
	running="$running $!"
done
exec 3>line
run() { for pid in $running; do [ /proc/$pid/exe -ef "$PROGS/watched" ] || return; done; }
wait_for 20 run
rm err
"$SPILE" -v -T 60 -e "global n probe $p.data(\"counter\").write { if (++n == 2) exit() } probe end { println(n) }" >out 2>err 3>&- &
tracer=$!
wait_for 30 grep -q '^privileges were given up' err # all is attached
exec 3>&-
wait $tracer
is 2
expect 1 "$SPILE" -T 1 -e "probe $p.data(\"counter\").write { exit() }"
says '^ERROR: cannot attach probe .* \(watchpoint\): no process has .*/watched: memory is watched in the process of -c or -x, or in those that run already$'
expect 1 "$SPILE" -c "sh -c 'exit 0'" -e "probe $p.data(\"counter\").write { exit() }"
says '^ERROR: cannot attach probe .* \(watchpoint\): no process has .*/watched: '
