# SPDX-License-Identifier: GPL-2.0-or-later
# @perf("NAME"): what a counter has counted for the current thread, whatever other threads do on the same processors meanwhile.
. "$SUITE/lib.sh"
counted=$BUILD/testsuite/progs/counted
# A switch that the kernel has not told of (some kernels leave out one of thousands) may cost a few calls their exact count.
cat >counters.stp <<'S'
probe perf.sw.page_faults.process(@1).counter("faults") {}
probe perf.type(1).config(3).counter("switches") {}
probe perf.sw.task_clock.counter("ns") {}
global begun, calls, touched, napped, short
probe process(@1).function("main") { if (@perf("faults") > 0 && @perf("faults") < 1000) begun++ }
probe process(@1).function("touch").return
{
	faults = @perf("faults") - @entry(@perf("faults"))
	calls++
	touched += faults >= 1000 && faults < 1100
}
probe process(@1).function("nap").return
{
	switches = @perf("switches") - @entry(@perf("switches"))
	napped += switches >= 2
	// 2 ms asleep are no time on a processor
	short += @perf("ns") - @entry(@perf("ns")) <= ktime_get_ns() - @entry(ktime_get_ns()) - 2000000
}
probe end { println(begun, " ", calls, " ", touched >= 36, " ", napped >= 36, " ", short >= 36) }
S
expect 0 "$SPILE" -c "$counted" counters.stp "$counted"
quiet
is '1 40 1 1 1'
# Compiled here, run elsewhere.
expect 0 "$SPILE" -p4 -o counters.spo counters.stp "$counted"
expect 0 "$SPILE_RUN" -c "$counted" counters.spo
is '1 40 1 1 1'
# A function of the script reads it, too; and a handler that is cut (its array is sorted outside of the kernel) reads it in the kernel.
expect 0 "$SPILE" -c "$counted" -e 'probe perf.sw.page_faults.counter("n") {}
function count() { return @perf("n") }
global a, seen
probe process(@1).function("touch").return {
	n = count()
	for (i = 0; i < 200; i++) a[i] = i
	foreach (i in a-) if (i == 199) seen += n >= 1000
} probe end { println(seen) }' "$counted"
is 40
expect 3 "$SPILE" -T 1 -e 'probe perf.type(1).config(9999).counter("n") {} probe kernel.trace("sched:sched_switch") { n = @perf("n") println(n) }'
says '^ERROR: cannot have the counters of @perf: .*type 1 with configuration 9999$'
# Under ptrace nobody reads it.
expect 3 "$SPILE_RUN" --engine=user -c "$counted" counters.spo
says "handler uses what only the kernel has, so the user engine cannot run it\$"
