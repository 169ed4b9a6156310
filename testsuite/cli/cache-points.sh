# SPDX-License-Identifier: GPL-2.0-or-later
# cache.probe("GROUP:NAME"): the probes of perf's cache are points of scripts and listings; those of another build are refused.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "registers of x86_64"
unset XDG_CACHE_HOME DEBUGINFOD_URLS
mkdir home
export HOME=$TMP/home
cp "$PROGS/marks" prog
cp "$PROGS/calls" calls
id=$(readelf -n prog | sed -n 's/.*Build ID: //p') id2=$(readelf -n calls | sed -n 's/.*Build ID: //p')
[ -n "$id" ] && [ -n "$id2" ] || skip "the compiler writes no build-ids"
for mark in step guarded; do expect 0 "$SPILE" cache add "process(\"./prog\").provider(\"prog\").mark(\"$mark\")"; done
expect 0 "$SPILE" cache add 'process("./calls").function("add") $a'

same() { # NAME POINT: both are the same
	"$SPILE" --no-cache -L "$2" >with || fail "no answer to $2"
	"$SPILE" --no-cache -L "cache.probe(\"$1\")" >out 2>err || fail "no answer to $1: $(cat err)"
	diff <(sed "s,$TMP,.," with) <(sed "s,$TMP,.," out) || fail "$1 is not $2"
}
same sdt_prog:step 'process("./prog").provider("prog").mark("step")'
same 'sdt_prog:*' 'process("./prog").provider("prog").mark("step"), process("./prog").provider("prog").mark("guarded")'
same probe_calls:add 'process("./calls").function("add")'
expect 0 "$SPILE" --no-cache -l 'cache.probe("*")'
[ "$(wc -l <out)" = 3 ] || fail "not all are listed: $(cat out)"
expect 0 "$SPILE" --engine=user -c ./calls -e 'probe cache.probe("probe_calls:add") { printf("%s %d\n", ppfunc(), $a) exit() }'
prints '^add [0-9]+$'

# What a definition of perf's own means: a return, a line of a function, variables that it records.
folder=home/.debug$TMP/calls/$id2
cat >$folder/probes <<E
#mine=add%return \$retval
r:own/mine $TMP/calls:0x1 ret=\$retval:s64
#look:2 u
p:own/line $TMP/calls:0x1 u=%di
#my:own=add b
p:my/own $TMP/calls:0x1 b=%si
#add;return*
p:own/odd $TMP/calls:0x1
#main
E
same own:mine 'process("./calls").function("add").return'
same my:own 'process("./calls").function("add")'
same own:line 'process("./calls").statement("look@*:+2")'

# A result that was kept is not used when perf's cache has changed.
ask() { "$SPILE" -p2 -e 'probe cache.probe("own:line") { exit() }' >out 2>err; }
ask || fail "$(cat err)"
sed -i '/^#look/,/^p/d' $folder/probes
! ask || fail "what has changed is not seen"
says 'cache, ~/.debug, has no such probe'

# What is of no use says why.
refused() { # NAME WHY
	expect 1 "$SPILE" -l "cache.probe(\"$1\")"
	says "^semantic error: nothing matches cache\.probe\(\"$1\"\)"
	says "$2"
	[ ! -s out ] || fail "listed: $(cat out)"
	expect 0 "$SPILE" -e "probe cache.probe(\"$1\") ? { exit() } probe begin { exit() }"
}
refused own:odd "no probe point says the same as add;return\* of $TMP/calls in perf's cache"
refused own:none "'spile cache list' and 'perf probe --cache --list' print what it has"
cp prog calls
refused own:mine "perf's cache has it for the build $id2 of $TMP/calls, and this is $id\$"
rm calls
refused own:mine "perf's cache has it for the build $id2 of $TMP/calls, and it is not here, or has no build-id\$"
mkdir -p home/.debug/lib/modules/9.9.9/kernel/fs/odd.ko/0123 home/.debug/.build-id/01
ln -s ../../lib/modules/9.9.9/kernel/fs/odd.ko/0123 home/.debug/.build-id/01/23
printf '#odd_read\np:probe/odd_read odd:odd_read\n' >home/.debug/.build-id/01/23/probes
refused probe:odd_read "perf's cache has it for /lib/modules/9.9.9/kernel/fs/odd.ko, a module of Linux 9.9.9, and this is $(uname -r)\$"
chmod 777 home/.debug
expect 1 "$SPILE" -l 'cache.probe("own:mine")'
says "$HOME/.debug belongs to another user, or others can write it"
chmod 755 home/.debug

# A program of 32 bits.
if ${CC:-gcc} -m32 -g -O1 -Wl,--build-id -o small -x c - 2>cc <<<'__attribute__((noipa)) int twice(int n) { return 2 * n; } int main(int argc, char **argv) { return twice(argc) + !argv; }'; then
	expect 0 "$SPILE" cache add 'process("./small").function("twice")'
	same probe_small:twice 'process("./small").function("twice")'
fi
