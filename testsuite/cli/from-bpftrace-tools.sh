# SPDX-License-Identifier: GPL-2.0-or-later
# The tools that come with bpftrace: all are translated, and what they become compiles. The last ones count what the kernel, or the C
# library, that is here may not have.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the tools take too long under sanitizers"
tools=$(ls /usr/sbin/*.bt 2>/dev/null)
[ -n "$tools" ] || skip "bpftrace's tools are not installed"
kernel=$(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p' | tail -n 1)
[ -n "$kernel" ] || skip "no debug information of a kernel is installed"
n=0 whole=0 absent=0
for tool in $tools; do
	expect 0 "$SPILE" --from-bpftrace "$tool"
	grep -q 'no translation' err || whole=$((whole + 1))
	mv out tool.stp
	n=$((n + 1))
	"$SPILE" -w --no-cache -p4 -o tool.spo -r "$kernel" tool.stp 1 2 >out 2>err && continue
	grep -v 'E401\|E503\|E507' err | grep -q '^[a-z]* error:' && { cat tool.stp; fail "what $tool becomes does not compile"; }
	absent=$((absent + 1))
done
[ $((whole * 10)) -ge $((n * 9)) ] || fail "of $n tools, only $whole are translated as a whole"
[ $((absent * 5)) -le "$n" ] || fail "of $n tools, $absent ask for what is not there"
