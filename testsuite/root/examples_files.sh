# SPDX-License-Identifier: GPL-2.0-or-later
# examples/files: what the scripts tell of known opens, reads, writes and the like.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
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
