# SPDX-License-Identifier: GPL-2.0-or-later
# process() probes in the kernel: arguments, members, results, threads.
. "$SUITE/lib.sh"
run() { expect 0 timeout 60 "$SPILE" --engine=kernel -c "$1" -e "$2"; quiet; }
p="process(\"$PROGS/calls\")"
run "$PROGS/calls 3" "probe $p.function(\"add\") { printf(\"%d %d\\n\", \$a, \$b) }"
is '0 1000
1 1000
2 1000'
run "$PROGS/calls 3" "probe $p.function(\"add\").return { println(\$return) }"
is '1000
1001
1002'
run "$PROGS/calls 2" "probe $p.function(\"look\") {
	printf(\"%s %d %d %d %d %d\\n\", user_string(\$o->name), \$o->in->small, \$o->ref->small, \$o->as_int, \$u, \$s)
	printf(\"%d %d %x %d %s\\n\", \$o->low, \$o->mid, \$o->high, \$o->colour, user_string(\$o->next->name))
	printf(\"%d %d\\n\", \$o->in->bytes[2], \$o->ref->bytes[3]) }"
is 'first 0 -100 16909060 200 -2
5 -3 abcdef 3 second
3 6
first 1 -101 16909060 200 -2
5 -3 abcdef 3 second
3 6'
run "$PROGS/calls 4 threads" "global n probe $p.function(\"add\") { n++ } probe end { println(n) }"
is 4
run "$PROGS/calls 4 forks" "global n probe $p.function(\"add\") { n[pid()]++ } probe end { foreach (p in n) k++ println(k) }"
is 4
run "$PROGS/calls 2" "probe $p.function(\"add\").return { printf(\"%d %d\\n\", @entry(\$a), \$return) }"
is '0 1000
1 1001'
# What is called in @entry is called at the entry.
run "$PROGS/calls 2" "function sum() { return \$a + is_return() * 10 }
	probe $p.function(\"add\").return { printf(\"%d %d\\n\", @entry(sum()), is_return()) }"
is '0 1
1 1'
run "$PROGS/calls 2000" "global n probe $p.function(\"add\") { n++ printf(\"%d\\n\", \$a) } probe end { println(n) }"
[ "$(wc -l <out)" = 2001 ] || fail "$(wc -l <out) lines"
