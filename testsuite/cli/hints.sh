# SPDX-License-Identifier: GPL-2.0-or-later
# Names with a slip get the right name offered.
. "$SUITE/lib.sh"
expect 1 "$SPILE" -e 'probe begin { exi() }'
says "did you mean 'exit'"
expect 0 "$SPILE" -e 'global counter probe begin { println(countr) exit() }'
says "did you mean 'counter'"
expect 1 "$SPILE" -e 'probe beginn { exit() }'
says "did you mean 'begin'"
expect 1 "$SPILE" -e "probe process(\"$PROGS/calls\").function(\"lok\") { exit() }"
says "did you mean 'look'"
# A function of a library, which the program has calls of.
if cc -o caller -O0 -x c - <<<'int puts(const char *); int main(void) { return puts("x"); }'; then
	expect 1 "$SPILE" -p2 -e 'probe process("./caller").function("puts") { println(1) }'
	says '^    hint: puts\(\) is of another file: process\(".*/caller"\)\.plt\("puts"\) sees its calls$'
	expect 0 "$SPILE" -p2 -e 'probe process("./caller").plt("puts") { println(1) }'
fi
expect 1 "$SPILE" -e "probe process(\"$PROGS/calls\").function(\"look\") { println(\$uu) exit() }"
says '^    note: visible here: \$o \$u \$s$'
# What makes one type of the other.
expect 1 "$SPILE" -e 'probe begin { println("a" . 1) }'
says '^    hint: sprint\(\) makes a string of a number$'
expect 1 "$SPILE" -e 'probe begin { println(strlen(5)) }'
says '^    hint: sprint\(\) makes a string of a number$'
expect 1 "$SPILE" -e 'probe begin { printf("%s", 5) }'
says '^    hint: %d prints numbers$'
expect 1 "$SPILE" -e 'probe begin { printf("%x", "five") }'
says '^    hint: %s prints strings$'
expect 1 "$SPILE" -e 'probe begin { if ("a") exit() }'
says '^    hint: TEXT != "" tells that it is not empty$'
# A point behind a wildcard that stands for all aliases.
expect 1 "$SPILE" -e 'probe *.nosuch { exit() }'
says "^semantic error: 'nosuch' cannot stand behind any of the [0-9]+ aliases that match '\*' \[E402\]$"
expect 1 "$SPILE" -e 'probe syscall.*.retrn { exit() }'
says "^    hint: did you mean 'return'\?$"
# Names of C and of other tools, and what they are here.
expect 1 "$SPILE" -p2 -e 'global a probe begin { a[1] = 2; println(length(a), strtok("a b", " "), inet_ntoa(1)) }'
says '^    hint: here that is strlen\(\) of a text; the elements of an array are counted by foreach$'
says '^    hint: here that is tokenize\(\), until it gives ""$'
says '^    hint: here that is ip_ntop\(\)$'
expect 0 "$SPILE" -e 'probe begin { println(retstr) exit() }'
says '^    hint: it is a variable of the probes of returns: syscall\.NAME\.return$'
# Variables and types of the program and of the kernel.
printf 'struct point { int x, y; } origin = { 1, 2 };\nint look(struct point *p) { return p->x; }\nint main(void) { return look(&origin); }\n' >point.c
cc -g -O0 -o point point.c || fail "no C compiler"
asked() # POINT HANDLER HINT
{
	expect 1 "$SPILE" -p4 -e "probe $1 { $2 }"
	says "^    hint: did you mean $3\?\$"
}
asked 'process("./point").function("look")' 'println(@var("orign")->x)' "'origin'"
asked 'process("./point").function("look")' 'println(@cast($p, "pont")->x)' "'point'"
asked 'process("./point").function("look")' 'println(@cast($p, "struct pont")->x)' "'point'"
asked 'process("./point").data("orign").write' 'println(1)' "'origin'"
[ ! -e /sys/kernel/btf/vmlinux ] || asked begin 'println(@cast(0, "task_strct", "kernel")->pid)' "'task_struct'( or 'tss_struct')?"
# A macro of SystemTap's library that there cannot be: why.
expect 1 "$SPILE" -e 'probe begin { @netfilter_ip4_setup }'
says "^    note: no packet passes the script's handlers\$"
# Two letters that changed places are one slip, also in a short name.
expect 1 "$SPILE" -e 'probe beign { exit() }'
says "did you mean 'begin'"
expect 0 "$SPILE" -e 'global abc probe begin { abc = 1 println(acb) exit() }'
says "did you mean 'abc'"
# The text behind a pointer is read by a function.
expect 1 "$SPILE" -e "probe process(\"$PROGS/calls\").function(\"look\") { printf(\"%s\", \$o->name) }"
says 'hint: user_string\(\$o->name\) is the text'
for compared in '$o->name == "a"' '"a" != $o->name'; do
	expect 1 "$SPILE" -e "probe process(\"$PROGS/calls\").function(\"look\") { if ($compared) println(1) }"
	says 'hint: user_string\(\$o->name\) is the text'
