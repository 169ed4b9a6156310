# SPDX-License-Identifier: GPL-2.0-or-later
# -S SIZE,N: output in files of that size, whole lines, of which the last N stay; SIGUSR2 begins the next one.
. "$SUITE/lib.sh"
cat >flood.stp <<'END'
probe begin { for (i = 0; i < 60000; i++) printf("%06d %s\n", i, "a line of sixty-four bytes, with its newline at the end ."); exit() }
END
limit=-DMAXACTION_INTERRUPTIBLE=1000000
# all FILES...: the lines from the first one that is there, without a gap, to the last.
all() { cat "$@" | cut -d' ' -f1 | awk 'NR > 1 && $1 != last + 1 { exit 1 } { last = $1 } END { exit last != 59999 }' || fail "not all lines: $*"; }

expect 0 timeout 60 "$SPILE" $limit -S 1 -o log flood.stp
quiet
[ "$(echo log*)" = "log.0 log.1 log.2 log.3" ] || fail "other files: $(echo log*)"
all log.0 log.1 log.2 log.3
for file in log.0 log.1 log.2; do
	size=$(stat -c %s $file)
	[ "$size" -le 1048576 ] && [ "$size" -gt 1000000 ] || fail "$file has $size bytes"
	[ "$(tail -c 2 $file)" = . ] || fail "$file ends within a line"
done
expect 0 timeout 60 "$SPILE" $limit -S 1,2 -o kept flood.stp
[ "$(echo kept*)" = "kept.2 kept.3" ] || fail "other files: $(echo kept*)"
all kept.2 kept.3
# spile-run gives up privileges, but not that to begin files.
expect 0 "$SPILE" -p4 $limit -o flood.spo flood.stp
expect 0 timeout 60 "$SPILE_RUN" -S 1,2 -o run-%Y flood.spo
[ "$(echo run-*)" = "run-$(date +%Y).2 run-$(date +%Y).3" ] || fail "other files: $(echo run-*)"
if [ "$(id -u)" = 0 ]; then
	mkdir other
	chmod 755 other
	chown 65534 other
	expect 0 timeout 60 "$SPILE_RUN" -S 1,2 -o other/log flood.spo
	quiet
	[ "$(echo other/*)" = "other/log.2 other/log.3" ] || fail "other files: $(echo other/*)"
fi
# A file that cannot be begun: the last one goes on, and that is told each time when the next one should begin.
mkdir stuck.1
expect 0 timeout 60 "$SPILE" $limit -S 1 -o stuck flood.stp
[ "$(sort err | uniq -c | tr -s ' ')" = ' 3 WARNING: the output stays in the same file: cannot write "stuck.1": Is a directory' ] || fail "$(head err)"
all stuck.0
expect 0 timeout 60 "$SPILE_RUN" -o one-%Y flood.spo
all "one-$(date +%Y)"

# Signals: SIGUSR2 the next file, SIGUSR1 the variables, also those that the script reads; the script goes on.
"$SPILE" -S 1 -o signal -e '
global n = 5, a
probe begin { a["x"] = 2 println("begun ", n, a["x"]) }
probe end { println("the end") }' 2>err &
wait_for 30 grep -q begun signal.0
kill -USR2 $!
wait_for 30 test -e signal.1
kill -USR1 $!
wait_for 30 grep -q '^a\["x"\]=2$' signal.1
kill -INT $!
wait $! || fail "it failed"
quiet
[ "$(cat signal.0)" = "begun 52" ] || fail "$(cat signal.0)"
[ "$(cat signal.1)" = 'n=5
a["x"]=2
the end' ] || fail "$(cat signal.1)"

# Without -S there is no other file, and SIGUSR2 ends nothing.
"$SPILE" -o plain -e 'probe begin { println("begun") } probe end { println("the end") }' 2>err &
wait_for 30 grep -q begun plain
kill -USR2 $!
kill -INT $!
wait $! || fail "it failed"
[ "$(cat plain)" = 'begun
the end' ] || fail "$(cat plain)"

for wrong in 0 x 1,0 1,x 1, -1; do
	expect 2 "$SPILE" -S "$wrong" -o log -e 'probe begin { exit() }'
	says "^spile: -S takes a number of megabytes, and behind a comma one of files, not '$wrong'$"
	expect 2 "$SPILE_RUN" -S "$wrong" -o log flood.spo
	says "^spile-run: -S takes a number of megabytes, and behind a comma one of files, not \`$wrong\`$"
done
expect 2 "$SPILE" -S 1 -e 'probe begin { exit() }'
says '^spile: -S needs -o: what are the files called\?$'
expect 2 "$SPILE_RUN" -S 1 flood.spo
says '^spile-run: -S needs -o: what are the files called\?$'
expect 1 "$SPILE" -S 1 -o none/log -e 'probe begin { exit() }'
says '^ERROR: cannot write "none/log.0": No such file or directory$'
