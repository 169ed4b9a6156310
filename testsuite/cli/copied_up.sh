# SPDX-License-Identifier: GPL-2.0-or-later
# An overlay file system copies a program before anything of it is changed: the copy is another file, with the old one's name, device and
# inode. It has the probes, too, and processes of the old one keep theirs.
. "$SUITE/lib.sh"
[ -n "${OVERLAID:-}" ] || {
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	OVERLAID=yes exec unshare -m "$BASH" "$0"
}
mkdir base && mount -t tmpfs none base && mkdir base/{lower,upper,work} merged || skip "no tmpfs"
gcc -g -o base/lower/prog -x c - <<'C' || fail gcc
#include <stdio.h>
__attribute__((noinline, noclone)) void step(int n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv)
{
	for (int n = 0; getchar() != EOF; n++)
		step(n);
	return 0;
}
C
ENGINE=${ENGINE:-user}
cat >work.sh <<'S'
mkfifo feed
merged/prog <feed & # the old one
exec 3>feed
printf . >&3
until grep -q 0 out; do sleep 0.02; done
eval "$1"
until grep -q 'merged/prog was replaced' err; do sleep 0.02; done
printf .. | merged/prog
printf . >&3
exec 3>&-
wait
S
# change COMMAND STEPS
change()
{
	rm -rf feed base/upper base/work && mkdir base/upper base/work
	mount -t overlay none -o lowerdir=base/lower,upperdir=base/upper,workdir=base/work merged 2>/dev/null || skip "no overlay file systems"
	expect 0 timeout 60 "$SPILE" -v --engine=$ENGINE -c "sh work.sh '$1'" -e 'probe process("merged/prog").function("step") { println($n) }'
	is "$2"
	[ "$(grep 'was replaced' err)" = "$TMP/merged/prog was replaced by a file of the same build: its probes are set there, too" ] || fail "$1"
	umount merged
}
change 'chmod 700 merged/prog' $'0\n0\n1\n1'
cp base/lower/prog plain
change 'exec 3>&-; wait; cat plain >merged/prog; exec 3>/dev/null' $'0\n0\n1' # a program that runs is not written
# A process that was there before the copy runs the other one. Uprobes are in the copy, as the kernel's engine says; ptrace sees both.
rm -rf feed base/upper base/work && mkdir base/upper base/work && mkfifo feed
mount -t overlay none -o lowerdir=base/lower,upperdir=base/upper,workdir=base/work merged || fail mount
merged/prog <feed &
target=$!
exec 3>feed
runs() { [ /proc/$target/exe -ef merged/prog ]; }
wait_for 20 runs
sleep 0.1 # the kernel counts in ticks
chmod 700 merged/prog
rm err
"$SPILE" -v --engine=$ENGINE -x $target -e 'probe process("merged/prog").function("step") { println($n) exit() } probe timer.s(1) { exit() }' >out 2>err &
spile=$!
wait_for 30 grep -q '^privileges were given up' err
printf . >&3
wait $spile || fail "status $?"
exec 3>&-
wait $target
umount merged
if [ $ENGINE = user ]; then
	is 0
	! grep WARNING err || fail "warned"
else
	is ''
	says "^WARNING: nothing was seen, though process $target runs $TMP/merged/prog: its overlay file system has copied that file since the process began, and the probes are in the copy; start the process again, or use --engine=user$"
fi
