# SPDX-License-Identifier: GPL-2.0-or-later
# A network inside of the guest, for the cases that source this: the guest is the router between the namespaces a (10.1.0.2, fd01::2)
# and b (10.2.0.2, fd02::2).
SEND="python3 $SUITE/vm/send.py"
command -v python3 >/dev/null || skip "python3 is not installed"
modprobe veth || skip "there is no module veth"
exec 9>/run/network-of-cases
flock 9 # cases run at the same time
ip link set lo up || exit 1
# What another case has left here.
for name in $(ip netns list | cut -d' ' -f1); do
	ip netns del "$name"
done
for name in va vb vc vd ve br0; do
	ip link del $name 2>/dev/null
done
for n in 1 2; do
	side=$(echo ab | cut -c$n)
	ip netns add $side
	ip link add v$side type veth peer name e$side
	ip link set e$side netns $side
	ip addr add 10.$n.0.1/24 dev v$side
	ip -6 addr add fd0$n::1/64 dev v$side nodad
	ip link set v$side address 02:00:00:00:0$n:01 up
	ip -n $side addr add 10.$n.0.2/24 dev e$side
	ip -n $side -6 addr add fd0$n::2/64 dev e$side nodad
	ip -n $side link set e$side address 02:00:00:00:0$n:02 up
	ip -n $side link set lo up
	ip -n $side route add default via 10.$n.0.1
	ip -n $side -6 route add default via fd0$n::1
done
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
