# SPDX-License-Identifier: GPL-2.0-or-later
# What --kprobe-events prints is taken by the kernel, and fetches the values.
. "$SUITE/lib.sh"
tracefs=/sys/kernel/tracing
[ -w $tracefs/uprobe_events ] || skip "no $tracefs/uprobe_events"
cp "$PROGS/calls" . # another case may run that of all
calls=$PWD/calls
expect 0 "$SPILE" --kprobe-events "process(\"$calls\").function(\"add\") \$a \$b"
instance=$tracefs/instances/spile-test.$$
group=spile_test_$$
sed "s,^p:spile/,p:$group/," out >event
mkdir "$instance" || skip "no instances in $tracefs"
trap 'echo 0 >$instance/events/$group/enable; rmdir "$instance"; echo "-:$group/add" >>$tracefs/uprobe_events' EXIT
cat event >>$tracefs/uprobe_events || fail "the kernel does not take $(cat event)"
echo 1 >"$instance/events/$group/enable"
"$calls" 3 >/dev/null
grep -o 'a=.*' "$instance/trace" >values
expect 0 "$SPILE" -c "$calls 3" -e "probe process(\"$calls\").function(\"add\") { printf(\"a=%d b=%d\\n\", \$a, \$b) }"
grep '^a=' out | diff values - || fail "other values"
[ -s values ] || fail "nothing was recorded"
