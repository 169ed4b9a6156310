# SPDX-License-Identifier: GPL-2.0-or-later
# procfs("NAME").read, .write: files that a script makes, as a file system and as FIFOs; two sessions at once, one that is killed.
. "$SUITE/lib.sh"
grep -q FUSE_SONAME "$BUILD/Makefile" || skip "spile was built without libfuse3"
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
mkdir run
chmod 700 run
export XDG_RUNTIME_DIR=$TMP/run
files=$XDG_RUNTIME_DIR/spile
cat >knobs.stp <<'S'
global n = 3, last
probe procfs("x").read { $value = sprintf("n is %d\n", n); $value .= "asked by " . execname() . "\n" }
probe procfs("x").write { n = strtol($value, 10); last = $value; printf("%d\n", n) }
probe procfs("d/long").umask(0022).read.maxsize(1500) { for (i = 0; i < 200; i++) $value .= "0123456789" }
probe procfs.write { if ($value == "quit\n") exit() }
probe end { printf("end %d %d\n", n, strlen(last)) }
S
is_there() { [ -e "$files/$1" ]; }
start() { timeout 60 "$SPILE" "${@:2}" >"$1.out" 2>"$1.err" & }
start one knobs.stp
first=$!
wait_for 30 is_there knobs
if grep -q FIFO one.err 2>/dev/null || ! timeout 10 grep -q " $(readlink -f "$files/knobs") fuse.spile " /proc/mounts; then
	kill $first
	wait
	skip "no file system can be mounted here: $(cat one.err)"
fi
expect 0 timeout 20 cat "$files/knobs/x"
is "n is 3
asked by cat"
echo 12 >"$files/knobs/x"
expect 0 timeout 20 cat "$files/knobs/x"
is "n is 12
asked by cat"
expect 0 timeout 20 sh -c "wc -c <$files/knobs/d/long"
is 1500
expect 0 timeout 20 dd if="$files/knobs/d/long" bs=1 skip=1497 count=5 status=none # the first read is not that of the start
is 789
expect 0 timeout 20 find "$files/knobs/" -mindepth 1 -printf '%P %M %s\n'
sort out >sorted
[ "$(cat sorted)" = "command --w------- 0
d drwxr-xr-x 0
d/long -r--r--r-- 0
x -rw------- 0" ] || fail "$(cat sorted)"
expect 2 sh -c "echo 1 >$files/knobs/d/long" # root, too
for change in "touch new" "mkdir new" "rm -f x" "rmdir d" "mv x new" "ln -s x new"; do
	expect 1 env -C "$files/knobs" LC_ALL=C timeout 20 $change
	says ': Operation not permitted$'
done

# A session that is stopped keeps no other one waiting. What the kernel remembers of its folder is forgotten first.
stopped=$(basename "$(readlink "$files/knobs")" | sed 's/spile_//')
kill -STOP "$stopped"
sleep 1.5
expect 0 timeout -s KILL 20 "$SPILE" -e 'probe procfs("z").read { $value = "" } probe timer.ms(1) { exit() }'
kill -CONT "$stopped"
quiet

# Another one of the same name; the first is killed, and its guard takes away what it has left.
start two -m knobs -e 'probe procfs("y").read { $value = "two\n" } probe procfs("y").write { exit() }'
second=$!
wait_for 30 grep -q . two.err
[ "$(sed 's/spile_[0-9]*/spile_N/' two.err)" = "WARNING: another session has the name $files/knobs: the files of procfs probes are in $files/spile_N" ] ||
	fail "$(cat two.err)"
other=$(sed 's/.* are in //' two.err)
expect 0 timeout 20 cat "$other/y"
is two
kill -KILL "$(basename "$(readlink "$files/knobs")" | sed 's/spile_//')"
wait $first
are_two() { [ "$(ls "$files" | wc -l)" = 2 ]; }
wait_for 10 are_two
[ "$(grep -c "$files" /proc/mounts)" = 1 ] || fail "still mounted"
expect 0 ls "$files"
is "$(basename "$other")
$(basename "$other").lock"
echo quit >"$other/y"
wait $second
expect 0 ls "$files"
is ""
grep -q "$files" /proc/mounts && fail "still mounted"

# Both are killed: the next session does it.
start four knobs.stp
wait_for 30 is_there knobs/x
four=$(basename "$(readlink "$files/knobs")" | sed 's/spile_//')
kill -KILL $(sed 's/ .*//' /proc/$four/task/*/children) # the guard
kill -KILL $four
wait
grep -q "$files" /proc/mounts || fail "the guard was not killed"
expect 0 timeout 30 "$SPILE" -e 'probe procfs("z").read { $value = "" } probe timer.ms(1) { exit() }'
quiet
expect 0 ls "$files"
is ""
grep -q "$files" /proc/mounts && fail "still mounted"

# The end of a session takes the files away, also when it fails.
expect 1 timeout 30 "$SPILE" -e 'probe procfs("z").read { $value = "" } probe timer.ms(1) { error("x") }'
expect 0 ls "$files"
is ""

# As it ends: what the script has printed, and that the text of a file is not cut in silence.
start three knobs.stp
wait_for 30 is_there knobs/x
echo 7 >"$files/knobs/x"
timeout 20 cat "$files/knobs/d/long" >/dev/null
echo quit >"$files/knobs/command"
wait
[ "$(cat three.out)" = "7
end 7 2" ] || fail "$(cat three.out)"
[ "$(cat three.err)" = "WARNING: procfs(\"d/long\").read gives more than 1500 bytes, which are cut: .maxsize(N) makes room" ] ||
	fail "$(cat three.err)"

# Somebody unmounts them: that is told, and the script goes on.
start five -m knobs -e 'probe procfs("y").read { $value = "" } probe timer.s(2) { exit() } probe end { println("end") }'
wait_for 30 is_there knobs/y
five=$(readlink -f "$files/knobs")
umount "$five" 2>/dev/null || fusermount3 -u "$five" || fail "not unmounted"
wait
[ "$(cat five.out five.err)" = "end
WARNING: the files of procfs probes are gone: somebody has unmounted them" ] || fail "$(cat five.out five.err)"
expect 0 ls "$files"
is ""

# spile-run has files, too.
expect 0 "$SPILE" -p4 -o knobs.spo knobs.stp
timeout 60 "$SPILE_RUN" knobs.spo >four.out 2>four.err &
wait_for 30 is_there knobs/x
echo quit >"$files/knobs/command"
wait
[ "$(cat four.out)" = "end 3 0" ] || fail "$(cat four.out four.err)"
