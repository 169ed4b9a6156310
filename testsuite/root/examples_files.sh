# SPDX-License-Identifier: GPL-2.0-or-later
# examples/files: what the scripts tell of known opens, reads, writes and the like.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_python py_files
head -c 54321 /dev/zero >known_file

# Seven opens of one file, by a shell; two of another one that is not there.
cat >opens.sh <<'S'
for i in 1 2 3 4 5 6 7; do : <known_file; done
: <no_file
: <no_file
S
example "bash opens.sh 2>/dev/null || true" opensnoop
has 7 '^[0-9]+ +bash +[0-9]+ +known_file$'
has 2 '^[0-9]+ +bash +-1 ENOENT +no_file$'
example "bash opens.sh 2>/dev/null || true" opensnoop -x
has 0 'known_file'
has 2 ' ENOENT +no_file$'
example "bash opens.sh 2>/dev/null || true" opensnoop -n cat
has 0 '_file'
example "bash opens.sh 2>/dev/null || true" opensnoop -p 1
has 0 '_file'

example "for i in 1 2 3; do stat -c %n known_file no_file; done 2>/dev/null; true" statsnoop -n stat
has 3 '^[0-9]+ +stat +(statx|newfstatat) +known_file$'
has 3 '^[0-9]+ +stat +(statx|newfstatat) +ENOENT +no_file$'

example "dd if=known_file of=copy bs=1k conv=fdatasync status=none; sync; sync copy" syncsnoop
has 1 '^[0-9:]{8} [0-9]+ +dd +fdatasync +[0-9]+$'
has 1 '^[0-9:]{8} [0-9]+ +sync +sync +[0-9]+$'
has 1 '^[0-9:]{8} [0-9]+ +sync +fsync +[0-9]+$'

mkdir here
example "unshare -m sh -c 'mount -t tmpfs known here && umount here'; umount here 2>/dev/null; true" mountsnoop
has 1 '^[0-9]+ +mount +mount\("known", ".*/here", "tmpfs", 0, .*\) = 0$'
has 1 '^[0-9]+ +umount +umount\(".*/here", .*\) = 0$'
has 1 '^[0-9]+ +umount +umount\("[^"]*here", .*\) = -22 \(EINVAL\)$'

example "exec py_files -c '
import os
a = os.open(\"known_file\", os.O_RDONLY); os.read(a, 1000); os.read(a, 234); os.close(a)
a = os.open(\"written\", os.O_RDWR | os.O_CREAT); os.write(a, b\"7\" * 5000); os.pread(a, 1, 0); os.close(a)
os.close(os.open(\"known_file\", os.O_RDONLY))'" iotime
has 1 '^[0-9]+ +py_files +[0-9]+ +2 +1234 +[0-9]+ +0 +0 +0  known_file$'
has 1 '^[0-9]+ +py_files +[0-9]+ +0 +0 +0 +1 +5000 +[0-9]+  written$'

touch lock
example "exec py_files -c '
import fcntl, os, threading, time
a = os.open(\"lock\", os.O_RDWR); b = os.open(\"lock\", os.O_RDWR)
fcntl.flock(a, fcntl.LOCK_EX)
threading.Timer(0.2, fcntl.flock, (a, fcntl.LOCK_UN)).start()
fcntl.flock(b, fcntl.LOCK_EX)
fcntl.lockf(b, fcntl.LOCK_EX)
try: fcntl.flock(os.open(\"lock\", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError: pass'" flocks
has 1 '^[0-9:]{8} [0-9]+ +py_files +flock +[0-9]+ +LOCK_EX +[1-9][0-9]{5} 0$'
has 1 '^[0-9:]{8} [0-9]+ +py_files +flock +[0-9]+ +LOCK_UN +[0-9]+ 0$'
has 1 '^[0-9:]{8} [0-9]+ +py_files +flock +[0-9]+ +LOCK_EX.LOCK_NB +[0-9]+ EAGAIN$'
has 1 '^[0-9:]{8} [0-9]+ +py_files +fcntl +[0-9]+ +F_SETLKW +[0-9]+ 0$'

mkdir there
example "touch one; mv one there/two; rm there/two; rmdir there; rmdir nothere 2>/dev/null; true" unlinks
has 1 '^[0-9:]{8} [0-9]+ +mv +renameat2\(AT_FDCWD, "one", (AT_FDCWD|[0-9]+), "(there/)?two", .*\) = 0$'
has 1 '^[0-9:]{8} [0-9]+ +rm +unlinkat\(AT_FDCWD, "there/two", 0.*\) = 0$'
has 1 '^[0-9:]{8} [0-9]+ +rmdir +rmdir\("there"\) = 0$'
has 1 '^[0-9:]{8} [0-9]+ +rmdir +rmdir\("nothere"\) = -2 \(ENOENT\)$'
