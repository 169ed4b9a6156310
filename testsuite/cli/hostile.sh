# SPDX-License-Identifier: GPL-2.0-or-later
# What makes a tracer lose a program goes as it does without one, and each call is counted once.
. "$SUITE/lib.sh"
cp "$PROGS/hostile" . # nobody else runs or probes it
work="process(\"$PWD/hostile\").function(\"work\")"
expect 0 "$SPILE" --engine=${ENGINE:=user} -w -p4 -m hostile -e "global n, r probe $work { n <<< 1 } probe $work.return { r <<< 1 }
	probe end { printf(\"%d %d\\n\", @count(n), @count(r)) }"
# way NAME CALLS [RETURNS]
way()
{
	local status
	timeout 20 ./hostile "$1" >native 2>&1
	status=$?
	expect 1 timeout 60 "$SPILE_RUN" --engine=$ENGINE -o counted -c "./hostile $1" hostile.spo
	[ "$(cat err)" = "WARNING: ./hostile $1 exited with status: $status" ] || fail "$1: $(cat err)"
	cmp -s native out || fail "$1: it says by itself: $(cat native)"
	[ "$(cat counted)" = "$2 ${3-$2}" ] || fail "$1: $(cat counted) calls and returns, not $2 ${3-$2}"
}
way many 300
way closes 5
way vforks 40
way simple 4
way threads_exec 7
way leader_ends 7
way full_stack 10
way limits 20
way traps 4
way daemonize 3
way jobs 3
way undumpable 7
way loads 7
way grows 3
[ $ENGINE = user ] && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 0

# An ordinary user may not look at what is undumpable any more: that is told, and what is probed stays so.
public=$(mktemp -d /tmp/spile-public.XXXXXX) || exit 1
trap 'rm -rf "$public"' EXIT
cp -L "$SPILE_RUN" hostile "$public"
expect 0 "$SPILE" --engine=user -w -p4 -o "$public/loads.spo" -e "global n probe process(\"$public/hostile\").function(\"work\") { n++ } probe end { println(n) }"
chmod -R a+rX "$public"
expect 1 env -C "$public" setpriv --reuid=65534 --regid=65534 --clear-groups ./spile-run --engine=user -c "./hostile loads" loads.spo
is 7
sed 's/[0-9]\+/N/' err | uniq >said
[ "$(cat said)" = "WARNING: cannot read /proc/N/maps: Permission denied
WARNING: ./hostile loads exited with status: N" ] || fail "$(cat said)"
