# SPDX-License-Identifier: GPL-2.0-or-later
# C++, and what truth.sh leaves out.
. "$SUITE/debug/truths"
for cc in $compilers; do
	cxx=$(echo $cc | sed 's/gcc/g++/; s/clang/clang++/')
	command -v "$cxx" >/dev/null || continue
	speak "$cxx" truth.cc
	# What compilers say is in memory before it is written there, and a loop's $round that is one ahead; gdb is told the same.
	except='make_large:to.third main:round'
	[ $cc = gcc ] && except='make_large:to.third make_point:to.x make_point:to.y make_point:to.weight' &&
		except="$except floating:total floating:half main:place.x main:place.y main:all"
	for level in -O0 -O1 -O2 -O3; do
		check truth.cc $cxx $level
	done
done
