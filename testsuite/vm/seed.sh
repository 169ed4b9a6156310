# SPDX-License-Identifier: GPL-2.0-or-later
# The main job: from a file, from standard input, compiled here and run by spile-run.
. "$SUITE/lib.sh"
cat >seed.stp <<'S'
probe kernel.function("ksys_read") {
  printf("ksys_read(%d): %d, %d\n", pid(), $fd, $count);
  exit();
}
S
good()
{
	[ "$(wc -l <out)" = 1 ] || fail "$(wc -l <out) lines"
	prints '^ksys_read\([0-9]+\): [0-9]+, [0-9]+$'
	quiet
}
while :; do head -c 8191 /dev/zero >/dev/null; sleep 0.05; done &
reader=$!
trap 'kill $reader' EXIT
expect 0 "$SPILE" seed.stp
good
expect 0 "$SPILE" - <seed.stp
good
expect 0 "$SPILE" -p4 -o seed.spo seed.stp
expect 0 "$SPILE_RUN" seed.spo
good
