# SPDX-License-Identifier: GPL-2.0-or-later
# Under the user engine raise() reaches the process of another user, though most privileges are given up by then.
. "$SUITE/lib.sh"
command -v setpriv >/dev/null || skip "no setpriv (util-linux)"
cp "$(type -P sh)" shell
chmod 755 . shell
setpriv --reuid=65534 --regid=65534 --clear-groups "$PWD/shell" -c 'while :; do read line </proc/uptime; done' & target=$!
trap 'kill -KILL $target 2>/dev/null' EXIT
is_shell() { [ "$(cat /proc/$target/comm)" = shell ]; }
wait_for 60 is_shell
expect 0 timeout 60 "$SPILE" -g -v --engine=user -x $target -e 'probe process.syscall { println("raised") raise(15) exit() }'
is raised
says '^privileges were given up, '
wait $target
[ $? = 143 ] || fail "the signal did not reach it"
exit 0
