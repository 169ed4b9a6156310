# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run is small: its file under 400 kB without debug information, its memory under 6 MB while a script with one probe runs. At the start it may
# need more: what follows processes in the kernel is found in the kernel's types, of some megabytes.
. "$SUITE/lib.sh"
grep -qE -- '-fsanitize|--coverage|^CFLAGS = .*-O0' "$BUILD/Makefile" && skip "sanitizers and the like are not small"
strip -o stripped "$SPILE_RUN" || fail "strip"
size=$(stat -c %s stripped)
[ "$size" -lt 400000 ] || fail "spile-run has $size bytes: $(size -A stripped | sort -k2 -nr | sed -n 2,6p)"
ENGINE=${ENGINE:-user}
cp "$PROGS/ticks" ticks # other cases probe it, too
expect 0 "$SPILE" -p4 -o x.spo --engine=$ENGINE -e "
	probe process(\"$TMP/ticks\").function(\"tick\") { println(\"here\") }"
mkfifo go
"$SPILE_RUN" --engine=$ENGINE -o seen -c "sh -c '$TMP/ticks; read x <go'" x.spo &
run=$!
trap 'kill $run 2>/dev/null' EXIT
wait_for 20 grep -q here seen
memory=$(sed -nE 's/^VmRSS:[[:space:]]*([0-9]+) kB$/\1/p' /proc/$run/status)
grep ^Rss /proc/$run/status >rss
echo >go
wait $run || fail "exit status $?"
trap - EXIT
[ "$memory" -lt 6144 ] || fail "spile-run takes $memory kB: $(cat rss)"
