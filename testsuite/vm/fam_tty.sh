# SPDX-License-Identifier: GPL-2.0-or-later
# The probe family tty: each alias fires, and their variables tell what has been done to a pseudo terminal, which script(1) makes.
. "$SUITE/lib.sh"

family 'tty\.'
cat >values.stp <<'S'
probe tty.open { if (execname() == "script" || execname() == "bash") printf("%s %s %o %d\n", pn(), file_name, inode_number > 0, file_mode & 3) }
probe tty.resize { printf("%s %s %d %d -> %d %d\n", pn(), name, old_row, old_col, new_row, new_col) }
probe tty.ioctl { if (execname() == "stty" && cmd == 0x5414) printf("%s %s %d\n", pn(), name, arg != 0) }
probe tty.write { if (execname() == "bash") printf("%s %s %s %d\n", pn(), driver_name, file_name, nr) }
probe tty.read { if (execname() == "bash" && nr > 0) printf("%s %s %s %d\n", pn(), driver_name, file_name, buffer != 0) }
probe tty.receive { if (driver_name == "pty_slave" && count == 6) printf("%s %s %d %d\n", pn(), name, index, MAJOR(id)) }
probe tty.poll { if (execname() == "script") printf("%s %s\n", pn(), file_name) }
probe tty.init { if (execname() == "script" || execname() == "bash") printf("%s %s %s %s\n", pn(), driver_name, name, module) }
probe tty.release { if (execname() == "script") printf("%s %s\n", pn(), file_name) }
probe tty.register, tty.unregister { printf("%s %s %s %s %d\n", pn(), driver_name, name, module, index) }
S
compile -- values.stp
compiled

command -v script >/dev/null || skip "script is not installed"
modprobe -n ttyprintk 2>/dev/null || skip "there is no module ttyprintk"
cat >inside.sh <<'S'
stty rows 33 cols 99
echo 12345678
read -r line
S
cat >work.sh <<'S'
modprobe ttyprintk
echo printed >/dev/ttyprintk # tty_init_dev() is inlined where this is opened
echo typed | script -qc "bash inside.sh" /dev/null >/dev/null
modprobe -r ttyprintk
S
family_fires "bash work.sh"

made 0 -c "bash work.sh" -- values.stp
quiet
sort -u out >values
diff - values <<'S' || fail "wrong values"
tty.init pty_master ptm kernel
tty.init ttyprintk ttyprintk ttyprintk
tty.ioctl pts0 1
tty.open 0 1 3
tty.open tty 1 3
tty.open ttyprintk 1 2
tty.poll 0
tty.poll ptmx
tty.read pty_slave 0 1
tty.receive pts0 0 136
tty.register ttyprintk ttyprintk ttyprintk 0
tty.release 0
tty.release ptmx
tty.resize pts0 0 0 -> 33 0
tty.resize pts0 33 0 -> 33 99
tty.unregister ttyprintk ttyprintk ttyprintk 0
tty.write pty_slave 0 9
tty.write ttyprintk ttyprintk 8
S
