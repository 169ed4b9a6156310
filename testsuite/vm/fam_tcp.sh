# SPDX-License-Identifier: GPL-2.0-or-later
# The probes of tcp, udp, tcpmib and linuxmib: each fires, and its variables have what was sent.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
exec 9>/run/network-of-cases
flock 9 # cases run at the same time; this one takes memory from others
ip link set lo up || exit 1
cat >talk.py <<'PY'
import ctypes, socket, struct, time
libc = ctypes.CDLL(None)
def disconnect(s):
	libc.connect(s.fileno(), struct.pack("16x"), 16)
def talk(family, host, port):
	server = socket.socket(family)
	server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	server.bind((host, port))
	server.listen()
	client = socket.socket(family)
	client.bind((host, port + 1000))
	client.connect((host, port))
	client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
	other, _ = server.accept()
	client.send(b"text")
	other.recv(100)
	disconnect(client)
	a, b = socket.socket(family, socket.SOCK_DGRAM), socket.socket(family, socket.SOCK_DGRAM)
	a.bind((host, port + 2000))
	b.bind((host, port))
	a.sendto(b"datagram", (host, port))
	b.recvfrom(200)
	a.connect((host, port))
	disconnect(a)
talk(socket.AF_INET, "127.0.0.1", 5555)
talk(socket.AF_INET6, "::1", 5556)
PY
cat >values.stp <<'S'
probe tcp.sendmsg { if (pid() == target()) printf("%s %d %d bytes, %d\n", name, family, size, __tcp_sock_dport(sock)) }
probe tcp.sendmsg.return { if (pid() == target()) printf("%s returns %d\n", name, size) }
probe tcp.recvmsg { if (pid() == target()) printf("%s %d %d %s:%d %s:%d\n", name, size, family, saddr, sport, daddr, dport) }
probe tcp.recvmsg.return { if (pid() == target()) printf("%s returns %d %d %s:%d %s:%d\n", name, size, family, saddr, sport, daddr, dport) }
probe tcp.disconnect { if (pid() == target()) printf("%s %#x %s:%d %s:%d\n", name, flags, saddr, sport, daddr, dport) }
probe tcp.disconnect.return { if (pid() == target()) printf("%s returns %d\n", name, ret) }
probe tcp.setsockopt { if (pid() == target()) printf("%s %d %d %d %s %d\n", name, family, level, optname, optstr, optlen) }
probe tcp.setsockopt.return { if (pid() == target()) printf("%s returns %d\n", name, ret) }
probe tcp.receive { if (syn && !ack && (dport == 5555 || dport == 5556)) printf("%s %d %d %s:%d %s:%d %d%d%d%d%d%d\n", name, family, protocol, saddr, sport, daddr, dport, urg, ack, psh, rst, syn, fin) }
probe tcp.{ipv4,ipv6}.receive { if (psh && (dport == 5555 || dport == 5556)) printf("%s data: %s, header %d, window %d\n", name, seq > 0 && ackseq > 0 ? "numbered" : "not numbered", tcphdr - iphdr, window > 0) }
probe udp.sendmsg { if (pid() == target()) printf("%s %d %d %s:%d %s:%d\n", name, size, family, saddr, sport, daddr, dport) }
probe udp.sendmsg.return { if (pid() == target()) printf("%s returns %d %s:%d\n", name, size, daddr, dport) }
probe udp.recvmsg { if (pid() == target()) printf("%s %d %d %s:%d\n", name, size, family, saddr, sport) }
probe udp.recvmsg.return { if (pid() == target()) printf("%s returns %d %s:%d %s:%d\n", name, size, saddr, sport, daddr, dport) }
probe udp.disconnect { if (pid() == target()) printf("%s %s:%d %s:%d\n", name, saddr, sport, daddr, dport) }
probe udp.disconnect.return { if (pid() == target()) printf("%s returns %d\n", name, ret) }
S
expect 0 "$SPILE" -c "python3 talk.py" values.stp
quiet
is 'tcp.ipv4.receive 2 6 127.0.0.1:6555 127.0.0.1:5555 000010
tcp.ipv4.setsockopt 2 6 1 TCP_NODELAY 4
tcp.ipv4.setsockopt returns 0
tcp.sendmsg 2 4 bytes, 5555
tcp.ipv4.receive data: numbered, header 20, window 1
tcp.sendmsg returns 4
tcp.recvmsg 100 2 127.0.0.1:5555 127.0.0.1:6555
tcp.recvmsg returns 4 2 127.0.0.1:5555 127.0.0.1:6555
tcp.disconnect 0x2 127.0.0.1:6555 127.0.0.1:5555
tcp.disconnect returns 0
udp.sendmsg 8 2 127.0.0.1:7555 127.0.0.1:5555
udp.sendmsg returns 8 127.0.0.1:5555
udp.recvmsg 200 2 127.0.0.1:5555
udp.recvmsg returns 8 127.0.0.1:5555 127.0.0.1:7555
udp.disconnect 127.0.0.1:7555 127.0.0.1:5555
udp.disconnect returns 0
tcp.ipv6.receive 10 6 0000:0000:0000:0000:0000:0000:0000:0001:6556 0000:0000:0000:0000:0000:0000:0000:0001:5556 000010
tcp.ipv6.setsockopt 10 6 1 TCP_NODELAY 4
tcp.ipv6.setsockopt returns 0
tcp.sendmsg 10 4 bytes, 5556
tcp.ipv6.receive data: numbered, header 40, window 1
tcp.sendmsg returns 4
tcp.recvmsg 100 10 0000:0000:0000:0000:0000:0000:0000:0001:5556 0000:0000:0000:0000:0000:0000:0000:0001:6556
tcp.recvmsg returns 4 10 0000:0000:0000:0000:0000:0000:0000:0001:5556 0000:0000:0000:0000:0000:0000:0000:0001:6556
tcp.disconnect 0x2 0000:0000:0000:0000:0000:0000:0000:0001:6556 0000:0000:0000:0000:0000:0000:0000:0001:5556
tcp.disconnect returns 0
udp.sendmsg 8 10 0000:0000:0000:0000:0000:0000:0000:0001:7556 0000:0000:0000:0000:0000:0000:0000:0001:5556
udp.sendmsg returns 8 0000:0000:0000:0000:0000:0000:0000:0001:5556
udp.recvmsg 200 10 0000:0000:0000:0000:0000:0000:0000:0001:5556
udp.recvmsg returns 8 0000:0000:0000:0000:0000:0000:0000:0001:5556 0000:0000:0000:0000:0000:0000:0000:0001:7556
udp.disconnect 0000:0000:0000:0000:0000:0000:0000:0001:7556 0000:0000:0000:0000:0000:0000:0000:0001:5556
udp.disconnect returns 0'
fired all.stp {tcp.{sendmsg,recvmsg,disconnect,setsockopt,ipv4.setsockopt,ipv6.setsockopt},udp.{sendmsg,recvmsg,disconnect}}{,.return} \
	tcp.{,ipv4.,ipv6.}receive tcpmib.{ActiveOpens,AttemptFails,CurrEstab,EstabResets,InSegs,OutRsts,OutSegs,PassiveOpens,RetransSegs} \
	linuxmib.{DelayedACKs,ListenOverflows,ListenDrops,TCPMemoryPressures}
