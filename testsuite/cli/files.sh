# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are written: whole, not through what somebody else has put there, and not into the standard streams' numbers.
. "$SUITE/lib.sh"
hello='probe begin { println("hello") exit() }'

# A link of the name that a temporary file could have is not followed; a link of the file's own name is replaced.
echo precious >victim
(ln -s victim "out.spo.$BASHPID"; exec "$SPILE" -p4 -o out.spo -e "$hello" >out 2>err) || fail "not compiled"
ln -s victim link.spo
expect 0 "$SPILE" -p4 -o link.spo -e "$hello"
[ "$(cat victim)" = precious ] || fail "written through a link"
[ -f link.spo ] && [ ! -L link.spo ] || fail "link.spo is not the script"
expect 0 "$SPILE_RUN" link.spo
is hello
# The file is replaced at once, and nothing else is left.
expect 0 "$SPILE" -p4 -o out.spo -e "$hello"
! ls -A | grep '\.tmp$' || fail "a temporary file is left"
chmod 555 . && [ "$(id -u)" != 0 ] && {
	expect 1 "$SPILE" -p4 -o new.spo -e "$hello"
	says '^ERROR: cannot write "new\.spo": Permission denied$'
}
chmod 755 .
expect 1 "$SPILE" -p4 -o none/x.spo -e "$hello"
says '^ERROR: cannot write "none/x\.spo": No such file or directory$'
expect 0 "$SPILE" -p4 -o /dev/null -e "$hello"
[ -c /dev/null ] || fail "/dev/null is no longer a device"

# What somebody else empties goes on at its start.
script='probe begin { println("before") } probe timer.ms(20) { println("after") if (n++ > 50) exit() } global n'
"$SPILE" -p4 -o twice.spo -e "$script" >out || fail "not compiled"
for run in '"$SPILE" -e "$script"' '"$SPILE_RUN" twice.spo'; do
	rm -f emptied
	eval "$run -o emptied" & pid=$!
	wait_for 10 grep -q after emptied
	: >emptied
	wait $pid || fail "exit status $?"
	[ "$(sort -u emptied | tr '\0' 0)" = after ] || fail "in the emptied file: $(head -c 100 emptied | od -c)"
done

# Descriptors that are closed at the start are not taken by other files.
for run in '"$SPILE" -e "$hello"' '"$SPILE_RUN" out.spo'; do
	rm -f given
	(eval "exec $run -o given" <&- >&- 2>&-) || fail "exit status $?: $run"
	[ "$(cat given)" = hello ] || fail "with all descriptors closed: $(cat given)"
	rm -f given
	(eval "exec $run -c 'echo command; exec cat' -o given" <&- >&- 2>&-)
	[ "$(cat given)" = hello ] || fail "with a command and all descriptors closed: $(cat given)"
	(eval "exec $run" >&- 2>err) && fail "it has printed where nothing is"
	says 'Bad file descriptor'
done
exit 0
