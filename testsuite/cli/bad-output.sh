# SPDX-License-Identifier: GPL-2.0-or-later
# Packs, compiled scripts and descriptions of machines: two that write the same one at once, a disk that is full, files that are somebody
# else's or are reached by a link. What is there is whole, or it is told.
. "$SUITE/lib.sh"
script='probe begin { println(4) exit() }'
"$SPILE_RUN" --describe >here.target
for name in a b c; do sed "s/^release .*/release 4.1-$name/; s/^build-id .*/build-id 00112233/" here.target >$name.target; done
expect 0 "$SPILE" --pack -o tool.spo --for here.target -e "$script"
cp tool.spo first.spo

# Several at once that add to a pack, and that write a script: the file is one that one of them has written.
for round in 1 2 3; do
	cp first.spo tool.spo
	for name in a b c; do
		"$SPILE" --pack --add -o tool.spo --for $name.target -e "$script" >out.$name 2>&1 &
		"$SPILE" -p4 -o plain.spo -e "$script" >out.plain.$name 2>&1 &
	done
	wait
	expect 0 "$SPILE_RUN" tool.spo
	is 4
	expect 0 "$SPILE" pack show tool.spo
	prints '^here\.target: '
	prints '^[abc]\.target: '
	expect 0 "$SPILE_RUN" plain.spo
	is 4
done
left=$(ls -A | grep -vE '^(out|err|(tool|first|plain)\.spo|(here|a|b|c)\.target|out\.(plain\.)?[abc])$')
[ -z "$left" ] || fail "something is left: $left"

# What is named runs, by whatever name and whoever owns it: a signature says whose it is.
ln -s first.spo link.spo
expect 0 "$SPILE_RUN" link.spo
is 4
if [ "$(id -u)" = 0 ]; then
	cp first.spo other.spo
	chown 65534 other.spo
	expect 0 "$SPILE_RUN" other.spo
	expect 1 "$SPILE_RUN" --require-signature here.target other.spo
	[ ! -s out ] || fail "it ran without a signature"
	# What a link of another user leads to is not written, whatever writes.
	mkdir strange
	for name in text text.0 a.svg b.html c.svg perf.data; do ln -s ../kept strange/$name; done
	ln -s /dev/full strange/x.spo
	chown -hR 65534 strange
	echo kept >kept
	for option in "-o strange/text" "-S 1,2 -o strange/text" "--flamegraph strange/a.svg" "--flamegraph strange/b.html" \
		"--plot strange/c.svg" "--perf-data strange/perf.data" "-p4 -o strange/x.spo"; do
		expect 1 "$SPILE" $option -e "global n; $script probe end { n[1] = 1 print(n[1]) }"
		says '^ERROR: cannot write "strange/[a-z0-9.]*": it is a link of another user$'
		[ "$(cat kept)" = kept ] || fail "$option has written through a link"
	done
	expect 1 "$SPILE_RUN" -o strange/text first.spo
	says '^ERROR: cannot write "strange/text": it is a link of another user$'
	chown -h 0 strange/text
	expect 0 "$SPILE" -o strange/text -e "$script"
	[ "$(cat kept)" = 4 ] || fail "a link of root was not followed"
	# Nor what it leads to by a link of theirs, nor one that comes into its place as soon as it was looked at.
	echo kept >kept
	ln -s b.html strange/chain
	expect 1 "$SPILE" -o strange/chain -e "$script"
	says '^ERROR: cannot write "strange/chain": it is a link of another user$'
	gcc -shared -fPIC -o swap.so -x c - <<-'S'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include <sys/stat.h>
		int fstatat(int folder, const char *path, struct stat *st, int flags)
		{
			int (*look)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat"), n = look(folder, path, st, flags);
			rename("strange/c.svg", "strange/text");
			return n;
		}
		int fstat(int fd, struct stat *st)
		{
			int (*look)(int, struct stat *) = dlsym(RTLD_NEXT, "fstat"), n = look(fd, st);
			rename("strange/c.svg", "strange/text");
			return n;
		}
	S
	ln -sf ../empty strange/text
	grep -q -e -fsanitize "$BUILD/Makefile" || expect 0 env LD_PRELOAD="$PWD/swap.so" "$SPILE_RUN" -o strange/text first.spo
	[ "$(cat kept)" = kept ] || fail "a link that came later was followed"
	ln -s loop loop
	expect 1 "$SPILE_RUN" -o loop first.spo
	says '^ERROR: cannot write "loop": Too many levels of symbolic links$'
	rm -f empty loop swap.so
fi
mkdir folder
for command in '"$SPILE_RUN"' '"$SPILE" pack show' '"$SPILE" -p4 -e "$script" --target'; do
	eval "expect 1 $command folder"
	says '^ERROR: cannot read folder: Is a directory$'
done
expect 1 "$SPILE" first.spo
says '^    hint: this is a pack, not a script: spile-run runs it$'

# A full disk: what was there stays, and nothing is left of what could not be written.
unshare -rm true 2>/dev/null || { echo "no full disk can be made here" >&2; exit 0; }
cat >full.sh <<'S'
mount -t tmpfs -o size=16k none disk || exit 77
cp first.spo disk/tool.spo
dd if=/dev/zero of=disk/zero bs=1k 2>/dev/null
full() { "$@" >out 2>err && exit 2; grep -qE '^ERROR: cannot write .*: No space left on device$' err || exit 3; }
full "$SPILE" --pack --add -o disk/tool.spo --for a.target -e "$1"
full "$SPILE" --pack -o disk/new.spo --for a.target -e "$1"
full "$SPILE" -p4 -o disk/new.spo -e "$1"
"$SPILE_RUN" --describe >disk/new.target 2>err && exit 4
grep -qx 'ERROR: cannot write standard output: No space left on device' err || exit 5
rm disk/new.target
[ "$(ls -A disk | tr '\n' ' ')" = "tool.spo zero " ] || exit 6
cmp disk/tool.spo first.spo || exit 7
S
mkdir disk
expect 0 env SPILE="$SPILE" SPILE_RUN="$SPILE_RUN" unshare -rm bash full.sh "$script"
