# SPDX-License-Identifier: GPL-2.0-or-later
# -v tells about the passes as SystemTap does; -p stops after one; each can be dumped.
. "$SUITE/lib.sh"
usage='using [0-9]+virt/[0-9]+res/[0-9]+shr/[0-9]+data kb, in [0-9]+usr/[0-9]+sys/[0-9]+real ms\.'
expect 0 "$SPILE" -v -e 'global g = 1 probe begin { println(g++) exit() }'
is 1
says "^Pass 1: parsed user script and [0-9]+ library scripts $usage\$"
says "^Pass 2: analyzed script: 1 probe, [0-9]+ functions?, 0 embeds, 1 globals? $usage\$"
says '^Pass 3: '
says '^Pass 4: compiled BPF into "[^"]*\.spo"'
says '^Pass 5: starting run\.$'
says "^Pass 5: run completed in [0-9]+usr/[0-9]+sys/[0-9]+real ms\.\$"
for p in 1 2 3; do
	expect 0 "$SPILE" -p$p -e 'probe begin { println("ran") exit() }'
	! grep -q '^ran$' out || fail "-p$p ran the script"
done
expect 0 "$SPILE" --list-passes
awk '{ print $2 }' out >passes
[ "$(wc -l <passes)" -ge 8 ] || fail "too few passes"
while read -r pass; do
	expect 0 "$SPILE" --stop-after="$pass" --dump="$pass" -e 'global g probe begin { g = 42 println(g) exit() }'
	[ -s out ] || fail "--dump=$pass shows nothing"
	! grep -qx 42 out || fail "--stop-after=$pass runs the script"
done <passes
