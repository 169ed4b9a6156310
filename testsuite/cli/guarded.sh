# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that have given up what they can do, or have become somebody else, go as they do without a tracer; what it takes from them, and
# what it may not trace, is told.
. "$SUITE/lib.sh"
folder=$(mktemp -d /tmp/spile-guarded.XXXXXX) || exit 1 # an ordinary user may see it
trap 'kill $waits 2>/dev/null; rm -rf "$folder"' EXIT
cp -L "$SPILE_RUN" "$PROGS/guarded" "$folder"
cd "$folder" || exit 1
compile()
{
	expect 0 "$SPILE" --engine=${ENGINE:=user} -w -p4 -m guarded -e "global n, r probe process(\"$folder/guarded\").function(\"work\") { n <<< 1 }
		probe process(\"$folder/guarded\").function(\"work\").return { r <<< 1 } probe end { printf(\"%d %d\\n\", @count(n), @count(r)) }"
	chmod -R a+rX .
}
# way NAME CALLS [COMMAND...]: all of it by that command.
way()
{
	timeout 20 "${@:3}" ./guarded $1 >want 2>&1
	[ $? = 11 ] || fail "$1: $(cat want)"
	echo "$2 $2" >>want
	expect 1 timeout 60 "${@:3}" ./spile-run --engine=$ENGINE -c "./guarded $1" guarded.spo
	diff want out >differ || fail "$1: $(cat differ)"
	[ "$(cat err)" = "${warning+WARNING: $warning
}WARNING: ./guarded $1 exited with status: 11" ] || fail "$1: other messages"
}
compile
way strict 7
way filtered 7
way blocks 7
way handles 7
way ignores 7
way threads 30
way new_privileges 7
way undumpable 7
way namespaces 9
way roots 7
way drops 11
[ $ENGINE = user ] && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 0

# An ordinary user's tracer.
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
way blocks 7 $nobody
way undumpable 7 $nobody
way namespaces 9 $nobody
# What becomes undumpable while it is traced stays so; another process may not be traced.
$nobody ./guarded waits >ready &
waits=$!
wait_for 20 test -s ready
expect 3 $nobody ./spile-run --engine=user -x $waits guarded.spo
[ "$(cat err)" = "ERROR: cannot trace process $waits: it is another user's, or has, or had, more privileges than its user, or is undumpable (prctl(2))" ] ||
	fail "other messages"
kill $waits
# What the file gives: to nobody's program that nobody traces. Root's tracer takes nothing.
for mode in 4755 2755; do
	chmod $mode guarded
	$nobody ./guarded ids >native
	grep -q 0 native || break # a file system without such privileges
	expect 1 ./spile-run --engine=user -c "$nobody ./guarded ids" guarded.spo
	[ "$(cat out)" = "$(cat native)
7 7" ] || fail "they are lost by root's tracer"
	says '^WARNING: setpriv .* \./guarded ids exited with status: 11$'
	[ $(wc -l <err) = 1 ] || fail "other messages"
	expect 1 $nobody ./spile-run --engine=user -c 'sh -c "./guarded ids; ./guarded ids"' guarded.spo
	[ "$(cat out)" = '1 1
1 1
14 14' ] || fail "they are not lost"
	[ "$(cat err)" = "WARNING: $folder/guarded runs without the privileges that its file gives (set-user-ID, set-group-ID, capabilities): the kernel gives none to what an ordinary user traces; trace it as root
WARNING: sh -c \"./guarded ids; ./guarded ids\" exited with status: 11" ] || fail "other messages"
done
chmod 755 guarded
setcap cap_net_raw+ep guarded 2>/dev/null || exit 0
expect 1 $nobody ./spile-run --engine=user -c "./guarded ids" guarded.spo
says "^WARNING: $folder/guarded runs without the privileges that its file gives"
expect 1 $nobody --no-new-privs ./spile-run --engine=user -c "./guarded ids" guarded.spo
[ "$(cat err)" = "WARNING: ./guarded ids exited with status: 11" ] || fail "nothing is lost"
