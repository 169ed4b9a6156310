# SPDX-License-Identifier: GPL-2.0-or-later
# --remote through OpenSSH: two hosts, which are network namespaces with an sshd each. The network of one goes away.
. "$SUITE/lib.sh"
for tool in ip nsenter unshare; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
# A network and mounts of its own: nothing of them is left when the case ends.
if [ -z "${IN_NETWORK-}" ]; then
	IN_NETWORK=1 exec unshare --net --mount bash "$0"
fi
mount -t tmpfs none /run && mkdir -p /run/sshd || skip "/run cannot be mounted on"
daemons=
trap 'kill $daemons 2>/dev/null' EXIT
. "$SUITE/sshd.sh"
for n in 1 2; do
	ip netns add h$n || skip "there are no network namespaces"
	ip link add v$n type veth peer name e$n netns h$n || skip "there are no veth devices"
	ip addr add 10.9.$n.1/24 dev v$n
	ip link set v$n up
	ip -n h$n addr add 10.9.$n.2/24 dev e$n
	ip -n h$n link set e$n up
	known_host 10.9.$n.2 >>known
	mkdir -p tmp$n
	sshd_conf "$PWD/tmp$n" >sshd$n.conf
	# ip-netns(8) would mount another /sys.
	nsenter --net=/run/netns/h$n /usr/sbin/sshd -D -f "$PWD/sshd$n.conf" -E "$PWD/sshd$n.log" &
	daemons="$daemons $!"
done
SPILE_SSH="$SPILE_SSH -oServerAliveInterval=1 -oServerAliveCountMax=2"
for n in 1 2; do
	wait_for 30 answers 10.9.$n.2
done
left() { ls tmp1 tmp2 | grep spile; }
empty() { [ -z "$(left)" ]; }

# Handlers in the kernel of each host; both see their own command alone.
expect 0 timeout 100 "$SPILE" --remote 10.9.1.2 --remote ssh://root@10.9.2.2:22 --engine=kernel -c "$PROGS/calls 5" \
	-e "global n probe process(\"$PROGS/calls\").function(\"add\") { n++ } probe end { println(n) }"
sort out | diff - <(printf '10.9.1.2: 5\nroot@10.9.2.2:22: 5\n') >differ || { cat differ; fail "not what both hosts count"; }
empty || fail "left on a host: $(left)"

# One of them is cut off: it is reported, and the other goes on. When its network is back, it sees that nobody is there any more.
cat >ticks.stp <<'E'
probe timer.ms(50) { println("tick") } probe end { println("end") }
E
timeout 100 "$SPILE" --remote 10.9.1.2 --remote 10.9.2.2 ticks.stp >out 2>err &
watched=$!
wait_for 60 grep -q '^10.9.1.2: tick' out
wait_for 60 grep -q '^10.9.2.2: tick' out
ip link set v2 down
wait_for 60 grep -q '^ERROR: 10.9.2.2: is gone before the script has ended: ssh has ended with status 255$' err
ticks=$(grep -c '^10.9.1.2: tick' out)
more() { [ "$(grep -c '^10.9.1.2: tick' out)" -gt "$ticks" ]; }
wait_for 60 more
kill -TERM $watched
wait $watched
[ $? = 1 ] || fail "the status does not tell of the host that is gone"
prints '^10.9.1.2: end$'
ip link set v2 up
wait_for 60 empty
# Nobody listens there.
expect 1 timeout 100 "$SPILE" --remote 10.9.1.2 --remote 10.9.1.2:23 -e 'probe begin { println("here") exit() }'
prints '^10.9.1.2: here$'
says '^ERROR: 10.9.1.2:23: cannot be reached: ssh has ended with status 255$'
says '^10.9.1.2:23: ssh: connect to host 10.9.1.2 port 23: Connection refused.?$'
