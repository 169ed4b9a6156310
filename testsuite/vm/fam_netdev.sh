# SPDX-License-Identifier: GPL-2.0-or-later
# The probes of netdev: each fires, and its variables have what was changed and sent.
. "$SUITE/lib.sh"
. "$SUITE/network.sh"
modprobe dummy || skip "there is no module dummy"
cat >values.stp <<'S'
global told
probe netdev.{receive,transmit,hard_transmit} {
  if (dev_name == "va" && (length == 1228 || length == 1242) && !told[pn()]++) printf("%s %d %#x %d\n", pn(), length, ntohs(protocol), truesize > length)
}
probe netdev.rx { if (dev_name == "ea" && protocol == htons(0x800) && !told[pn()]++) printf("%s %d\n", pn(), get_netdev_name(netdev) == dev_name) }
probe netdev.change_mtu { printf("%s %s %d %d\n", pn(), dev_name, old_mtu, new_mtu) }
probe netdev.{open,close,register,unregister,get_stats} { if (dev_name == "d0" && !told[pn()]++) println(pn()) }
probe netdev.change_rx_flag { printf("%s %s %#x\n", pn(), dev_name, flags) }
probe netdev.set_promiscuity { printf("%s %s %d %d %d\n", pn(), dev_name, enable, disable, inc) }
probe netdev.ioctl { if (cmd == 0x8927) printf("%s %s\n", pn(), arg) }
probe netdev.change_mac { printf("%s %s %d %s %s\n", pn(), dev_name, mac_len, old_mac, new_mac) }
S
cat >work.sh <<S
ip link add d0 address 02:00:00:00:00:06 type dummy
ip link set d0 up
ip link set d0 mtu 1400
ip link set d0 down
ip link set d0 address 02:00:00:00:00:07
ip link set va promisc on
ip link set va promisc off
ip link set d0 up
ip link set d0 allmulticast on
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8927, struct.pack("256s", b"d0"))'
ip -s link show d0 >/dev/null
ip link del d0
$SEND 10.1.0.2 5000 4000 $(printf %01200d 0)
ip netns exec a $SEND 10.1.0.1 5000 4000 $(printf %01200d 0)
S
expect 0 "$SPILE" -c "sh work.sh" values.stp
quiet
LC_ALL=C sort out >sorted
LC_ALL=C sort >wanted <<'S'
netdev.register
netdev.get_stats
netdev.open
netdev.change_mtu d0 1500 1400
netdev.close
netdev.change_mac d0 6 02:00:00:00:00:06 02:00:00:00:00:07
netdev.change_rx_flag va 0x100
netdev.set_promiscuity va 1 0 1
netdev.change_rx_flag va 0x100
netdev.set_promiscuity va 0 1 -1
netdev.change_rx_flag d0 0x200
netdev.ioctl d0
netdev.unregister
netdev.transmit 1242 0x800 1
netdev.hard_transmit 1242 0x800 1
netdev.rx 1
netdev.receive 1228 0x800 1
S
diff sorted wanted || fail "other values"
