# SPDX-License-Identifier: GPL-2.0-or-later
# --remote: through a shell in the place of ssh, and on this machine itself.
. "$SUITE/lib.sh"
# It is called with HOST COMMAND. Hosts have a folder for temporary files each; `box` has spile-run, the others get one; the shells differ.
mkdir -p tmp/box/bin tmp/bare tmp/odd tmp/late
ln -s "$SPILE_RUN" tmp/box/bin/spile-run
cat >rsh <<'E'
#!/bin/bash
while [ $# -gt 2 ]; do shift; done
export TMPDIR=$PWD/tmp/${1#*@} PATH=/usr/bin:/bin
case $1 in
box) PATH=$PWD/tmp/box/bin:$PATH; echo "a login script's greeting"; exec sh -c "$2";;
*bare) exec bash --norc -c "$2";;
odd) printf 'no newline'; exec $(command -v busybox) sh -c "$2";;
late) exec "$PWD/late" bash --norc -c "$2";;
down) echo "connect to host down: refused" >&2; exit 255;;
*) exit 99;;
esac
E
# Does not take the end of its command at once.
cat >late <<'E'
#!/usr/bin/python3
import os, sys, time
pid = os.fork()
if not pid:
	os.execvp(sys.argv[1], sys.argv[1:])
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
os.closerange(0, 3)
time.sleep(9)
E
chmod +x rsh late
export SPILE_SSH=$PWD/rsh XDG_CACHE_HOME=$PWD/cache
left() { ls -A tmp/bare tmp/odd tmp/late | grep spile; ls -A tmp/box | grep spile; }
empty() { [ -z "$(left)" ]; }
nothing_left() { empty || fail "left on a host: $(left)"; }
hello='probe begin { printf("hello %s\n", @1) exit() } probe end { printf("the end") }'

# One host: what it prints passes as it is; the arguments and -G are those of here.
expect 0 timeout 60 "$SPILE" --remote box -e "$hello" 'wo"r ld'
is 'hello wo"r ld
the end'
quiet
expect 0 timeout 60 "$SPILE" --remote me@bare -G n=7 -e 'global n = 1 probe begin { println(n) exit() }'
is 7
quiet
expect 0 timeout 60 "$SPILE" --remote direct: --remote-prefix -e "$hello" x
is 'direct: hello x
direct: the end'
expect 0 timeout 60 "$SPILE" --remote=direct:// -e "$hello" y
is 'hello y
the end'
nothing_left

# remote_id() and remote_uri() of each, and of the one that is here.
expect 0 timeout 60 "$SPILE" --remote box --remote bare -e 'probe begin { println(remote_id(), remote_uri()) exit() }'
LC_ALL=C sort out | diff - <(printf 'bare: 1bare\nbox: 0box\n') || fail "not the numbers of the hosts"
expect 0 "$SPILE" -e 'probe begin { printf("%d<%s>\n", remote_id(), remote_uri()) exit() }'
is '-1<>'

# Several: each line begins with its host, and a description is compiled for once.
cat >hosts <<'E'
# the fleet
box
  ssh://bare/	# gets spile-run
odd

