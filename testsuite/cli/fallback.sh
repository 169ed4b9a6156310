# SPDX-License-Identifier: GPL-2.0-or-later
# An ordinary user: process() probes run through ptrace with one warning; kernel probes say what is missing, status 3.
. "$SUITE/lib.sh"
p="process(\"$PROGS/calls\").function(\"add\")"
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip "no setpriv to become an ordinary user"
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$SPILE" || skip "an ordinary user cannot read $BUILD"
	as_user() { HOME=/nonexistent XDG_CACHE_HOME=$PWD/cache setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	chmod 777 .
else
	as_user() { "$@"; }
fi
expect 0 as_user "$SPILE" -c "$PROGS/calls 2" -e "probe $p { println(\$a) }"
is '0
1'
[ "$(grep -c WARNING err)" = 1 ] || fail "not one warning"
says 'ptrace|user engine'
expect 3 as_user "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { exit() }'
says 'sched_switch'
says 'root|CAP_'
expect 3 as_user "$SPILE" --engine=kernel -c "$PROGS/calls 2" -e "probe $p { println(\$a) }"
says 'root|CAP_'
expect 0 as_user "$SPILE" -e 'probe begin { println(uid() != 0) exit() }'
is 1
quiet
