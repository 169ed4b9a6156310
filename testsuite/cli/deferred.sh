# SPDX-License-Identifier: GPL-2.0-or-later
# What an alias of the library computes is computed where it is read, and texts that are only printed are not made; unless it
# would be another value there.
. "$SUITE/lib.sh"
mkdir lib
cat >lib/box.stp <<'END'
global count
function grow() { return ++count }
function size() { return count }
probe box.open = begin {
	name = "box"
	x = pid() * 0 + 5
	flags = sprintf("%d|%x", x, 255)
	args = sprintf("%s, %d%%", flags, 7)
	now = gettimeofday_ns() > 0
	big = size()
	grown = grow()
}
END
export SPILE_TAPSET=$PWD/lib
# body TEXT...: the lines of the handler behind the pass, without its site; it prints the same with -u.
body()
{
	expect 0 "$SPILE" --engine=user -e "$1 probe end { }"
	mv out deferred
	expect 0 "$SPILE" -u -w --engine=user -e "$1 probe end { }"
	cmp -s out deferred || fail "-u prints something else: $1"
	expect 0 "$SPILE" --dump=defer --stop-after=defer -e "$1"
	sed -n '/site/,$ { /site/d; s/^\t//; p; }' out >lines
	mv lines out
}

body 'probe box.open { if (pid()) printf("%s(%s)\n", name, args) exit() }'
is 'grow()
if (pid())
	printf("%s(%d|%x, %d%%)\n", "box", ((pid() * 0) + 5), 255, 7)
exit()'
body 'probe box.open { println(args, " 1% ", x) exit() }'
is 'local x: long
x = ((pid() * 0) + 5)
grow()
printf("%d|%x, %d%% 1%% %d\n", x, 255, 7, x)
exit()'
# Not into a loop or a try block, not when read twice, not when what it is made of has changed.
body 'probe box.open { for (i = 0; i < 2; i++) println(x) exit() }'
prints '^x = '
body 'probe box.open { try { println(x) } catch { } exit() }'
prints '^x = '
body 'probe box.open { println(x, x) exit() }'
prints '^x = '
body 'probe box.open { x = 9 println(flags) exit() }'
prints '^x = \(\(pid\(\) \* 0\) \+ 5\)$'
prints '^flags = sprintf'
body 'probe box.open { println(now) exit() }'
prints '^now = '
body 'probe box.open { println(big, grow()) exit() }'
prints '^big = size\(\)$'
body 'probe box.open { if (pid() < 0) println(grown) println(grow()) exit() }'
prints '^grown = grow\(\)$'
# Not what the script itself assigns: it may be a text that has to be cut.
body 'probe begin { s = sprintf("%d", pid() * 0) println(s) exit() }'
prints '^s = sprintf'
