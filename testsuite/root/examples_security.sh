# SPDX-License-Identifier: GPL-2.0-or-later
# examples/security: what the scripts tell of known changes of users, refusals and the like.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_python py_security

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
known="exec py_security users.py"
example "$known" setuids
has 1 '^[0-9:]{8} [0-9]+ +py_security +0 +setresuid\(4711, 4711, 4711\) = 0$'
has 3 '^[0-9:]{8} [0-9]+ +py_security +4711 +setuid\(0\) = -1 \(EPERM\)$'
example "$known" denials
has 3 '^[0-9:]{8} [0-9]+ +4711 +py_security +setuid +EPERM$'
has 3 '^[0-9:]{8} [0-9]+ +4711 +py_security +openat +EACCES$'

example "chmod 600 users.py; chown 0:4711 users.py; chmod 600 nothing 2>/dev/null; true" chmods
has 1 '^[0-9:]{8} [0-9]+ +chmod +fchmodat\(AT_FDCWD, "users.py", 0600\) = 0$'
has 1 '^[0-9:]{8} [0-9]+ +chown +fchownat\(AT_FDCWD, "users.py", 0, 4711, 0\) = 0$'
example "insmod users.py 2>/dev/null; rmmod nothing 2>/dev/null; true" modules
prints '^[0-9:]{8} [0-9]+ +insmod +finit_module\([0-9]+, "", 0\) = -[0-9]+ \([A-Z]+\)$'

# The program may not become root again, which is asked of it, and asks for a port that only root may have.
cat >caps.py <<'S'
import os, socket
os.setresuid(4711, 4711, 4711)
for i in range(2):
    try: os.setuid(0)
    except OSError: pass
try: os.chroot("/")
except OSError: pass
S
if [ -n "$("$SPILE" -l 'kernel.trace("cap_capable")' 2>/dev/null)" ]; then
	example "exec py_security caps.py" capable
	has 2 '^[0-9:]{8} [0-9]+ +4711 +py_security +SETUID +refused$'
	has 1 '^[0-9:]{8} [0-9]+ +4711 +py_security +SYS_CHROOT +refused$'
	prints '^[0-9:]{8} [0-9]+ +0 +py_security +SETUID +granted$'
	example "exec py_security caps.py" capable -x
	has 2 ' SETUID +refused$'
	has 0 'granted$'
fi

cat >looks.py <<'S'
import ctypes, os, signal, subprocess, time
libc = ctypes.CDLL(None)
child = subprocess.Popen(["sleep", "9"])
time.sleep(0.1)
assert libc.ptrace(0x4206, child.pid, None, None) == 0
libc.ptrace(16, 99999999, None, None)
child.kill()
child.wait()
S
example "exec py_security looks.py" ptraces
has 1 '^[0-9:]{8} [0-9]+ +py_security +PTRACE_SEIZE +[0-9]+ +sleep +0$'
has 1 '^[0-9:]{8} [0-9]+ +py_security +PTRACE_ATTACH +99999999 \? +ESRCH$'

# Another spile makes maps and programs, and loads these; it is not the only one when cases run beside this one.
example "echo \$\$ >known; exec $SPILE -T 60 -e 'probe kernel.trace(\"sched_process_exit\") { n++ } probe timer.ms(10) { exit() } global n' >/dev/null" bpfs
known="^[0-9:]{8} $(cat known) +spile"
has 1 "$known +BPF_RAW_TRACEPOINT_OPEN +[0-9]+\$"
prints "$known +BPF_PROG_LOAD +[0-9]+\$"
prints "$known +BPF_MAP_CREATE +[0-9]+\$"

cp "$(command -v sleep)" known_suid && chown 4712 known_suid && chmod 4755 known_suid
example "./known_suid 0; sleep 0" suids
has 1 '^[0-9:]{8} [0-9]+ +known_suid +0 +4712 +\./known_suid$'
[ "$(wc -l <out)" = 2 ] || fail "other programs"
