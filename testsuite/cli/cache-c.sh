# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts with C and with types of header files are kept, until what the C compiler reads, or looks for in vain, is another.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache
mkdir cache first second bin
settle() { sleep 0.1; } # what was changed within a tick of the file system's clock is not kept
compile()
{
	settle
	expect 0 "$SPILE" -v -g -p4 -o "$1.spo" "${@:2}"
}
# hits, misses NAME WORDS...: the same bytes as without the cache.
hits()
{
	compile "$@"
	says '^Pass 1 to 4: using cached '
	expect 0 "$SPILE" --no-cache -g -p4 -o alone.spo "${@:2}"
	cmp "$1.spo" alone.spo || fail "another result"
}
misses()
{
	compile "$@"
	! grep -qE 'using cached|not kept' err || fail "taken from the cache, or not kept: $(cat err)"
	hits "$@"
}
# answers WORDS...
answers() { expect 0 "$SPILE" -g "${@:2}"; is "$1"; }

size='probe begin { println(@cast_module_sizeof("<top.h>", "struct top")) exit() }'
export C_INCLUDE_PATH=$TMP/first:$TMP/second
cat >second/top.h <<'C'
#include <inner.h>
#if defined __has_include && __has_include(<extra.h>)
#include <extra.h>
#endif
struct top { inner x[EXTRA + 1]; };
C
printf '#define EXTRA 0\ntypedef char inner;\n' >second/inner.h
misses types -e "$size"
answers 1 -e "$size"
# Another content; one that is found first; one that was asked about; one that is gone.
printf '#define EXTRA 0\ntypedef short inner;\n' >second/inner.h
misses types -e "$size"
answers 2 -e "$size"
printf '#define EXTRA 0\ntypedef int inner;\n' >first/inner.h
misses types -e "$size"
answers 4 -e "$size"
printf '#undef EXTRA\n#define EXTRA 2\n' >second/extra.h
misses types -e "$size"
answers 12 -e "$size"
rm first/inner.h
misses types -e "$size"
answers 6 -e "$size"
# Other folders, and another compiler.
mkdir third && printf '#define EXTRA 7\ntypedef char inner;\n' >third/inner.h
C_INCLUDE_PATH=$TMP/third:$TMP/second
misses types -e "$size"
C_INCLUDE_PATH=$TMP/first:$TMP/second
misses types -e "$size"
printf '#!/bin/sh\nexec /usr/bin/cc -fshort-enums "$@"\n' >bin/cc
chmod +x bin/cc
if [ -x /usr/bin/cc ]; then
	PATH=$TMP/bin:$PATH compile types -e "$size"
	! grep -q 'using cached' err || fail "another compiler is not seen"
fi
# What the time or a macro decides is not kept.
printf '#define EXTRA 1\ntypedef char inner[sizeof(__TIME__)];\n' >second/inner.h
compile types -e "$size"
says '^the result is not kept in the cache: C that the compiler has read may depend on the time'
printf '#define EXTRA 1\n#define NAME <other.h>\n#include NAME\ntypedef char inner;\n' >second/inner.h
: >second/other.h
compile types -e "$size"
says '^the result is not kept in the cache: a macro makes the name of a header$'

# C in the script, with a header beside it.
command -v clang >/dev/null || skip "clang is not installed"
mkdir scripts
cat >scripts/c.stp <<'E2'
%{
#include "mine.h"
%}
function f:long() %{ STAP_RETVALUE = MINE; %}
probe begin { println(f()) exit() }
E2
echo '#define MINE 14' >scripts/mine.h
misses script scripts/c.stp
answers 14 scripts/c.stp
echo '#define MINE 15' >scripts/mine.h
misses script scripts/c.stp
answers 15 scripts/c.stp
