# SPDX-License-Identifier: GPL-2.0-or-later
# spile check says which variables and fields have another type, are elsewhere or are missing for one of several targets.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
struct size { SIZE_MEMBERS };
typedef ID id_t;
struct job { const char *name; struct size *size; id_t id; int flags; };
volatile COUNT count;
__attribute__((noipa)) int work(struct job *job, long n)
{
	asm volatile("" : : "r"(job), "r"(n) : "memory");
	return n > 0;
}
__attribute__((noipa)) void idle(IDLE n) { asm volatile("" : : "r"(n) : "memory"); }
int main(void) { idle(1); struct size size = { 0 }; struct job job = { "a", &size, 1, 2 }; count++; return work(&job, 1); }
C
build() # NAME OPTION...
{
	local to=fleet/$1
	mkdir -p "$to/root$PWD"
	"$SPILE_RUN" --describe >"$to/target"
	gcc -g -O2 -Wl,--build-id "${@:2}" -o "$to/root$PWD/prog" prog.c
}
build a -DSIZE_MEMBERS='unsigned length; long rounds;' -DID=int -DCOUNT=int -DIDLE=long
build b -DSIZE_MEMBERS='unsigned long length; long rounds;' -DID=unsigned -DCOUNT=int -DIDLE=int
build c -DSIZE_MEMBERS='int pad[4]; unsigned length;' -DID=int -DCOUNT=long -DIDLE=long
cat >script.stp <<S
probe process("$PWD/prog").function("work") {
	println(\$n, \$job->flags, \$job->size->length)
	println(\$job->id)
	if (@defined(\$job->size->rounds)) println(\$job->size->rounds)
	println(@var("count"))
	exit()
}
S
expect 0 "$SPILE" check --for fleet script.stp
quiet
is 'a: ok
b: ok
  otherwise than for a:
  $job->size->length at script.stp:2:27 has another type: long unsigned int, 8 bytes; it was unsigned int, 4 bytes
  $job->id at script.stp:3:10 has another type: id_t = unsigned int, 4 bytes; it was id_t = int, 4 bytes
c: ok
  otherwise than for a:
  $job->size->length at script.stp:2:27 is elsewhere
  $job->size->rounds at script.stp:4:44 is missing
  @var("count") at script.stp:5:10 has another type: long int volatile, 8 bytes; it was int volatile, 4 bytes'
expect 0 "$SPILE" check --json --for fleet script.stp
[ "$(sed -n 2p out)" = '{"target":"b","status":0,"kernel":null,"compared_with":"a","gone":[],"new":[],"variables":[{"variable":"$job->size->length","at":"script.stp:2:27","change":"type","was":"unsigned int, 4 bytes","is":"long unsigned int, 8 bytes"},{"variable":"$job->id","at":"script.stp:3:10","change":"type","was":"id_t = int, 4 bytes","is":"id_t = unsigned int, 4 bytes"}]}' ] || { cat out; fail "JSON says otherwise"; }
prints '"variables":\[\{"variable":"\$job->size->length","at":"script\.stp:2:27","change":"moved"\},\{"variable":"\$job->size->rounds","at":"script\.stp:4:44","change":"missing"\},.*\]\}$'
# A function that is further down in its file is no difference; one that is not there any more is.
sed -i 1i/**/ prog.c
build d -DSIZE_MEMBERS='unsigned length; long rounds;' -DID=int -DCOUNT=int -DIDLE=long
sed -i 's/work(/works(/g' prog.c
build e -DSIZE_MEMBERS='unsigned length; long rounds;' -DID=int -DCOUNT=int -DIDLE=long
echo "probe process(\"$PWD/prog\").function(\"work*\") { println(\$n) exit() }" >moved.stp
expect 0 "$SPILE" check --for fleet/a --for fleet/d --for fleet/e moved.stp
is 'a: ok
d: ok
e: ok
  otherwise than for a:
  - probe     process("'"$PWD"'/prog").function("work@'"$PWD"'/prog.c:5"): uprobe work
  + probe     process("'"$PWD"'/prog").function("works@'"$PWD"'/prog.c:6"): uprobe works'
rm -r fleet/d fleet/e
# Where that matters: what cannot be compiled for one of them.
echo "probe process(\"$PWD/prog\").function(\"work\") { println(\$job->size->rounds) exit() }" >strict.stp
expect 1 "$SPILE" check --json --for fleet strict.stp
prints '^\{"target":"c","status":1,"kernel":null,"compared_with":null,"gone":\[\],"new":\[\],"variables":\[\]\}$'
# Sites of one probe that have different types are one variable.
echo "probe process(\"$PWD/prog\").function(\"work\"), process(\"$PWD/prog\").function(\"idle\") { println(\$n) exit() }" >two.stp
expect 0 "$SPILE" check --for fleet/a --for fleet/b two.stp
grep -q ' \$n at .* has another type: int, 4 bytes or long int, 8 bytes; it was long int, 8 bytes$' out || { cat out; fail "not both types"; }
