# SPDX-License-Identifier: GPL-2.0-or-later
# Parameters whose registers are used for something else by now: what these held at the entry, also in recursion and in what
# is inlined.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
[ "$(uname -m)" = x86_64 ] || skip "the fixture is x86_64 assembly"
command -v gcc >/dev/null || skip "needs gcc"
gcc -z noexecstack -o kept "$SUITE/debug/fixtures/kept.s" || fail "cannot be made"

cat >kept.stp <<'STP'
function text(p) { return user_string(p) }
probe process("./kept").statement("inner@kept.c:13") { printf("inner %d\n", $q) }
probe process("./kept").statement("leaf@kept.c:22") { printf("leaf %d %d %s %d\n", $a, $b, text($s), $$parms =~ "^a=0x[12] b=0x29 s=0x") }
probe process("./kept").statement("rec@kept.c:35") { printf("rec %d %d\n", $n, $k) }
STP
expect 0 "$SPILE" --engine="$engine" -c ./kept kept.stp
quiet
is 'inner 42
leaf 1 41 hello 1
rec 0 20
rec 1 10
rec 2 0
inner 43
leaf 2 41 hello 1
rec 0 120
rec 1 110
rec 2 100'

# Two handlers that need the same entry do not share what they keep.
cat >two.stp <<'STP'
global n
probe process("./kept").statement("rec@kept.c:34"), process("./kept").statement("rec@kept.c:35") { n += $k + 1 }
probe process("./kept").statement("rec@kept.c:36") { n += $n * 1000 }
probe end { println(n) }
STP
expect 0 "$SPILE" --engine="$engine" -c ./kept two.stp
is 6732

# In functions of the script the handler's entry is not at hand.
expect 1 "$SPILE" -p2 -e 'function f() { return $k } probe process("./kept").statement("rec@kept.c:35") { println(f()) }'
says 'a function cannot ask for a value from the entry'

# What is no longer kept is counted, for -v: of three calls that are in each other, the inner one's registers remain.
expect 0 "$SPILE" -v --engine="$engine" -D MAXMAPENTRIES=1 -c ./kept -e '
	probe process("./kept").statement("rec@kept.c:35") { printf("rec %d %d\n", $n, $k) }'
if [ "$engine" = user ]; then
	is 'rec 0 20
rec 0 120'
	says '^4 events of process\(.*\)\.statement\("rec@.*"\) were passed over \(the function was entered before the script began, or its entry'
else # which keeps more than it is asked for, some on each processor
	is 'rec 0 20
rec 1 10
rec 2 0
rec 0 120
rec 1 110
rec 2 100'
fi
! grep -q '^WARNING' err || fail "a warning"
