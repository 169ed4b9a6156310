# SPDX-License-Identifier: GPL-2.0-or-later
# The size of the terminal that a script prints on, and what top-like scripts do with it.
. "$SUITE/lib.sh"
cat >size.stp <<'END'
probe oneshot
{
  println(terminal_columns(), " ", terminal_lines(), " ", __terminal(), " ", screen_lines(3))
  new_screen()
  println("table")
}
END
expect 0 "$SPILE" size.stp
is '0 0 0 20

table'

command -v python3 >/dev/null || skip "python3 is not installed"
cat >on_terminal.py <<'END'
import fcntl, os, pty, struct, sys, termios
lines, columns = int(sys.argv[1]), int(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
text = b""
try:
    while data := os.read(fd, 4096):
        text += data
except OSError:
    pass
print(text.decode().replace("\r", "").replace("\033", "ESC"), end="")
END
expect 0 python3 on_terminal.py 50 132 "$SPILE" size.stp
is '132 50 3276932 46
ESC[2JESC[1;1Htable'
# One that does not know its size, and one that is too small.
expect 0 python3 on_terminal.py 0 0 "$SPILE" size.stp
is '80 24 1572944 20
ESC[2JESC[1;1Htable'
expect 0 python3 on_terminal.py 2 9 "$SPILE" size.stp
is '9 2 131081 1
ESC[2JESC[1;1Htable'
# With -o the file is what counts.
expect 0 python3 on_terminal.py 50 132 "$SPILE" -o result size.stp
[ "$(head -n 1 result)" = "0 0 0 20" ] || fail "wrong size with -o"
