# SPDX-License-Identifier: GPL-2.0-or-later
# Files of the cache that are damaged, somebody else's, or no files; a full disk; many processes at once: the script always runs.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache HOME=$TMP
mkdir cache
run() { expect 0 "$SPILE" -e 'probe begin { println(strlen("four")) exit() }' "$@"; is 4; }
kept() { echo cache/spile/*.result; }

run
quiet
[ -f "$(kept)" ] || fail "nothing is kept: $(ls -R cache)"
file=$(kept)
name=$(basename "$file")
[ "$(stat -c %a cache/spile)" = 700 ] && [ "$(stat -c %a "$file")" = 600 ] || fail "others can read it"
cp "$file" good

# What is damaged is told once, and replaced.
damaged()
{
	run
	says "^WARNING: $name in the cache is not used: $1$"
	[ "$(wc -l <err)" = 1 ] || fail "more than a line"
	run
	quiet
}
head -c 1000 good >"$file"
damaged 'its size is not what it says'
: >"$file"
run
quiet
head -c 10 good >"$file"
damaged 'it is no result of spile'
for at in 100 3000 -1; do
	cp good "$file"
	python3 - "$file" "$at" <<'P'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
data[int(sys.argv[2])] ^= 4
open(sys.argv[1], 'wb').write(data)
P
	damaged 'its content has changed'
done
rm "$file"
ln -s "$TMP/good" "$file"
damaged "cannot open $name: .*"
[ ! -L "$file" ] || fail "the link stays"
rm "$file"
mkdir "$file"
run
says "^WARNING: $name in the cache is not used: "
rmdir "$file"
mkfifo "$file"
run
says "^WARNING: $name in the cache is not used: "
rm -f "$file"
run
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$file"
	damaged ".* is not a regular file of this user"
fi

# spile cache verify finds it, too; show and list tell.
head -c 1000 good >"$file"
expect 0 "$SPILE" cache list
prints 'damaged: its size is not what it says$'
expect 1 "$SPILE" cache show "${name:0:12}"
says "^ERROR: $name: its size is not what it says$"
expect 0 "$SPILE" cache verify
is "$name is removed: its size is not what it says
1 compiled scripts and listings and 0 files of probes were looked at"
run
expect 0 "$SPILE" cache verify
is "1 compiled scripts and listings and 0 files of probes were looked at"
expect 0 "$SPILE" cache show "${name:0:12}"
prints '^  result      -e probe begin { println\(strlen\("four"\)\) exit\(\) }$'
expect 1 "$SPILE" cache show ../../etc/passwd
says '^ERROR: \.\./\.\./etc/passwd: there is no such file in the cache$'
expect 0 "$SPILE" cache prune
is "0 files were removed"
expect 0 "$SPILE" cache clear
is "1 files were removed"
expect 0 "$SPILE" cache list
is ''
expect 2 "$SPILE" cache nonsense
says '^Usage: spile cache add '

# A folder that others can write to, that is a link, that is a file, or that cannot be written: it is not used.
run
chmod 777 cache/spile
run
quiet
expect 1 "$SPILE" cache list
says "^ERROR: $PWD/cache/spile is not used as the cache: spile belongs to another user, or others can write it$"
chmod 700 cache/spile
mv cache/spile elsewhere
ln -s "$TMP/elsewhere" cache/spile
run
quiet
rm cache/spile
: >cache/spile
run
quiet
rm cache/spile
(XDG_CACHE_HOME=/proc/self run && quiet) || exit 1

# A full disk: files may have 1 kB. Nothing is left of what could not be written.
(ulimit -f 1; trap '' XFSZ; expect 0 "$SPILE" -e 'probe begin { println(4) exit() }' 2>/dev/null; is 4) || exit 1
[ -z "$(ls -A cache/spile)" ] || fail "something is left: $(ls -A cache/spile)"

# Many at once, of which some find it and some make it.
for round in 1 2 3; do
	rm -rf cache/spile
	for i in 1 2 3 4 5 6; do
		"$SPILE" -e 'probe begin { println(strlen("four")) exit() }' >out.$i 2>err.$i &
	done
	wait
	for i in 1 2 3 4 5 6; do
		[ "$(cat out.$i err.$i)" = 4 ] || fail "process $i of round $round: $(cat out.$i err.$i)"
	done
	[ "$(ls -A cache/spile)" = "$name" ] || fail "other files: $(ls -A cache/spile)"
done
run

# While others remove it, prune it, verify it and list it.
use() # NUMBER
{
	local round
	for round in 1 2 3; do
		"$SPILE" -e "probe begin { println(strlen(\"four\") + $1 % 3) exit() }"
	done >out.$1 2>err.$1 || echo "status $?" >>err.$1
}
disturb() # NUMBER COMMAND
{
	local round
	for round in 1 2 3; do
		"$SPILE" cache "$2" >out.$1 2>err.$1 || echo "$2: status $?" >>err.$1
	done
}
others=(clear prune verify list)
for i in {1..20}; do
	[ $i -gt 4 ] && use $i & # clears, prunes, verifies, lists
	[ $i -le 4 ] && disturb $i "${others[i - 1]}" &
done
wait
for i in {1..20}; do
	[ ! -s err.$i ] || fail "process $i of 20: $(cat err.$i)"
	[ $i -le 4 ] || [ "$(sort -u out.$i)" = $((4 + i % 3)) ] || fail "process $i of 20 printed: $(cat out.$i)"
done
[ -z "$(ls -A cache/spile | grep -v '\.result$')" ] || fail "something is left: $(ls -A cache/spile)"
expect 0 "$SPILE" cache clear
run

# The clock was set back: what is kept is of the future.
touch -a -d '+10 years' "$(kept)"
expect 0 "$SPILE" -v -e 'probe begin { println(strlen("four")) exit() }'
says "using cached $name"
expect 0 "$SPILE" cache list
prints ' 0 s   compiled script: '
for number in 5 6; do
	echo "probe begin { println($number) exit() }" >future.stp
	touch -d '+10 years' future.stp
	expect 0 "$SPILE" future.stp
	is $number
done

# No folder of its own.
for where in XDG_CACHE_HOME=below XDG_CACHE_HOME=; do
	expect 0 env HOME=/nonexistent "$where" "$SPILE" -e 'probe begin { println(4) exit() }'
	is 4
	quiet
	expect 1 env HOME=/nonexistent "$where" "$SPILE" cache add "process(\"$PROGS/calls\").function(\"add\")"
	says '^ERROR: neither XDG_CACHE_HOME nor HOME is a folder of this user$'
done
[ ! -e below ] || fail "a relative path is used"

# A disk that is full, and one that nobody can write: what was there stays, and what is asked for is refused.
mkdir disk
cat >disk.sh <<'D'
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/disk HOME=$TMP/disk
calls="process(\"$PROGS/calls\").function(\"add\")"
refused() # WHY COMMAND...
{
	expect 1 "$SPILE" "${@:2}"
	says "^ERROR: cannot write \"[^\"]*\": $1$"
}
mount -t tmpfs -o size=64k,mode=700 none disk || skip "nothing can be mounted here"
echo 'probe begin { println(4) exit() }' >disk/script.stp
"$SPILE" --no-cache --pack -o disk/kept.spo --for "$TMP/box.target" disk/script.stp >/dev/null || fail "no pack"
XDG_CACHE_HOME=$TMP/more "$SPILE" cache add "$calls" >/dev/null && XDG_CACHE_HOME=$TMP/more "$SPILE" cache export more.tar >/dev/null || fail "no archive"
rm -rf disk/.debug
cp disk/kept.spo before.spo
cp box.target other.target
dd if=/dev/zero of=disk/fill bs=4k 2>dd
for why in 'No space left on device' 'Read-only file system'; do
	[ "$why" != 'Read-only file system' ] || mount -o remount,ro disk || exit 1
	expect 0 "$SPILE" disk/script.stp
	is 4
	quiet
	refused "$why" --pack -o disk/new.spo --for box.target disk/script.stp
	refused "$why" --pack --add -o disk/kept.spo --for other.target disk/script.stp
	refused "$why" -p4 -o disk/new.spo disk/script.stp
	refused "$why" cache import more.tar
	XDG_CACHE_HOME=$TMP/more refused "$why" cache export disk/new.tar
	cmp disk/kept.spo before.spo || fail "the pack is another one"
	[ -z "$(ls -A disk/spile)" ] && [ "$(ls disk)" = $'fill\nkept.spo\nscript.stp\nspile' ] || fail "left there: $(ls disk)"
done
D
"$SPILE_RUN" --describe >box.target
unshare -m true 2>/dev/null || exit 0
export TMP
unshare -m bash disk.sh
status=$?
[ $status = 0 ] || [ $status = 77 ]
