# SPDX-License-Identifier: GPL-2.0-or-later
# Who runs is asked for once in a handler: the answer stays.
. "$SUITE/lib.sh"
calls() { expect 0 "$SPILE" -p4 -o x.spo --dump=gen -e "$1"; n=$(grep -c "call i64 inttoptr (i64 $2 to ptr)()" out); }
calls "probe begin { if (pid() == 1) println(pid(), tid()) }" 14
[ "$n" = 1 ] || fail "the numbers of the task are asked for $n times"
calls "global n probe begin { n[uid(), gid()]++ if (uid()) println(n[uid(), 0]) }" 15
[ "$n" = 1 ] || fail "those of its user $n times"
calls "probe begin { println(ktime_get_ns() - ktime_get_ns()) }" 5
[ "$n" = 2 ] || fail "the time $n times"
