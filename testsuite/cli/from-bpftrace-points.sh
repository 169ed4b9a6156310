# SPDX-License-Identifier: GPL-2.0-or-later
# --from-bpftrace: arguments of the script in the names of points, and how often points come with the numbers that bpftrace reads.
. "$SUITE/lib.sh"
cat >points.bt <<'END'
hardware:cycles:1_000_000, software:faults:1e3 { @a = count(); }
interval:ms:$2 { @b = count(); }
interval:ms:1_000 { @b = count(); }
uprobe:$1:first, uprobe:"$1":second { @c = count(); }
uretprobe:/opt/$3/lib.so.6:third { @c = count(); }
uprobe:$1:cpp:"f$2(int)" { @c = count(); }
usdt:/opt/$3.$1:p$1:m { @d = count(); }
tracepoint:$3$2:$1 { @e = count(); }
END
expect 0 "$SPILE" --from-bpftrace points.bt
grep -E '^(probe|   )' out
printf 'int marked(int n) { return n + 1; }\nint main(void) { return marked(marked(0)) - 2; }\n' >prog.c
gcc -g -O0 -o prog.txt prog.c
echo 'uprobe:./$1.txt:marked { @calls = count(); }' >run.bt
echo "== run"
expect 0 "$SPILE" --engine=user -c ./prog.txt run.bt prog
is "@calls: 2"
