# SPDX-License-Identifier: GPL-2.0-or-later
# -o, -m, -k: where things go; and a disk that is full.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -o words -e 'probe begin { println("kept") exit() }'
[ ! -s out ] || fail "printed in spite of -o"
[ "$(cat words)" = kept ] || fail "-o wrote: $(cat words)"
# Somebody empties the file, as log rotation does: what follows is at its beginning.
expect 0 "$SPILE" -p4 -o ends.spo -e 'probe begin { println("begin") } probe end { println("end") }'
for run in "$SPILE" "$SPILE_RUN"; do
	rm -f log
	[ "$run" = "$SPILE" ] && set -- -e 'probe begin { println("begin") } probe end { println("end") }' || set -- ends.spo
	expect 0 "$run" -o log -c 'until grep -q begin log; do sleep 0.02; done; : >log' "$@"
	printf 'end\n' | cmp - log || fail "$(od -c log | head -n 3)"
done
expect 0 "$SPILE" -p4 -o there.spo -e 'probe begin { println("x") exit() }'
[ "$(head -c 4 there.spo | tail -c 3)" = ELF ] || fail "not an ELF file"
expect 0 "$SPILE" -p4 -m name -e 'probe begin { exit() }'
[ -s name.spo ] || fail "-m name -p4 made no name.spo"
expect 1 "$SPILE" -p4 -o /no/such/folder/x.spo -e 'probe begin { exit() }'
says '/no/such/folder/x.spo'
[ -w /dev/full ] || skip "no /dev/full"
ln -s /dev/full full # what it might remove is the link alone
expect 1 "$SPILE" -p4 -o full -e 'probe begin { exit() }'
says 'No space left'
[ -L full ] || fail "-o removed a device"
expect 1 "$SPILE" -o full -e 'probe begin { println("lost") exit() }'
says 'No space left'
