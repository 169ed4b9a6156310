# SPDX-License-Identifier: GPL-2.0-or-later
# What a program does with files: python3 nfs_use.py FOLDER. It writes 10000 bytes to `first`, and reads 4321 of them.
import ctypes, fcntl, mmap, os, stat, sys

os.chdir(sys.argv[1])
fd = os.open("first", os.O_RDWR | os.O_CREAT, 0o640)
os.write(fd, bytes(10000))
os.fsync(fd)
os.lseek(fd, 5, os.SEEK_SET)
os.lseek(fd, 7, os.SEEK_END)
fcntl.lockf(fd, fcntl.LOCK_EX, 10, 20)
fcntl.lockf(fd, fcntl.LOCK_UN, 10, 20)
os.close(fd)
def forget():
	with open("/proc/sys/vm/drop_caches", "w") as f:
		f.write("3")
forget()
fd = os.open("first", os.O_RDWR)
os.pread(fd, 4321, 0)
forget()
memory = mmap.mmap(fd, 8192)
memory.madvise(mmap.MADV_RANDOM) # pages are read one by one
memory[4096] = 1
memory.flush()
memory.close()
other = os.open("copy", os.O_RDWR | os.O_CREAT, 0o600)
try:
	os.copy_file_range(fd, other, 5000)
except OSError:
	pass # not by version 3
# Written, but not known to be on the disk of the server, when it is to be forgotten.
os.pwrite(other, bytes(20000), 0)
ctypes.CDLL(None).sync_file_range(other, ctypes.c_long(0), ctypes.c_long(0), 2 | 4)
os.posix_fadvise(other, 0, 0, os.POSIX_FADV_DONTNEED)
os.close(other)
os.close(fd)
os.mkdir("folder")
os.mkfifo("pipe")
os.mknod("plain", stat.S_IFREG | 0o600)
os.rename("first", "second")
os.stat("second")
os.path.exists("nosuch")
os.path.exists("inner/nosuch")
os.listdir(".")
for name in ("second", "copy", "pipe", "plain"):
	os.unlink(name)
os.rmdir("folder")
