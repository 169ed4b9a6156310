# SPDX-License-Identifier: GPL-2.0-or-later
# Floating point in scripts: bit for bit what the processor calculates.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
"$PROGS/floats" "${ROUNDS:-500}" >printed
expect 0 timeout 60 "$SPILE" --engine="$engine" -c "$PROGS/floats ${ROUNDS:-500} >/dev/null" "$SUITE/progs/floats.stp" "$PROGS/floats"
quiet
[ "$(wc -l <printed)" -gt 1000 ] || fail "the program printed little"
diff printed out >differences || fail "$(head -20 differences)"
