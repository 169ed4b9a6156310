# SPDX-License-Identifier: GPL-2.0-or-later
# What is known of a connection, by its struct sock, and of a packet, by its struct sk_buff.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
ip link set lo up || exit 1
cat >talk.py <<'PY'
import socket
server = socket.create_server(("127.0.0.1", 5555))
client = socket.create_connection(("127.0.0.1", 5555), source_address=("127.0.0.1", 6666))
client.send(b"text")
PY
expect 0 "$SPILE" -c "python3 talk.py" -e 'global told
probe kernel.function("tcp_v4_rcv") {
  if (ipmib_tcp_local_port($skb, 0) != 5555 || told++) next
  printf("%s:%d %s:%d %d\n", ip_ntop(htonl(ipmib_remote_addr($skb, 0))), ipmib_tcp_remote_port($skb, 0),
	 ip_ntop(htonl(ipmib_remote_addr($skb, 1))), ipmib_tcp_remote_port($skb, 1), ipmib_get_proto($skb))
}
probe kernel.function("tcp_sendmsg") {
  if (pid() != target()) next
  println(inet_get_ip_source($sk), " ", inet_get_local_port($sk), " ", __ip_sock_family($sk) == AF_INET())
  println(ip_ntop(htonl(tcpmib_local_addr($sk))), ":", tcpmib_local_port($sk), " ", ip_ntop(htonl(tcpmib_remote_addr($sk))), ":", tcpmib_remote_port($sk))
  println(tcp_sockstate_str(tcp_ts_get_info_state($sk)), " ", tcp_get_info_rto($sk) > 0, tcp_get_info_snd_cwnd($sk) > 0,
	  tcp_ts_get_info_snd_ssthresh($sk) > 0, tcp_ts_get_info_rcv_mss($sk) > 0, tcpmib_get_state($sk))
}'
is '127.0.0.1:6666 127.0.0.1:5555 6
127.0.0.1 6666 1
127.0.0.1:6666 127.0.0.1:5555
TCP_ESTABLISHED 11111'
quiet
