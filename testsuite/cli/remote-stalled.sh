# SPDX-License-Identifier: GPL-2.0-or-later
# --remote when somebody stands still: the reader of the output, of the messages, or spile-run on the host. Nothing waits for ever, and
# what is lost is told. Hosts are shells here, each with a folder for temporary files.
. "$SUITE/lib.sh"
mkdir -p tmp/unread tmp/silent tmp/mute tmp/cut tmp/gone bin
ln -s "$SPILE_RUN" bin/spile-run
cat >rsh <<'E'
#!/bin/bash
while [ $# -gt 2 ]; do shift; done
export TMPDIR=$PWD/tmp/$1 PATH=$PWD/bin:$PATH
exec sh -c "$2"
E
chmod +x rsh
export SPILE_SSH=$PWD/rsh XDG_CACHE_HOME=$PWD/cache
left() { ls -A tmp/*; }
empty() { ! left | grep -q spile; }
mkfifo pipe
sleep 1000 <>pipe &
reader=$! stopped=
trap 'kill -KILL $reader $spiles $stopped 2>/dev/null' EXIT
spiles=
is_full() { ! timeout 1 dd if=/dev/zero of=pipe bs=4096 count=1 2>/dev/null; }
# start HOST SCRIPT: a spile that runs on, $spile. Ctrl-C is not ignored in it.
start()
{
	set -m
	"$SPILE" --remote "$1" -e "$2" &
	set +m
	spile=$!
	spiles="$spiles $spile"
}
# ends STATUS: that spile does.
ends()
{
	local status=0
	wait_for 30 ended $spile
	wait $spile || status=$?
	[ $status = "$1" ] || fail "status $status"
}
lines='for (i = 0; i < 300; i++) println("a line of some length for a pipe that is soon full, and for what is behind it")'

# spile-run is stopped: a signal that nobody repeats ends what is here after ten seconds, and the host's watcher what is there.
start silent 'probe timer.ms(50) { println("tick") }' >silent.out 2>silent.err
wait_for 60 grep -q tick silent.out
stopped=$(cat tmp/silent/spile.*/pid)
kill -STOP "$stopped"
kill -TERM $spile
silent=$spile

# Nobody reads the output: spile waits for its reader until there is a second Ctrl-C, or for two seconds after another signal.
start unread "probe timer.ms(1) { $lines } probe end { warn(\"the end\") }" >pipe 2>err
wait_for 60 is_full
sleep 1
kill -TERM $spile
ends 1
says '^WARNING: the end$'
says '^WARNING: [0-9]+ bytes of output were not written: nobody reads them$'
# Nor the messages, in the same pipe.
for signal in TERM INT; do
	start unread "probe timer.ms(1) { $lines warn(\"so\") }" >pipe 2>pipe
	wait_for 60 sh -c 'test -e tmp/unread/spile.*/pid' # the pipe is full already
	sleep 2
	kill -$signal $spile
	[ $signal = TERM ] || { sleep 1; kill -$signal $spile; }
	ends 1
done
# Messages that nobody reads do not keep the output.
start mute 'probe timer.ms(1) { for (i = 0; i < 300; i++) warn(sprintf("%400d", i)) println("tick") }' >out 2>pipe
wait_for 60 grep -q tick out
sleep 2
ticks=$(grep -c tick out)
more() { [ "$(grep -c tick out)" -gt "$ticks" ]; }
wait_for 30 more
kill -TERM $spile
ends 0

# The connection is cut in the middle of a line: what there is of it is printed.
start cut 'probe begin { println("whole") print("part") } probe timer.s(1000) { }' >out 2>err
wait_for 60 grep -q part out
kill -KILL "$(ps -o ppid= -p "$(cat tmp/cut/spile.*/pid)" | tr -d ' ')" "$(cat tmp/cut/spile.*/pid)"
ends 1
is 'whole
part'
says "^ERROR: cut: is gone before the script has ended: $PWD/rsh was ended by signal 9$"
# And when the script was to end.
start gone 'probe timer.ms(50) { println("tick") }' >out 2>err
wait_for 60 grep -q tick out
stopped="$stopped $(cat tmp/gone/spile.*/pid)"
kill -STOP "$(cat tmp/gone/spile.*/pid)"
kill -INT $spile
kill -KILL "$(ps -o ppid= -p "$(cat tmp/gone/spile.*/pid)" | tr -d ' ')"
ends 1
says "^ERROR: gone: is gone before the script has ended: $PWD/rsh was ended by signal 9$"

spile=$silent
ends 1
grep -qx 'ERROR: silent: was to end, has said nothing for 10 seconds, and is not waited for any more' silent.err || fail "$(cat silent.err)"
wait_for 60 empty
