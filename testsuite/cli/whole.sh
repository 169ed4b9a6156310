# SPDX-License-Identifier: GPL-2.0-or-later
# Whole values: $x$, $x$$, $$vars and the like, printed and kept in strings, optimised or not, by gcc and by clang.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
unread= # the kernel's probes do not see the register
[ "$engine" = user ] || unread='s/^(give_double) return=2.5 return=2.5/\1 return=? return=?/'
sed -E "$unread" "$SUITE/progs/whole.out" >expected
same() # PROGRAM
{
	expect 0 timeout "${SECONDS_AT_MOST:-60}" "$SPILE" --engine="$engine" -c "$1 >/dev/null" "$SUITE/progs/whole.stp" "$1"
	quiet
	sed -E 's/0x[0-9a-f]{6,12}\b/ADDRESS/g' out | diff expected - || fail "$1: that is not what it holds"
}
compiled() # COMPILER OPTIONS
{
	command -v "$1" >/dev/null || return 0
	"$@" -std=gnu11 -g -w -o compiled "$SUITE/progs/whole.c" || fail "$*"
	same ./compiled
}
same "$PROGS/whole"
[ "$engine" = user ] || exit 0 # locations are found alike for both
compiled gcc -O0
compiled gcc -O1 -gdwarf-4
compiled clang -O0
