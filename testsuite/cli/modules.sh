# SPDX-License-Identifier: GPL-2.0-or-later
# Large scripts are made in several modules, by as many threads as there are processors: the object is the same with one.
. "$SUITE/lib.sh"

script=$SUITE/run/modules.stp
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
expect 0 taskset -c "$cpu" "$SPILE" --no-cache -p4 -o one.spo "$script"
expect 0 "$SPILE" --no-cache -p4 -o several.spo "$script"
cmp one.spo several.spo || fail "the object depends on the number of processors"
expect 0 "$SPILE" --no-cache --dump=gen "$script"
[ "$(grep -c '^; ModuleID' out)" -gt 4 ] || fail "the script is made in one module"

# They are an even number, so that two threads end at the same time, and few handlers are one module.
for counts in "3 1" "12 2" "30 4" "40 4"; do
	seq "${counts% *}" | awk '{ n = $1; printf "global c%d, l%d\nprobe timer.profile {\n  c%d[pid(), execname()]++\n" \
		"  if (c%d[pid(), execname()] > 100) printf(\"%%s %%d\\n\", execname(), pid())\n  l%d[tid()] = execname() . \".\"\n}\n", \
		n, n, n, n, n }' >probes.stp
	expect 0 "$SPILE" --no-cache -w -p4 -o probes.spo --dump=gen probes.stp
	made=$(grep -c '^; ModuleID' out)
	[ "$made" = "${counts#* }" ] || fail "${counts% *} probes are made in $made modules"
done
