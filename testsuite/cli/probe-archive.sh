# SPDX-License-Identifier: GPL-2.0-or-later
# spile cache export, import, list: archives that tar(1) reads and writes; anything else in one is refused as a whole.
. "$SUITE/lib.sh"
mkdir a b c
export HOME=$TMP/a
unset XDG_CACHE_HOME DEBUGINFOD_URLS
cp "$PROGS/calls" prog
cp "$PROGS/values" other
id=$(readelf -n prog | sed -n 's/.*Build ID: //p') id2=$(readelf -n other | sed -n 's/.*Build ID: //p')
[ -n "$id" ] && [ -n "$id2" ] || skip "the compiler writes no build-ids"
f='process("./prog").function("add")'
expect 1 "$SPILE" cache export x.tar
says "^ERROR: the cache has no probes: 'spile cache add' adds some\$"
expect 0 "$SPILE" cache add "$f"
expect 0 "$SPILE" cache add 'process("./other").function("main")'
expect 0 "$SPILE" cache list
prints "^$id probes of $TMP/prog: process..$TMP/prog...function..add..\$"
prints "^$id2 probes of $TMP/other: process..$TMP/other...function..main..\$"
expect 0 "$SPILE" cache verify
is "0 compiled scripts and listings and 2 files of probes were looked at"
expect 0 "$SPILE" cache export all.tar
expect 0 "$SPILE" cache export one.tar "${id:0:8}"
prints '^one.tar: 1 files, [0-9]+ bytes$'
expect 1 "$SPILE" cache export none.tar 00000000
says '^ERROR: the cache has no probes of these build-ids$'
tar -tf all.tar | sort >names
printf '%s.probes\n' "$id" "$id2" | sort | diff - names || fail "tar reads other names"

export HOME=$TMP/b
expect 0 "$SPILE" cache import one.tar
prints "^$id.probes: [0-9]+ bytes\$"
"$SPILE" -L "$f" >full
strip prog
"$SPILE" --no-cache -L "$f" | diff full - || fail "an imported file answers otherwise"
grep -q '\$a:int \$b:long int' full || fail "no variables: $(cat full)"

# Archives of tar(1) are taken; those with something else are not, and nothing of them is saved.
refused() { # WHY ARCHIVE
	HOME=$TMP/c
	expect 1 "$SPILE" cache import "$2"
	says "^ERROR: the archive is refused: $1\$"
	[ ! -e c/.cache/spile ] || fail "something of it was saved"
	HOME=$TMP/b
}
folder=a/.cache/spile
tar --format=ustar -C $folder -cf tar.tar "./$id.probes"
expect 0 "$SPILE" cache import tar.tar
something="it has something else in it than"
cp $folder/$id.probes evil && echo text >readme
tar --format=ustar -P -cf climbs.tar --transform 's,^evil,../../evil,' evil
refused "$something files of the probe cache" climbs.tar
tar --format=ustar -P -cf absolute.tar "$TMP/$folder/$id.probes"
refused "$something files of the probe cache" absolute.tar
tar --format=ustar -cf more.tar -C "$TMP/$folder" "$id.probes" -C "$TMP" readme
refused "$something files of the probe cache" more.tar
mkdir links && ln -s /etc/passwd links/$id.probes
tar --format=ustar -C links -cf link.tar $id.probes
refused "$something regular files" link.tar
tar --format=ustar -cf renamed.tar --transform "s,^evil,$id2.probes," evil
refused "$id2.probes in it is $id.probes" renamed.tar
head -c 1500 one.tar >short.tar
refused "a file in it is larger than the archive" short.tar
head -c 100 one.tar >short.tar
refused "it is truncated" short.tar
{ head -c 600 one.tar; printf x; tail -c +602 one.tar; } >flipped.tar
refused "$id.probes: its content has changed" flipped.tar
printf '%01024d' 0 >zero.tar
refused "it is no tar file, or it was damaged" zero.tar
: >empty.tar
refused "there is nothing in it" empty.tar
chown 12345 one.tar 2>/dev/null || exit 0
HOME=$TMP/c
expect 1 "$SPILE" cache import one.tar
says "^ERROR: one.tar belongs to another user\$"
