# SPDX-License-Identifier: GPL-2.0-or-later
# --cost: what each probe takes. How many instructions and bytes of stack there are is LLVM's affair.
set -eu -o pipefail
cat >cost.stp <<'END'
global calls[100], names, n
function total() { foreach (c = k in calls) t += c; return t }
probe process(@1).function("tick") {
	calls[n]++
	for (i = 0; i < 4; i++) n += i
	for (i = 0; i < 100; i++) n ^= i
	while (n > 10) n /= 2
	foreach (k in calls- limit 5) n += k
	names[execname(), n] = total()
}
probe end { foreach ([s, k] in names) println(s) }
END
"$SPILE" --cost --engine=kernel cost.stp "$BUILD/testsuite/progs/once" |
	sed -E 's/: [0-9]+ instructions, [0-9]+ bytes of stack/: N instructions, N bytes of stack/; s/\([0-9]+ with/(N with/; s/once.c:[0-9]+/once.c:N/'
. "$SUITE/lib.sh"
# With -p4 and a name, the script is kept, too.
expect 0 "$SPILE" --cost -p4 -o kept.spo -e 'probe begin { println("kept") exit() }'
prints '^probe begin$'
expect 0 "$SPILE_RUN" kept.spo
is kept
expect 0 "$SPILE" --cost -p4 -e 'probe begin { println("kept") exit() }'
[ "$(echo *.spo)" = kept.spo ] || fail "kept, too: $(echo *.spo)"
