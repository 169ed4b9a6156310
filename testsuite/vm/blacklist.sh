# SPDX-License-Identifier: GPL-2.0-or-later
# What the file of a kernel says about functions that cannot be probed is what the running kernel says.
. "$SUITE/lib.sh"
list=/sys/kernel/debug/kprobes/blacklist
[ -r $list ] || skip "no $list"
sed 's/^[^\t ]*[\t ]*//' $list | sort -u >forbidden
[ "$(wc -l <forbidden)" -gt 100 ] || fail "$(wc -l <forbidden) forbidden functions"
n=0
for pattern in 'exc_*' '*kprobe*' 'preempt_s*'; do
	# Without the running kernel's list.
	expect 0 unshare -m sh -c 'umount /sys/kernel/debug && "$@"' - \
		"$BUILD/testsuite/unit/dbg_dump" kernel --kernel "$(uname -r)" funcs "$pattern"
	sed -n 's/^\([a-z0-9_]*\)@.* \1+0 \.text$/\1/p' out | sort -u >known
	sed -n '/^[a-z]/h; /^  not to be probed/{ x; s/^\([a-z0-9_]*\)@.* \1+0 \.text$/\1/p }' out | sort -u >marked
	comm -12 known forbidden >want
	cmp -s want marked || fail "$pattern: $(comm -3 want marked | tr -s '\n\t' '  ')"
	n=$((n + $(wc -l <marked)))
done
[ $n -gt 20 ] || fail "only $n functions are marked"
