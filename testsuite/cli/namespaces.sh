# SPDX-License-Identifier: GPL-2.0-or-later
# Files as a process has them: in a mount namespace of its own, deleted, replaced. Our file of the same path is another one.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >prog.c <<'C'
#include <unistd.h>
int twice(int x);
__attribute__((noinline)) int WHERE(int x) { return twice(x) + PAD; }
int main(void) { for (int i = 0; i < 60000; i++) { WHERE(i); usleep(10000); } return 0; }
C
# variant NAME: a program and a library with that name for their function, in the folder of that name.
variant()
{
	mkdir -p $1
	echo "int $1_pad(int x) { return x * 3; } int twice(int $1) { return 2 * $1; }" |
		gcc -g -O1 -shared -fPIC -Wl,-soname,libtwice.so.1 -o $1/libtwice.so.1.$2 -x c -
	ln -sf libtwice.so.1.$2 $1/libtwice.so.1
	gcc -g -O1 -DWHERE=$1 -DPAD=$2 -o $1/prog prog.c $1/libtwice.so.1 -Wl,-rpath,"$TMP/at"
}
variant outside 1
variant within 2
traced() { expect 0 timeout 60 "$SPILE" --engine=$ENGINE -T 20 "$@"; quiet; }
# reads PID VARIANT: what the process runs is found in each way to name it.
reads()
{
	traced -x $1 -e "probe process.function(\"$2\") { println(execname()) exit() }"
	is prog
	traced -x $1 -e "probe process($1).function(\"$2\") { println(execname()) exit() }"
	is prog
	traced -x $1 -e "probe process(\"/proc/$1/exe\").function(\"$2\") { println(execname()) exit() }"
	is prog
	traced -x $1 -e "probe process.library(\"libtwice.so.1\").function(\"twice\") { println(\$$2 >= 0) exit() }"
	is 1
	# Names, and how to find callers, are in the very files, too. A library without a name is for root alone.
	traced -x $1 -e "probe process.function(\"$2\") { println(usymname(uaddr()), \" \", usymname(ustack(1))) exit() }"
	is "$2 main"
	[ "$(id -u)" != 0 ] || traced -x $1 -e "probe process.library(\"libtwice.so.1\").function(\"twice\") { println(usymname(uaddr()), \" \", usymname(ustack(1))) exit() }"
	[ "$(id -u)" != 0 ] || is "twice $2"
	expect 0 "$SPILE" -L "process($1).library(\"libtwice.so*\").function(\"twice\")"
	prints "^process\\(\"[^\"]*\"\\)\\.library\\(\"[^\"]*\"\\)\\.function\\(\"twice@[^\"]*<stdin>:1\"\\) \\\$$2:int$"
}
trap 'kill $(cat pids) 2>/dev/null' EXIT
started() { wait_for 10 test -s pid; pid=$(cat pid); cat pid >>pids; rm pid; wait_for 10 grep -q libtwice "/proc/$pid/maps"; }

