# SPDX-License-Identifier: GPL-2.0-or-later
# No mutable globals and no constructors: what is in .data, .bss and their like for threads (.tdata, .tbss) of our objects.
# Tables of constants with addresses in them are in .data.rel.ro. Two sessions in two threads do not share anything.
cd "$BUILD" || exit 1
grep -qE '^SP_CFLAGS = .*(fsanitize|coverage)' Makefile && { echo "the build is instrumented"; exit 77; }
find compiler runtime -name '*.o' ! -name 'spile_run-*' >"$TMP/objects" # those may be of no code, and are looked at when they are linked
[ "$(wc -l <"$TMP/objects")" -gt 40 ] || { echo "no objects in $BUILD"; exit 1; }

# One is for a callback that gets no context, of readline; the other for the functions that take the place of those of libc
# (look_wrap.c): each thread has its own. What every program has of libc and of the compiler is not ours.
{ cat "$TMP/objects"; [ -e spile-run ] && echo spile-run; } | xargs nm -A -f sysv | awk -F '|' '
	BEGIN {
		exempt["repl_term.o terminal"]
		exempt["look.o look_recorder"]
	}
	{
		object = symbol = $1
		gsub(/ |.*:/, "", symbol)
		gsub(/.*[-\/]|:.*/, "", object)
		gsub(/ /, "", $4)
		gsub(/ |.*:/, "", $7)
		is_there[object]
	}
	$4 ~ /^(OBJECT|TLS)$/ && symbol !~ /@|^__|^completed/ && $7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ {
		if (object " " symbol in exempt) {
			is_seen[object " " symbol]
			next
		}
		print object ": " symbol " is a mutable global (" $7 ")"
		bad = 1
	}
	END {
		for (name in exempt)
			if (!(name in is_seen) && substr(name, 1, index(name, " ") - 1) in is_there) {
				print name " is not seen: it is gone, or nm writes otherwise"
				bad = 1
			}
		exit bad
	}' || bad=1
xargs objdump -h <"$TMP/objects" | awk '
	/file format/ { object = $1 }
	$2 ~ /^\.(init_array|ctors|fini_array)/ { print object " has a constructor (" $2 ")"; bad = 1 }
	$2 == ".text" { n++ }
	END { exit bad || !n }' || bad=1
exit ${bad:-0}
