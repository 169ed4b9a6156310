# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers, structs, bit-fields, and inlined functions in C.
. "$SUITE/debug/truths"
speak "${compilers##* }" truth.c
for cc in $compilers; do
	except=
	# clang 14 writes that $low is the negative of what it is, and that $round is an address; gdb is told the same.
	[ $cc = clang ] && except='by_value:low main:round'
	for level in -O0 -O1 -O2 -O3; do
		check truth.c $cc $level -gdwarf-5
	done
	check truth.c $cc -O0 -gdwarf-4
	check truth.c $cc -O2 -gdwarf-4
done
