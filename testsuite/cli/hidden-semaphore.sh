# SPDX-License-Identifier: GPL-2.0-or-later
# lld puts two writable segments into one page of the file, and the kernel counts up what is at the semaphore's place in the first one: its
# engine tells that programs go on skipping the mark. The user engine finds the semaphore.
. "$SUITE/lib.sh"
command -v ld.lld >/dev/null || skip "ld.lld is not installed"
for linker in bfd lld; do
	cc -O2 -I"$TOP" -fuse-ld=$linker -o $linker "$TOP/testsuite/progs/marks.c" || fail "not linked"
done
cc -O2 -I"$TOP" -fuse-ld=lld -Wl,-z,separate-loadable-segments -o apart "$TOP/testsuite/progs/marks.c" || fail "not linked"
expect 0 "$SPILE" -p4 -w -o lld.spo -e "probe process(\"$PWD/lld\").mark(\"*\") { exit() }"
quiet
expect 0 "$SPILE" -p4 -o lld.spo -e "probe process(\"$PWD/lld\").mark(\"*\") { exit() }"
if "$SPILE_RUN" --describe | grep -q "^features .*\<uprobe\>"; then
	says "^WARNING: programs that start from now on do not know that mark \"guarded\" of $PWD/lld is probed: the kernel does not find its semaphore \[W210\]$"
	[ "$(grep -c WARNING err)" = 1 ] || fail "said more than once"
else
	quiet # it is probed by the user engine
fi
for program in bfd apart; do
	expect 0 "$SPILE" -p4 -o $program.spo -e "probe process(\"$PWD/$program\").mark(\"*\") { exit() }"
	quiet
done
expect 0 "$SPILE" -p4 -o step.spo -e "probe process(\"$PWD/lld\").mark(\"step\") { exit() }"
quiet
expect 0 "$SPILE" -l "process(\"$PWD/lld\").mark(\"*\")"
quiet
expect 0 "$SPILE" --engine=user -c './lld >printed' -e "probe process(\"$PWD/lld\").mark(\"guarded\") { println(\"hit \", \$arg1) }"
quiet
is "hit 0
hit 100
hit 200"
grep -qx "semaphore 1" printed || fail "the semaphore is not counted up"
