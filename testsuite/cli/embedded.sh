# SPDX-License-Identifier: GPL-2.0-or-later
# What embedded C needs of the machine: clang, and the kernel's types when it asks for them.
. "$SUITE/lib.sh"
embedded='probe begin { println(%{ 3 %}) exit() }'

# There is no clang. Scripts without embedded C do not miss it.
mkdir bin
with_bin() { (PATH=$PWD/bin; "$SPILE" "$@"); }
expect 1 with_bin -g -p4 -o x.spo -e "$embedded"
says '^semantic error: embedded C needs clang, which is not installed \[E653\]$'
says '^ *hint: install clang-[0-9]+ \(Debian.s package of that name\)$'
expect 0 with_bin --engine=user -e 'probe begin { println(3) exit() }'

# A clang that is older than LLVM is as good as none.
printf '#!/bin/sh\necho 3.0.1\n' >bin/clang
chmod +x bin/clang
expect 1 with_bin -g -e "$embedded"
says 'embedded C needs clang, which is not installed \[E653\]$'
# A clang whose output this LLVM cannot read; one that fails without a word.
printf '#!/bin/sh\necho no bitcode\n' >bin/clang
chmod +x bin/clang
expect 1 with_bin -g -p4 -o x.spo -e "$embedded"
says '^semantic error: this clang is newer than the LLVM that spile was built with \[E653\]$'
printf '#!/bin/sh\nexit 3\n' >bin/clang
with_bin -g -p4 -o x.spo -e "$embedded" >out 2>err && fail "a clang that failed went unnoticed"
says 'clang failed \(status 3\) and did not say why'

# The types of a kernel of which nothing is here.
printf '%%{\n#include <linux/sched.h>\n%%}\n%s\n' "$embedded" >types.stp
expect 1 "$SPILE" -g -r 0.0.0-none -p4 -o x.spo types.stp
says '^semantic error: <linux/sched.h> stands for the types of the target.s kernel, which are not at hand \[E657\]$'

# /* guru */ functions of the library want -g of the scripts that call them; others do not.
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
mkdir lib
cat >lib/l.stp <<'END'
function dangerous:long () %{ /* guru */ /* pure */ STAP_RETURN(1); %}
function tame:long () %{ /* pure */ STAP_RETURN(value()); %}
function indirect:long () { return dangerous() }
%{ static inline long value(void) { return 2; } %}
END
expect 1 "$SPILE" -I lib -e 'probe begin { println(dangerous()) exit() }'
says '^parse error: dangerous\(\) needs guru mode \[E151\]$'
expect 0 "$SPILE" -I lib -e 'probe begin { println(tame(), indirect()) exit() }'
is 21
expect 0 "$SPILE" -g -I lib -e 'probe begin { println(dangerous()) exit() }'
is 1

# Headers in quotes are beside the script.
mkdir script
echo '#define VALUE 42' >script/value.h
printf '%%{\n#include "value.h"\n%%}\nprobe begin { println(%%{ VALUE %%}) exit() }\n' >script/s.stp
expect 0 "$SPILE" -g script/s.stp
is 42

# Members of the kernel's structures that only a header in quotes names, or a macro that puts them together.
if [ -r /sys/kernel/btf/vmlinux ]; then
	probe='probe kernel.trace("sys_enter") { println(mask()) }'
	echo '#define UMASK(task) ((task)->fs->umask)' >names.h
	expect 0 "$SPILE" -g -p4 -o names.spo -e "%{
#include \"names.h\"
%}
function mask:long () %{ STAP_RETVALUE = UMASK((struct task_struct *)current); %} $probe"
	expect 0 "$SPILE" -g -p4 -o names.spo -e "%{
#define PASTED(task, a, b) ((task)->f##a->um##b)
%}
function mask:long () %{ STAP_RETVALUE = PASTED((struct task_struct *)current, s, ask); %} $probe"
fi

# Parameters have their own names in THIS before SystemTap 1.8.
old='function twice:long (x:long) %{ THIS->__retvalue = THIS->x * 2; %} probe begin { println(twice(4)) exit() }'
expect 0 "$SPILE" -g --compatible=1.7 -e "$old"
is 8
expect 1 "$SPILE" -g --compatible=1.8 -e "$old"

# BPF programs read the kernel's memory, but do not write to it.
cat >writes.stp <<'S'
function set:long (p:long) %{
	int mine = 1, *both = STAP_ARG_p ? (int *)STAP_ARG_p : &mine;
	*both = 2;
	STAP_RETVALUE = mine;
%}
probe begin { println(set(0)) exit() }
S
expect 1 "$SPILE" -g -p4 -o x.spo writes.stp
says '^semantic error: this writes to memory of the kernel, which BPF programs cannot \[E656\]$'
says 'at writes.stp:3:8$'

