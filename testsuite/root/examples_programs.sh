# SPDX-License-Identifier: GPL-2.0-or-later
# examples/functions and examples/programs, with programs whose calls and marks are known.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
cp "$PROGS/chain" "$PROGS/spin" "$PROGS/calls" .
cp "$PROGS/marks" marked

# point FUNCTIONS PROGRAM
point() { echo "process(\"./$2\").function(\"$1\")"; }

example "exec ./chain" funccount "$(point '*' chain).call"
has 1 '^last +14$'
has 1 '^middle +8$'
has 1 '^first +2$'
has 1 '^main +1$'
[ "$(sed -n 2p out)" = "last                                 14" ] || fail "wrong order"
example "exec ./chain" functioncallcount "$(point 'm*' chain)"
is 'middle 8
main 1'
example "exec ./chain" funclatency "$(point 'middle' chain)"
number '$1 == "middle:" { print ($2 == 8 && $4 > 0 && $4 <= $8) }'
[ "$(awk '/\|/ { n += $NF } END { print n }' out)" = 8 ] || fail "wrong histogram"
example "exec ./spin 200" funclatency "$(point 'spin_until' spin)"
number '$1 == "spin_until:" { print ($2 == 1 && $4 > 190000000 && $4 < 2000000000) }'
example "exec ./spin 200" funclatency -p 1 "$(point 'spin_until' spin)"
[ ! -s out ] || fail "another process's"
example "exec ./spin 200" funcslower "$(point 'spin_until' spin)" 150000
number '$3 == "spin" && $5 == "spin_until" { print ($4 > 190000 && $4 < 2000000) }'
example "exec ./spin 200" funcslower "$(point 'spin_until' spin)" 60000000
has 0 spin
example "exec ./chain" stackcount -n 100 "$(point 'last' chain)"
prints ' last\+0x0/'
[ "$(awk '/^  [0-9]+$/ { n += $1 } END { print n }' out)" = 14 ] || fail "wrong counts"
example "exec ./calls 4" argdist "$(point 'add' calls)" '$a'
[ "$(sort out)" = "       1  0
       1  1
       1  2
       1  3
   COUNT  VALUE" ] || fail "wrong values"
example "exec ./calls 4" argdist "$(point 'add' calls)" '$b / 1000'
number 'NR > 1 { n += $1 } END { print (n == 4) }'
example "exec ./calls 4" arghist "$(point 'add' calls)" '$a'
has 1 '^4 values, from 0 to 3, 1 on average$'
prints '^ *2 \|@+ +2$'
example "exec ./calls 1" callgraph "$(point '[art]*' calls)"
[ "$(sed -E 's/^ *[0-9]+ //; s/\([0-9]+\)//' out | grep -A5 round)" = 'calls:-> round_trip
calls: -> add
calls: <- add
calls: -> text
calls: <- text
calls:<- round_trip' ] || fail "wrong graph"
example "exec ./calls 2" para-callgraph "$(point '*' calls)" "$(point 'round_trip' calls)"
has 1 '^ *[0-9]+ calls\([0-9]+\):-> round_trip i=0x1$'
has 1 '^ *[0-9]+ calls\([0-9]+\): -> add a=0x1 b=0x[0-9a-f]+$'
has 2 ' <- add return=0x'
has 0 main

example "exec ./marked" marks ./marked
has 1 '^ +4  step$'
has 1 '^ +3  guarded$'
has 1 '^ +3  element$'

[ -x /usr/bin/python3 ] || exit 0
cat >program.py <<'S'
import gc
gc.disable()
for i in range(4):
    a = []
    a.append(a)
    del a
    gc.collect(1)
import ctypes
for i in range(3):
    try: ctypes.CDLL("nothing.so.7")
    except OSError: pass
S
example "exec /usr/bin/python3 program.py" dlopens
has 3 '^[0-9:]{8} [0-9]+ +python3 +[0-9]+ failed +nothing\.so\.7$'
has 1 '^[0-9:]{8} [0-9]+ +python3 +[0-9]+ loaded +/.*/_ctypes\..*so$'
[ -n "$("$SPILE" -l 'process("/usr/bin/python3").mark("gc__done")' 2>/dev/null)" ] || exit 0 # not every python3 has marks
example "exec /usr/bin/python3 program.py" pythongc
number '$3 == "python3" && $4 == 1 && $5 == 1 { n++ } END { print (n == 4) }'
example "exec /usr/bin/python3 program.py" ustat
number '$3 == "python3" { i += $4; n += $5; found += $6 } END { print (i >= 10 && n >= 4 && found >= 4) }'

# A terminal: two lines are typed into a bash.
cat >type.py <<'S'
import os, pty, time
pid, fd = pty.fork()
if pid == 0: os.execlp("bash", "bash", "--norc", "-i")
for line in b"echo known\n", b"exit\n":
    time.sleep(0.3)
    os.write(fd, line)
try:
    while os.read(fd, 999): pass
except OSError: pass
S
example "exec /usr/bin/python3 type.py" bashreadline
has 1 ' [0-9]+ +bash echo known$'
has 1 ' [0-9]+ +bash exit$'
