# SPDX-License-Identifier: GPL-2.0-or-later
# The files of procfs probes where no file system can be mounted: here libfuse3 is no library.
. "$SUITE/lib.sh"
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
mkdir run
chmod 700 run
export XDG_RUNTIME_DIR=$TMP/run
files=$XDG_RUNTIME_DIR/spile
echo "no library" >"$(sed -n 's/^DEFS = .*-DFUSE_SONAME=..\(libfuse3[^\]*\).*/\1/p' "$BUILD/Makefile" | grep . || echo none)"
run_spile() { LD_LIBRARY_PATH=$TMP timeout 60 "$SPILE" "$@"; }
is_there() { [ -e "$files/$1" ]; }
run_spile -m knobs -e 'global n = 3
probe procfs("d/x").read { $value = sprintf("n is %d\n", n); for (i = 0; i < 10000; i++) $value .= "0123456789" }
probe procfs("w").umask(0).write { n = strtol($value, 10); printf("%d\n", n); if (!n) exit() }' >one.out 2>one.err &
wait_for 30 is_there knobs/w
expect 0 stat -c '%F %A' "$files/knobs/w" "$files/knobs/d/x"
is "fifo prw--w--w-
fifo prw-------"
# Longer than what a pipe holds.
expect 0 timeout 20 sh -c "wc -c <$files/knobs/d/x"
is 100007
expect 0 timeout 20 sh -c "head -n 1 <$files/knobs/d/x"
is "n is 3"
echo 12 >"$files/knobs/w"
wait_for 20 grep -q '^12$' one.out
expect 0 timeout 20 sh -c "head -n 1 <$files/knobs/d/x"
is "n is 12"
# Who opens it and writes nothing leaves nothing to do.
spent() { sed 's/.*) //' "/proc/$(readlink "$files/knobs" | sed 's/.*_//')/stat" | awk '{ print $12 + $13 }'; }
: >"$files/knobs/w"
before=$(spent)
sleep 1
[ $(($(spent) - before)) -lt 20 ] || fail "it is busy: $before and $(spent) ticks"
echo 0 >"$files/knobs/w"
wait
[ "$(cat one.out)" = "12
0" ] || fail "$(cat one.out)"
grep -qE '^WARNING: the files of procfs probes are FIFOs, where each reader gets the text once: (libfuse3 is not installed \(Debian: fuse3\)|this build of spile has no libfuse3)$' one.err ||
	fail "$(cat one.err)"
expect 0 ls "$files"
is ""
# What is written without an end is not kept until that comes.
run_spile -m endless -e 'global n probe procfs("w").write { n += strlen($value) if (n > 100000) exit() }' >two.out 2>two.err &
endless=$!
wait_for 30 is_there endless/w
exec 7>"$files/endless/w"
head -c 200000 /dev/zero | tr '\0' x >&7 &
wait $endless || fail "status $?: $(cat two.err)"
exec 7>&-
wait
expect 3 run_spile -e 'probe procfs("x").read { $value = "1" } probe procfs("x").write { println($value) }'
says '^ERROR: a file that is both read and written must be in a file system of spile: (libfuse3 is not installed \(Debian: fuse3\)|this build of spile has no libfuse3)$'
