# SPDX-License-Identifier: GPL-2.0-or-later
# process("BUILD-ID"): a file of PATH, or one that a process runs.
. "$SUITE/lib.sh"
mkdir bin
cat >named.c <<'C'
#include <unistd.h>
__attribute__((noipa)) void tick(void) { usleep(1000); }
int main(int argc, char **argv) { (void)argv; do tick(); while (argc > 1); return 0; }
C
gcc -g -O1 -Wl,--build-id=0x00112233445566778899aabbccddee00"$(printf %08x $$)" -o bin/named named.c || fail gcc
id=00112233445566778899aabbccddee00$(printf %08x $$)
PATH=$PWD/bin:$PATH expect 0 "$SPILE" -l "process(\"$id\").function(\"tick\")"
is "process(\"$PWD/bin/named\").function(\"tick@$PWD/named.c:2\")"
# Without it in PATH there is only the process that runs it.
expect 1 "$SPILE" -l "process(\"$id\").function(\"tick\")"
says "no file in PATH, and none that a process runs or uses, has the build-id $id"
# The command of -c is one, too.
expect 0 "$SPILE" --engine=user -c bin/named -e "probe process(\"$id\").function(\"tick\") { println(pp()) }"
is "process(\"$PWD/bin/named\").function(\"tick@$PWD/named.c:2\")"
bin/named forever &
pid=$!
expect 0 "$SPILE" --engine=user -x $pid -e "probe process(\"$id\").function(\"tick\") { println(pp()) exit() }"
kill $pid
is "process(\"$PWD/bin/named\").function(\"tick@$PWD/named.c:2\")"
quiet
exit 0
