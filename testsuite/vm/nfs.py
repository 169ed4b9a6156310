# SPDX-License-Identifier: GPL-2.0-or-later
# An NFS server of this machine for itself, without the usual programs around it: python3 nfs.py FOLDER COMMAND...
#
# FOLDER is exported, and mounted by version 3 on FOLDER.3 and by version 4 on FOLDER.4 while COMMAND runs. What rpcbind and mountd
# say to the kernel is said here, and what they write into its caches is written here.
import ctypes, os, socket, struct, subprocess, sys, threading

folder, command = sys.argv[1], sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
MOUNTD_PORT = 20048
handle = b""

def mount(source, target, kind, data=""):
	os.makedirs(target, exist_ok=True)
	if libc.mount(source.encode(), target.encode(), kind.encode(), 0, data.encode()) != 0:
		raise OSError(ctypes.get_errno(), "mount " + target + ": " + os.strerror(ctypes.get_errno()))

def write(path, text):
	with open(path, "w") as f:
		f.write(text)

# A call of version 2 of ONC RPC, and its answer: program, procedure and what has been accepted.
def answer(program, procedure):
	if program == 100005: # mountd
		if procedure == 1:
			padded = handle + bytes(-len(handle) % 4)
			return struct.pack(">II", 0, len(handle)) + padded + struct.pack(">II", 1, 1) # by AUTH_SYS
		return b""
	return struct.pack(">I", 1) if procedure else b"" # rpcbind: it is so

def receive(peer, size):
	data = b""
	while len(data) < size:
		more = peer.recv(size - len(data))
		if not more:
			return b""
		data += more
	return data

def serve_one(peer):
	while head := receive(peer, 4):
		call = receive(peer, struct.unpack(">I", head)[0] & 0x7fffffff)
		xid, _, _, program, _, procedure = struct.unpack(">6I", call[:24])
		reply = struct.pack(">6I", xid, 1, 0, 0, 0, 0) + answer(program, procedure)
		peer.sendall(struct.pack(">I", 0x80000000 | len(reply)) + reply)

def serve(server):
	while True:
		peer, _ = server.accept()
		threading.Thread(target=serve_one, args=(peer,), daemon=True).start()

def listen(family, address):
	server = socket.socket(family)
	server.bind(address)
	server.listen()
	threading.Thread(target=serve, args=(server,), daemon=True).start()

os.makedirs("/run", exist_ok=True)
os.makedirs("/var/lib/nfs/v4recovery", exist_ok=True) # with a place for its clients the server needs not wait for old ones
for path in ("/run/rpcbind.sock", "/var/run/rpcbind.sock"):
	if os.path.exists(path):
		os.unlink(path)
listen(socket.AF_UNIX, "/var/run/rpcbind.sock")
listen(socket.AF_INET, ("127.0.0.1", 111))
listen(socket.AF_INET, ("127.0.0.1", MOUNTD_PORT))

mount("none", folder, "tmpfs")
mount("none", folder + "/inner", "tmpfs")
mount("nfsd", "/proc/fs/nfsd", "nfsd")
NEVER = 0x7fffffff
# From any port, answered before it is on the disk, all of the file system and what is mounted below, told by its number.
FLAGS = 0x2 | 0x10 | 0x400 | 0x2000 | 0x4000
write("/proc/net/rpc/auth.unix.ip/channel", "nfsd 127.0.0.1 %d here\n" % NEVER)
for number, path in enumerate((folder, folder + "/inner")):
	write("/proc/net/rpc/nfsd.export/channel", "here %s %d %d 65534 65534 %d\n" % (path, NEVER, FLAGS, number))
	write("/proc/net/rpc/nfsd.fh/channel", "here 1 \\x%s %d %s\n" % (struct.pack("I", number).hex(), NEVER, path))
# Locks are given at once: no client of a server that was here before can come to claim its own.
write("/proc/sys/fs/nfs/nlm_grace_period", "1\n")
write("/proc/fs/nfsd/nfsv4leasetime", "10\n")
write("/proc/fs/nfsd/nfsv4gracetime", "10\n")
def start():
	write("/proc/fs/nfsd/portlist", "tcp 2049\n")
	write("/proc/fs/nfsd/threads", "2\n")
start()
try:
	write("/proc/fs/nfsd/v4_end_grace", "Y\n")
except OSError:
	pass # it has ended already
fd = os.open("/proc/fs/nfsd/filehandle", os.O_RDWR)
os.write(fd, ("here %s 64\n" % folder).encode())
handle = bytes.fromhex(os.read(fd, 4096).decode().strip().replace("\\x", ""))
os.close(fd)
COMMON = "addr=127.0.0.1,port=2049,proto=tcp,sec=sys,timeo=600,rsize=4096,wsize=4096,"
mount("127.0.0.1:" + folder, folder + ".3", "nfs",
      COMMON + "vers=3,nolock,mountproto=tcp,mountvers=3,mountaddr=127.0.0.1,mountport=%d" % MOUNTD_PORT)
mount("127.0.0.1:/", folder + ".4", "nfs", COMMON + "vers=4.2,clientaddr=127.0.0.1")
status = subprocess.call(command)
for path in (folder + ".4/inner", folder + ".4"):
	libc.umount2(path.encode(), 0)
libc.umount2((folder + ".3").encode(), 0)
write("/proc/fs/nfsd/threads", "0\n")
for path in ("/proc/fs/nfsd", folder + "/inner", folder):
	libc.umount2(path.encode(), 2)
sys.exit(status)
