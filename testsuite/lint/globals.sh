# SPDX-License-Identifier: GPL-2.0-or-later
# No mutable globals and no constructors: what is in .data and .bss of our objects. Tables of constants with addresses in
# them are in .data.rel.ro.
cd "$BUILD" || exit 1
grep -qE '^SP_CFLAGS = .*(fsanitize|coverage)' Makefile && { echo "the build is instrumented"; exit 77; }
for lib in .libs/libsp_*.a; do
	nm -f sysv "$lib" 2>/dev/null | awk -F '|' -v lib="${lib##*/}" '
		/\.o:$|^Symbols from/ { object = $0; sub(/^Symbols from /, "", object) }
		{ gsub(/ /, "", $1); gsub(/ /, "", $4); gsub(/ /, "", $7) }
		$4 == "OBJECT" && $7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ {
			print lib ": " object " " $1 " is a mutable global (" $7 ")"
			bad = 1
		}
		END { exit bad }' || bad=1
	objdump -h "$lib" 2>/dev/null | grep -E ' \.(init_array|ctors|fini_array)' && { echo "$lib has constructors"; bad=1; }
done
exit ${bad:-0}
