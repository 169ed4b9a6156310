# SPDX-License-Identifier: GPL-2.0-or-later
# examples/security: what the scripts tell of known changes of users, refusals and the like.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"

# Back to root is refused, three times; then to another user.
cat >users.py <<'S'
import os
os.setresuid(4711, 4711, 4711)
for i in range(3):
    try: os.setuid(0)
    except OSError: pass
    try: open("/etc/shadow")
    except OSError: pass
S
known="exec /usr/bin/python3 users.py"
example "$known" setuids
has 1 '^[0-9:]{8} [0-9]+ +python3 +0 +setresuid\(4711, 4711, 4711\) = 0$'
has 3 '^[0-9:]{8} [0-9]+ +python3 +4711 +setuid\(0\) = -1 \(EPERM\)$'
example "$known" denials
has 3 '^[0-9:]{8} [0-9]+ +4711 +python3 +setuid +EPERM$'
has 3 '^[0-9:]{8} [0-9]+ +4711 +python3 +openat +EACCES$'