# Another mount namespace; the library lies behind an absolute symbolic link there.
mkdir at
cp -a outside/. at
# Only there lies the debug information of `stripped`.
objcopy --only-keep-debug within/prog stripped.debug
objcopy --strip-debug --strip-unneeded --add-gnu-debuglink=stripped.debug --remove-section=.note.gnu.build-id within/prog stripped
cat >enter <<'S'
mount -t tmpfs none at && cp -a within/prog at && mkdir at/real && cp within/libtwice.so.1.2 at/real && ln -s "$PWD/at/real/libtwice.so.1.2" at/libtwice.so.1 && ln -s "$PWD/at/prog" at/link && mkdir at/.debug && cp stripped at && mv stripped.debug at/.debug || exit
echo $$ >pid
exec "$PWD/at/prog"
S
unshare --mount $([ "$(id -u)" = 0 ] || echo --map-root-user) true 2>/dev/null || skip "no mount namespace can be made here"
unshare --mount $([ "$(id -u)" = 0 ] || echo --map-root-user) sh enter &
started
reads $pid within
root=/proc/$pid/root
traced -x $pid -e "probe process(\"$root$TMP/at/prog\").function(\"within\") { println(execname()) exit() }"
is prog
expect 0 "$SPILE" -l "process(\"$root$TMP/at/link\").function(\"within\")"
is "process(\"$root$TMP/at/prog\").function(\"within@$TMP/prog.c:3\")"
expect 0 "$SPILE" -l "process(\"$root$TMP/a*/prog\").function(\"within\")"
is "process(\"$root$TMP/at/prog\").function(\"within@$TMP/prog.c:3\")"
expect 0 "$SPILE" -l "process(\"$root$TMP/at/stripped\").function(\"within\")"
is "process(\"$root$TMP/at/stripped\").function(\"within@$TMP/prog.c:3\")"
# The libraries that the file asks for, found in its root folder.
expect 0 "$SPILE" -L "process(\"$root$TMP/at/link\").library(\"libtwice.so.1\").function(\"twice\")"
is "process(\"$root$TMP/at/prog\").library(\"$root$TMP/at/real/libtwice.so.1.2\").function(\"twice@$TMP/<stdin>:1\") \$within:int"
# What that process has at an address.
address=$(awk '/\/at\/prog$/ && !start { start = $1; sub(/-.*/, "", start); print start }' "/proc/$pid/maps")
offset=$(nm within/prog | sed -n 's/ T within$//p')
expect 0 "$SPILE" -l "process($pid).statement($((0x$address + 0x$offset))).absolute"
prints "^process\\(\"$root$TMP/at/prog\"\\)\\.statement\\($((16#$offset))|0x"
# A path is ours, and the process has another file there.
expect 0 timeout 60 "$SPILE" -p2 -x $pid -e "probe process(\"$TMP/at/prog\").function(\"outside\") { exit() }"
says "^WARNING: process $pid has another file for $TMP/at/prog \\[W406\\]$"
expect 0 timeout 60 "$SPILE" -p2 -x $pid -e "probe process(\"$root$TMP/at/prog\").function(\"within\") { exit() }"
quiet

# Only the process has a file there.
expect 1 timeout 60 "$SPILE" -p2 -x $pid -e "probe process(\"$TMP/at/stripped\").function(\"within\") { exit() }"
says "^    hint: process $pid has such a file: process\\(\"$root$TMP/at/stripped\"\\)$"

# One whose root folder is another one there, too, as chroot() makes it: paths there begin at neither.
if [ "$(id -u)" = 0 ]; then
	cat >enter <<'S'
	mkdir root && mount --rbind / root && mount -t tmpfs none "root$PWD/at" && cp -a within/. "root$PWD/at" &&
	ln -s "$PWD/at/prog" "root$PWD/at/link" && echo $$ >pid && exec chroot root "$PWD/at/prog"
S
	unshare --mount sh enter &
	started
	reads $pid within
	expect 0 "$SPILE" -l "process(\"/proc/$pid/root$TMP/at/link\").function(\"within\")"
	is "process(\"/proc/$pid/root$TMP/at/prog\").function(\"within@$TMP/prog.c:3\")"
	expect 0 timeout 60 "$SPILE" -p2 -x $pid -e "probe process(\"$TMP/at/prog\").function(\"outside\") { exit() }"
	says "^WARNING: process $pid has another file for $TMP/at/prog \\[W406\\]$"
fi

# Deleted, then replaced.
cp -a within/. at
sh -c 'echo $$ >pid; exec "$PWD/at/prog"' &
started
expect 0 timeout 60 "$SPILE" -p2 -x $pid -e "probe process(\"$TMP/at/prog\").function(\"within\") { exit() }"
quiet
rm at/prog at/libtwice.so.1*
reads $pid within
expect 1 timeout 60 "$SPILE" -p2 -x $pid -e "probe process(\"$TMP/at/prog\").function(\"within\") { exit() }"
says "^    hint: process $pid has that file, which is deleted: \`process\` or process\\($pid\\) means what it runs$"
cp -a outside/. at
reads $pid within
expect 0 timeout 60 "$SPILE" -p2 -x $pid -e "probe process(\"$TMP/at/prog\").function(\"outside\") { exit() }"
says '\[W406\]$'
