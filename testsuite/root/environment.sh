# SPDX-License-Identifier: GPL-2.0-or-later
# Who starts a program with more privileges than he has does not choose the code that it runs, or where it reads and writes.
. "$SUITE/lib.sh"
command -v setpriv >/dev/null || skip "no setpriv (util-linux)"
room=$(mktemp -d "$PROGS/environment.XXXXXX")
chmod 755 "$room"
trap 'rm -rf "$room"' EXIT
mkdir "$room/evil" "$room/lib" "$room/rc" "$room/cache" "$room/bin" "$room/home"
cp "$SPILE" "$room/spile"
cat >evil.c <<X
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) { close(open("$room/owned", O_CREAT | O_WRONLY, 0666)); }
X
cc -shared -fPIC -o "$room/evil/spile-gen.so" evil.c || skip "no C compiler"
cp "$room/evil/spile-gen.so" "$room/"
cp "$room/evil/spile-gen.so" "$room/libspile.so.0"
printf 'function evil() { return 1 }\n' >"$room/lib/evil.stp"
printf '#!/bin/sh\ntouch %s/owned\n' "$room" >"$room/bin/clang"
echo "--no-such-option" >"$room/rc/rc"
chmod -R a+rwX "$room"; chmod a+x "$room/bin/clang"; chmod 4755 "$room/spile"
chown -R 65534 "$room/rc" "$room/cache" "$room/home"
as() { setpriv --reuid=65534 --regid=65534 --clear-groups env "$@"; }
[ "$(as "$room/spile" --version | head -n1)" = "$("$SPILE" --version | head -n1)" ] || skip "an ordinary user cannot run $room/spile"
environment="SPILE_MODULES=$room/evil SPILE_TAPSET=$room/lib SYSTEMTAP_DIR=$room/rc HOME=$room/home
	XDG_CACHE_HOME=$room/cache PATH=$room/bin:$PATH TMPDIR=$room/cache"
# The code generator comes from where it is installed: it may be there or not.
as $environment "$room/spile" -p4 -o /dev/null -e 'probe begin { exit() }' >out 2>err
[ ! -e "$room/owned" ] || fail "code of the environment, or beside the program, has run"
! grep -q no-such-option err || fail "the rc file was read"
as $environment "$room/spile" -p2 -e 'probe begin { println(evil()) }' >out 2>err && fail "the library of the environment was used"
as $environment "$room/spile" -L "process(\"$SPILE\").function(\"cli_*\")" >out 2>err
found=$(find "$room/cache" "$room/home" -mindepth 1)
[ -z "$found" ] || fail "written where the environment says: $found"
as $environment "$room/spile" -g -p4 -o /dev/null -e '%{ #define X 1 %} function f:long() %{ STAP_RETVALUE = X; %} probe begin { println(f()) }' >out 2>err
[ ! -e "$room/owned" ] || fail "a compiler of the environment has run"

# Root with the home of another user: nothing is written there or obeyed.
rm -rf "$room/home"; mkdir "$room/home" "$room/home/.systemtap"; cp "$room/rc/rc" "$room/home/.systemtap/"
chown -R 65534 "$room/home"
expect 0 env -u SYSTEMTAP_DIR -u XDG_CACHE_HOME HOME="$room/home" "$SPILE" -e 'probe begin { println(1) exit() }'
is 1
says "^WARNING: $room/home/\.systemtap/rc is not read: it belongs to another user, or others can write it\$"
env -u XDG_CACHE_HOME HOME="$room/home" "$SPILE" -L "process(\"$SPILE\").function(\"cli_*\")" >out 2>err
[ ! -e "$room/home/.cache" ] || fail "root has written into the home of another user"
# A cache is not made in, or read through, what belongs to another.
mkdir "$room/target"; ln -s "$room/target" "$room/home/.cache"; chown -h 65534 "$room/home/.cache"
env -u XDG_CACHE_HOME HOME="$room/home" "$SPILE" -L "process(\"$SPILE\").function(\"cli_*\")" >out 2>err
env XDG_CACHE_HOME="$room/home/.cache" "$SPILE" -L "process(\"$SPILE\").function(\"cli_*\")" >out 2>err
mkdir "$room/cache/sub"; chown 65534 "$room/cache/sub"
env XDG_CACHE_HOME="$room/cache/sub" "$SPILE" -L "process(\"$SPILE\").function(\"cli_*\")" >out 2>err
[ -z "$(find "$room/target" "$room/cache/sub" -mindepth 1)" ] || fail "root has made a cache in a folder of another user"
exit 0
