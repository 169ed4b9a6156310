# SPDX-License-Identifier: GPL-2.0-or-later
# The address of a text that is a key is computed once, however long the text is.
. "$SUITE/lib.sh"
cat >keys.c <<'C'
char text[200], few[] = "abc";
__attribute__((noipa)) int work(const char *s) { return s[0]; }
int main(void) { __builtin_memset(text, 'x', 199); return !(work(text) + work(few)); }
C
${CC:-gcc} -g -O1 -o keys keys.c || fail "compile"
cat >keys.stp <<'S'
global hits
probe process(@1).function("work") {
	p = $s
	hits[user_string(p++)]++
	println(p - $s)
}
probe end { foreach (k+ in hits) println(strlen(k), " ", hits[k]) }
S
for engine in user kernel; do
	expect 0 "$SPILE" --engine=$engine -c ./keys keys.stp "$TMP/keys"
	is '1
1
3 1
199 1'
done
