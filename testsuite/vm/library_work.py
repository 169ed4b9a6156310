# SPDX-License-Identifier: GPL-2.0-or-later
"""library_work.py DIR: makes events for the library's aliases in a guest: files, sockets, processes, signals, terminals, memory, a
disk. Everything is done once, in one order. See compare-library."""
import contextlib
import fcntl
import mmap
import os
import pty
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

DIR = sys.argv[1] + "/events"


def files():
    path = DIR + "/file"
    fd = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    os.write(fd, b"x" * 5000)
    os.fsync(fd)
    os.lseek(fd, 0, 0)
    os.read(fd, 100)
    os.readv(fd, [bytearray(10), bytearray(20)])
    os.writev(fd, [b"a", b"bc"])
    os.pread(fd, 10, 0)
    os.pwrite(fd, b"zz", 100)
    os.ftruncate(fd, 10)
    with mmap.mmap(fd, 10) as view:
        view[0:1]
    os.close(fd)
    os.rename(path, path + "2")
    os.link(path + "2", path + "3")
    os.symlink("file2", path + "4")
    os.readlink(path + "4")
    os.chmod(path + "2", 0o600)
    for number in "234":
        os.unlink(path + number)
    os.mkdir(DIR + "/folder")
    os.rmdir(DIR + "/folder")
    os.listdir(DIR)


def connection(family, address):
    listener = socket.socket(family)
    listener.bind((address, 0))
    listener.listen(5)
    client = socket.socket(family)
    client.connect(listener.getsockname())
    server, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    client.send(b"hello" * 10)
    server.recv(100)
    server.sendmsg([b"1", b"22"])
    client.recvmsg(100)
    client.shutdown(socket.SHUT_WR)
    for each in (client, server, listener):
        each.close()


def tcp():
    connection(socket.AF_INET, "127.0.0.1")
    with socket.socket() as refused, contextlib.suppress(OSError):
        refused.connect(("127.0.0.1", 9))
    connection(socket.AF_INET6, "::1")


def udp():
    server, client = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    server.bind(("127.0.0.1", 0))
    client.sendto(b"abc", server.getsockname())
    server.recvfrom(10)
    client.connect(server.getsockname())
    client.send(b"defg")
    server.recv(10)
    client.sendto(b"q", ("127.0.0.1", 9))
    one, other = socket.socketpair()
    one.send(b"u")
    other.recv(4)


def processes():
    pid = os.fork()
    if not pid:
        os._exit(3)
    os.waitpid(pid, 0)
    subprocess.run(["/bin/true", "arg1", "arg 2"])
    pid = os.fork()
    if not pid:
        time.sleep(30)
        os._exit(0)
    os.kill(pid, signal.SIGUSR1)
    os.waitpid(pid, 0)
    thread = threading.Thread(target=lambda: time.sleep(0.01))
    thread.start()
    thread.join()
    os.nice(1)
    os.sched_setaffinity(0, {0})


def signals():
    signal.signal(signal.SIGUSR2, lambda *_: None)
    os.kill(os.getpid(), signal.SIGUSR2)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.sigpending()
    signal.sigtimedwait([signal.SIGUSR1], 1)


def terminal():
    master, slave = pty.openpty()
    os.write(slave, b"line\n")
    os.read(master, 10)
    os.write(master, b"in\n")
    os.read(slave, 10)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 30, 0, 0))
    os.close(slave)
    os.close(master)


def memory():
    view = mmap.mmap(-1, 1 << 20)
    view[0], view[8192] = 1, 2
    view.close()
    pid = os.fork()
    if not pid:
        bytearray(100000)[5] = 1
        os._exit(0)
    os.waitpid(pid, 0)


def disk():
    subprocess.run(f"truncate -s 32M {DIR}/image && mkfs.ext4 -q {DIR}/image && mkdir {DIR}/disk && mount -o loop {DIR}/image {DIR}/disk",
                   shell=True, check=True)
    fd = os.open(DIR + "/disk/file", os.O_CREAT | os.O_RDWR, 0o644)
    os.write(fd, b"y" * 20000)
    os.fsync(fd)
    os.close(fd)
    os.unlink(DIR + "/disk/file")
    with open("/proc/sys/vm/drop_caches", "w") as caches:
        caches.write("3")
    os.listdir(DIR + "/disk")
    os.sync()
    subprocess.run(["umount", DIR + "/disk"])


os.makedirs(DIR)
subprocess.run("ip link set lo up; modprobe loop; modprobe ext4", shell=True)
for events in (files, tcp, udp, processes, signals, terminal, memory, disk):
    events()
time.sleep(0.3)
