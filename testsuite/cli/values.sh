# SPDX-License-Identifier: GPL-2.0-or-later
# What a program prints about its values, and what is read from it: equal, optimised or not, by gcc and by clang.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
same() # PROGRAM
{
	"$1" >printed
	expect 0 timeout 60 "$SPILE" --engine="$engine" -c "$1 >/dev/null" "$SUITE/progs/values.stp" "$1"
	quiet
	[ "$(wc -l <printed)" -gt 20 ] || fail "$1 printed little"
	sed -E 's/0x[0-9a-f]+/ADDRESS/' printed >words
	sed -E 's/0x[0-9a-f]+/ADDRESS/' out | diff words - || fail "$1: what is read differs from what it prints"
}
same "$PROGS/values"
compiled() # COMPILER OPTIONS
{
	command -v "$1" >/dev/null || return 0
	"$@" -std=gnu11 -g -w -o compiled "$SUITE/progs/values.c" || fail "$*"
	same ./compiled
}
compiled gcc -O0
compiled gcc -O1
compiled gcc -O3 -gdwarf-4
compiled clang -O0 # from -O1 on it gives no place to arguments that are passed on the stack
