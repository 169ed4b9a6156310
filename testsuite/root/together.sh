# SPDX-License-Identifier: GPL-2.0-or-later
# The probes of a process that runs already begin together: no return is seen whose call another probe could have seen, but of the call
# that each of the two threads is in at that moment.
. "$SUITE/lib.sh"
"$PROGS/busy" counter &
busy=$!
trap 'kill $busy' EXIT
sleep 0.3
cat >together.stp <<'END'
global begun, early, calls, returns
probe process(@1).function("tick") { begun = 1 calls++ }
probe process(@1).function("tick").return { if (!begun) early++ returns++ }
probe end { printf("%s, %s\n", early <= 2 ? "together" : sprintf("%d returns came first", early), calls > 1000 && returns > 1000 ? "many" : "few") }
END
for i in 1 2 3; do
	expect 0 "$SPILE" --engine=kernel -x $busy -T 1 together.stp "$PROGS/busy"
	is 'together, many'
done
