# SPDX-License-Identifier: GPL-2.0-or-later
# The probe cache: what is added where debug information is answers the same where it is not.
. "$SUITE/lib.sh"
mkdir home empty
export HOME=$TMP/home
unset XDG_CACHE_HOME DEBUGINFOD_URLS
cat >prog.c <<'C'
enum colour { RED = 1, GREEN = 5 };
struct inner { short small; unsigned char bytes[4]; enum colour colour : 4; };
struct outer { const char *name; struct inner in; struct outer *next; union { int as_int; float as_float; }; };
static int counter;
static inline __attribute__((always_inline)) int twice(int x) { int y = x * 2; counter += y; return y; }
__attribute__((noipa)) int first(struct outer *o, int n)
{
	int sum = n;
	for (int i = 0; i < n; i++)
		sum += twice(i + o->in.small);
	return sum + o->as_int;
}
__attribute__((noipa)) int second(int n) { return n + counter; }
int main(void)
{
	struct outer end = { "end", { 7, "abc", GREEN }, 0, { 3 } }, o = { "top", { 2, "xyz", RED }, &end, { 4 } };
	return first(&o, 3) + second(5) == 0;
}
C
${CC:-gcc} -g -O2 -Wl,--build-id -o full prog.c || skip "no compiler"
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip "the compiler writes no build-ids"
strip -o bare full
cp full prog

f='process("./prog").function("first")'
points=("$f" "$f.return" 'process("./prog").function("twice")' 'process("./prog").statement("first@*:*")')
body='printf("%d %s %s %d %d %s\n", $n, $o->name$, $o->next->in$, $o->next->in->colour, @cast($o, "struct outer")->as_int, $o$$)'
ask() {
	for point in "${points[@]}"; do
		"$SPILE" --no-cache -L "$point"
	done
	"$SPILE" --no-cache --stop-after=lower --dump=lower -e "probe $f { $body } probe process(\"./prog\").function(\"twice\") { println(@defined(\$x) ? \$x : -1) println(\$counter) }"
	"$SPILE" --no-cache -e "probe $f { $body } probe $f.return { println(\$return) }" --engine=user -c ./prog
}
for point in "$f \$o" 'process("./prog").function("twice")'; do
	expect 0 "$SPILE" cache add "$point"
	prints "^$id $TMP/prog: [0-9]+ bytes\$"
done
ask 2>&1 | sed 's/next=0x[0-9a-f]*/next=P/g' >with
grep -q 'twice' with && grep -q '^3 "top"' with || fail "no answers: $(cat with)"
cp bare prog
ask 2>&1 | sed 's/next=0x[0-9a-f]*/next=P/g' >without
diff with without || fail "other answers from the cache"

# Lines of a function that were asked for with any file, before one without.
mkdir lines
cp full prog
for point in "$f" 'process("./prog").statement("second@*:*")'; do HOME=$TMP/lines expect 0 "$SPILE" cache add "$point"; done
for point in "$f" 'process("./prog").function("second")'; do
	"$SPILE" --no-cache -L "$point" >whole
	cp bare prog
	HOME=$TMP/lines "$SPILE" --no-cache -L "$point" | diff whole - || fail "other answers to $point"
	cp full prog
done
cp bare prog

# What was not asked for is as without the cache: found by its symbol, if that is there.
expect 1 "$SPILE" --no-cache -L 'process("./prog").function("second")'
says "'spile cache add' adds others where debug information is"
HOME=$TMP/empty "$SPILE" --no-cache -L 'process("./prog").function("ma*")' >bare.out 2>/dev/null
"$SPILE" --no-cache -L 'process("./prog").function("ma*")' >cached.out 2>/dev/null
diff bare.out cached.out || fail "a wildcard is answered by the cache"

# A copy elsewhere, as another user has it.
mkdir -p other/.cache
cp -r home/.cache/spile other/.cache
HOME=$TMP/other ask 2>&1 | sed 's/next=0x[0-9a-f]*/next=P/g' >copied
diff with copied || fail "other answers from a copy"

# Another build is refused, and both build-ids are told.
sed 's/n + counter/n - counter/' prog.c >other.c
${CC:-gcc} -g -O2 -Wl,--build-id -o other.full other.c
strip -o prog other.full
new=$(readelf -n prog | sed -n 's/.*Build ID: //p')
expect 1 "$SPILE" --no-cache -L "$f"
says "the probe cache has that of the build $id, and this is $new"
cp home/.cache/spile/$id.probes home/.cache/spile/$new.probes
expect 1 "$SPILE" --no-cache -L "$f"
says "^WARNING: $new.probes in the cache is not used: it is $id.probes\$"
rm home/.cache/spile/$new.probes

# All functions: entries and returns.
cp full prog
expect 0 "$SPILE" cache add --all-functions ./prog
rm home/.cache/spile/$id.probes
points=('process("./prog").function("*").call' "$f.return")
for point in "${points[@]}"; do
	"$SPILE" --no-cache -L "$point"
done | sed 's/ $sum:int//' >with # no locals
cp bare prog
for point in "${points[@]}"; do
	"$SPILE" --no-cache -L "$point"
done >without
diff with without || fail "other functions from the cache"
[ "$(wc -l <with)" -ge 8 ] || fail "few functions: $(cat with)"
expect 1 "$SPILE" --no-cache -p2 -e "probe $f { println(\$sum) }"
says "the probe cache has the parameters and results of its functions alone: 'spile cache add' adds more where debug information is"

# All lines of a file.
rm home/.cache/spile/*
cp full prog
expect 0 "$SPILE" cache add --lines prog.c ./prog
points=('process("./prog").statement("*@prog.c:*")' 'process("./prog").statement("second@prog.c:*")')
for point in "${points[@]}"; do
	"$SPILE" --no-cache -L "$point"
done >with
cp bare prog
for point in "${points[@]}"; do
	"$SPILE" --no-cache -L "$point"
done >without
diff with without || fail "other lines from the cache"
[ "$(wc -l <with)" -ge 8 ] || fail "few lines: $(cat with)"
expect 2 "$SPILE" cache add --lines prog.c --all-functions ./prog
