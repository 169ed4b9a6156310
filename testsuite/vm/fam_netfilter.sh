# SPDX-License-Identifier: GPL-2.0-or-later
# The probes of netfilter: each fires, and its variables have what was sent, by the way that it took.
. "$SUITE/lib.sh"
. "$SUITE/network.sh"
modprobe br_netfilter || skip "there is no module br_netfilter"
# A bridge with c (10.3.0.2) and d (10.3.0.3) behind it, and another bridge, which it sends messages to.
ip link add br0 address 02:00:00:00:03:00 type bridge stp_state 1 forward_delay 200
n=2
for side in c d; do
	ip netns add $side
	ip link add v$side type veth peer name e$side
	ip link set e$side netns $side
	ip link set v$side master br0 up
	ip -n $side addr add 10.3.0.$n/24 dev e$side
	ip -n $side link set e$side address 02:00:00:00:03:0$n up
	n=$((n + 1))
done
ip addr add 10.3.0.1/24 dev br0
ip link set br0 up
ip netns add e
ip link add ve type veth peer name ee
ip link set ee netns e
ip link set ve master br0 up
ip -n e link add bre type bridge stp_state 1 priority 61440
ip -n e link set ee master bre up
ip -n e link set bre up
sleep 5 # until the ports forward
cat >work.sh <<S
ip netns exec a $SEND 10.2.0.2 5000 4000 datagram
ip netns exec a $SEND fd02::2 5000 4001 datagram
ip netns exec a python3 -c 'import socket; s = socket.socket(); s.bind(("", 4002)); s.connect_ex(("10.1.0.1", 5001))'
ip netns exec c $SEND 10.3.0.1 6000 6001 datagram
ip netns exec c $SEND 10.3.0.3 6000 6001 datagram
$SEND 10.3.0.3 6000 6001 datagram
sleep 3
S
cat >values.stp <<'S'
global told
probe netfilter.ip.{pre_routing,local_in,forward,local_out,post_routing} {
  if (dport != 5000 || told[pn(), sport]++) next
  printf("%s %s %d %s>%s %d bytes %d %s:%d %s:%d %d\n", pn(), pf, family, indev_name, outdev_name, length, protocol, saddr, sport, daddr, dport, syn)
}
probe netfilter.{ipv4,ipv6}.{pre_routing,forward,post_routing} {
  if ((sport == 4000 || sport == 4001) && (indev_name == "va" || outdev_name == "ea") && !told[pn(), 0]++)
    printf("%s udp %d tcp %d [%s] %d [%s] %d\n", pn(), udphdr - iphdr, tcphdr, in_mac, indev_mac_len, out_mac, outdev_mac_len)
}
probe netfilter.ipv4.{local_out,local_in} {
  if ((dport == 5001 || sport == 5001) && !told[pn(), sport]++)
    printf("%s tcp %d udp %d: %d%d%d%d%d%d %s:%d %s:%d\n", pn(), tcphdr - iphdr, udphdr, urg, ack, psh, rst, syn, fin, saddr, sport, daddr, dport)
}
probe netfilter.arp.{in,out,forward} {
  if (ar_op == 1 && ar_tip == "10.3.0.3" && ar_sip == "10.3.0.2" && !told[pn(), 0]++)
    printf("%s %s %d %s>%s %d %#x %d %d %s %s %s %d\n", pn(), pf, family, pn() == "netfilter.arp.in" ? "" : indev_name, pn() == "netfilter.arp.forward" ? "" : outdev_name, ar_hrd, ar_pro, ar_hln, ar_pln, ar_sha, ar_sip, ar_tha,
	   ar_data - arphdr)
}
probe netfilter.bridge.{pre_routing,local_in,forward,local_out,post_routing} {
  if (protocol == 0x800 && length == 36 && !told[pn(), 0]++) printf("%s %s %s>%s\n", pn(), pf, indev_name, outdev_name)
  if (protocol == llcproto_stp && !told[pn(), 1]++)
    printf("%s %s>%s %d %d %d root %x %s %d bridge %x %s %d %d %d %d\n", pn(), indev_name, outdev_name, br_prid, br_vid, br_type, br_rid, br_rmac, br_cost,
	   br_bid, br_mac, br_msg, br_max, br_htime, brhdr - llcpdu)
}
S
expect 0 "$SPILE" -c "sh work.sh" values.stp
quiet
LC_ALL=C sort out >sorted
LC_ALL=C sort >wanted <<'S'
netfilter.arp.forward arp 3 vc> 1 0x800 6 4 02:00:00:00:03:02 10.3.0.2 00:00:00:00:00:00 8
netfilter.arp.in arp 3 > 1 0x800 6 4 02:00:00:00:03:02 10.3.0.2 00:00:00:00:00:00 8
netfilter.arp.out arp 3 >ec 1 0x800 6 4 02:00:00:00:03:02 10.3.0.2 00:00:00:00:00:00 8
netfilter.bridge.forward bridge vc>vd
netfilter.bridge.local_in bridge vc>
netfilter.bridge.local_out bridge >vd
netfilter.bridge.local_out >ve 0 0 0 root 8000 02:00:00:00:03:00 0 bridge 8000 02:00:00:00:03:00 0 5120 512 3
netfilter.bridge.post_routing bridge >vd
netfilter.bridge.pre_routing bridge vc>
netfilter.bridge.pre_routing ee> 0 0 0 root 8000 02:00:00:00:03:00 0 bridge 8000 02:00:00:00:03:00 0 5120 512 3
netfilter.ip.forward ipv6 10 va>vb 56 bytes 17 fd01:0000:0000:0000:0000:0000:0000:0002:4001 fd02:0000:0000:0000:0000:0000:0000:0002:5000 0
netfilter.ip.forward ipv4 2 va>vb 36 bytes 17 10.1.0.2:4000 10.2.0.2:5000 0
netfilter.ip.local_in ipv6 10 eb> 56 bytes 17 fd01:0000:0000:0000:0000:0000:0000:0002:4001 fd02:0000:0000:0000:0000:0000:0000:0002:5000 0
netfilter.ip.local_in ipv4 2 eb> 36 bytes 17 10.1.0.2:4000 10.2.0.2:5000 0
netfilter.ip.local_out ipv6 10 >ea 56 bytes 17 fd01:0000:0000:0000:0000:0000:0000:0002:4001 fd02:0000:0000:0000:0000:0000:0000:0002:5000 0
netfilter.ip.local_out ipv4 2 >ea 36 bytes 17 10.1.0.2:4000 10.2.0.2:5000 0
netfilter.ip.post_routing ipv6 10 >ea 56 bytes 17 fd01:0000:0000:0000:0000:0000:0000:0002:4001 fd02:0000:0000:0000:0000:0000:0000:0002:5000 0
netfilter.ip.post_routing ipv4 2 >ea 36 bytes 17 10.1.0.2:4000 10.2.0.2:5000 0
netfilter.ip.pre_routing ipv6 10 va> 56 bytes 17 fd01:0000:0000:0000:0000:0000:0000:0002:4001 fd02:0000:0000:0000:0000:0000:0000:0002:5000 0
netfilter.ip.pre_routing ipv4 2 va> 36 bytes 17 10.1.0.2:4000 10.2.0.2:5000 0
netfilter.ipv4.forward udp 20 tcp 0 [02:00:00:00:01:01] 6 [02:00:00:00:02:01] 6
netfilter.ipv4.local_in tcp 20 udp 0: 000010 10.1.0.2:4002 10.1.0.1:5001
netfilter.ipv4.local_in tcp 20 udp 0: 010100 10.1.0.1:5001 10.1.0.2:4002
netfilter.ipv4.local_out tcp 20 udp 0: 000010 10.1.0.2:4002 10.1.0.1:5001
netfilter.ipv4.local_out tcp 20 udp 0: 010100 10.1.0.1:5001 10.1.0.2:4002
netfilter.ipv4.post_routing udp 20 tcp 0 [] 0 [02:00:00:00:01:02] 6
netfilter.ipv4.pre_routing udp 20 tcp 0 [02:00:00:00:01:01] 6 [] 0
netfilter.ipv6.forward udp 40 tcp 0 [02:00:00:00:01:01] 6 [02:00:00:00:02:01] 6
netfilter.ipv6.post_routing udp 40 tcp 0 [] 0 [02:00:00:00:01:02] 6
netfilter.ipv6.pre_routing udp 40 tcp 0 [02:00:00:00:01:01] 6 [] 0
S
diff sorted wanted || fail "other values"
expect 0 "$SPILE" -c "sh work.sh" -e 'probe netfilter.ipv4.forward { if (dport == 5000) { printf("%s\n%s\n", data_hex, data_str) exit() } }'
prints '^45.{38}0fa01388.{8}646174616772616d$'
prints 'datagram"$'
fired all.stp netfilter.{ip,ipv4,ipv6}.{pre_routing,local_in,forward,local_out,post_routing} netfilter.arp.{in,out,forward} \
	netfilter.bridge.{pre_routing,local_in,forward,local_out,post_routing}
ip -n c neigh flush all # so that it asks again
ip neigh flush all
expect 0 "$SPILE" -c "sh work.sh" all.stp
quiet
all_fired all.stp
