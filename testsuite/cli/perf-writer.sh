# SPDX-License-Identifier: GPL-2.0-or-later
# --perf-data: what handlers print as a file that perf reads: names, typed fields, stacks and build-ids.
. "$SUITE/lib.sh"
cat >job.stp <<'S'
global n
probe begin { printf("not a sample\n") }
probe process(@1).function("checksum") { if (n++ < 2) printf("%d %s %x\n", $length, pp(), -1) }
probe process(@1).function("handle_job").call { if (n < 4) { printf("hello\n"); print_ubacktrace(); printf("%d\n", $job->id) } }
S
gcc -g -O0 -o work "$SUITE/../examples/quickstart/work.c" 2>err || fail "work"
expect 0 "$SPILE" --engine=user --perf-data it.data -c './work 1' job.stp ./work
prints '^not a sample$'
expect 0 "$SPILE" perf-data it.data
prints '^  spile:checksum: type 2, config [0-9]+, 2 samples, with fields, of ip tid time cpu period raw identifier$'
prints '^  spile:handle_job: type 2, config 1, [0-9]+ samples, with fields, of ip tid time cpu period raw identifier$'
prints '^  spile:handle_job_2: type 2, config 2, [0-9]+ samples, with fields, of ip tid time callchain cpu period raw identifier$'
expect 0 "$SPILE" perf-data --tasks it.data
prints "^build-id [0-9a-f]{40} .*/work$"
prints '^comm [0-9]+/[0-9]+ work$'
# With -x another process traces, which alone ends the file.
own_programs busy
"$PROGS/busy" ticks &
target=$!
trap 'kill -KILL $target' EXIT
wait_for 20 test -s ticks
expect 0 timeout 60 "$SPILE" --engine=user --perf-data ticks.data -x $target -e "
	global n probe process(\"$PROGS/busy\").function(\"tick\") { printf(\"%d\n\", ++n) if (n == 3) exit() }"
expect 0 "$SPILE" perf-data ticks.data
prints '^  spile:tick: type 2, config [0-9]+, 3 samples, '
command -v perf >/dev/null || exit 0
expect 0 perf script -i it.data -F event,trace
prints '^ *spile:checksum: +length=[0-9]+ pp=process\(".*/work"\)\.function\("checksum@.*"\)[.a-z]* arg3=18446744073709551615$'
prints '^ *spile:handle_job: +text=hello$'
prints '^ *spile:handle_job_3: +job_id=[0-9]+$'
expect 0 perf script -i it.data
prints '^work +[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: +spile:handle_job_2:'
prints 'handle_job\+0x[0-9a-f]+ \(.*/work\)$'
expect 0 perf report -i it.data --stdio
prints 'Samples: 2  of event .spile:checksum.'
expect 0 perf buildid-list -i it.data
prints "^[0-9a-f]{40} .*/work$"
