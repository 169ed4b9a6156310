# SPDX-License-Identifier: GPL-2.0-or-later
# Messages that nobody reads keep neither the target nor a signal waiting; when somebody does, their number is told.
. "$SUITE/lib.sh"
count() { od -An -t u8 -N 8 ticks | tr -d ' '; }
counts_on() { [ "$(count)" -gt "$1" ]; }
slow_reader "$PROGS/busy"
is_full() { ! timeout 1 dd if=/dev/zero of="$1" bs=4096 count=1 2>/dev/null; }
tells() { tr -d '\0' <err | grep -Eq '^WARNING: [0-9]+ messages were lost \(standard error was not read\)$'; } # without what dd has put there
script="probe process(\"$PROGS/busy\").function(\"tick\") { warn(\"$(printf '%400s' x)\") }"
expect 0 "$SPILE" --engine=user -p4 -o some.spo -e "$script"
for run in '"$SPILE" --engine=user -x $target -e "$script"' '"$SPILE_RUN" -x $target some.spo'; do
	eval "$run" 2>pipe >out &
	spile=$!
	wait_for 60 is_full pipe
	sleep 2
	wait_for 20 counts_on "$(count)"
	kill -TERM $spile
	wait_for 20 ended $spile
	wait $spile || true
	kill -0 $target || fail 'the target died'
done

# There is a reader after some time.
mkfifo late
"$SPILE" -e 'probe timer.ms(10) { warn(sprintf("%400s", "x")) }' 2>late &
spile=$!
exec 3<late
wait_for 60 is_full late
sleep 2
cat <&3 >err &
wait_for 30 tells
kill -INT $spile
wait $spile
