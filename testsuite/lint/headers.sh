# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles by itself: most are what their .c file includes first, the others are compiled here.
cd "$TOP" || exit 1
llvm=$(sed -n 's/^LLVM_CPPFLAGS = //p' "$BUILD/Makefile")
find compiler runtime -name '*.c' -print0 | xargs -0 awk 'FNR == 1 { first = 1 }
	first && /^#include/ { first = 0; own = FILENAME; sub(/c$/, "h", own); if ($2 == "\"" own "\"") print own }' | sort >"$TMP/first"
[ "$(wc -l <"$TMP/first")" -gt 400 ] || { echo "no .c file includes its own header first"; exit 1; }
find compiler runtime -name '*.h' | sort | comm -23 - "$TMP/first" | xargs gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I. $llvm