cat >fail.py <<'PY'
import socket, struct, time
def pair(port):
	server = socket.create_server(("127.0.0.1", port))
	client = socket.create_connection(("127.0.0.1", port))
	other, _ = server.accept()
	return server, client, other
try:
	socket.create_connection(("127.0.0.1", 5999)) # nobody listens: AttemptFails, and OutRsts of who answers
except OSError:
	pass
server, client, other = pair(5600)
other.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
for i in range(3):
	client.send(b"x") # no answer, so it is acknowledged after a delay
	time.sleep(0.3)
client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
client.close() # a reset: EstabResets
full = socket.socket()
full.bind(("127.0.0.1", 5601))
full.listen(0)
clients = []
for i in range(4): # one is waiting, the others are too many: what they send is dropped, and sent again after a second
	clients.append(socket.socket())
	clients[-1].setblocking(False)
	clients[-1].connect_ex(("127.0.0.1", 5601))
time.sleep(2.5)
with open("/proc/sys/net/ipv4/tcp_mem", "w") as f:
	f.write("1 2 100000")
server, client, other = pair(5602)
client.setblocking(False)
try:
	while True:
		client.send(bytes(65536))
except BlockingIOError:
	pass
PY
cp /proc/sys/net/ipv4/tcp_mem memory
expect 0 "$SPILE" -c "python3 talk.py && python3 fail.py" all.stp
cat memory >/proc/sys/net/ipv4/tcp_mem
quiet
all_fired all.stp
