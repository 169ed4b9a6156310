# SPDX-License-Identifier: GPL-2.0-or-later
# Packs: a script for several targets in one file, what is in it, which of them is taken, and what is refused.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
int value = VALUE; int main(void) { return 0; }
C
${CC:-gcc} -g -DVALUE=0 -Wl,--build-id -o prog prog.c
id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
mkdir machines
"$SPILE_RUN" --describe >machines/here
sed 's/^release .*/release 1.2.3-old/' machines/here >machines/old
echo 'probe process("./prog").function("main") { println(pp()) exit() }' >script.stp

# One file, in which the same code is stored once.
expect 0 "$SPILE" --pack -o tool.spo --for machines/here --for machines/old script.stp
quiet
is tool.spo
expect 0 "$SPILE" pack show tool.spo
sed -E "s/[0-9]+ bytes, stored in [0-9]{1,2}\\b/N bytes, stored in NN/; s/[0-9]+ bytes, stored in [0-9]{3,}/N bytes, stored in NNNN/
	s|$PWD|.|g; s/$(id prog)/ID/; s/^(  needs ).*/\\1.../" out >shown
diff - shown <<'E' || fail "shown otherwise"
here: x86_64, N bytes, stored in NNNN
  program   ./prog, build-id ID
  needs ...
  probe     process("./prog").function("main@./prog.c:1"): uprobe main
old: x86_64, N bytes, stored in NN, as what differs from here
  program   ./prog, build-id ID
  needs ...
  probe     process("./prog").function("main@./prog.c:1"): uprobe main
E
expect 0 "$SPILE" pack show --json tool.spo
prints '^\{"target":"here","arch":"x86_64","size":[0-9]+,"stored":[0-9]+,"base":null,"objects":\[\{"kind":"program","name":"[^"]*prog","build_id":"'"$(id prog)"'","portable":false\}\],"features":\["bpf",[^]]*\],"probes":\[\{"point":"[^{]*","hook":"uprobe","symbol":"main","optional":false\}\],"fields":\[\]\}$'
prints '^\{"target":"old",.*"base":"here",'
[ "$(wc -l <out)" = 2 ] || fail "not a line for each target"
expect 0 "$SPILE_RUN" -v --engine=user -c ./prog tool.spo
prints '^process\(".*/prog"\)\.function\("main@'
says "^  the pack's script for here is used$"

# A folder is all that is in it; -m names the file. A single compiled script can be shown, too.
expect 0 "$SPILE" --pack -m folder --for machines -e 'probe begin { println("hello") exit() }'
is folder.spo
expect 0 "$SPILE_RUN" folder.spo
is hello
expect 0 "$SPILE" pack show folder.spo
[ "$(sed -n 's/^\([a-z]*\): .*/\1/p' out | paste -sd' ')" = 'here old' ] || fail "other targets"
expect 0 "$SPILE" -p4 -o one.spo -e 'probe begin { println("hello") exit() }'
expect 0 "$SPILE" pack show one.spo
prints '^<input>: x86_64, [0-9]+ bytes$'
prints '^  probe     begin: begin$'

# Another build of the program is none of the targets.
cp prog first
${CC:-gcc} -g -DVALUE=1 -Wl,--build-id -o prog prog.c
expect 4 "$SPILE_RUN" --engine=user -c ./prog tool.spo
says '^ERROR: tool\.spo: the pack has 2 targets, and none is this machine\. To add it: `spile-run --describe >NEW` here, and `spile --pack --add -o PACK --for NEW SCRIPT` where the pack was made$'
says "^  here: the script was compiled for .*/prog with build-id $(id first), but here its build-id is $(id prog); compile it again for this machine$"
says '^  old: '


# It is added, by the same command with --add: the others stay, and one of the same name is compiled anew.
mkdir new
cp machines/here new/now
expect 0 "$SPILE" --pack --add -o tool.spo --for new/now script.stp
quiet
is tool.spo
expect 0 "$SPILE" pack show tool.spo
[ "$(sed -n 's/^\([a-z]*\): .*/\1/p' out | paste -sd' ')" = 'here old now' ] || fail "other targets"
expect 0 "$SPILE_RUN" -v --engine=user -c ./prog tool.spo
says "^  the pack's script for now is used$"
cp tool.spo before.spo
expect 0 "$SPILE" --pack --add -o tool.spo --for machines/here script.stp
expect 0 "$SPILE" pack show tool.spo
[ "$(sed -n 's/^\([a-z]*\): .*/\1/p' out | paste -sd' ')" = 'old now here' ] || fail "other targets"
prints "^  program   $PWD/prog, build-id $(id first)$"
[ "$(grep -c "^  program   $PWD/prog, build-id $(id prog)$" out)" = 2 ] || fail "it was not compiled anew"
# Several that add at once lose none of each other's targets.
cp tool.spo many.spo
adders=
for i in 1 2 3 4 5 6; do
	cp machines/here "new/n$i"
	"$SPILE" --pack --add -o many.spo --for "new/n$i" script.stp >many.$i 2>&1 &
	adders="$adders $!"
done
for adder in $adders; do
	wait "$adder" || fail "one of several that add at once fails: $(cat many.?)"
done
expect 0 "$SPILE" pack show many.spo
[ "$(sed -n 's/^\([a-z0-9]*\): .*/\1/p' out | sort | paste -sd' ')" = 'here n1 n2 n3 n4 n5 n6 now old' ] || fail "targets are lost"
# Only of the same script, with the same options.
cp tool.spo before.spo
sed 's/println/print/' script.stp >other.stp
for words in other.stp 'script.stp argument' '-g script.stp' '-D MAXACTION=7 script.stp' '-E probe\tbegin{} script.stp'; do
	eval "set -- $(sed 's/\\t/\\ /' <<<"$words")"
	expect 2 "$SPILE" --pack --add -o tool.spo --for new/now "$@"
	says '^ERROR: --add: tool\.spo: the pack was made of another script, or with other arguments or options'
