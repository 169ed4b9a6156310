# SPDX-License-Identifier: GPL-2.0-or-later
# --monitor: of a probe that is switched off nothing runs, in the kernel and under the user engine, and what was counted stays; then it
# goes on.
. "$SUITE/lib.sh"
once=$BUILD/testsuite/progs/once
cat >keys <<'END'
wait ^n=[1-9]
type t
wait \boff\b
show off
frames 5
show still off
type t
wait \bon\b
frames 5
show on again
type q
END
for engine in kernel user; do
	python3 "$SUITE/term.py" 12 80 keys "$SPILE" --engine=$engine --monitor=0.2 -c "while :; do $once; done" \
		-e 'global n probe process(@1).function("tick") { n++ }' "$once" >shown || fail "$(cat shown)"
	sed -n 's/^n=//p' shown >counts
	{ read -r off; read -r still; read -r again; } <counts
	[ "$off" = "$still" ] || fail "$engine: off, it goes on: $off, $still"
	[ "$still" -lt "$again" ] || fail "$engine: it does not go on: $still, $again"
	[ "$(sed -nE 's/^>.*[0-9.]+  (on|off) +process.*/\1/p' shown | paste -sd' ')" = "off off on" ] || fail "$(cat shown)"
done
