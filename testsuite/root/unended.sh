# SPDX-License-Identifier: GPL-2.0-or-later
# So many bytes of a text that has no end, behind which there is no memory: they were a fault, as the byte behind them was read.
. "$SUITE/lib.sh"
cat >unended.c <<'C'
#include <string.h>
#include <sys/mman.h>
__attribute__((noinline)) int unended(const char *text)
{
	return text[0];
}
int main(void)
{
	char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(two + 4096, 4096);
	return unended(memcpy(two + 4092, "edge", 4)) != 'e';
}
C
${CC:-gcc} -g -O1 -o unended unended.c || fail "compile"
cat >unended.stp <<'S'
probe process(@1).function("unended") {
	println(user_string_n($text, 4), user_string_n($text, 2), user_string_n_quoted($text, 4), user_string_n2($text, 4, "none"))
	try { println(user_string_n($text, 5)) } catch { println("fault") }
	println(user_string_n2($text, 5, "none"), user_string2($text, "none"))
}
S
for engine in user kernel; do
	expect 0 "$SPILE" --engine=$engine -c ./unended unended.stp "$TMP/unended"
	is 'edgeed"edge"edge
fault
nonenone'
done