# SystemTap before 1.8 named parameters otherwise; a configuration that is not there.
expect 1 "$SPILE" -g -p4 -o x.spo -e 'function f:long (a:long) %{ THIS->__retvalue = THIS->a; %} probe begin { println(f(6)) }'
says '^ *hint: STAP_ARG_name is the parameter `name`; THIS->name is it with --compatible=1\.7$'
expect 0 "$SPILE" -g -r 0.0.0-none -p4 -o x.spo -e 'function f:long () %{
#ifdef CONFIG_SMP
	STAP_RETVALUE = CONFIG_SMP;
#endif
%} probe begin { println(f()) }'
says "^WARNING: the kernel's configuration is not known: CONFIG_SMP reads as unset \\[W[0-9]+\\]$"

# The user engine has no memory of the kernel, but that of the code itself: a pointer that may be NULL, or a number of C, is none of the kernel's.
cat >last.stp <<'S'
function last:long (s:string, c:long) %{
	const char *at = NULL;
	for (int i = 0; i < 8 && STAP_ARG_s[i]; i++)
		if (STAP_ARG_s[i] == STAP_ARG_c)
			at = STAP_ARG_s + i;
	STAP_RETVALUE = at ? *at * 10 + (at - STAP_ARG_s) : -1;
%}
function sum:long (s:string) %{
	unsigned long at = (unsigned long)STAP_ARG_s;
	for (int i = 0; i < 5; i++, at++)
		STAP_RETVALUE += *(const unsigned char *)at;
%}
probe process(@1).begin { println(last("hello", 108), " ", last("hello", 120), " ", sum("hello")) }
S
cp "$PROGS/calls" .
expect 0 "$SPILE" -g --engine=user -c ./calls last.stp ./calls
[ "$(grep -v '[a-z]' out)" = '1083 -1 532' ] || fail "$(cat out)"

# What the kernel's functions are here.
hint() { expect 1 "$SPILE" -g -p4 -o x.spo -e "function f () %{ $1; %} probe begin { f() }"; says "^ *hint: $2\$"; }
hint 'printk("x")' "BPF programs do not write to the kernel's log: _stp_printf\(\) writes to the script's output, as printf\(\) of the script does"
hint 'char *p = kmalloc(3, 0)' 'BPF programs have no memory to allocate: use an array of C of up to some hundred bytes, or a global of the script'
hint 'tracing_on()' 'the script has system\("echo 1 >/sys/kernel/tracing/tracing_on"\)'
hint 'mdelay(1)' 'BPF programs can neither wait nor sleep'
expect 1 "$SPILE" -g -p4 -o x.spo -e 'function f () %{ kernel_getpeername(0, 0); c->kregs->ax = 1; %} function g () %{ void *p = virt_to_head_page(0);
	return 1; %}
probe begin { f() g() }'
says "^ *hint: a socket's addresses are members: inet_sk\(sk\)->inet_saddr, .*, for format_ipaddr\(\) of the script$"
says "^ *hint: what SystemTap's own code has is not here: .return and .x of the script are a function's, register\(\"ax\"\) is a register$"
says "^ *hint: the kernel's code alone knows where its memory is mapped: BPF programs follow pointers, as in page->mapping$"
says '^semantic error: C of the script does not return a value \[E654\]$'
says '^ *hint: a value is given by STAP_RETURN\(VALUE\), in a function that is declared to have one: function f:long\(x\)$'
hint 'nosuch(1)' 'BPF programs cannot call functions of the kernel: write what it does, as far as it reads memory'
hint 'int x = NOSUCH' "the kernel's BTF has types and enumerators, but no macros: #define it, or write its value"
hint 'struct nosuch *p = (struct nosuch *)1; int x = p->y' 'C has the types of vmlinux: those of a module are read by @cast\(p, "TYPE", "MODULE"\)->member in the script language'
# What does not fit the result of such a function is no news.
hint 'char *path = d_path(1, 2)' 'the script has fullpath_struct_path\(\), task_dentry_path\(\) and d_name\(\)'
[ "$(grep -c '^semantic error' err)" = 1 ] || fail "more is told than is wrong"
# The script's functions that the hints name are there.
"$SPILE" --dump-functions | sed 's/:.*//; s/(.*//' | sort -u >functions
for name in pid2task format_ipaddr register per_cpu_ptr fullpath_struct_path task_dentry_path d_name raise gettimeofday_ns warn; do
	grep -qx "$name" functions || fail "there is no $name()"
done
