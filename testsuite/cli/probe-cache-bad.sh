# SPDX-License-Identifier: GPL-2.0-or-later
# Files of the probe cache, archives and files of perf's cache that are damaged, somebody else's, or what no file should be: told, and
# not used. Several that write at once; a disk that is full.
. "$SUITE/lib.sh"
unset XDG_CACHE_HOME DEBUGINFOD_URLS
mkdir home other
export HOME=$TMP/home
cp "$PROGS/calls" full
strip -o bare full
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip "the compiler writes no build-ids"
cp full prog
f='process("./prog").function("add")'
expect 0 "$SPILE" cache add "$f"
cp bare prog
file=home/.cache/spile/$id.probes
cp $file good
"$SPILE" --no-cache -L "$f" >with
grep -q '\$a:int' with || fail "no answer"
HOME=$TMP/other "$SPILE" --no-cache -L "$f" >without 2>&1

# What is damaged is told in one line, and the answer is that without the cache.
refused() # WHY
{
	"$SPILE" --no-cache -L "$f" >out 2>err
	grep -qE "^WARNING: ($id.probes in the cache is not used: |$id.probes: )$1\$" err || fail "not said: $1: $(cat err)"
	[ "$(grep -c '^WARNING' err)" = 1 ] || fail "more than a line: $(cat err)"
	! grep -q '\$a:int' out || fail "it was used"
	rm -rf $file
	cp good $file
	"$SPILE" --no-cache -L "$f" | diff with - || fail "the good one is not used"
}
change() { # OFFSET BYTES
	printf "$2" | dd of=$file bs=1 seek="$1" conv=notrunc 2>/dev/null
}
for size in 10 1000 $(($(stat -c %s good) - 1)); do
	head -c $size good >$file
	refused '(it has no probes in it|its size is not what it says)'
done
printf x >>$file
refused 'its size is not what it says'
change 8 '\377'
refused 'it is of another version'
change 0 X
refused 'it has no probes in it'
for at in 20 60 $(($(stat -c %s good) - 30)); do
	change $at '\125'
	refused 'its content has changed'
done
rm $file && ln -s "$TMP/good" $file
refused 'cannot open .*'
rm $file && mkdir $file
refused '.* is not a regular file of this user'
rm -r $file && mkfifo $file
refused '.* is not a regular file of this user'
if [ "$(id -u)" = 0 ]; then
	chown 65534 $file
	refused '.* is not a regular file of this user'
fi
cp $file home/.cache/spile/$id.functions
cp bare prog
"$SPILE" --no-cache -L "$f" 2>&1 >/dev/null | grep -q '^WARNING' && fail "what is not needed is read"
rm $file
"$SPILE" --no-cache -L "$f" >out 2>err
grep -qx "WARNING: $id.functions in the cache is not used: it is $id.probes" err || fail "a file of another name: $(cat err)"
rm home/.cache/spile/*

# Several at once: each definition is there afterwards, in our cache and in perf's.
cp full prog
points=(add look main)
for name in "${points[@]}"; do
	"$SPILE" cache add "process(\"./prog\").function(\"$name\")" >out.$name 2>err.$name &
done
wait
for name in "${points[@]}"; do
	[ ! -s err.$name ] || fail "$name: $(cat err.$name)"
done
"$SPILE" cache list >out
for name in "${points[@]}"; do
	grep -qF "$id probes of $TMP/prog: process(\"$TMP/prog\").function(\"$name\")" out || fail "$name is lost: $(cat out)"
	grep -q "perf's probes of $TMP/prog: $name\$" out || fail "$name is lost in perf's: $(cat out)"
done
[ "$(ls -A home/.cache/spile)" = $id.probes ] || fail "more files"
expect 0 "$SPILE" cache export a.tar
for i in 1 2 3 4; do
	HOME=$TMP/other "$SPILE" cache import a.tar >out.$i 2>&1 &
done
wait
cmp $file other/.cache/spile/$id.probes || fail "another file was imported"
[ "$(ls -A other/.cache/spile)" = $id.probes ] || fail "more files were imported"

# perf's cache: what is no file of ours is not read, nor written.
perfs=home/.debug/.build-id/${id:0:2}/${id:2}/probes
cp $perfs kept
told() { # WHY
	expect 0 "$SPILE" cache list
	says "^ERROR: $1\$"
	! grep -q "perf's probes" out || fail "it was read"
	expect 1 "$SPILE" cache add "$f"
	says "^ERROR: $1\$"
}
rm $perfs && ln -s "$TMP/kept" $perfs
told '.*/probes is not a regular file of this user'
rm $perfs && mkfifo $perfs
told '.*/probes is not a regular file of this user'
rm $perfs && mkdir $perfs
told '.*/probes is not a regular file of this user'
rmdir $perfs
{ head -c 30 kept; printf '\0\377\n%%%%=\n#\n'; tail -c +31 kept; } >$perfs
expect 0 "$SPILE" cache list
expect 0 "$SPILE" cache add "$f"
grep -qx '#add' $perfs || fail "it was not written: $(cat $perfs)"
chmod 777 home/.debug
told "$HOME/.debug belongs to another user, or others can write it"
chmod 755 home/.debug
if [ "$(id -u)" = 0 ]; then
	chown 65534 home/.debug
	told "$HOME/.debug belongs to another user, or others can write it"
	chown 0 home/.debug
fi

# A full disk: what was there stays, and nothing is left of what could not be written.
unshare -rm true 2>/dev/null || { echo "no full disk can be made here" >&2; exit 0; }
cat >full.sh <<'S'
mount -t tmpfs -o size=64k none disk || exit 77
export HOME=$TMP/disk
"$SPILE" cache add "$1" >out 2>&1 || exit 1
cp -r disk/.cache disk/.debug "$TMP/before"
dd if=/dev/zero of=disk/zero bs=1k 2>/dev/null
for command in "add process(\"./prog\").function(\"look\")" "import $TMP/a.tar" "export disk/x.tar"; do
	"$SPILE" cache ${command%% *} "${command#* }" >out 2>err && exit 2
	grep -qE '^ERROR: .*No space left on device$' err || exit 3
done
[ ! -e disk/x.tar ] || exit 4
cp -r disk/.cache disk/.debug "$TMP/after"
S
mkdir disk before after
expect 0 env TMP="$TMP" SPILE="$SPILE" unshare -rm bash full.sh "$f"
diff -r before after || fail "something has changed"
