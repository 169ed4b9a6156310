# SPDX-License-Identifier: GPL-2.0-or-later
# spile perf-data: a file of perf record, of both byte orders; what is cut, has no size, or nobody knows.
. "$SUITE/lib.sh"
make_file() { python3 "$SUITE/perf_data.py" it.data "$@"; }
counts='events:
  work:job: type 2, config 77, 3 samples, with fields, of ip tid time cpu period raw identifier
  cpu-clock: type 1, config 0, 2 samples of ip tid time callchain cpu period identifier
records:
  PERF_RECORD_COMM                          2
  PERF_RECORD_EXIT                          1
  PERF_RECORD_FORK                          1
  PERF_RECORD_SAMPLE                        5
  PERF_RECORD_MMAP2                         1
  PERF_RECORD_FINISHED_ROUND                1
  PERF_RECORD_AUXTRACE                      3
  type 99                                   1
walked 1020 of 1020 bytes'
for order in little big; do
	make_file $order
	expect 0 "$SPILE" perf-data it.data
	prints "^PERFILE2, $order-endian, a header of 104 bytes$"
	prints '^  data                      344       1020$'
	prints '^command: perf record$'
	[ "$(sed -n '/^events/,$p' out)" = "$counts" ] || fail "counts of $order"
	quiet
done
make_file
expect 0 "$SPILE" perf-data --samples it.data
is 'work 700/700 [000] 3.000000000: work:job: ip 0xffffffff81000010 period 1 raw 36 bytes
work 700/700 [000] 5.000000000: work:job: ip 0xffffffff81000010 period 1 raw 36 bytes
work 700/700 [001] 4.000000000: cpu-clock: ip 0x400500 period 1000000 stack 0x400500 0x400600
work 700/700 [001] 4.000000001: work:job: ip 0xffffffff81000010 period 1 raw 36 bytes
helper 701/701 [001] 4.700000000: cpu-clock: ip 0x400700 period 1000000 stack 0x400700
walked 1020 of 1020 bytes'
expect 0 "$SPILE" perf-data --tasks it.data
is 'comm 700/700 work
map 700 0x400000-0x410000 0x0 /srv/bin/work 101112131415161718191a1b1c1d1e1f20212223
fork 701/701 of 700/700
comm 701/701 helper
exit 701/701 of 700/700
build-id 101112131415161718191a1b1c1d1e1f20212223 /srv/bin/work
walked 1020 of 1020 bytes'
expect 0 "$SPILE" perf-data --aux aux it.data
is 'cpu0.aux: size 16 offset 0 reference 0x7 idx 0 tid -1 cpu 0
cpu1.aux: size 4 offset 0 reference 0x7 idx 1 tid -1 cpu 1
cpu0.aux: size 8 offset 0 reference 0x7 idx 0 tid -1 cpu 0
walked 1020 of 1020 bytes'
[ "$(cat aux/cpu0.aux):$(cat aux/cpu1.aux)" = "of processor 0, and more:of 1" ] || fail "slices"
make_file zero
expect 1 "$SPILE" perf-data it.data
says '^WARNING: a record has 0 bytes at byte 1356: what follows is not read$'
prints '^walked 1012 of 1028 bytes$'
make_file cut
expect 1 "$SPILE" perf-data it.data
says '^WARNING: the head of a record is cut off at byte 1356: what follows is not read$'
make_file open
expect 0 "$SPILE" perf-data it.data
prints '^walked 1020 of 1020 bytes \(to the end of the file: perf record has not ended it\)$'
make_file short
expect 0 "$SPILE" perf-data it.data
prints '^1 samples are of no event of the file, or cut off$'
make_file steer
expect 0 "$SPILE" perf-data --tasks it.data
prints '^comm 702/702 a\\033\[31mb\\012c$'
make_file overlap
expect 1 "$SPILE" perf-data it.data
says '^ERROR: "it.data" says the numbers of its events in places that overlap$'
# Where libzstd is: as much as there is before what is no record.
make_file packed
expect 0 "$SPILE" perf-data it.data
if ! grep -q libzstd err; then
	prints '^  PERF_RECORD_SAMPLE                        2$'
	make_file packed zero
	expect 1 "$SPILE" perf-data it.data
	prints '^  PERF_RECORD_SAMPLE                        1$'
	says '^WARNING: a record has 0 bytes at byte 461: what follows is not read$'
	make_file packed cut
	expect 1 "$SPILE" perf-data it.data
	prints '^  PERF_RECORD_SAMPLE                        1$'
	says '^WARNING: a record is cut off at byte 461: what follows is not read$'
fi
echo text >it.data
expect 1 "$SPILE" perf-data it.data
says '^ERROR: "it.data" is no file of perf record: it does not begin with PERFILE2$'
expect 2 "$SPILE" perf-data
# What perf itself has recorded, compressed and through a pipe, too: the counts are perf's.
perf=$(command -v perf) && perf record -o /dev/null -e cpu-clock -- true >log 2>&1 || exit 0
perf record -o plain.data -e cpu-clock -g -- ls / >log 2>&1
perf record -z -o packed.data -e cpu-clock -- ls / >log 2>&1
perf record -o - -e cpu-clock -- ls / 2>log >pipe.data
for file in plain packed pipe; do
	[ -s $file.data ] || continue
	expect 0 "$SPILE" perf-data $file.data
	sed -n 's/^  \(PERF_RECORD_[A-Z0-9_]*\) *\([0-9]*\)$/\1 \2/p' out | grep -v COMPRESSED | sort >ours
	perf report -D -i - <$file.data 2>log | grep -o 'PERF_RECORD_[A-Z0-9_]*' | sort | uniq -c | awk '{ print $2, $1 }' | grep -v COMPRESSED |
		sort >theirs
	[ ! -s theirs ] || diff ours theirs >out || fail "counts of $file.data"
done
