# SPDX-License-Identifier: GPL-2.0-or-later
# A wildcard of more programs than the process may have files open: the limit is raised as far as it may be, and not for what is started.
. "$SUITE/lib.sh"
mkdir bin
for i in $(seq 160); do cp "$PROGS/calls" bin/p$i; done
ulimit -Sn 150
expect 0 "$SPILE" -l "process(\"$PWD/bin/*\").function(\"add\")"
[ "$(wc -l <out)" = 160 ] || fail "$(wc -l <out) points"
expect 0 "$SPILE" -w -p4 --engine=user --no-cache -o all.spo -e "global n probe process(\"$PWD/bin/*\").function(\"add\") { n++ } probe end { println(n) }"
for engine in user kernel; do
	[ $engine = user ] || "$SPILE_RUN" --describe | grep -q '^features .*\<uprobe' || continue
	expect 0 "$SPILE" -w --engine=$engine -e "global n probe process(\"$PWD/bin/*\").function(\"add\") { n++ } probe end { println(n) }" \
		-c 'for i in 1 80 160; do bin/p$i 2 >/dev/null; done'
	is 6
	quiet
	[ $engine = kernel ] || expect 0 "$SPILE_RUN" --engine=$engine all.spo -c 'for i in 1 80 160; do bin/p$i 2 >/dev/null; done'
	is 6
	quiet
	expect 0 "$SPILE" -w --engine=$engine -e "probe process(\"$PWD/bin/p1\").function(\"add\") { exit() }" -c 'ulimit -Sn'
	is 150
done
