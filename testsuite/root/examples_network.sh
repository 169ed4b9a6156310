# SPDX-License-Identifier: GPL-2.0-or-later
# examples/network: what the scripts tell of connections of a program with itself.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
command -v /usr/bin/python3 >/dev/null || skip "python3 is not installed"

# Three connections, 1000 bytes there and 5000 back; one that is refused; two sockets of AF_UNIX; six datagrams that nobody wants.
cat >net.py <<'S'
import socket
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(7)
for i in range(3):
    client = socket.create_connection(server.getsockname())
    peer, _ = server.accept()
    client.sendall(b"q" * 1000)
    peer.recv(1000, socket.MSG_WAITALL)
    peer.sendall(b"a" * 5000)
    client.recv(5000, socket.MSG_WAITALL)
    client.close()
    peer.recv(1)
    peer.close()
gone = server.getsockname()
server.close()
try: socket.create_connection(gone)
except OSError: pass
a, b = socket.socketpair()
a.send(b"known text")
b.recv(99)
try: socket.socket(socket.AF_UNIX).connect("nothing")
except OSError: pass
socket.getaddrinfo("localhost", 80)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(6):
    try: udp.sendto(b"x", ("127.0.0.1", 9))
    except OSError: pass
S
known="exec /usr/bin/python3 net.py"
here='127\.0\.0\.1:[1-9][0-9]*'

example "$known" tcpconnect
has 4 "^[0-9:]{8} [0-9]+ +python3 +$here\$"
example "$known" tcpconnect -P 9
has 0 python3
example "$known" tcpaccept
has 3 "^[0-9:]{8} [0-9]+ +python3 +$here +$here\$"
example "$known" tcpaccept -p 1
has 0 python3
example "$known" tcp_connections
has 1 '^ +3 0 +python3 +[1-9][0-9]* +127\.0\.0\.1$'
example "$known" tcpconnlat
has 3 "^[0-9]+ +python3 +$here +[0-9]+\.[0-9]{3} established\$"
has 1 "^[0-9]+ +python3 +$here +[0-9]+\.[0-9]{3} failed\$"
example "$known" tcpconnlat 5000
has 0 python3
# The handshake and the end count as a byte each.
example "$known" tcplife
has 3 "^[0-9]+ +python3 +$here +$here +100[12] +500[01] +[0-9]+\.[0-9]{3}\$"
has 3 "^[0-9]+ +python3 +$here +$here +500[01] +100[01] +[0-9]+\.[0-9]{3}\$"
example "$known" tcpstates
has 1 ' CLOSE +LISTEN +0\.000$'
has 4 ' CLOSE +SYN_SENT +0\.000$'
has 3 ' SYN_SENT +ESTABLISHED +[0-9]+\.[0-9]{3}$'
has 3 ' SYN_RECV +ESTABLISHED +[0-9]+\.[0-9]{3}$'
has 3 ' ESTABLISHED +FIN_WAIT1 +[0-9]+\.[0-9]{3}$'
has 3 ' LAST_ACK +CLOSE +[0-9]+\.[0-9]{3}$'
has 1 ' SYN_SENT +CLOSE +[0-9]+\.[0-9]{3}$'
example "$known" tcpstates -P 9
[ "$(wc -l <out)" = 1 ] || fail "another port's"
example "$known" tcpreset
has 1 "^[0-9:]{8} received +$here +$here\$"
has 1 "^[0-9:]{8} sent +$here +$here\$"
# what is sent is what is received, seen from the other end
number '$2 == "sent" { from = $4 " " $3 } $2 == "received" { print (from == $3 " " $4) }'
example "$known" tcprtt
number '$1 == "127.0.0.1:" && $2 >= 9 && $2 < 100 && $4 > 0 && $4 < 900000 { print 1 }'
example "$known" dropwatch
number '$2 == "SKB_DROP_REASON_NO_SOCKET" && $3 ~ /udp/ { print ($1 >= 6 && $1 < 20) }'
number '$2 == "SKB_DROP_REASON_NO_SOCKET" && $3 ~ /tcp/ { print ($1 >= 1 && $1 < 20) }'
# 18000 bytes in packets with headers; each is sent by the program, and comes in while it sends.
example "$known" nettop
number '$2 == "python3" && $3 == "lo" && $4 > 30 && $6 >= 18 && $6 < 30 && $7 >= 0 { print 1 }'
example "$known" solisten
has 1 "^[0-9:]{8} [0-9]+ +python3 +7 0 +$here\$"
example "exec /usr/bin/python3 -c 'import socket
try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).listen(5)
except OSError: socket.socket(socket.AF_INET6).listen(6)'" solisten
has 1 '^[0-9:]{8} [0-9]+ +python3 +5 EOPNOTSUPP +0\.0\.0\.0:0$'
has 1 '^[0-9:]{8} [0-9]+ +python3 +6 0 +\[(0000:){7}0000\]:[1-9][0-9]*$'
example "$known" connects
has 3 '^[0-9]+ +python3 +[0-9]+ 0 +\{sa_family=AF_INET, sin_port=htons\([0-9]+\), sin_addr=inet_addr\("127\.0\.0\.1"\)\}$'
has 1 '^[0-9]+ +python3 +[0-9]+ ECONNREFUSED +\{sa_family=AF_INET, '
has 1 '^[0-9]+ +python3 +[0-9]+ ENOENT +\{sa_family=AF_UNIX, sun_path="nothing"\}$'
example "$known" gethostlatency
has 1 '^[0-9:]{8} [0-9]+ +python3 +[0-9]+\.[0-9]{3}  localhost$'
example "$known" undump
has 1 '^[0-9]+ +python3 +10  "known text"$'
has 0 'qqqq'
example "$known" napis
number 'NR > 1 && $2 > 0 && $3 > 0 && $4 <= $3 { n += $3 } END { print (n >= 30) }'

# The queue of a socket that does not accept is full with the first one: who comes then is not answered, and tries again.
cat >full.py <<'S'
import socket, time
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(0)
clients = [socket.socket() for i in range(4)]
for c in clients:
    c.setblocking(False)
    c.connect_ex(server.getsockname())
time.sleep(1.3)
S
example "exec /usr/bin/python3 full.py" tcpretrans
has 3 "^[0-9:]{8} $here +$here +SYN_SENT\$"
example "$known" tcpdrop
number "/^[0-9:]+ $here +$here +[A-Z_0-9]+ +SKB_DROP_REASON_[A-Z_]+\$/ { n++ } END { print (n >= 3) }"
prints ' (sk_stream_kill_queues|inet_csk_destroy_sock|tcp_.*)\+0x'
example "$known" tcpdrop -s
has 0 '\+0x'

command -v openssl >/dev/null || exit 0
openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2 -subj /CN=localhost >/dev/null 2>&1
cat >ssl_talk.py <<'S'
import socket, ssl, threading
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
def serve():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert", "key")
    with context.wrap_socket(server.accept()[0], server_side=True) as s:
        s.recv(100)
        s.sendall(b"secret answer")
thread = threading.Thread(target=serve)
thread.start()
context = ssl._create_unverified_context()
with context.wrap_socket(socket.create_connection(server.getsockname())) as s:
    s.sendall(b"secret question")
    s.recv(100)
thread.join()
S
example "exec /usr/bin/python3 ssl_talk.py" sslsniff
has 1 '^[0-9]+ +python3 +write +15  "secret question"$'
has 1 '^[0-9]+ +python3 +read +15  "secret question"$'
has 1 '^[0-9]+ +python3 +write +13  "secret answer"$'
has 1 '^[0-9]+ +python3 +read +13  "secret answer"$'
