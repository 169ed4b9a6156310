# SPDX-License-Identifier: GPL-2.0-or-later
# gdb's script: runs the program, and prints the addresses of the stack where it stops, at the first $UNWIND_EACH hits of each place
# in the file $UNWIND_PLACES ("FILE ADDRESS" a line, link-time addresses). What is inlined, or was left by a jump to another
# function, has no address of its own.
import os
import gdb

MOST = 127
each = int(os.environ["UNWIND_EACH"])


def addresses():
    frame, found = gdb.newest_frame(), []
    while frame is not None and len(found) < MOST:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            found.append(hex(frame.pc()))
        frame = frame.older()
    return found


def is_code(found):
    """Without call frame information (the functions that compilers add to a program) gdb may take anything for an address."""
    ranges = []
    for line in open("/proc/%d/maps" % gdb.selected_inferior().pid):
        words = line.split()
        if "x" in words[1]:
            ranges.append([int(end, 16) for end in words[0].split("-")])
    return all(any(start <= int(address, 16) < end for start, end in ranges) for address in found)


def stopped(event):
    if isinstance(event, gdb.BreakpointEvent):
        for b in event.breakpoints:
            if b.number > 1:
                found = addresses()
                print("STACK" if is_code(found) else "LOST", *found, flush=True)
                if b.hit_count >= each:
                    ended.append(b)
                return


def base_of(path, pid):
    if open(path, "rb").read(18)[16] == 2:  # ET_EXEC
        return 0
    for line in open("/proc/%d/maps" % pid):
        words = line.split()
        if words[-1] == path and words[2] == "00000000":
            return int(words[0].split("-")[0], 16)
    return 0


ended = []
for setting in ("pagination off", "confirm off", "debuginfod enabled off", "backtrace past-main on", "backtrace past-entry on",
                "auto-solib-add on", "print inferior-events off"):
    gdb.execute("set " + setting)
for name in ("SIGUSR1", "SIGCHLD", "SIGALRM"):
    gdb.execute("handle %s nostop noprint pass" % name)
gdb.Breakpoint("*" + os.environ["UNWIND_ENTRY"])
gdb.execute("run")
pid = gdb.selected_inferior().pid
for line in open(os.environ["UNWIND_PLACES"]):
    file, address = line.split()
    gdb.Breakpoint("*%#x" % (int(address, 16) + base_of(file, pid)))
gdb.events.stop.connect(stopped)
while gdb.selected_inferior().pid:
    gdb.execute("continue")
    while ended:
        ended.pop().delete()
