# SPDX-License-Identifier: GPL-2.0-or-later
# kernel.syscall(): by number, of 64-bit and of 32-bit programs; parameters, results, entry values; several probes of one
# call, and a wildcard whose program serves all calls.
. "$SUITE/lib.sh"
need_32_bit_calls
run() { expect 0 timeout 60 "$SPILE" -c "$PROGS/syscalls 3" -e "$1"; }

run 'probe kernel.syscall("lseek") { if (pid() == target()) println(ppfunc(), " ", $fd, " ", $offset, " ", @var("whence"), " ", $arg2, " ", $$parms) }
	probe kernel.syscall("lseek").return { if (pid() == target()) println($syscall, " ", errno_str($return), " ", @entry($offset), " ", $whence) }'
case $(uname -m) in
x86_64) number=8 ;;
aarch64) number=62 ;;
esac
is "lseek 4294967295 77 2 77 fd=0xffffffff offset=0x4d whence=0x2
$number EBADF 77 2"

# One program for the wildcard, whose table tells the call; one probe more for a call does not hide the others.
run 'global n, m, calls
	probe kernel.syscall("get*") { if (pid() == target()) n[ppfunc()]++ }
	probe kernel.syscall("getppid"), kernel.syscall("getppid") { if (pid() == target()) m++ }
	probe kernel.syscall("getppid") { if (pid() == target()) calls .= sprint(m) }
	probe end { println(n["getppid"], " ", m, " ", calls) }'
if [ "$(uname -m)" = x86_64 ]; then
	is '6 12 24681012' # the program asks for its parent after each call of the 32-bit way
else
	is '3 6 246'
fi
expect 0 "$SPILE" -p4 -v -o calls.spo -e 'global n probe kernel.syscall("*") { n[ppfunc()]++ }'
says '^Pass 2: analyzed script: [3-9][0-9][0-9] probes'
says '^Pass 3: translated to 1 program and 1 map'

# syscall.* has each call once, whatever names it has: all share their number with no other (but socketcall and ipc, whose parts are
# calls). By its name, mmap2 is mmap of 64-bit programs as well, as in SystemTap.
expect 0 "$SPILE" -p2 -w -e 'probe syscall.* { println(name) }'
sed -n 's/^\tsite \(kernel[^ ]*\).*/\1/p' out | sort | uniq -d | grep -v 'socketcall\|"ipc"' >twice
[ ! -s twice ] || fail "syscall.* has these more than once: $(tr '\n' ' ' <twice)"
if [ "$(uname -m)" = x86_64 ]; then
	run 'global n, m
		probe syscall.mm*2 { n++ }
		probe syscall.mmap2 { if (pid() == target()) m += name == "mmap2" && length > 0 }
		probe nd_syscall.* { if (pid() == target()) k[name]++ }
		probe end { println(n, " ", m == k["mmap"], " ", m > 3, " ", k["mmap2"]) } global k'
	is '0 1 1 0'
fi

# An error names the call, also when one program serves many.
expect 1 timeout 60 "$SPILE" -c "$PROGS/syscalls 1" -e 'global big
	probe kernel.syscall("l*") { if (pid() == target() && ppfunc() == "lseek") println(1 / big) }
	probe never { big = 1 }'
says 'division by 0 .*\(probe kernel.syscall\("lseek"\)\)'

[ "$(uname -m)" = x86_64 ] || exit 0
# Both kinds of a call share a program, which reads the registers of the one that runs it.
run 'probe kernel.syscall("lseek").any { if (pid() == target()) println(ppfunc(), " ", $fd, " ", $offset, " ", $arg2, " ", $whence, " ", __compat_task()) }
	probe kernel.syscall("lseek").any.return { if (pid() == target()) println($syscall, " ", @entry($offset)) }'
is 'lseek 4294967295 77 77 2 0
8 77
lseek 4294967295 4294967294 4294967294 1 1
19 4294967294'
# statx is 332 and 383, cachestat 451 in both: the number does not tell which it is.
expect 0 "$SPILE" -p4 -v -o any.spo -e 'probe kernel.syscall("statx").any, kernel.syscall("cachestat").any { println(ppfunc(), $arg3) }'
says '^Pass 3: translated to 1 program'
expect 0 "$SPILE" -p4 -v -o any.spo -e 'probe kernel.syscall("statx").any, kernel.syscall("cachestat").any { println(pp(), $arg3) }'
says '^Pass 3: translated to 2 programs'

run 'global n
	probe kernel.syscall("getppid").compat, kernel.syscall("getppid").compat.return { if (pid() == target()) n[pp(), $syscall]++ }
	probe kernel.syscall("semget") { if (pid() == target()) n["semget", $syscall]++ }
	probe end { foreach ([p+, number] in n) println(p, " ", number, " ", n[p, number]) }'
is 'kernel.syscall("getppid").compat 64 3
kernel.syscall("getppid").compat.return 64 3'

# Calls of 64-bit and of 32-bit programs that have one number: their names alone tell them apart.
for both in 'kernel.syscall("*"), kernel.syscall("*").compat' 'kernel.syscall("*").any' 'syscall_any'; do
	run "global n probe $both { if (pid() == target()) n[ppfunc()]++ } probe end { println(n[\"getppid\"]) }"
	is 9
done

# Several handlers of one call run in the order of the script, more than a program can call, too.
for i in $(seq 40); do
	echo "probe kernel.syscall(\"getppid\") { if (pid() == target()) { if (last == $((i - 1))) right++; last = $i % 40 } }"
done >many.stp
run "global last, right $(cat many.stp) probe end { println(right) }"
is 240
# What such handlers cost is for their call alone: one program is at the tracepoint.
cat >links.sh <<'S'
find /proc/$PPID/fd -lname '*bpf_link*' | wc -l
S
expect 0 "$SPILE" -c "sh links.sh" -e 'global n probe kernel.syscall("getsid"), kernel.syscall("getppid") { n++ }
probe kernel.syscall("getppid") { n++ } probe kernel.syscall("getppid") { n++ } probe end { println(n ? "" : "none") }'
prints '^1$'

# Arguments and results by their number, as functions have them, at calls of all programs and of one.
run 'probe nd_syscall.lseek { if (pid() == target() && int_arg(3) == 2) println(int_arg(1), " ", long_arg(2), " ", uint_arg(3), " ", ulong_arg(7)) }
	probe nd_syscall.lseek.return { if (pid() == target() && @entry(int_arg(3)) == 2) println(errno_str(returnval()), " ", @entry(pointer_arg(2))) }'
is "-1 77 2 0
EBADF 77"
run "probe process(\"$PROGS/syscalls\").syscall { if (\$syscall == $number && int_arg(1) == -1 && long_arg(2) == 77) println(\$syscall) }
	probe process(\"$PROGS/syscalls\").syscall.return { if (\$syscall == $number && returnval() == -9) println(\$return) }"
is "$number
-9"
run 'probe nd_syscall.lseek { if (pid() == target() && int_arg(3) == 2) println(@defined(int_arg(1)), @defined(returnval())) }
	probe nd_syscall.lseek.return { if (pid() == target() && @entry(int_arg(3)) == 2) println(@defined(returnval()), @defined(@entry(int_arg(1)))) }'
is '10
11'
expect 1 "$SPILE" -p2 -e 'probe kernel.syscall("read") { println(returnval()) }'
says '^semantic error: there is no \$return at kernel\.syscall\("read"\) '
