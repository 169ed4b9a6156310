# SPDX-License-Identifier: GPL-2.0-or-later
# Versions of a symbol: NAME@VERSION, and NAME@@VERSION for the default one.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >lib.c <<'C'
__asm__(".symver f_old, f@LIB_1");
__asm__(".symver f_new, f@@LIB_2.5");
int f_old(int x) { return x + 1; }
int f_new(int y) { return y + 2; }
int g(int z) { return z; }
C
echo 'LIB_1 { global: f; g; local: *; }; LIB_2.5 { global: f; } LIB_1;' >map
cat >main.c <<'C'
int f_1(int x);
int f(int x);
int g(int x);
__asm__(".symver f_1, f@LIB_1");
int main(void) { return f_1(10) + f(20) + g(30) != 63; }
C
gcc -g -O1 -fPIC -shared -Wl,--version-script=map -o libv.so lib.c || skip "no library with versions can be made here"
gcc -o main main.c ./libv.so || skip "no program can be made here"
where="process(\"$TMP/libv.so\")"
old="$where.function(\"f_old@$TMP/lib.c:3\")" new="$where.function(\"f_new@$TMP/lib.c:4\")"
list() { expect "$1" "$SPILE" -l "process(\"./libv.so\").function(\"$2\")"; }
check()
{
	list 0 f@LIB_1 && is "$old"
	list 0 f@LIB_2.5 && is "$new"
	list 0 f@@LIB_2.5 && is "$new"
	list 1 f@@LIB_1
	says '^    note: the versions of f are f@(LIB_1, f@@LIB_2\.5|@LIB_2\.5, f@LIB_1)$'
	list 0 'f@@*' && is "$new"
	list 0 'f@LIB_*' && is "$(printf '%s\n' "$old" "$new" | sort)"
	list 0 'g@LIB_1' && is "$where.function(\"g@$TMP/lib.c:5\")"
	list 1 g@LIB_2.5
	list 1 f@LIB_3
}
check
# A file of that name is meant before a version is.
list 0 'f_old@lib.c' && is "$old"
expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c ./main -e "probe process(\"$TMP/libv.so\").function(\"f@LIB_1\") { println(\"old \", \$x) }
probe process(\"$TMP/libv.so\").function(\"f@@LIB_2.5\").return { println(\"new \", \$return) }"
is "old 10
new 22"
# The same without any symbol but the dynamic ones.
strip libv.so
list 0 f@LIB_1
[ "$(wc -l <out)" = 1 ] || fail "not one"
expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c ./main -e "probe process(\"$TMP/libv.so\").function(\"f@LIB_1\") { println(\"old \", int_arg(1)) }
probe process(\"$TMP/libv.so\").function(\"f@@LIB_2.5\").return { println(\"new \", returnval()) }"
is "old 10
new 22"
