# SPDX-License-Identifier: GPL-2.0-or-later
# Which floors refer to which foreign library, and what the shared libraries export.
cd "$BUILD" || exit 1
[ -e libsp_rt.a ] || { echo "no libraries in $BUILD"; exit 1; }
bad=0

# only PATTERN LIBRARY...: no convenience library but these refers to such symbols
nm -u -A libsp_*.a 2>/dev/null >"$TMP/undefined"
[ -s "$TMP/undefined" ] || { echo "the libraries refer to nothing"; exit 1; }
only()
{
	local pattern=$1
	shift
	grep -E " U ($pattern)" "$TMP/undefined" | grep -vE "^($(IFS='|'; echo "$*"))\.a:" &&
		{ echo "only $* may refer to $pattern"; bad=1; }
}

only 'LLVM[A-Z]' libsp_gen
only 'dwarf_|dwfl_|dwelf_' libsp_debug
only 'readline$|add_history$' none

# exports LIBRARY PREFIX
exports()
{
	[ -e "$1" ] || return
	nm -D --defined-only "$1" | awk -v p="^$2" '$2 != "A" && $3 !~ p { print lib " exports " $3; bad = 1 }
		$3 ~ p { n++ } END { if (!n) { print lib " exports nothing"; bad = 1 } exit bad }' lib="$1" || bad=1
}

exports libspile.so.0 spile_
exports libspilert.so.0 spilert_
exports spile-gen.so 'spile_gen$'
readelf -d spile | grep -E 'NEEDED.*(libdw|libspile)' && bad=1 # loaded when there is something to compile
for file in spile libspile.so.0; do
	[ -e "$file" ] && readelf -d "$file" | grep -H --label="$file" 'NEEDED.*LLVM' && bad=1 # loaded when code is made
done
# Distributions link with -z now, which finds all symbols when the module is loaded.
if [ -e spile-gen.so ]; then
	ldd -r spile-gen.so 2>&1 | grep 'undefined symbol' && bad=1
	# With LLVM's archives, it loads none of what LLVM's shared library does.
	grep -q '^LLVM_LIBS = .*-lLLVMCore' Makefile && readelf -d spile-gen.so | grep -E 'NEEDED.*(LLVM|xml2|z3|edit|ffi)' && bad=1
fi
if [ -e libspilert.so.0 ]; then
	nm -D -u libspilert.so.0 | grep -E ' (LLVM|dwarf_|dwfl_)' && bad=1
fi
if [ -x spile-run ]; then
	readelf -d spile-run | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
		grep -vE '^(libbpf|libelf|libz|libc|libasan|libubsan|libgcov|libm|libdl|libpthread|ld-linux.*)\.' &&
		{ echo "spile-run needs more than libbpf, libelf, zlib and libc"; bad=1; }
fi
exit $bad
