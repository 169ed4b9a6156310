# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that a script runs: in the background, with what was printed before them before.
. "$SUITE/lib.sh"
cat >run.stp <<'STP'
probe begin
{
	println("first")
	system(sprintf("echo %s >one; echo two >&2; mv one %s", "text", "done"))
	system("exit 3")
	exit()
}
STP
"$SPILE" run.stp >out 2>err || { cat err; exit 1; }
for _ in $(seq 100); do [ -e done ] && break; sleep 0.1; done
[ "$(cat out)" = first ] && [ "$(cat done)" = text ] && [ "$(cat err)" = two ]
