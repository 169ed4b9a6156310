# SPDX-License-Identifier: GPL-2.0-or-later
# Marks that a program's author has set: arguments in all places, names, providers, semaphores; and calls through the PLT.
. "$SUITE/lib.sh"
p="process(\"$PROGS/marks\")"
traced() { expect 0 timeout 60 "$SPILE" --engine="${ENGINE:-user}" "$@"; quiet; }
traced -c "$PROGS/marks >semaphore" -e "
probe $p.provider(\"prog\").mark(\"step\") { printf(\"%s %d %d %d %s %d\\n\", \$\$name, \$arg1, \$arg2, \$arg3, user_string(\$arg4), \$arg5) }
probe $p.mark(\"element\") { println(\$arg1, \" \", \$arg2, \" \", \$arg3) }
probe process.provider(\"oth*\").mark(\"s*\") { println(\$\$name, \" of \", \$\$provider, \" in \", ppfunc()) }"
is 'step 0 -3 65000 even -5
10 20 7
step 1 -4 65001 odd -5
20 20 7
step 2 -5 65002 even -5
30 20 7
step of other in main'
[ "$(cat semaphore)" = "semaphore 0" ] || fail "$(cat semaphore)"
# A semaphore is 1 for each that listens, and nobody passes the mark when it is 0.
traced -c "$PROGS/marks >semaphore" -e "probe $p.mark(\"guarded\") { println(\$arg1, \" \", \$i) }"
is '0 0
100 1
200 2'
[ "$(cat semaphore)" = "semaphore 1" ] || fail "$(cat semaphore)"
expect 0 "$SPILE" -L "$p.mark(\"*\")"
prints 'marks"\)\.mark\("element"\) \$arg1:long \$arg2:long \$arg3:long  # prog: -8@[^ ]+ -8@[^ ]+ 4@[^ ]+$'
prints 'marks"\)\.mark\("guarded"\) \$arg1:long  # prog: -4@[^ ]+, semaphore 0x[0-9a-f]+$'
prints 'marks"\)\.mark\("step"\)  # prog: -4@.* \| other$'
expect 0 "$SPILE" --json -L "$p.provider(\"prog\").mark(\"guarded\")"
prints '"type":"long"\}\],"note":"prog: -4@[^ ]+, semaphore 0x[0-9a-f]+"\}$'
expect 0 "$SPILE" -l "$p.provider(\"*\").mark(\"step\")"
prints 'provider\("prog"\)\.mark\("step"\)$'
prints 'provider\("other"\)\.mark\("step"\)$'
expect 1 "$SPILE" -l "$p.mark(\"nosuch\")"
says 'the marks of .*/marks are prog:step, prog:element, prog:guarded, other:step'
expect 1 "$SPILE" -l "$p.mark(\"guraded\")"
says "hint: did you mean 'guarded'\?"
expect 1 "$SPILE" -l "$p.provider(\"porg\").mark(\"guarded\")"
says "hint: did you mean provider 'prog'\?"
expect 1 "$SPILE" -e "probe $p.provider(\"other\").mark(\"step\") { println(\$arg1) }"
says 'mark step has no \$arg1'
says 'it has 0 arguments'
# "gc-start" is what DTrace calls gc__start; in brackets a dash is that of a range.
{ echo "#include \"$TOP/testsuite/progs/mark.h\""; echo 'int main(void) { MARK("prog", "gc__start", "0", "-4@$3"); MARK("prog", "gc__end", "0", "-4@$4"); return 0; }'; } >dash.c
gcc -O1 -o dash dash.c || fail gcc
traced -c ./dash -e 'probe process("./dash").mark("gc-s[a-t]art"), process("./dash").mark("gc-e*") { println($$name, " ", $arg1) }'
is 'gc__start 3
gc__end 4'
expect 1 "$SPILE" -l 'process("./dash").mark("gc_-start")'
# Operands that name symbols, and numbers for floating point.
[ "$(uname -m)" != x86_64 ] || {
	{
		echo "#include \"$TOP/testsuite/progs/mark.h\""
		cat <<'C'
static volatile int values[3] = { 11, -22, 33 };
static volatile double ratio = 2.5;
int main(void)
{
	double half = ratio / 2;
	MARK("prog", "named", "0", "-4@values+4(%%rip) 8@$values+8 -4@values(,%0,4) 8f@ratio(%%rip) 8f@%1 -4@nosuch(%%rip)", "r"(2L), "x"(half));
	return 0;
}
C
	} >named.c
	for how in -pie -no-pie; do
		gcc -O1 ${how/-pie/-fPIE -pie} -o named named.c 2>/dev/null || gcc -O1 $how -o named named.c || fail "gcc $how"
		traced -c ./named -e 'probe process.mark("named") { println($arg1, " ", user_int($arg2), " ", fp_to_string($arg4, 1)) }'
		is '-22 33 2.5'
	done
	traced -c ./named -e 'probe process.mark("named") { println($arg3) }' # an absolute address: not of a PIE
	is 33
	if [ "${ENGINE:-user}" = user ]; then
		traced -c ./named -e 'probe process.mark("named") { println(fp_to_string($arg5, 2)) }'
		is 1.25
	else
		expect 1 "$SPILE" --engine=kernel -c ./named -e 'probe process.mark("named") { println($arg5) }'
		says "\\$arg5 of mark named cannot be read: it is in %xmm[0-9]+, which the kernel's probes cannot read"
	fi
	expect 1 "$SPILE" -c ./named -e 'probe process.mark("named") { println($arg6) }'
	says "cannot be read: it is at '-4@nosuch\\(%rip\\)', which is not understood: no symbol of the file, or more than one, is .nosuch"
}
# Functions of other files, through the stubs of this one.
traced -c "$PROGS/marks >/dev/null" -e "probe $p.plt(\"printf*\"), $p.plt(\"*printf_chk\") ? { println(\"call\") } probe $p.plt(\"printf\").return { println(\"return of \", \$\$name) }"
is 'call
return of printf'
expect 0 "$SPILE" -l "$p.plt"
prints '\.plt\("printf"\)$'
expect 1 "$SPILE" -l "$p.plt(\"nosuch\")"
[ "${ENGINE:-user}" = user ] || return 0
for how in "-fcf-protection -z lazy" "-fcf-protection -z now" "-fcf-protection=none -z lazy" "-z now" "-no-pie"; do
	echo 'int puts(const char *); int main(void) { return puts("hello") < 0; }' | gcc -O1 ${how/-z /-Wl,-z,} -o calls -x c - || fail "gcc $how"
	traced -c './calls >/dev/null' -e 'probe process("./calls").plt("puts") { println(ppfunc()) }'
	is puts
done
