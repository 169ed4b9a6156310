# SPDX-License-Identifier: GPL-2.0-or-later
# Probes are set in files of the build that was looked at alone: not in another one that has come between the look and that, nor when it is
# written into the same file. At their places it has other instructions.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
for id in 1 2; do gcc -g -Wl,--build-id=0x0$id -o build$id -x c - <<<'int main(void) { return 0; }' || fail gcc; done
traced() # STATUS COMMAND BEGIN
{
	rm -f prog
	cp build1 prog
	cp build2 new
	expect 0 "$SPILE" -p4 -o x.spo -e "probe begin { $3 } probe process(\"./prog\").function(\"main\") { println(\"main\") }"
	timeout 60 "$SPILE_RUN" -v --engine=$ENGINE -c "$2" x.spo >out 2>err
	case $? in $1) ;; *) fail "exit status" ;; esac
}
differs="the script was compiled for $TMP/prog with build-id 01, but here its build-id is 02; compile it again for this machine"
replaced="WARNING: $TMP/prog was replaced by another build while it was probed: processes that run the new file are not all seen; start the script again"
# The command that replaces it is not waited for: it may come when the probes are set.
traced '[04]' "sh -c 'while [ -e new ]; do sleep 0.05; done; ./prog'" 'system("mv new prog")'
is ''
says "$differs\$|^$replaced\$"
[ ! -e new ] || fail "it was not replaced"

# A file that is written over: while a program runs in it, it cannot be.
cat >work.sh <<'S2'
./prog
cp new prog
[ $1 = user ] || until grep -q 'was written over it' err; do sleep 0.05; done
./prog
S2
traced 0 "sh work.sh $ENGINE" ''
is main
[ "$(grep -c "^${replaced/another build/what was written over it}\$" err)" = 1 ] ||
	fail "not told once"
