# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles by itself.
cd "$TOP" || exit 1
llvm=$(sed -n 's/^LLVM_CPPFLAGS = //p' "$BUILD/Makefile")
find compiler runtime -name '*.h' | xargs gcc -std=gnu11 -Wall -Wextra -Werror \
	-fsyntax-only -I. $llvm
