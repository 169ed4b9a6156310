# SPDX-License-Identifier: GPL-2.0-or-later
# perf.data("FILE").sample runs a script over the samples of a file, in the order of time, with what the file says of processes.
. "$SUITE/lib.sh"
cp "$BUILD/testsuite/progs/ticks" work
address=$(nm work | sed -n 's/ T main$//p')
for order in little big; do
	python3 "$SUITE/perf_data.py" $order.data $order || fail "no file"
done
cat >samples.stp <<'E2'
global n, last
probe begin { println("begin") }
probe perf.data(@1).sample {
	printf("%d/%d %s cpu %d, %d %s of %d: ip 0x%x, addr %d, [%s] [%s], %s, %d\n", pid(), tid(), execname(), cpu(), $time, $event, $period, $ip,
	       $addr, $stack, $ustack, ctime(gettimeofday_s()), uid() == 0xffffffff)
	if (ubacktrace() != $ustack . ($ustack == "" ? "" : " ") || backtrace() != $stack) println("another stack")
	print_ubacktrace_brief()
	if (last > $time) println("not in order")
	last = $time
	n[execname(), $event] <<< $period
}
probe timer.s(100) { println("too late") }
probe end { foreach ([c, e+] in n) printf("%s %s %d\n", c, e, @sum(n[c, e])) }
E2
for order in little big; do
	expect 0 timeout 60 "$SPILE" samples.stp $order.data
	is 'begin
700/700 work cpu 0, 3000000000 work:job of 1: ip 0xffffffff81000010, addr 0, [] [], Tue Nov 14 22:13:22 2023, 1
700/700 work cpu 1, 4000000000 cpu-clock of 1000000: ip 0x400500, addr 0, [] [0x400500 0x400600], Tue Nov 14 22:13:23 2023, 1
0x400500
0x400600
700/700 work cpu 1, 4000000001 work:job of 1: ip 0xffffffff81000010, addr 0, [] [], Tue Nov 14 22:13:23 2023, 1
701/701 helper cpu 1, 4700000000 cpu-clock of 1000000: ip 0x400700, addr 0, [] [0x400700], Tue Nov 14 22:13:23 2023, 1
0x400700
700/700 work cpu 0, 5000000000 work:job of 1: ip 0xffffffff81000010, addr 0, [] [], Tue Nov 14 22:13:24 2023, 1
work cpu-clock 1000000
helper cpu-clock 1000000
work work:job 3'
	quiet
done

# exit() in between; two files, one after the other; the same file in two probes.
expect 0 "$SPILE" -e 'probe perf.data("little.data").sample { printf("%d ", $time) if (n++ == 1) exit() } global n'
is '3000000000 4000000000 '
expect 0 "$SPILE" -e 'probe perf.data("big.data").sample, perf.data("little.data").sample { n[pp()]++ } probe perf.data("big.data").sample { m++ }
	global n, m probe end { foreach (p+ in n) printf("%s %d\n", p, n[p]) println(m) }'
is 'perf.data("big.data").sample 5
perf.data("little.data").sample 5
5'
expect 0 "$SPILE" -L 'perf.data("little.data").sample'
is 'perf.data("little.data").sample $event:string $time:long $ip:long $addr:long $period:long $stack:string $ustack:string'

# Names of what was mapped, when that file is here, and is the same one.
python3 "$SUITE/perf_data.py" named.data "$PWD/work"
cat >names.py <<'E2'
import os, struct, sys
data = open("named.data", "rb").read()
path = data.index(os.getcwd().encode() + b"/work\0")  # behind the offset, device, inode, generation, protection and flags
if struct.unpack("Q", data[path - 24:path - 16])[0] != 4711:
    sys.exit("no inode where it is expected")
data = data[:path - 40] + struct.pack("Q", int(sys.argv[1], 16) - 0x500) + data[path - 32:]
open("other.data", "wb").write(data)
open("same.data", "wb").write(data[:path - 24] + struct.pack("Q", os.stat("work").st_ino) + data[path - 16:])
E2
python3 names.py "$address" || fail "no inode"
for file in same other; do
	expect 0 "$SPILE" -e "probe perf.data(\"$file.data\").sample { if (\$event == \"cpu-clock\" && n++ == 0) println(usymname(\$ip), \" \", umodname(\$ip)) } global n"
	[ $file = same ] && name=main || name=0x400500
	is "$name $PWD/work"
done

# Where a sample is of no process here, memory cannot be read; a file that is cut off says so; other programs do not read such files.
expect 1 "$SPILE" -e 'probe perf.data("little.data").sample { if ($event == "cpu-clock") println(user_string($ip)) }'
says '^ERROR: read fault at 0x0*400500 near identifier .user_string. '
expect 1 "$SPILE" -e 'probe perf.data("none.data").sample { n++ } global n'
says '^ERROR: cannot open "none.data": No such file or directory$'
python3 "$SUITE/perf_data.py" cut.data cut
expect 0 "$SPILE" -e 'probe perf.data("cut.data").sample { n++ } global n probe end { println(n) }'
is 5
says '^WARNING: cut.data: the samples end at byte 1356: the head of a record is cut off$'
expect 0 "$SPILE" -p4 -o sample.spo -e 'probe perf.data("little.data").sample { println($ip) }'
expect 1 "$SPILE_RUN" sample.spo
says '^ERROR: probe perf.data\("little.data"\).sample: spile reads such files, this program does not$'
expect 1 "$SPILE" -e 'probe perf.data("little.data").sample { println($foo) $ip = 3 }'
diff - err <<'E2' || fail "other messages"
semantic error: $ip is what the file says of a sample: it cannot be assigned [E524]
    at <input>:1:55
        probe perf.data("little.data").sample { println($foo) $ip = 3 }
                                                              ^~~
E2
expect 1 "$SPILE" -e 'probe perf.data("little.data").sample { println($foo) }'
diff - err <<'E2' || fail "other messages"
semantic error: $foo has no meaning here: perf.data("little.data").sample probes no function or tracepoint [E509]
    at <input>:1:49
        probe perf.data("little.data").sample { println($foo) }
                                                        ^~~~
    hint: there is $event:string $time:long $ip:long $addr:long $period:long $stack:string $ustack:string
E2
[ "$(id -u)" = 0 ] || exit 0
expect 1 "$SPILE" -e 'probe perf.data("little.data").sample { println($ip) } probe kernel.trace("sched:sched_switch") { n++ } global n'
says '^ERROR: probe kernel.trace\("sched:sched_switch"\): a script that reads samples of a file has no probes of this machine$'
