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
