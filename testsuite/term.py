# SPDX-License-Identifier: GPL-2.0-or-later
# term.py ROWS COLUMNS KEYS COMMAND...: runs the command on a terminal of that size. KEYS is a file of lines: "wait REGEX" until the
# screen shows it, "frames N" until it was drawn N more times, "kill SIGNAL" (and nothing is read until the command has ended), "type TEXT" (\e is Escape), "show TITLE" prints the screen. Then the command is waited for, and what is left on the
# first screen is printed. It knows what spile sends: lines, home, erase, the other screen, reverse video.
import os, pty, re, select, signal, struct, sys, termios, time, fcntl

rows, columns = int(sys.argv[1]), int(sys.argv[2])
steps = [line.rstrip("\n") for line in open(sys.argv[3])]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[4], sys.argv[4:])
# The child may be faster than its size: it asks again for each frame.
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

class Screen:
    def __init__(self):
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    def put(self, c):
        if c == "\r":
            self.column = 0
        elif c == "\n":
            self.row += 1
            if self.row == rows:
                self.cells = self.cells[1:] + [[" "] * columns]
                self.row -= 1
        elif self.column < columns:
            self.cells[self.row][self.column] = c
            self.column += 1
        else:
            sys.exit("a line is too wide for the terminal")

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

first, other = Screen(), Screen()
now, left, n_frames = first, "", 0

def control(text):
    global now, other, n_frames
    if text == "?1049h":
        now, other = Screen(), now
    elif text == "?1049l":
        now = first
    elif text == "H":
        now.row = now.column = 0
        n_frames += 1
    elif text == "K":
        now.cells[now.row][now.column:] = [" "] * (columns - now.column)
    elif text == "J":
        now.cells[now.row][now.column:] = [" "] * (columns - now.column)
        now.cells[now.row + 1:] = [[" "] * columns for _ in range(rows - now.row - 1)]
    elif text not in ("?25l", "?25h", "7m", "0m"):
        sys.exit("the terminal does not know " + repr(text))

def take(seconds):
    global left
    if not select.select([fd], [], [], seconds)[0]:
        return True
    try:
        data = os.read(fd, 65536)
    except OSError:
        return False
    left += data.decode("utf-8", "replace")
    while left:
        sequence = re.match(r"\x1b\[([?0-9;]*[A-Za-z])", left)
        if sequence:
            control(sequence.group(1))
            left = left[sequence.end():]
        elif left[0] == "\x1b":
            break # the rest is on its way
        else:
            now.put(left[0])
            left = left[1:]
    return True

def kill(name):
    os.kill(pid, signal.Signals["SIG" + name])
    end = time.time() + 40
    while time.time() < end:
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended:
            return
        time.sleep(0.02)
    sys.exit("SIG" + name + " has not ended it")

for step in steps:
    word, _, text = step.partition(" ")
    if word == "wait":
        end = time.time() + 40
        while not any(re.search(text, line) for line in now.lines()):
            if time.time() > end or not take(0.1):
                print("\n".join(now.lines()))
                sys.exit("never shown: " + text)
    elif word == "type":
        os.write(fd, text.replace("\\e", "\x1b").encode())
    elif word == "frames":
        end, wanted = time.time() + 40, n_frames + int(text)
        while n_frames < wanted:
            if time.time() > end or not take(0.1):
                sys.exit("not drawn any more")
    elif word == "kill":
        kill(text)
    elif word == "show":
        print("--- " + text)
        print("\n".join(now.lines()))
while take(1):
    pass
_, status = os.waitpid(pid, 0)
print("--- status %d" % os.waitstatus_to_exitcode(status))
print("\n".join(now.lines()).rstrip("\n"))
