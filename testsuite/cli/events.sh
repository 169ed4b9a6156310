# SPDX-License-Identifier: GPL-2.0-or-later
# What happens to processes: they begin, end, make threads and system calls. The same from ptrace(2) as from tracepoints.
. "$SUITE/lib.sh"
traced() { expect 0 timeout 60 "$SPILE" --engine="${ENGINE:-user}" "$@"; quiet; }
lives='probe process.begin { println("begin ", execname(), pid() == target()) }
probe process.end { println("end ", execname(), pid() == target()) }
probe process.thread.begin { println("thread begin ", pid() == target()) }
probe process.thread.end { println("thread end ", pid() == target()) }'
traced -c "$PROGS/calls 2 forks" -e "$lives"
is 'begin calls1
begin calls0
end calls0
begin calls0
end calls0
end calls1'
# Who joins a thread goes on before the kernel has ended it: the order of the ends is open.
traced -c "$PROGS/calls 2 threads" -e "$lives"
LC_ALL=C sort -o out out
is 'begin calls1
end calls1
thread begin 1
thread begin 1
thread end 1
thread end 1'
# A program starts another one in its own process, and in a child that shares its memory until then.
expect 1 timeout 60 "$SPILE" --engine="${ENGINE:-user}" -c "$PROGS/life exec" -e "$lives"
is 'begin life1
begin exe1
end exe1'
expect 1 timeout 60 "$SPILE" --engine="${ENGINE:-user}" -c "$PROGS/life vfork" -e "$lives"
is 'begin life1
begin life0
begin exe0
end exe0
end life1'
# One program of two, and its children.
traced -c "$PROGS/once; $PROGS/calls 1 forks; $PROGS/once" -e "probe process(\"$PROGS/calls\").begin, process(\"$PROGS/calls\").end { println(execname()) }"
is 'calls
calls
calls
calls'
# System calls, their arguments and results.
traced -c "$PROGS/marks >/dev/null; $PROGS/once" -e "
probe process(\"$PROGS/marks\").syscall { if (\$syscall == 1) println(\$arg1, \" \", \$arg3, \" \", user_string_n(\$arg2, 9)) }
probe process(\"$PROGS/marks\").syscall.return { if (\$syscall == 1) println(\$return, \$\$parms, \" \", \$\$return) }"
is '1 12 semaphore
12 return=0xc'
traced -c "sleep 0.01" -e 'probe process.syscall { if ($syscall == 231) { println(substr($$parms, 0, 8), " ", isinstr($$vars, " arg6=0x") > 0) } }'
is 'arg1=0x0 1'
traced -c "sleep 0.01" -e 'global last probe process.syscall { last = $syscall } probe process.end { println(last == 231) }'
is 1
expect 0 "$SPILE" -L 'process("/bin/sh").syscall'
prints '^process\("/.*"\)\.syscall \$syscall:long \$arg1:long .* \$arg6:long$'
expect 1 "$SPILE" -c ls -e 'probe process.syscall { println($arg7) }'
says 'there is no \$arg7 at process\.syscall'
says 'visible here: \$syscall \$arg1 .* \$arg6'
