# SPDX-License-Identifier: GPL-2.0-or-later
# A hundred probes of one function are attached and detached at once: the kernel's wait for all processors is shared.
. "$SUITE/lib.sh"
for ((i = 0; i < 100; i++)); do
	echo "probe process(\"$PROGS/calls\").function(\"add\") { order = order * 7 + $i n++ }"
done >hundred.stp
echo 'global order, n probe end { println(n, " ", order) }' >>hundred.stp
expect 0 "$SPILE" -p4 -o hundred.spo hundred.stp
start=$(date +%s%N)
expect 0 timeout 60 "$SPILE_RUN" -c "$PROGS/calls 2" hundred.spo
ms=$((($(date +%s%N) - start) / 1000000))
order=0
for ((k = 0; k < 200; k++)); do order=$((order * 7 + k % 100)); done
is "200 $order"
# One after the other it took 12 s; on kernels without links of many uprobes it still does.
"$SPILE_RUN" --describe | grep -q '^features .*\<uprobe-multi\>' || exit 0
[ $ms -lt 6000 ] || fail "it took $ms ms"
exit 0
