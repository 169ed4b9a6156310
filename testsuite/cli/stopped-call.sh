# SPDX-License-Identifier: GPL-2.0-or-later
# The target gets SIGSTOP in front of one after the other of the system calls that it makes for its tracer: its parent sees it stop, and it
# stays so until it gets SIGCONT.
. "$SUITE/lib.sh"
ln -s "$BUILD/testsuite/faults/fault.so" . # LD_PRELOAD takes no blanks
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"
command -v python3 >/dev/null || skip "python3 is not installed"
cat >parent.py <<'END'
import os, signal, subprocess, sys
busy, fault, spile_run, last = sys.argv[1:]

def count():
    return int.from_bytes(open("ticks", "rb").read(8), sys.byteorder)

def state():
    return open(f"/proc/{target.pid}/stat").read().rpartition(")")[2].split()[0]

def check(call):
    spile = subprocess.Popen([spile_run, "-w", "-x", str(target.pid), "some.spo"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, LD_PRELOAD=fault, FAULT_KIND="call", FAULT_STOP="1", FAULT_AT=str(call)))
    told = os.waitid(os.P_PID, target.pid, os.WSTOPPED)
    if told.si_status != signal.SIGSTOP:
        sys.exit(f"call {call}: signal {told.si_status}")
    before = count()
    spile.send_signal(signal.SIGINT)
    if spile.wait():
        sys.exit(f"call {call}: spile-run ends with {spile.returncode}")
    if count() != before or state() != "T":
        sys.exit(f"call {call}: state {state()}, {count() - before} calls of tick() while it was stopped")

for call in range(1, int(last) + 1):
    if os.path.exists("ticks"):
        os.remove("ticks")
    target = subprocess.Popen([busy, "ticks"])
    while not os.path.exists("ticks") or os.path.getsize("ticks") < 8 or not count():
        if target.poll() is not None:
            sys.exit("busy has ended")
    check(call)
    before = count()
    target.send_signal(signal.SIGCONT)
    while count() == before:
        if target.poll() is not None:
            sys.exit(f"call {call}: it ended with {target.returncode}")
    target.kill()
    target.wait()
END
tick="process(\"$PROGS/busy\").function(\"tick\")"
expect 0 "$SPILE" --engine=user -p4 -m some -e "global n probe $tick { n++ } probe $tick.return { n += \$return < 0 }"
timeout 20 python3 parent.py "$PROGS/busy" "$PWD/fault.so" "$SPILE_RUN" 4 || fail "status $?"
