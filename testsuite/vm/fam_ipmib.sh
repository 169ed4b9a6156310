# SPDX-License-Identifier: GPL-2.0-or-later
# The probes of ipmib: each fires, as often as the kernel counts the event in /proc/net/snmp where that counts the same.
. "$SUITE/lib.sh"
. "$SUITE/network.sh"
ip link set vb mtu 1000
ip -n b link set eb mtu 1000
echo 1 >/proc/sys/net/ipv4/ipfrag_time
cat >raw.py <<'PY'
import socket, struct, sys
def header(protocol, flags, payload, check=0):
	return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 77, flags, 64, protocol, check, socket.inet_aton("10.1.0.2"), socket.inet_aton("10.1.0.1")) + payload
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
raw.sendto(header(253, 0, b"nobody speaks it"), ("10.1.0.1", 0))
raw.sendto(header(17, 0x2000, bytes(16)), ("10.1.0.1", 0)) # the first piece, and no other
frame = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
frame.bind(("ea", 0))
frame.send(bytes.fromhex("020000000101") + bytes.fromhex("020000000102") + b"\x08\0" + header(17, 0, bytes(16), 0xbad))
big = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
big.sendto(bytes(4000), ("10.1.0.1", 5000)) # in pieces
big.setsockopt(socket.IPPROTO_IP, 10, 2) # IP_MTU_DISCOVER: must not be sent in pieces
big.sendto(bytes(1200), ("10.2.0.2", 5000))
PY
cat >work.sh <<S
in_a() { ip netns exec a "\$@"; }
in_a python3 raw.py
in_a $SEND 10.2.0.2 5000 4000 text
in_a $SEND 10.99.0.1 5000 4000 text
echo 0 >/proc/sys/net/ipv4/ip_forward
in_a $SEND 10.2.0.2 5000 4000 text
sleep 2.5
S
cat >values.stp <<'S'
global n
probe ipmib.{InReceives,InNoRoutes,InAddrErrors,InUnknownProtos,InDiscards,ForwDatagrams,OutRequests,ReasmTimeout,ReasmReqds,FragOKs,FragFails} {
  if (skb && key) n[pn()] += op
}
probe end {
  foreach (name+ in n) if (name != "ipmib.InReceives" && name != "ipmib.OutRequests") printf("%s %d\n", name, n[name])
  printf("%d %d\n", n["ipmib.InReceives"] == InReceives[1], n["ipmib.OutRequests"] == OutRequests[1])
}
S
expect 0 "$SPILE" -c "sh work.sh" values.stp
quiet
is 'ipmib.ForwDatagrams 2
ipmib.FragFails 1
ipmib.FragOKs 1
ipmib.InAddrErrors 1
ipmib.InDiscards 1
ipmib.InNoRoutes 1
ipmib.InUnknownProtos 1
ipmib.ReasmReqds 4
ipmib.ReasmTimeout 1
1 1'
# A function of the script takes the place of the library's: only what comes from 10.2.0.2 is counted, by its protocol.
expect 0 "$SPILE" -c "ip netns exec b $SEND 10.2.0.1 5000 4000 text" -e '
function ipmib_filter_key(skb, op, SourceIsLocal) {
  return ipmib_remote_addr(skb, SourceIsLocal) == 0x0a020002 ? ipmib_get_proto(skb) : 0
}
probe ipmib.InReceives { if (key) { println(key) exit() } }'
is 17
