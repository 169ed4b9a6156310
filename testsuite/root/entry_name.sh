# SPDX-License-Identifier: GPL-2.0-or-later
# @entry() of the name of an address: the address is kept, and gets its name at the return.
. "$SUITE/lib.sh"
cat >p.c <<'C'
__attribute__((noipa)) int work(int n) { return n + 1; }
__attribute__((noipa)) int first(void) { return work(1) * 2; }
__attribute__((noipa)) int second(void) { return work(2) * 3; }
int main(void) { return first() + second() != 13; }
C
gcc -g -O1 -o p p.c || fail gcc
cat >script.stp <<'S'
global callers
probe process("./p").function("work").return {
  printf("%s: %d\n", @entry(usymname(ustack(1))), $return)
  callers[@entry(usymname(ustack(1))), @entry(usymname(uaddr()))] <<< @entry($n)
}
probe end { foreach ([c, f] in callers+) printf("%s %s %d\n", c, f, @sum(callers[c, f])) }
S
for engine in kernel user; do
	expect 0 "$SPILE" --engine=$engine -c ./p script.stp
	is 'first: 2
second: 3
first work 1
second work 2'
done
