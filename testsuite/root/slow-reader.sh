# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers in the kernel and a reader that stands still: the signal is seen at once, and what had no room is counted.
. "$SUITE/lib.sh"
cp "$PROGS/busy" . # a uprobe is in each process that runs the file
ended() { ! kill -0 "$1"; }
mkfifo pipe
"./busy" ticks &
target=$!
sleep 1000 <>pipe & # it never reads
reader=$!
trap 'kill -KILL $target $reader $spile 2>/dev/null' EXIT
wait_for 20 test -s ticks
"$SPILE" --engine=kernel -x $target -v -e "probe process(\"./busy\").function(\"tick\") { printf(\"%1000d\\n\", pid()) } probe begin { println(\"begun\") }" >pipe 2>err &
spile=$!
wait_for 60 grep -q 'Pass 5' err
sleep 4
kill -TERM $spile
wait_for 30 ended $spile
wait $spile
[ $? = 1 ] || fail "status $?"
kill -0 $target || fail "the target died"
says '^WARNING: [0-9]+ events of process\(.*\)\.function\(.*\) were lost \(ring buffer full\)$'
says '^WARNING: [0-9]+ bytes of output were not written: nobody reads them$'
