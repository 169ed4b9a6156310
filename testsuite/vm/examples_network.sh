# SPDX-License-Identifier: GPL-2.0-or-later
# examples/network, those that probe functions of the kernel: what they tell of a program that talks to itself.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
command -v /usr/bin/python3 >/dev/null || skip "python3 is not installed"
ip link set lo up

# Three connections, 10 kB there and 50 kB back; six datagrams of 100 bytes, of which four are read.
cat >net.py <<'S'
import socket
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(7)
for i in range(3):
    client = socket.create_connection(server.getsockname())
    peer, _ = server.accept()
    client.sendall(b"q" * 10240)
    peer.recv(10240, socket.MSG_WAITALL)
    peer.sendall(b"a" * 51200)
    client.recv(51200, socket.MSG_WAITALL)
    client.close()
    peer.recv(1)
    peer.close()
reader = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
reader.bind(("127.0.0.1", 0))
writer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(6): writer.sendto(b"x" * 100, reader.getsockname())
for i in range(4): reader.recv(100)
S
known="exec /usr/bin/python3 net.py"
here='127\.0\.0\.1:[1-9][0-9]*'
example "$known" tcptop
has 3 "^[0-9]+ +python3 +$here +$here +10 +50\$"
has 3 "^[0-9]+ +python3 +$here +$here +50 +10\$"
example "$known" tcpsynbl
has 1 '^limit 7: 3 connections, 0 waited at most$'
prints '^ *0 \|@+ +3$'
example "$known" tcpdumplike
has 3 "^$here +$here +\. \. \. \. S \.\$"
has 3 "^$here +$here +\. A \. \. S \.\$"
number 'NR > 1 && / F$/ { n++ } END { print (n >= 4 && n <= 6) }'
example "$known" tcpdumplike -P 9
[ "$(wc -l <out)" = 1 ] || fail "another port's"
example "$known" socktop
number '$2 == "python3" && $3 ~ /INET/ { print ($4 >= 12 && $4 < 20 && $5 >= 10 && $6 >= 180 && $6 < 190 && $7 >= 180 && $7 < 190) }'
example "$known" udptop
has 1 '^[0-9]+ +python3 +6 +600 +4 +400$'

example "$known" tcplife
has 3 "^[0-9]+ +python3 +$here +$here +1024[012] +5120[01] +[0-9]+\.[0-9]{3}\$"
example "bash -c 'exec 3<>/dev/tcp/127.0.0.1/9' 2>/dev/null; true" dropwatch
number '$2 == "SKB_DROP_REASON_NO_SOCKET" && $3 == "tcp_v4_rcv" { print ($1 >= 1 && $1 < 20) }'

# Before Linux 6.14 there is no tracepoint.
example "setpriv --reuid 4711 --clear-groups chroot / 2>/dev/null; true" capable -x
has 1 '^[0-9:]{8} [0-9]+ +4711 +chroot +SYS_CHROOT +refused$'
