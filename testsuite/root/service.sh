# SPDX-License-Identifier: GPL-2.0-or-later
# The capabilities that the systemd unit leaves are enough for the kernel, and for the names of its addresses.
. "$SUITE/lib.sh"
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$TOP/packaging/systemd/spile@.service" | sed 's/CAP_/+/g; s/ /,/g' | tr A-Z a-z)
[ "$capabilities" = +bpf,+perfmon,+syslog ] || fail "the unit has $capabilities"
cat >x.stp <<'S'
global n, name
probe kernel.trace("sched:sched_switch") { n++ name = symname(stack(0)) }
probe timer.ms(50) { if (n) exit() }
probe end { println(n > 0, " ", name != "" && substr(name, 0, 2) != "0x") }
S
expect 0 "$SPILE" -p4 -o x.spo x.stp
expect 0 timeout 60 setpriv --no-new-privs --bounding-set="-all,$capabilities" --inh-caps=-all "$SPILE_RUN" x.spo
quiet
is '1 1'
expect 3 timeout 60 setpriv --no-new-privs --bounding-set="-all,+syslog" --inh-caps=-all "$SPILE_RUN" x.spo
