# SPDX-License-Identifier: GPL-2.0-or-later
# The target is frozen (cgroups(7)) in front of one after the other of the system calls that it makes for its tracer: that ends when it is
# asked to, and the target goes on when it thaws.
. "$SUITE/lib.sh"
own_programs busy
WORD=${WORD:-64} # bits
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"
freezer() # VERSION: `group` is a new control group that can be frozen, and of what version
{
	version=$1
	case $version in
	1) type=cgroup options=-ofreezer file=freezer.state frozen=FROZEN thawed=THAWED ;;
	2) type=cgroup2 options= file=cgroup.freeze frozen=1 thawed=0 ;;
	esac
	groups=$PWD/groups$version
	mkdir "$groups"
	mount -t $type $options none "$groups" 2>mounted || {
		rmdir "$groups"
		return 1
	}
	group=$groups/spile-frozen.$$
	mkdir "$group" && [ -e "$group/$file" ] && return
	leave
	return 1
}
leave()
{
	rmdir "$group"
	umount "$groups"
	rmdir "$groups"
} 2>/dev/null
clean()
{
	echo $thawed >"$group/$file"
	kill -KILL $spile $target
	wait $target
	leave
} 2>/dev/null
trap clean EXIT
count() { od -An -t u8 -N 8 ticks | tr -d ' '; }
counts_on() { [ "$(count)" -gt "$1" ]; }
is_frozen() { grep -q "^$frozen\$" "$group/$file"; }
frozen_or_ended() { is_frozen || has_ended; }
has_ended() { [ "$(sed 's/.*) //; s/ .*//' /proc/$spile/stat 2>/dev/null || echo Z)" = Z ]; }
is_free() { [ "$(sed -n 's/^TracerPid:[[:space:]]*//p' /proc/$target/status)" = 0 ]; }

# frozen_at CALL: False: it has ended before.
frozen_at()
{
	rm -f ticks
	"$busy" ticks &
	target=$!
	wait_for 20 test -s ticks
	wait_for 20 counts_on 0
	echo $target >"$group/cgroup.procs"
	LD_PRELOAD=$BUILD/testsuite/faults/fault.so FAULT_KIND=call FAULT_FREEZE=$group/$file FAULT_AT=$1 \
		"$SPILE_RUN" -w -x $target some.spo >out 2>err &
	spile=$!
	wait_for 60 frozen_or_ended
	is_frozen
}

# thawed: the target goes on, and spile has ended well.
thawed()
{
	echo $thawed >"$group/$file"
	wait $spile || fail "status $?"
	[ ! -s err ] || fail "it said: $(cat err)"
	is_free || fail "it is traced"
	before=$(count)
	wait_for 20 counts_on "$before"
	kill -KILL $target
	wait $target 2>/dev/null || true
}

busy=$PROGS/busy
if [ $WORD = 32 ]; then
	busy=$PWD/busy
	need_32_bits
	gcc -m32 -g -O1 -pthread -o "$busy" "$SUITE/progs/busy.c"
fi
tick="process(\"$busy\").function(\"tick\")"
expect 0 "$SPILE" --engine=user -p4 -m some -e "global n probe $tick { if (++n == 30) exit() } probe $tick.return { n += \$return < 0 }"
found=
for version in 2 1; do
	freezer $version || continue
	found=1
	call=1
	while frozen_at $call; do
		kill -INT $spile
		wait_for 20 has_ended
		thawed
		call=$((call + 1))
	done
	[ $call -gt $((WORD / 16)) ] || fail "version $version: the target made $((call - 1)) calls"
	thawed

	# What comes behind that is seen.
	frozen_at 1 || fail "it was not frozen"
	sleep 2
	thawed
	leave
done
[ $found ] || skip "the kernel freezes no control groups"
