# SPDX-License-Identifier: GPL-2.0-or-later
# --monitor, on a terminal of 16 by 64: probes, variables, output, each key; then what is printed behind it. Numbers that differ
# from run to run are N.
. "$SUITE/lib.sh"
cat >two.stp <<'END'
global n = 5, seen, words
probe begin { words["éa", 1] = 2 println("begun\twith é") }
probe timer.ms(20) { n++ if (n == 6) println("six") }
probe timer.ms(30) { seen <<< n }
probe end { println("ended ", n > 5, " ", @count(seen) > 0) }
END
cat >keys <<'END'
wait ^six$
wait seen @count=[1-9]
show at work
type p
wait paused
type c
wait ^n=5$
frames 4
show paused, and cleared
type \e[B
wait ^>.*timer.ms\(20\)
type r
wait seen @count=[1-9]
type s
wait by hits
type t
wait ^>.*off .*timer.ms\(20\)
type c
frames 4
show by hits, the first timer off: n stays
type xt
wait ^n=([6-9]|[1-9][0-9]+)$
type q
END
masked()
{
	sed -E 's/[0-9]:[0-9]{2}:[0-9]{2}/TIME/; s/[0-9]+ hits.*/N hits/; s/^(.) +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+/\1 N N N N/
		s/^n=([6-9]|[1-9][0-9]+)$/n=N/; s/@count=[0-9]+/@count=N/'
}
python3 "$SUITE/term.py" 16 64 keys "$SPILE" --monitor=0.3 two.stp >shown || fail "$(cat shown)"
masked <shown

echo "--- of a point that is too long for the line both ends are shown"
printf 'wait ^>\nshow\ntype q\n' >keys
python3 "$SUITE/term.py" 9 64 keys "$SPILE" --monitor -e 'probe timer.ms(90000).randomize(700) { println("no") }' | sed -n 's/^>.* on  *//p'

echo "--- a handler's error ends it, and is told behind it"
echo 'wait ^begun$' >keys
python3 "$SUITE/term.py" 16 64 keys "$SPILE" --monitor -e 'probe begin { println("begun") } probe timer.ms(400) { error("no more") }' |
	sed 's/identifier.*/.../'
echo "--- -c: what the command prints is output, too"
printf 'wait ^of the command$\ntype q\n' >keys
python3 "$SUITE/term.py" 12 40 keys "$SPILE" --monitor -c "echo of the command; exec sleep 100" -e 'probe end { println("ended") }' | tail -n 2

# With -x the process that traces is not the one that the shell has started.
own_programs busy
"$PROGS/busy" ticks &
target=$!
trap 'kill -KILL $target' EXIT
wait_for 20 test -s ticks
printf 'wait ^n=[1-9]\ntype q\n' >keys
python3 "$SUITE/term.py" 12 80 keys "$SPILE" --engine=user --monitor=0.3 -x $target -e "global n probe process(\"$PROGS/busy\").function(\"tick\") { n++ }" >shown ||
	fail "$(cat shown)"
grep -q -e '--- status 0' shown || fail "$(cat shown)"

echo "--- a signal ends it although the terminal takes nothing; the loss is told"
printf 'wait ^begun$\nkill TERM\n' >keys
python3 "$SUITE/term.py" 12 40 keys sh -c 'exec "$@" 2>err' sh "$SPILE" --monitor -DMAXACTION=1000000 -e 'probe begin { println("begun") }
	probe end { for (i = 0; i < 30000; i++) println("at the end ", i) }' | grep -a -e "--- status"
says '^WARNING: [0-9]+ bytes of output were not written: nobody reads them$'

echo "--- refused"
"$SPILE" --monitor -e 'probe begin { exit() }' 2>&1 </dev/null | cat
"$SPILE" --monitor=x -e 'probe begin { exit() }' 2>&1 </dev/null | head -n 1
