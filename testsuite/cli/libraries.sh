# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries of a program, programs by wildcards, and handlers for those alone that run the program.
. "$SUITE/lib.sh"
traced() { expect 0 timeout 60 "$SPILE" --engine="${ENGINE:-user}" "$@"; quiet; }
cp "$PROGS/once" one
cp "$PROGS/once" two
calls='{ n[execname()]++ } global n probe end { foreach (p+ in n) println(p, " ", n[p] > 0) }'
# One of two programs that use the library; which is known without -c, too.
traced -c './one; ./two; ./one' -e "probe process(\"./one\").library(\"libc.so*\").function(\"exit\") $calls"
is 'one 1'
traced -c './one; ./two' -e "probe process.library(\"libc.so.6\").function(\"exit\") $calls"
is 'one 1
two 1'
# Wildcards in the program's path; its exported functions.
traced -c './one; ./two' -e "probe process(\"./[ot][nw][eo]\").function(\"main\") $calls"
is 'one 1
two 1'
expect 0 "$SPILE" -l 'process("./[ot]*").function("main")'
[ "$(wc -l <out)" = 2 ] || fail "not two programs"
expect 1 "$SPILE" -l 'process("./one").library("libnosuch*").function("f")'
says 'the libraries of .*/one are libc.so.6, ld-linux'
expect 0 "$SPILE" -l "process(\"$PROGS/chain\").function(\"*i*\").exported"
prints 'function\("first@.*"\)\.exported$'
! grep -q inlined out || fail "a static function is exported"
# What a library hides is not exported, unless programs have another name for it.
cat >hides.c <<'END'
#define HIDDEN __attribute__((visibility("hidden"), noinline))
HIDDEN int kept(int x) { return x * 3; }
HIDDEN int own_name(int x) { return x - 1; }
extern int other_name(int) __attribute__((alias("own_name")));
static __attribute__((noinline)) int local(int x) { return x * 5; }
int shown(int x) { return kept(x) + own_name(x) + local(x); }
END
gcc -g -O1 -shared -fPIC -o libhides.so hides.c || fail "no C compiler"
expect 0 "$SPILE" -l 'process("./libhides.so").function("*n*").exported'
prints 'function\("own_name@.*"\)\.exported$'
prints 'function\("shown@.*"\)\.exported$'
expect 1 "$SPILE" -l 'process("./libhides.so").function("kept").exported'
says '^    note: kept is hidden in its library$'
expect 1 "$SPILE" -l 'process("./libhides.so").function("local").exported'
says '^    note: local is static$'
expect 0 "$SPILE" -l 'process("./libhides.so").function("kept")'
# Where the dynamic linker looks.
mkdir -p lib
echo 'int twice(int x) { return 2 * x; }' | gcc -g -O1 -shared -fPIC -o lib/libtwice.so -x c -
echo 'int twice(int); int main(void) { return twice(21) != 42; }' | gcc -g -o asks -x c - -Llib -ltwice -Wl,-rpath,'$ORIGIN/lib'
traced -c ./asks -e 'probe process("./asks").library("libtwice*").function("twice") { println($x) }'
is 21
expect 0 "$SPILE" -L 'process("./asks").library("libtwice.so").function("twice")'
prints '/lib/libtwice.so"\).function\("twice@.*<stdin>:1"\) \$x:int$'
# The program's RPATH is for the libraries of its libraries, too; and what one of them has got, others that would find another file share.
mkdir -p inner other
echo 'int deep(int x) { return x + 1; }' | gcc -g -O1 -shared -fPIC -o inner/libdeep.so -x c -
echo 'int deep(int x) { return x + 7; }' | gcc -g -O1 -shared -fPIC -o other/libdeep.so -x c -
echo 'int deep(int); int middle(int x) { return 2 * deep(x); }' | gcc -g -O1 -shared -fPIC -o inner/libmiddle.so -x c - -Linner -ldeep
echo 'int deep(int); int beside(int x) { return deep(x); }' |
	gcc -g -O1 -shared -fPIC -o inner/libbeside.so -x c - -Linner -ldeep -Wl,--enable-new-dtags,-rpath,'$ORIGIN/../other'
echo 'int middle(int), beside(int); int main(void) { return middle(3) + beside(1) != 10; }' |
	gcc -g -o inherits -x c - -Linner -lmiddle -lbeside -Wl,--disable-new-dtags,-rpath,'$ORIGIN/inner',-rpath-link,inner
expect 0 ./inherits
expect 0 "$SPILE" -l 'process("./inherits").library("libdeep.so").function("deep")'
[ "$(wc -l <out)" = 1 ] || fail "two files for one library"
prints '/inner/libdeep.so"\).function\("deep@'
traced -c ./inherits -e 'probe process("./inherits").library("libdeep.so").function("deep") { println($x) }'
is '3
1'
# A library that is needed by its path is below the other root folder.
mkdir -p root/opt opt
for folder in opt root/opt; do
	echo 'int by_path(int x) { return x; }' | gcc -g -O1 -shared -fPIC -o "$folder/libpath.so" -x c -
done
echo 'int by_path(int); int main(void) { return by_path(0); }' | gcc -g -o root/opt/needs -x c - -x none "$PWD/opt/libpath.so"
mkdir -p "root$PWD"
mv root/opt "root$PWD/opt"
expect 0 "$SPILE" --sysroot="$PWD/root" -l "process(\"$PWD/opt/needs\").library(\"*libpath*\").function(\"by_path\")"
prints "^process\\(\"$PWD/opt/needs\"\\)\\.library\\(\"$PWD/opt/libpath.so\"\\)\\.function\\(\"by_path@"
rm -r opt
expect 0 "$SPILE" --sysroot="$PWD/root" -l "process(\"$PWD/opt/needs\").library(\"*libpath*\").function(\"by_path\")"
prints "library\\(\"$PWD/opt/libpath.so\"\\)"
