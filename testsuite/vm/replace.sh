# SPDX-License-Identifier: GPL-2.0-or-later
# $return = VALUE at a function's entry, in guru mode: the function is not run, and that is what it returns.
. "$SUITE/lib.sh"
cp "$(command -v cat)" denied
echo content >secret
echo './denied secret >told 2>&1; cat told secret' >try.sh
# By a trampoline: the kernel lets its security functions be replaced, whatever it was built with.
cat >deny.stp <<'S'
global n
function deny() { $return = -13 }
probe kernel.function("security_file_open")
{
	if (execname() == "denied" && d_name($file->f_path->dentry) == "secret") {
		n++
		deny()
	}
}
probe kernel.function("security_file_open").return
{
	if (execname() == "denied" && $return) println($return)
}
probe end { println(n) }
S
expect 0 "$SPILE" -v -g -c 'sh try.sh' deny.stp
says '^probe kernel\.function\("security_file_open@security/security\.c:[0-9]+"\): fentry: it runs unless the handler gives a result \(fmod_ret\)$'
prints '^\./denied: secret: Permission denied$'
prints '^content$'
prints '^-13$'
prints '^1$'
# Several functions, and a value that a loop finds.
expect 0 "$SPILE" -g -c 'sh try.sh' -e 'probe kernel.function("security_file_[oi]*") {
	if (execname() == "denied" && ppfunc() == "security_file_open" && d_name($file->f_path->dentry) == "secret") {
		for (i = 0; i < (pid() & 7) + 8; i++)
			if (i == 5) $return = -i
	}
}'
prints '^\./denied: secret: Input/output error$'
# 0 would let it run: a run-time error says so.
expect 1 "$SPILE" -g -DMAXERRORS=9 -c './denied secret' -e 'probe kernel.function("security_file_open") { if (execname() == "denied") { x = 0; $return = x } }'
says '^ERROR: \$return of 0 cannot be given here \(fmod_ret\) near identifier '
prints '^content$'
# The function has run when a .return probe does, and may have returned anything before.
expect 1 "$SPILE" -g -p4 -e 'probe kernel.function("security_file_open").return { $return = -13 }'
says '^semantic error: \$return cannot be written: BPF programs change neither the kernel.s memory nor what its functions return \[E522\]$'
says '^    hint: in the probe of its entry, \$return = VALUE is what the function returns instead of being run$'
expect 1 "$SPILE" -p4 -e 'probe kernel.function("security_file_open") { $return = -13 }'
says '^semantic error: \$return is written, which needs guru mode \[E521\]$'
expect 1 "$SPILE" -g -p4 -e 'probe kernel.function("security_file_open") { $return = -13; println($return) }'
says '^semantic error: security_file_open cannot be made to return something: what it returned is not known yet, and so \$return cannot be read \[E522\]$'
expect 1 "$SPILE" -g -p4 -e 'probe kernel.function("security_cred_free") { $return = -13 }'
says '^semantic error: security_cred_free returns nothing \[E501\]$'
list=/sys/kernel/debug/error_injection/list
if [ ! -e $list ]; then
	expect 1 "$SPILE" -g -p4 -e 'probe kernel.function("vfs_read") { $return = -5 }'
	says '^semantic error: vfs_read cannot be made to return something: the kernel was built without CONFIG_FUNCTION_ERROR_INJECTION, which leaves its security_\* functions alone \[E522\]$'
	exit 0
fi
expect 1 "$SPILE" -g -p4 -e 'probe kernel.function("vfs_read") { $return = -5 }'
says '^semantic error: vfs_read cannot be made to return something: it is not on the kernel.s list of functions that may fail \(/sys/kernel/debug/error_injection/list\) \[E522\]$'
# By bpf_override_return(), which takes 0, too.
expect 0 "$SPILE" -v -g -c 'sh try.sh' -e 'probe kernel.function("__x64_sys_openat") {
	if (execname() == "denied" && user_string(@cast($regs, "struct pt_regs")->si) == "secret") { x = -13; $return = x }
}'
says '^probe kernel\.function\("__x64_sys_openat.*: kprobe: it runs unless the handler gives a result \(bpf_override_return\)$'
prints '^\./denied: secret: Permission denied$'
prints '^content$'
cat >mkdir.sh <<'S'
mkdir one && [ ! -e one ] && echo none is made
mkdir five 2>&1 || :
S
cat >mkdir.stp <<'S'
global n
function give(value) { $return = value }
probe kernel.function("__x64_sys_mkdir")
{
	if (execname() == "mkdir" && !n++)
		give(0)
	else if (execname() == "mkdir")
		for (i = 0; i < (pid() & 7) + 8; i++)
			if (i == 5) give(-i)
}
S
expect 0 "$SPILE" -g -c 'sh mkdir.sh' mkdir.stp
is "none is made
mkdir: cannot create directory 'five': Input/output error"
