# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL right after a hit, five times: the target of -x goes on without breakpoints to its plain end. A target
# that comes by in the very moment of the death may die (runtime/ptrace_guard.h); this one does so every 100 ms.
. "$SUITE/lib.sh"
for round in 1 2 3 4 5; do
	rm -f hits
	mkfifo hits
	"$PROGS/calls" 12 slowly &
	target=$!
	"$SPILE" --engine=user -x $target -e "probe process(\"$PROGS/calls\").function(\"add\") { println(\$a) }" >hits 2>err &
	tracer=$!
	read -r hit <hits || fail "no hit in round $round"
	kill -9 $tracer
	wait $tracer
	wait $target
	status=$?
	[ $status = 0 ] || fail "round $round: the target ended with $status"
done
