# SPDX-License-Identifier: GPL-2.0-or-later
# The names of variables that begin as zeros: of those on the last page of the file, and on pages that no file has; of a library, too.
. "$SUITE/lib.sh"
cat >lib.c <<'C'
int lib_last, lib_zeroed[30000];
void look(void *p) {}
int *lib_at(int i) { return &lib_zeroed[i]; }
C
cat >zeroed.c <<'C'
#include <stdlib.h>
int set = 1, last, zeroed[30000];
extern int lib_zeroed[];
void look(void *p);
int *lib_at(int i);
int main(void)
{
	look(&set);
	look(&last);
	look(&zeroed[1]);
	look(&zeroed[29999]);
	look(lib_at(20000));
	look(malloc(1));
	return 0;
}
C
gcc -g -O1 -fPIC -shared -o libzeroed.so lib.c && gcc -g -O1 -o zeroed zeroed.c ./libzeroed.so || fail gcc
expect 0 "$SPILE" --engine=user -c ./zeroed -e 'probe process("./libzeroed.so").function("look") { println(usymname($p), " ", substr(usymdata($p), 0, 6)) }'
sed 's/^0x[0-9a-f]* .*/heap/' out >names
diff - names <<'END' || fail "these are not their names"
set set+0x
last last+0
zeroed zeroed
zeroed zeroed
lib_zeroed lib_ze
heap
END
