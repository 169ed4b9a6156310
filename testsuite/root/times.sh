# SPDX-License-Identifier: GPL-2.0-or-later
# -t: the kernel's handlers are counted, too.
. "$SUITE/lib.sh"
expect 0 "$SPILE" --engine=kernel -t -c "$PROGS/calls 5" -e "global n
probe process(\"$PROGS/calls\").function(\"add\") { n++ } probe end { println(n) }"
quiet
prints '^5$'
prints '^process\(.*\.function\("add@.*\), \(<input>:2:1\), hits: [5-9], time: [0-9]+avg ns$'

# So are those of system calls, which the kernel does not measure: of one call, of several, of many of one call.
cp "$PROGS/syscalls" counted
# A kernel without 32-bit calls ends it after 1000, and the shell says so.
command="sh -c 'exec 2>/dev/null; $TMP/counted 1000; :'"
own='if (execname() == "counted")'
for i in $(seq 40); do
	echo "probe kernel.syscall(\"getppid\") { $own { if (last == $((i - 1))) right++; last = $i % 40 } }"
done >many.stp
expect 0 "$SPILE" --engine=kernel -t -c "$command" -e "global n, m, last, right
probe kernel.syscall(\"getpp*\").return { $own n++ }
probe kernel.syscall(\"settimeofday\") { m++ }
$(cat many.stp)
probe end { println(n, \" \", m, \" \", right) }"
quiet
read -r n m right <out
[ "$n" -ge 1000 ] && [ "$m" = 0 ] && [ "$right" = $((40 * n)) ] || fail "not counted: $n, $m, $right"
sed -nE 's/^kernel\.syscall\(.*, \(<input>:([0-9]+):1\), hits: ([0-9]+), time: [1-9][0-9]*avg ns$/\1 \2/p' out >hits
[ "$(cut -d' ' -f1 hits | paste -sd' ')" = "2 $(seq -s' ' 4 43)" ] || fail "other lines: $(cat hits)"
awk -v n="$n" '$2 < n { exit 1 }' hits || fail "of $n: $(cat hits)" # others make such calls, too