done
cmp -s tool.spo before.spo || fail "it is not as it was"
expect 1 "$SPILE" --pack --add -o nosuch.spo --for new/now script.stp
says '^ERROR: .*nosuch\.spo'
expect 2 "$SPILE" --pack --add --for new/now script.stp
says '^spile: --add needs -o: to which pack\?$'
expect 2 "$SPILE" --add script.stp
says '^spile: --add is for --pack$'
# A signature is of the file as it was.
echo 'of what was there' >tool.spo.minisig
expect 0 "$SPILE" --pack --add -o tool.spo --for new/now script.stp
says '^WARNING: tool\.spo\.minisig is of the file that was there before: sign this one$'
rm tool.spo.minisig
cp first prog

# Machines that have builds of their own: each takes its own, at the path that it has there.
mkdir -p "fleet/a/root$PWD/bin" "fleet/b/root$PWD/bin" bin
cp machines/here fleet/a/target
cp machines/here fleet/b/target
${CC:-gcc} -g -DVALUE=2 -Wl,--build-id -o "fleet/b/root$PWD/bin/prog" prog.c
cp first "fleet/a/root$PWD/bin/prog"
echo "probe process(\"$PWD/bin/prog\").function(\"main\") { println(pp()) exit() }" >there.stp
expect 0 "$SPILE" --pack -o there.spo --for fleet there.stp
expect 0 "$SPILE" pack show there.spo
[ "$(sed -n 's/^\([a-z]*\): .*/\1/p' out | paste -sd' ')" = 'a b' ] || fail "other targets"
prints "^  program   $PWD/bin/prog, build-id $(id first)$"
prints "^  program   $PWD/bin/prog, build-id $(id "fleet/b/root$PWD/bin/prog")$"
for machine in a b; do
	cp "fleet/$machine/root$PWD/bin/prog" bin/prog
	expect 0 "$SPILE_RUN" -v --engine=user -c bin/prog there.spo
	prints "^process\(\"$PWD/bin/prog\"\)\.function\(\"main@"
	says "^  the pack's script for $machine is used$"
done
${CC:-gcc} -g -DVALUE=3 -Wl,--build-id -o bin/prog prog.c
expect 4 "$SPILE_RUN" --engine=user -c bin/prog there.spo
expect 0 "$SPILE" --sysroot fleet/b/root -l "process(\"$PWD/bin/prog\").function(\"main\")"
prints "^process\(\"$PWD/bin/prog\"\)\.function\(\"main@"
expect 2 "$SPILE" --sysroot nosuch -l 'process("/x").function("main")'
says '^spile: --sysroot: cannot read nosuch: No such file or directory$'

# A process of this machine is none of another one.
expect 1 "$SPILE" check --for fleet/a -e "probe process($$).function(\"main\") { exit() }"
says "^semantic error: process $$ is one of this machine, and the script is compiled for another \[E405\]$"

# spile check says for which of several machines a script can be compiled, and why not.
echo 'probe begin { %( kernel_v >= "2" %? println(nothing_like_it()) %: println(1) %) exit() }' >newer.stp
expect 1 "$SPILE" check --for machines/old --for machines/here newer.stp
is 'old: ok
here: cannot be compiled'
says '^here:$'
says '^semantic error: .*nothing_like_it'
! grep -q '^old:$' err || fail "said for both"
expect 1 "$SPILE" --pack -o none.spo --for machines newer.stp
says '^ERROR: no pack is written: the script cannot be compiled for 1 of 2 targets$'
[ ! -e none.spo ] || fail "a pack is written"
expect 0 "$SPILE" check --for machines script.stp
is 'here: ok
old: ok'
# What is said for all of them is said once.
expect 0 "$SPILE" check --for machines -e 'probe begin { if (1) { x = 2 } exit() }'
[ "$(grep -c '^WARNING' err)" = 1 ] || fail "the warning is not there once"

# Mistakes.
expect 2 "$SPILE" --pack script.stp
says '^spile: --pack needs --for: what is the script compiled for\?$'
expect 2 "$SPILE" --pack --for machines -r 6.1 script.stp
says '^spile: --pack takes its targets from --for, not from -r, --target, -x or -c$'
expect 2 "$SPILE" --for machines script.stp
says "^spile: --for is for --pack and 'spile check'$"
expect 2 "$SPILE" --pack --for script.stp script.stp
says '^ERROR: --for: script\.stp is neither what `spile-run --describe` prints nor a vmlinux$'
expect 1 "$SPILE" --pack --for ./nosuch script.stp
says '^ERROR: --for: cannot read \./nosuch: No such file or directory$'
expect 2 "$SPILE" pack
says '^Usage: spile pack show'

# A file that was changed or cut off is refused.
cp tool.spo bad.spo
printf 'x' | dd of=bad.spo bs=1 seek=700 conv=notrunc status=none
expect 1 "$SPILE_RUN" bad.spo
says '^ERROR: bad\.spo: not a valid pack: its content is not what was written \(the SHA-256 sum differs\)$'
head -c 500 tool.spo >bad.spo
expect 1 "$SPILE_RUN" bad.spo
says '^ERROR: bad\.spo: not a valid pack: it has 500 bytes, and should have [0-9]+$'
expect 1 "$SPILE" pack show bad.spo
says '^ERROR: bad\.spo: not a valid pack: it has 500 bytes'
