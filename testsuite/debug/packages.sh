# SPDX-License-Identifier: GPL-2.0-or-later
# Split debug information in a package (.dwp), when the .dwo files are gone: all is as it was with them.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache
mkdir obj cache
cat >obj/a.c <<'C'
#include <stdio.h>
struct pair { int left; long right; const char *name; };
int other(struct pair *p, int n);
static inline int more(int k) { int triple = k * 3; __asm__ volatile("" : "+r"(triple)); return triple; }
__attribute__((noinline)) static int work(struct pair *p, int n) { int twice = more(n) * 2; p->left += twice; return other(p, twice); }
int main(int argc, char **argv) { struct pair p = { argc, 7, "seven" }; printf("%d\n", work(&p, 20) + (argv == 0)); return 0; }
C
cat >obj/b.c <<'C'
struct pair { int left; long right; const char *name; };
int global_count = 5;
__attribute__((noinline)) int other(struct pair *p, int n)
{
	long sum = p->right + n;
	for (int i = 0; i < n; i++)
		sum += i ^ global_count;
	global_count++;
	return (int)sum + p->left;
}
C
cat >see.stp <<'S'
probe process("./prog").function("other").call { printf("%d %d %s %d\n", $n, $p->right, user_string($p->name), @var("global_count", "./prog")) }
S

n=0
# COMPILER OPTIONS / TOOL: not every tool reads what every compiler makes.
while read -r cc options; do
	tool=${options#*/ } options=${options% /*}
	cc=$(newest "$cc") && tool=$(newest "$tool") || continue
	rm -f obj/*.dwo prog.dwp
	# The name of one .dwo file is absolute, that of the other leads to a folder.
	$cc -g $options -gsplit-dwarf -c "$PWD/obj/a.c" -o "$PWD/obj/a.o" && $cc -g $options -gsplit-dwarf -c obj/b.c -o obj/b.o &&
		$cc -o prog obj/a.o obj/b.o || fail "$cc $options"
	expect 0 "$SPILE" -L 'process("./prog").function("*")'
	cp out with
	timeout 20 "$tool" -e prog -o prog.dwp || fail "$cc $options: $tool"
	rm obj/*.dwo
	sleep 0.1 # what was just changed is not kept
	expect 0 "$SPILE" -L 'process("./prog").function("*")'
	quiet
	diff with out || fail "$cc $options: other variables"
	expect 0 "$SPILE" -v -L 'process("./prog").function("*")'
	expect 0 "$SPILE" -v -L 'process("./prog").function("*")'
	says '^Listing: using cached '
	expect 0 "$SPILE" --engine=user -c ./prog see.stp
	quiet
	prints '^120 7 seven 5$'
	n=$((n + 1))
done <<'E'
gcc -O0 -gdwarf-4 / dwp
gcc -O2 -gdwarf-4 / dwp
gcc -O2 -gdwarf-4 -fdebug-types-section / dwp
clang -O2 -gdwarf-5 / llvm-dwp
clang -O0 -gdwarf-4 / llvm-dwp
E
[ $n -gt 0 ] || skip "needs dwp, or llvm-dwp"
[ ! -e "${TMPDIR:-/var/tmp}"/spile-dwp.* ] || fail "a folder is left"

# Damaged packages: whatever is in one, it is read or refused.
cp prog.dwp made
for at in 100 200 400 800 1200 1600; do
	cp made prog.dwp
	printf '\377\377\377\177' | dd of=prog.dwp bs=1 seek=$at conv=notrunc 2>dd || fail "dd"
	"$SPILE" -L 'process("./prog").function("*")' >out 2>err
	[ $? -le 1 ] || fail "a package damaged at $at"
done
