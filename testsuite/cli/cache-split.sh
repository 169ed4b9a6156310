# SPDX-License-Identifier: GPL-2.0-or-later
# spile cache add of debug information that is split, packed, compressed, or shared: without it, the cache answers the same.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache HOME=$TMP/home
unset DEBUGINFOD_URLS
mkdir cache home away
cat >t.c <<'C'
struct deep { int a; struct { long b; char name[8]; } in; };
volatile int counter;
__attribute__((noinline)) int work(struct deep *d, int n) { int twice = n * 2; counter += twice; return d->a + n; }
int main(int argc, char **argv) { struct deep d = { argc }; return work(&d, argc) + (argv == 0); }
C
build() { ${CC:-gcc} -O1 -Wl,--build-id "$@" t.c 2>err; }
listed()
{
	"$SPILE" --no-cache -L "process(\"$TMP/$1\").function(\"work\")" 2>&1
	"$SPILE" --no-cache -L "process(\"$TMP/$1\").statement(\"*@t.c:3\")" 2>&1
}
# kept NAME: what add keeps answers as the debug information did.
kept()
{
	listed "$1" >with
	grep -q 'work@.*t\.c:3.* \$n:int' with || fail "$1: not found with its debug information: $(cat with)"
	expect 0 "$SPILE" cache add "process(\"./$1\").function(\"work\")"
	expect 0 "$SPILE" cache add --lines t.c "./$1"
	for file in *.dwo *.dwp *.alt; do
		[ ! -e "$file" ] || mv "$file" away
	done
	strip -g "$1"
	listed "$1" | diff with - >differ || fail "$1: other answers: $(cat differ)"
}
n=0
build -g -o plain && kept plain
for version in 4 5; do
	build -gdwarf-$version -gsplit-dwarf -o split$version && ls ./*.dwo >/dev/null 2>&1 && kept split$version && n=$((n + 1))
	build -gdwarf-$version -gsplit-dwarf -gz=zlib -o zsplit$version && ls ./*.dwo >/dev/null 2>&1 && kept zsplit$version
done
if command -v dwp >/dev/null && build -g -gsplit-dwarf -o packed && dwp -e packed -o packed.dwp 2>/dev/null; then
	rm ./*.dwo
	kept packed
fi
build -g -gz=zlib -o zlib && kept zlib
build -g -o gnu && objcopy --compress-debug-sections=zlib-gnu gnu 2>/dev/null && kept gnu
build -g -o zstd && objcopy --compress-debug-sections=zstd zstd 2>/dev/null && kept zstd
if command -v dwz >/dev/null && build -g -o shared && build -g -DOTHER -o other && dwz -m common.alt shared other 2>/dev/null; then
	kept shared
fi
[ $n = 2 ] || skip "the compiler does not split debug information"
