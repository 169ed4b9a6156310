# SPDX-License-Identifier: GPL-2.0-or-later
# statement(ADDRESS): where a statement begins, and only there without `.absolute`; of a process: what it has mapped there.
. "$SUITE/lib.sh"
where=$(nm "$PROGS/calls" | awk '$3 == "add" { print $1 }')
printf -v entry %#x "0x$where"
printf -v inside %#x $((entry + 1))
point="process(\"$PROGS/calls\").statement"

expect 0 "$SPILE" -l "$point($entry)"
prints "calls\"\)\.statement\($entry\)$"
expect 1 "$SPILE" -l "$point($inside)"
says "note: $inside is in the middle of a statement of add"
says "hint: the statement begins at $entry, where \`\.nearest\` sets the probe"
expect 0 "$SPILE" -l "$point($inside).nearest"
prints "calls\"\)\.statement\($entry\)\.nearest$"
expect 0 "$SPILE" -l "$point($inside).absolute"
prints "calls\"\)\.statement\($inside\)\.absolute$"

"$PROGS/calls" 1000 slowly &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
wait_for 5 grep -q calls "/proc/$pid/cmdline"
start=$(awk '/calls/ { sub(/-.*/, "", $1); print $1; exit }' "/proc/$pid/maps")
[ "$(readelf -h "$PROGS/calls" | awk '$1 == "Type:" { print $2 }')" = DYN ] || start=0
printf -v mapped %#x $((0x$start + entry))
expect 0 "$SPILE" -l "process($pid).statement($mapped).absolute"
prints "calls\"\)\.statement\($entry\)\.absolute$"
expect 0 "$SPILE" --stop-after=context --dump=context -e "probe process($pid).statement($mapped).absolute.return { println(1) }"
prints "site process\(\".*calls\"\)\.statement\($entry\)\.absolute\.return"
prints "^	if \(!\(pid\(\) == $pid\)\)"
expect 1 "$SPILE" -l "process($pid).statement(1).absolute"
says "note: process $pid has no file mapped there"
