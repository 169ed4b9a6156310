# SPDX-License-Identifier: GPL-2.0-or-later
# lsm.HOOK: the handler is asked whether something is allowed. It reads the parameters, and in guru mode its answer may be no.
. "$SUITE/lib.sh"
[ -e /sys/kernel/security/lsm ] || mount -t securityfs securityfs /sys/kernel/security
expect 0 "$SPILE" -L 'lsm("file_open")'
is 'lsm.file_open $file:struct file* $return:int'
expect 1 "$SPILE" -l lsm.file_close_it
says '^    note: the kernel has no such security hook, or was built without CONFIG_BPF_LSM$'
expect 1 "$SPILE" -p4 -e 'probe lsm.file_open { $return = -13 }'
says '^semantic error: \$return is written, which needs guru mode \[E521\]$'
expect 1 "$SPILE" -g -p4 -e 'probe lsm.cred_free { $return = -13 }'
says '^semantic error: lsm\.cred_free is told, not asked: it has no \$return '
if ! grep -qw bpf /sys/kernel/security/lsm; then
	expect 3 "$SPILE" -T 1 -e 'probe lsm.file_open { println(1) }'
	says '`bpf` is not in /sys/kernel/security/lsm; add it to lsm= on the kernel.s command line$'
	exit 0
fi
cp "$(command -v cat)" denied
echo content >secret
cat >try.sh <<'S'
./denied secret 2>&1
cat secret
S
cat >deny.stp <<'S'
global n
probe lsm.file_open
{
	if (execname() == "denied" && d_name($file->f_path->dentry) == "secret") {
		n++
		$return = -13
	}
}
probe end { println(n) }
S
expect 0 "$SPILE" -v -g -c 'sh try.sh' deny.stp
says '^probe lsm\.file_open: security hook: the kernel asks whether it is allowed$'
prints '^\./denied: secret: Permission denied$'
prints '^content$'
prints '^1$'
# An answer that is none is a run-time error, and what is asked is allowed.
expect 1 "$SPILE" -g -c './denied secret' -e 'probe lsm.file_open { if (execname() == "denied") { x = 13; $return = x } }'
says '^ERROR: \$return of a security hook must be 0 or an error, -1 to -4095 near identifier '
prints '^content$'
# The kernel's stack begins with the hook that asks.
expect 0 "$SPILE" -c 'cat secret' -e 'global n probe lsm.file_open {
	if (pid() == target() && !n++) { println(symname(stack(0))) print_backtrace() }
}'
[ "$(sed -nE '/content/d; s/^ 0x[0-9a-f]+ : ([a-z_]+)\+.*/\1/; p' out | head -n 3 | paste -sd' ')" = \
	"bpf_lsm_file_open bpf_lsm_file_open security_file_open" ] || fail "the stack in a security hook"
