# SPDX-License-Identifier: GPL-2.0-or-later
# Files may not become larger than a limit: what can be done without them is done, the rest is an error, and commands have the limit
# as it is without spile.
. "$SUITE/lib.sh"
command -v prlimit >/dev/null || skip "needs prlimit"
export XDG_CACHE_HOME=$PWD/cache
probe='probe process("/bin/true").begin { println("hit") }'
# limited SIZE COMMAND: its standard streams are pipes, whose readers may end a little later.
limited() { prlimit --fsize="$1" "${@:2}" 2> >(cat >err) > >(cat >out); }
for size in 0 1000; do
	limited $size "$SPILE" --engine=user -c true -e "$probe" || fail "size $size: status $?"
	wait_for 10 grep -q hit out
done
limited 1000 "$SPILE" -p4 -o x.spo -e "$probe" && fail "it was compiled"
wait_for 10 grep -qE '^ERROR: .*x\.spo.*: File too large$' err # says would end the case at the first look
[ ! -e x.spo ] || fail "a part of it is there"
limited 1000 "$SPILE" -o log -e 'probe begin { for (i = 0; i < 900; i++) println("0123456789") exit() }' && fail "all was written"
wait_for 10 grep -qE '^ERROR: .*File too large$' err # says would end the case at the first look
limited 1000 "$SPILE" --engine=user -c 'head -c 2000 /dev/zero >zero; echo $?' -e 'probe end { println("end") }'
wait_for 10 grep -q 153 out
