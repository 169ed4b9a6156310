# SPDX-License-Identifier: GPL-2.0-or-later
# @var("x@file.c") is what that file declares itself; if it does not, what it has from a file that it includes, or declares alone and
# another one or the linker defines, as `jiffies` of Linux.
. "$SUITE/lib.sh"
cat >table.h <<'EOF'
static int included = 3;
extern int defined_elsewhere, made_by_linker, unused_elsewhere;
EOF
cat >main.c <<'EOF'
#include "table.h"
__attribute__((noipa)) int work(void) { return included + defined_elsewhere + made_by_linker; }
int main(void) { included++; return !work(); }
EOF
cat >other.c <<'EOF'
static int included = 8;
int defined_elsewhere = 5;
__attribute__((used, noipa)) int other(void) { return ++included; }
EOF
gcc -g -O1 -o prog main.c other.c -Wl,--defsym=made_by_linker=defined_elsewhere || fail "gcc"
cat >x.stp <<'EOF'
probe process("./prog").function("work")
{
	println(@var("included@main.c"), @var("included@table.h"), @var("included@other.c"), @var("defined_elsewhere@main.c"),
		@var("defined_elsewhere@other.c"), @var("made_by_linker@main.c"), " ", @defined(@var("unused_elsewhere@main.c")),
		@defined(@var("included@none.c")))
}
EOF
expect 0 "$SPILE" --engine=user -c ./prog x.stp
is "448555 00"
# Without a file it is the function's own, though another folder has a file of that name.
mkdir a b
echo 'static volatile int mine;' >mine.h
for at in a b; do
	echo "#include \"../mine.h\"
static volatile int count = 0x$at;
__attribute__((noipa)) int f_$at(int x) { mine = 0x$at; return count + mine + x; }" >$at/util.c
done
echo 'int f_a(int), f_b(int); int main(int c, char **v) { int s = f_a(c); s += f_b(c); s += f_a(c); return s + f_b(c) == 0; }' >two.c
expect 0 gcc -g -O1 -o two two.c a/util.c b/util.c
expect 0 "$SPILE" --engine=user -c ./two -e 'probe process("./two").function("f_?") { println($count, " ", @var("count"), " ", $mine) }'
is '10 10 0
11 11 0
10 10 10
11 11 11'
expect 0 gcc -g -O1 -flto=auto -flto-partition=max -o two two.c a/util.c b/util.c
expect 0 "$SPILE" --engine=user -c ./two -e 'probe process("./two").function("f_?") { println($count) }'
is '10
11
10
11'
