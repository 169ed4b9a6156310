# SPDX-License-Identifier: GPL-2.0-or-later
# Patterns and lists in the newest kernel with full debug information that is installed: each way to find them gives the same.
. "$SUITE/debug/lib"
release=
for vmlinux in /usr/lib/debug/boot/vmlinux-*; do
	[ -e "$vmlinux" ] && nm "$vmlinux" | grep -q ' T ksys_read$' && release=${vmlinux##*/vmlinux-}
done
[ -n "$release" ] || skip "no kernel with debug information in /usr/lib/debug/boot"

# Names without wildcards: a few are searched for, of many there is an index.
export XDG_CACHE_HOME=$PWD/cache
mkdir -p cache
points=
for name in vfs_{read,write,open,fsync,statx,llseek,mkdir,rmdir,unlink}; do
	points+=",kernel.function(\"$name\")"
	[ $name = vfs_read ] || [ $name = vfs_unlink ] || continue
	expect 0 "$SPILE" -r "$release" -p2 -e "probe ${points#,} { println(\$\$vars) }"
	saved=$(find cache -name '*.names' | wc -l)
	[ $name:$saved != vfs_read:1 ] || fail "an index was made for one name"
done
[ "$saved" = 1 ] || fail "no index was made"
rm -r cache
unset XDG_CACHE_HOME

# What no $$vars shows is told to nobody: the lines where it could be read are not looked for.
mkdir cache
expect 0 env XDG_CACHE_HOME="$PWD/cache" "$SPILE" -r "$release" -p2 -e 'probe kernel.function("vfs_*").call { println($$vars) }'
[ "$(find cache -name '*.names' | wc -l)" = 0 ] || fail "functions were searched for by their names"
rm -r cache

# Patterns: by the index of names as by reading all units, and in parts as in one.
expect 0 "$SPILE" -r "$release" -l 'kernel.function("vfs_*@fs/*.c")'
[ "$(wc -l <out)" -gt 40 ] || fail "few functions of fs are called vfs_*"
mv out all
for round in unsaved saved; do
	expect 0 "$SPILE" -r "$release" -l 'kernel.function("vfs_*")'
	grep '@fs/[^"]*\.c:' out | diff all - || fail "with an $round index vfs_* gives others"
done
expect 0 "$SPILE" -r "$release" -L 'kernel.function("?*@fs/[q-s]*.c")'
mv out all
expect 0 "$SPILE" -r "$release" -L 'kernel.function("*@fs/[q-s]*.c")'
diff all out || fail "in parts the functions of fs/[q-s]*.c are others"

# All functions of a kernel: the first lines are written before most units have been read, and the lines are those of two patterns.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	expect 0 env ASAN_OPTIONS=detect_leaks=0 strace -s 100000 -e trace=write -o trace "$SPILE" -r "$release" -l 'kernel.function("*").inline'
	grep -c '^write(1, ' trace | grep -q '^1$' && fail "all is written at once"
	mv out all
	# A part of the first units, and the others, each in order.
	LC_ALL=C awk '$0 < last { n++ } { last = $0 } END { exit n != 1 }' all || fail "not two parts in order"
	LC_ALL=C sort -o all all
	for names in '[!_a-z]*' '[_a-z]*'; do
		expect 0 "$SPILE" -r "$release" -l "kernel.function(\"$names\").inline"
		cat out >>parts
	done
	diff all parts >differ || fail "in parts: $(head -n 3 differ)"
fi
# With variables, too: those of the first part are what they are when all units have been read.
expect 0 "$SPILE" -r "$release" -L 'kernel.function("*")'
LC_ALL=C sort out >all
for names in '[!_a-z]*' '[_a-z]*'; do
	expect 0 "$SPILE" -r "$release" -L "kernel.function(\"$names\")"
	cat out
done | LC_ALL=C sort >parts
diff all parts >differ || fail "with variables, in parts: $(head -n 3 differ)"
