# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of README.md's "Ship it" do what is said there, with two hosts that are folders of this machine.
. "$SUITE/lib.sh"
grep -q SODIUM_SONAME "$BUILD/Makefile" || skip "built without libsodium"
command -v minisign >/dev/null || skip "minisign is not installed"
gcc -g -O2 -o work "$TOP/examples/quickstart/work.c" || fail "work.c does not compile"
awk '/^<!-- ship/ { file = $2 == "ship:" ? $3 : "commands"; armed = 1; next }
     /^```/ && armed && !inside { inside = 1; next }
     /^```/ && inside { inside = armed = 0; ended = file == "commands"; next }
     inside { print > file }
     /^<!-- prints: / && ended { sub(/^<!-- prints: /, ""); sub(/ -->$/, ""); print > "wanted"; ended = 0 }' "$TOP/README.md"
[ -s wanted ] && [ "$(grep -c . commands)" = 6 ] || fail "there are not six commands"
sed -i "s,/srv/bin/work,$PWD/work," jobs.stp
mkdir fleet db1
minisign -G -W -p team.pub -s team.key >/dev/null
unit=$TOP/packaging/systemd/spile@.service

spile() { "$SPILE" "$@"; }
spile-run() { "$SPILE_RUN" "$@"; }
ssh() { local host=$1; shift; "$@"; }
scp() { local to=${!#}; [ "$to" = db1:/etc/spile/ ] && cp "${@:1:$#-1}" db1; }
# What the unit does with the file, here with a program that ends.
systemctl()
{
	local command
	[ "$*" = 'enable --now spile@jobs' ] || fail "systemctl $*"
	command=$(sed -n 's,^ExecStart=/usr/bin/spile-run $OPTIONS /etc/spile/%i,spile-run --require-signature team.pub -c "./work 1" --engine=user db1/jobs,p' "$unit")
	eval "${command:?the unit has another command}"
}
set -e
(. ./commands) >out 2>err || fail "exit status $?"
quiet
prints '^db1: ok$'
prints '^jobs\.spo$'
prints "$(cat wanted)"
