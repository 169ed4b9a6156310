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
prints 'marks"\)\.mark\("element"\) \$arg1:long \$arg2:long \$arg3:long$'
prints 'marks"\)\.mark\("guarded"\) \$arg1:long$'
expect 0 "$SPILE" -l "$p.provider(\"*\").mark(\"step\")"
prints 'provider\("prog"\)\.mark\("step"\)$'
prints 'provider\("other"\)\.mark\("step"\)$'
expect 1 "$SPILE" -l "$p.mark(\"nosuch\")"
says 'the marks of .*/marks are prog:step, prog:element, prog:guarded, other:step'
expect 1 "$SPILE" -e "probe $p.provider(\"other\").mark(\"step\") { println(\$arg1) }"
says 'mark step has no \$arg1'
says 'it has 0 arguments'
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
