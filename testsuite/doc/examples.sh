# SPDX-License-Identifier: GPL-2.0-or-later
# Each script of examples/ compiles as the comment at its top says that it is called, for each kernel that there is debug
# information of; and README.md there has a line for it. vm/examples runs them.
. "$SUITE/lib.sh"
readarray -t kernels < <(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p')
[ ${#kernels[@]} -gt 0 ] || skip "no kernel's debug information in /usr/lib/debug/boot"
shopt -s nullglob
for script in "$TOP"/examples/*/*.stp; do
	name=${script#"$TOP"/examples/}
	grep -qF "($name)" "$TOP/examples/README.md" || fail "examples/README.md does not have $name"
	[ "${name%%/*}" != quickstart ] || continue # doc/readme
	usage=$(sed -n "s,^//   spile \(.*\)$,\1,p" "$script" | head -n 1)
	[ -n "$usage" ] || fail "$name does not say how it is called"
	usage=$(echo "$usage" | sed -E "s, \[[A-Z]+\]\$,,; s,${name##*/},\"\$script\",")
	# It has a program for each system call: code for them takes many seconds, and root/strace makes that of most of them.
	passes="-p4 -o x.spo"
	[ "$name" != syscalls/strace.stp ] || passes=-p3
	for kernel in "${kernels[@]}"; do
		eval "expect 0 timeout 60 \"\$SPILE\" -r \"\$kernel\" $passes $usage"
		quiet
	done
done
[ -n "${name:-}" ] || fail "no examples"