done
expect 1 "$SPILE" -e "probe process(\"$PROGS/calls\").function(\"look\") { printf(\"%s\", \$o) }"
! grep -q user_string err || fail "a structure is no text"
expect 1 "$SPILE" -e 'probe begin { printf("%lld", 1) }'
says 'hint: every number has 64 bits'
expect 1 "$SPILE" -e 'probe begin { x = 1 x = "one" exit() }'
says '^    at <input>:1:25$' # a type conflict shows both places
says "^    note: 'x' is first used as a long here$"
says '^        at <input>:1:15$'
expect 1 "$SPILE" -e 'prob begin { exit() }'
says "did you mean 'probe'"
expect 1 "$SPILE" -e 'globl x probe begin { exit() }'
says "did you mean 'global'"
# What SystemTap's library has and this one has not is known by name.
expect 1 "$SPILE" -e 'probe begin { dump_stack() }'
says "note: print_backtrace\(\) tells the user"
expect 1 "$SPILE" -p2 -e 'probe begin { prinln("x") exit() }'
says 'did you mean .println.'
expect 1 "$SPILE" -e '@define kind %( 1 %) probe begin { println(@kidn) }'
says "did you mean '@kind'\?"
expect 1 "$SPILE" -e 'probe begin { println(@errno) }'
says '^    note: each thread of a program has its own, where its C library has put it; a system call.s error is \$return < 0 of syscall.NAME.return, and errno_str\(\) tells its name$'
# A family of the library has no member of that name: the nearest ones; an optional point is left out in silence.
expect 1 "$SPILE" -e 'probe syscall.opeat { println(1) }'
says "^semantic error: the library has no probe point 'syscall.opeat' \[E402\]$"
says "^    hint: did you mean 'syscall.openat', 'syscall.creat' or 'syscall.open'\?$"
expect 0 "$SPILE" -e 'probe syscall.nosuchcall ? { println(2) } probe nd_syscall.nosuchcall.return ? { println(2) } probe begin { println(1) exit() }'
is 1
says '^WARNING: nothing is probed: optional, and not there: syscall\.nosuchcall \(and 1 more\) \[W409\]$'

# A program of this folder, which the shell would not find either.
cp "$PROGS/calls" mine
expect 1 "$SPILE" -l 'process("mine").function("*")'
says '^semantic error: mine is neither a program in PATH nor a library; \./mine is a program \[E507\]$'

# A variable of the program's without its dollar sign.
expect 0 "$SPILE" -p2 -e "probe process(\"$PROGS/shapes\").function(\"visit\") { println(depth, node) }"
says "^WARNING: local variable 'depth' is never assigned \[W204\]$"
says '^    hint: the variable of the probed place is \$depth$'
says '^    hint: the variable of the probed place is \$node$'
if [ -r /sys/kernel/btf/vmlinux ]; then
	expect 1 "$SPILE" -p2 -e 'probe kernel.trace("sched_switch") { println(prev->pid, preempt) }'
	says '^    hint: the variable of the probed place is \$prev$'
	says '^    hint: the variable of the probed place is \$preempt$'
fi