E
expect 0 timeout 60 "$SPILE" --remote-hosts hosts --remote box --no-cache -v -e "$hello" x
sort out >sorted
LC_ALL=C sort >wanted <<'E'
bare/: hello x
bare/: the end
box#2: hello x
box#2: the end
box: hello x
box: the end
odd: hello x
odd: the end
E
LC_ALL=C sort out | diff - wanted >differ || { cat differ; fail "not the lines of each host"; }
[ "$(grep -c '^Pass 1: parsed' err)" = 1 ] || fail "not compiled once"
nothing_left
# For programs, with the host as a field; messages stay as they are.
expect 0 timeout 60 "$SPILE" --remote box --remote bare --json -e 'probe begin { printf("say \"%s\"\n\\\t\303\244\n", @1) exit() } probe end { printf("the end") warn("so") }' x
sed -E 's/"time":[0-9]+,"cpu":[0-9]+,"pid":[0-9]+,"tid":[0-9]+,"comm":"[a-z-]+",//' out | LC_ALL=C sort | diff - <(LC_ALL=C sort <<'E'
{"host":"bare","type":"print","probe":"begin","text":"say \"x\"\n\\\tä\n","fields":{}}
{"host":"bare","type":"print","probe":"end","text":"the end","fields":{}}
{"host":"bare","type":"warning","probe":"end","text":"so","fields":{}}
{"host":"box","type":"print","probe":"begin","text":"say \"x\"\n\\\tä\n","fields":{}}
{"host":"box","type":"print","probe":"end","text":"the end","fields":{}}
{"host":"box","type":"warning","probe":"end","text":"so","fields":{}}
E
) >differ || { cat differ; fail "not an object for each line"; }
says '^box: WARNING: so$'
expect 0 timeout 60 "$SPILE" --remote box --json -c 'printf "a\0b\n"' --no-global-var-display -e 'global n probe begin { n = 1 }' -w
is '{"host":"box","type":"text","text":"a�b"}'
# A line that says itself what host it is of is a text.
cat >lines <<'S'
{"type":"a","of":{"host":1}}
{"type":"b","host":"other"}
{"type":"c","ho\u0073t" :"other"}
{"type":"d"}{"host":"other"}
{"type":"e"
S
expect 0 timeout 60 "$SPILE" --remote box --json -c "cat $PWD/lines" --no-global-var-display -e 'global n probe begin { n = 1 }' -w
is '{"host":"box","type":"a","of":{"host":1}}
{"host":"box","type":"text","text":"{\"type\":\"b\",\"host\":\"other\"}"}
{"host":"box","type":"text","text":"{\"type\":\"c\",\"ho\\u0073t\" :\"other\"}"}
{"host":"box","type":"text","text":"{\"type\":\"d\"}{\"host\":\"other\"}"}
{"host":"box","type":"text","text":"{\"type\":\"e\""}'
quiet
# Lines of many hosts at the same time are whole.
cat >flood.stp <<'E'
probe begin { for (i = 0; i < 20000; i++) { printf("a line of %d ", i) println("in two pieces") } exit() }
E
expect 0 timeout 100 "$SPILE" --remote-hosts hosts -DMAXACTION_INTERRUPTIBLE=1000000 flood.stp
for host in box bare/ odd; do
	[ "$(grep -cE "^$host: a line of [0-9]+ in two pieces$" out)" = 20000 ] || fail "not all lines of $host"
done
[ "$(wc -l <out)" = 60000 ] || fail "other lines"
# The options of a run go there; -o is a file of here.
expect 0 timeout 60 "$SPILE" --remote box -o "here-%%" -c 'echo "it'\''s run"' -e 'probe end { println(target() > 0) }'
is ''
[ "$(cat here-%)" = "it's run
1" ] || fail "not in the file: $(cat here-%)"
expect 0 timeout 60 "$SPILE" --remote box --engine=user -t -c "$PROGS/calls 3" \
	-e "probe process(\"$PROGS/calls\").function(\"add\") { println(\$a) }"
prints '^0$'
prints ' hits: 3, '
# A few at a time.
expect 0 timeout 60 "$SPILE" --remote-hosts hosts --remote-parallel 1 -e "$hello" x
[ "$(cut -d: -f1 out | uniq | paste -sd' ')" = 'box bare/ odd' ] || fail "not one behind the other"

# The end: of the script everywhere, and of what is left there, also when spile is killed.
cat >ticks.stp <<'E'
probe begin { println("begin") } probe timer.ms(50) { println("tick") } probe end { println("end") }
E
tick() # HOST...: they run
{
	local host
	for host; do
		wait_for 60 grep -q "^$host: tick" out
	done
}
start() # OPTION...: of a spile that runs on, $spile
{
	: >out
	"$SPILE" "$@" ticks.stp >out 2>err &
	spile=$!
}
for signal in INT TERM; do
	# In the background of a script, SIGINT is ignored unless something else says what to do.
	[ $signal = TERM ] || set -m
	start --remote-hosts hosts
	set +m
	tick box bare/ odd
	kill -$signal $spile
	wait $spile || fail "status $? at SIG$signal"
	[ "$(grep -c ': end$' out)" = 3 ] || fail "the end probes have not run"
	quiet
	nothing_left
done
start --remote-hosts hosts
tick box bare/ odd
kill -KILL $spile
wait $spile 2>/dev/null
wait_for 60 empty
timeout 60 "$SPILE" --remote box --remote bare ticks.stp 2>err | awk '{ print } { n += !seen[$1]++ } n == 2 { exit }' >out
[ "${PIPESTATUS[0]}" = 0 ] || fail "does not end well when its reader goes away"
quiet
nothing_left

# Hosts that cannot be reached, or go away: the others go on.
expect 1 timeout 60 "$SPILE" --remote box --remote down -e "$hello" x
prints '^box: hello x$'
says '^down: connect to host down: refused$'
says "^ERROR: down: cannot be reached: $PWD/rsh has ended with status 255$"
start --remote box --remote bare
tick box bare
pid=$(cat tmp/bare/spile.*/pid)
kill -KILL "$(ps -o ppid= -p "$pid" | tr -d ' ')" "$pid"
wait_for 60 grep -q '^ERROR: bare: is gone before the script has ended: .* was ended by signal 9$' err
ticks=$(grep -c '^box: tick' out)
more() { [ "$(grep -c '^box: tick' out)" -gt "$ticks" ]; }
wait_for 60 more
kill -TERM $spile
wait $spile
[ $? = 1 ] || fail "the status does not tell of the host that is gone"
prints '^box: end$'
wait_for 60 empty # though the shell there was killed
start --remote late
wait_for 60 grep -q '^tick' out
pid=$(cat tmp/late/spile.*/pid)
kill -KILL "$(ps -o ppid= -p "$pid" | tr -d ' ')" "$pid"
wait_for 60 empty
wait $spile
start --remote bare
wait_for 60 grep -q '^tick' out
rm -r tmp/bare/spile.* # by what cleans up there
kill -TERM $spile
has_ended() { ! kill -0 $spile 2>/dev/null; }
wait_for 60 has_ended
wait $spile || fail "status $? without its folder"
[ "$(tail -n 1 out)" = end ] || fail "the end probe has not run without its folder"
quiet
start --remote bare
wait_for 60 grep -q '^tick' out
kill -KILL "$(cat tmp/bare/spile.*/pid)"
wait $spile
[ $? = 1 ] || fail "spile-run was killed, and the status does not tell"
says '^ERROR: bare: spile-run was ended by signal 9$'
nothing_left

# The status is the highest of all.
expect 1 timeout 60 "$SPILE" --remote box --remote bare -e 'probe begin { error("no") }'
says '^box: ERROR: no$'
says '^bare: ERROR: no$'
expect 1 timeout 60 "$SPILE" --remote box -e 'probe begin { nosuch() }'
says '^semantic error: .* \[E2[0-9]+\]$'
says '^ERROR: box: the script was not compiled for this machine$'
nothing_left

# spile-run that cannot run there.
mkdir -p tmp/other/bin
cat >rsh2 <<'E'
#!/bin/sh
while [ $# -gt 2 ]; do shift; done
export TMPDIR=$PWD/tmp/other PATH=$PWD/tmp/other/bin:/usr/bin:/bin
exec sh -c "$2"
E
printf '#!/bin/sh\necho sparc64\n' >tmp/other/bin/uname
chmod +x rsh2 tmp/other/bin/uname
expect 4 timeout 60 "$SPILE" --remote-shell ./rsh2 --remote other -e "$hello" x
says "^ERROR: other: has no spile-run, and is a machine of another sort: sparc64, not $(uname -m); install spile-run there$"
printf '#!/bin/sh\necho "libbpf.so.1: no such file" >&2\nexit 127\n' >tmp/other/bin/spile-run
chmod +x tmp/other/bin/spile-run
expect 3 timeout 60 "$SPILE" --remote-shell ./rsh2 --remote other -e "$hello" x
says '^ERROR: other: spile-run does not run there: libbpf.so.1: no such file; install it there, or make spile-run-static here$'
# A description of nonsense, and a host that says nonsense.
printf '#!/bin/sh\necho "spile-target 1"; echo "arch vax"; echo "cpus many"\n' >tmp/other/bin/spile-run
expect 1 timeout 60 "$SPILE" --remote-shell ./rsh2 --remote other -e "$hello" x
says '^ERROR: other: target description, line 3: '
printf '#!/bin/sh\nhead -c 300000 /dev/zero | tr "\\0" x\ncat >/dev/null\n' >rsh3
chmod +x rsh3
expect 1 timeout 60 "$SPILE" --remote-shell ./rsh3 --remote other -e "$hello" x
says '^ERROR: other: says what is not understood$'

# What is refused.
for wrong in '-oProxyCommand=x:begins with a dash' 'a@-x:begins with a dash' 'a b:has a blank' '@x:name is missing' 'a;x:has a character in it that' 'a$x:has a character in it that' \
	'unix:/run/x:there are ssh' 'libvirt://x:there are ssh' 'ssh://:name is missing'; do
	expect 2 "$SPILE" "--remote=${wrong%:*}" -e "$hello" x
	says "^spile: --remote: '.*' is no host: .*${wrong##*:}"
done
printf 'box\n-x\n' >bad
expect 2 "$SPILE" --remote-hosts bad -e "$hello" x
says "^spile: bad:2: '-x' is no host: it begins with a dash$"
printf '# nobody\n' >bad
expect 2 "$SPILE" --remote-hosts bad -e "$hello" x
says '^spile: bad names no host$'
expect 1 "$SPILE" --remote-hosts nosuch -e "$hello" x
says '^ERROR: .*nosuch'
expect 2 "$SPILE" --remote box --remote-parallel 0 -e "$hello" x
says "^spile: --remote-parallel takes a number of hosts from 1 to 10000, not '0'$"
for option in -p4 -k '-m x' '--target x' --cost '--flamegraph x.svg' '-l begin' -i; do
	expect 2 "$SPILE" --remote box $option -e "$hello" x
	says '^spile: --remote runs a script on other machines, and excludes '
done
# ssh gets its options, and a port.
cat >ssh <<'E'
#!/bin/sh
for word; do case $word in exec*) ;; *) echo "$word";; esac; done >>words
E
chmod +x ssh
expect 1 timeout 60 "$SPILE" --remote-shell "'$PWD/ssh' -F none" --remote ssh://me@[::1]:2222 --remote box --remote-parallel 1 -e "$hello" x
[ "$(head -n 11 words | paste -sd' ')" = "-F none -T -oClearAllForwardings=yes -oServerAliveInterval=10 -oServerAliveCountMax=3 \
-oConnectTimeout=30 -oBatchMode=yes -p 2222 me@::1" ] || fail "ssh is called with: $(paste -sd' ' words)"
says '^ERROR: me@\[::1\]:2222: cannot be reached: .*/ssh has ended with status 0$'
