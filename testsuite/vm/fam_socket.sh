# SPDX-License-Identifier: GPL-2.0-or-later
# The probes of socket: each fires, and its variables have what was sent.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
ip link set lo up || exit 1
cat >talk.py <<'PY'
import os, socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 5700))
u.sendto(b"twelve bytes", ("127.0.0.1", 5700))
u.recvfrom(100)
os.write(a.fileno(), b"five!")
os.read(b.fileno(), 64)
try:
	u.recv(1, socket.MSG_DONTWAIT)
except BlockingIOError:
	pass
u.close()
try:
	socket.socket(socket.AF_INET, 6)
except OSError:
	pass
PY
cat >values.stp <<'S'
function what:string (name, family, type, protocol) { return name . " " . sock_fam_num2str(family) . " " . sock_type_num2str(type) . " " . sock_prot_num2str(protocol) }
probe socket.{send,receive,sendmsg.return,recvmsg.return,write_iter.return,read_iter.return} {
  if (pid() == target() && type == 2) printf("%s: %d, %s %d %d\n", what(name, family, type, protocol), size, sock_state_num2str(state), flags >= 0, success)
}
probe socket.{sendmsg,recvmsg,write_iter,read_iter} {
  if (pid() == target() && type == 2) printf("%s: %d, %s %d\n", what(name, family, type, protocol), size, sock_state_num2str(state), flags >= 0)
}
probe socket.create { if (pid() == target() && type != 1) printf("%s: %d\n", what(name, family, type, protocol), requester) }
probe socket.create.return { if (pid() == target() && type != 1) printf("%s: %d %d %d\n", what(name, family, type, protocol), requester, err < 0, success) }
probe socket.close { if (pid() == target() && type != 1 && family == 2) printf("%s: %s %d\n", what(name, family, type, protocol), sock_state_num2str(state), flags >= 0) }
S
expect 0 "$SPILE" -c "python3 talk.py" values.stp
quiet
LC_ALL=C sort out >sorted
LC_ALL=C sort >wanted <<'S'
socket.create LOCAL DGRAM IP: 0
socket.create LOCAL DGRAM IP: 0
socket.create.return LOCAL DGRAM IP: 0 0 1
socket.create.return LOCAL DGRAM IP: 0 0 1
socket.create INET DGRAM IP: 0
socket.create.return INET DGRAM IP: 0 0 1
socket.sendmsg INET DGRAM UDP: 12, UNCONNECTED 1
socket.send INET DGRAM UDP: 12, UNCONNECTED 1 1
socket.sendmsg.return INET DGRAM UDP: 12, UNCONNECTED 1 1
socket.recvmsg INET DGRAM UDP: 100, UNCONNECTED 1
socket.receive INET DGRAM UDP: 12, UNCONNECTED 1 1
socket.recvmsg.return INET DGRAM UDP: 12, UNCONNECTED 1 1
socket.write_iter LOCAL DGRAM IP: 5, CONNECTED 1
socket.sendmsg LOCAL DGRAM IP: 5, CONNECTED 1
socket.send LOCAL DGRAM IP: 5, CONNECTED 1 1
socket.sendmsg.return LOCAL DGRAM IP: 5, CONNECTED 1 1
socket.write_iter.return LOCAL DGRAM IP: 5, CONNECTED 1 1
socket.read_iter LOCAL DGRAM IP: 64, CONNECTED 1
socket.recvmsg LOCAL DGRAM IP: 64, CONNECTED 1
socket.receive LOCAL DGRAM IP: 5, CONNECTED 1 1
socket.recvmsg.return LOCAL DGRAM IP: 5, CONNECTED 1 1
socket.read_iter.return LOCAL DGRAM IP: 5, CONNECTED 1 1
socket.recvmsg INET DGRAM UDP: 1, UNCONNECTED 1
socket.receive INET DGRAM UDP: -11, UNCONNECTED 1 0
socket.recvmsg.return INET DGRAM UDP: -11, UNCONNECTED 1 0
socket.close INET DGRAM UDP: UNCONNECTED 1
socket.create INET DCCP IP: 0
socket.create.return INET DCCP IP: 0 1 0
S
diff sorted wanted || fail "other values"
expect 0 "$SPILE" -c "python3 talk.py" -e 'probe socket.close.return { if (pid() == target()) { println(name) exit() } }'
is socket.close.return
