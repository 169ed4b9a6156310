# SPDX-License-Identifier: GPL-2.0-or-later
# A compiled script that somebody has changed is refused, or it is one. mutate_bundle FILE 0 20000 looks for longer.
. "$SUITE/lib.sh"
cat >kernel.stp <<X
global count, times, text
probe process("$PROGS/calls").function("add") {
	count[pid(), execname()]++
	times <<< \$a
	foreach ([p, e] in count) text .= sprintf("%d %s", p, e)
	if (text =~ "c.*l") printf("%s %d\n", text, @avg(times))
	println(user_string(\$b, "?"), tokenize(text, " "), text_of(\$a))
}
function text_of(n) { return n > 5 ? sprint(n) : text_of(n + 1) }
probe end { foreach ([p, e] in count- limit 5) println(p, e, count[p, e]) print(@hist_log(times)) }
X
expect 0 "$SPILE" -p4 -o kernel.spo kernel.stp
expect 0 "$BUILD/testsuite/unit/mutate_bundle" kernel.spo 0 1
for seed in 1 1001 2001; do
	expect 0 "$BUILD/testsuite/unit/mutate_bundle" kernel.spo $seed 200
	prints '^[1-9][0-9]* of 200 were taken$'
done
# What is left of a truncated file.
for size in 1 63 64 65 500 4000; do
	head -c $size kernel.spo >cut.spo
	expect 1 "$SPILE_RUN" cut.spo
	says '^ERROR: (cut\.spo: )?not a (valid )?compiled script'
done
exit 0
