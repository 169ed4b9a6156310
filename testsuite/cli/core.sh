# SPDX-License-Identifier: GPL-2.0-or-later
# A program that is traced and ends with a core dump has its own code in that, not breakpoints.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers forbid core dumps"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] && ulimit -c unlimited 2>/dev/null || skip "core dumps go elsewhere here"
gcc -g -O1 -o dumped -x c - <<'C' || fail gcc
#include <signal.h>
#include <stdio.h>
__attribute__((noipa)) long hit(void)
{
	return 0x51ca7e57;
}
int main(void)
{
	signal(SIGQUIT, SIG_IGN);
	raise(SIGQUIT);
	hit();
	raise(SIGABRT);
	return 0;
}
C
expect 1 timeout 60 "$SPILE" --engine=user -c ./dumped -e 'probe process("./dumped").function("hit") { println("hit") }'
is hit
[ -s core ] || fail "no core dump: $(ls)"
! LC_ALL=C grep -qaP '\xcc\x57\x7e\xca\x51' core || fail "a breakpoint is in the core dump"
LC_ALL=C grep -qaP '\xb8\x57\x7e\xca\x51' core || fail "its code is not in the core dump"
