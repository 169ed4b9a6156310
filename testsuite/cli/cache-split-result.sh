# SPDX-License-Identifier: GPL-2.0-or-later
# A result that split debug information has part in is kept, also when zlib has compressed it; not when the program's part of it is read
# from a decompressed copy, for which it is not known where libdw finds the rest.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache HOME=$TMP/home
unset DEBUGINFOD_URLS
mkdir cache home
cat >t.c <<'C'
__attribute__((noinline)) int work(int n) { return n + 1; }
int main(int argc, char **argv) { return work(argc) + !argv; }
C
build() { ${CC:-gcc} -g -O1 -gsplit-dwarf "$1" -Wl,--build-id -o "$2" t.c && ls ./*.dwo >/dev/null; }
ask() { # NAME WHAT-THE-SECOND-TIME-SAYS
	for turn in first second; do
		expect 0 "$SPILE" -v -p4 -o x.spo -e "probe process(\"./$1\").function(\"work\") { println(\$n) }"
	done
	says "$2"
}
build -gz=none plain 2>err && build -gz=zlib zlib 2>err || skip "the compiler does not split debug information"
ask plain 'using cached '
ask zlib 'using cached '
objcopy=$(newest llvm-objcopy) || skip "needs llvm-objcopy, which compresses what is small, too"
"$objcopy" --compress-debug-sections=zstd plain zstd 2>err || skip "no objcopy compresses with zstd"
ask zstd '^the result is not kept in the cache: debug information is split, and it is not known where libdw has found it$'
