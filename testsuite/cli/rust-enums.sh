# SPDX-License-Identifier: GPL-2.0-or-later
# Rust: methods of traits by the names that are written, and enumerations whose variants have members.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the fixture is x86_64 assembly"
printf 'long work(long n);\nlong choose(void);\nint main(void)\n{\n\treturn work(4) + choose() == 0;\n}\n' >main.c
${CC:-cc} -o jobs main.c "$SUITE/debug/fixtures/jobs.s" || skip "no C compiler"
expect 0 "$SPILE" --engine=user -w -c ./jobs -e '
probe process("./jobs").function("{impl#0}::run") {
	printf("%s %d ", ppfunc(), $shape->__discr)
	if ($shape->__discr == 0)
		printf("%d ", $shape->Circle->__0)
	if ($shape->__discr == 1)
		printf("%s ", $shape->Square$)
	println($limit->__discr ? sprint($limit->Some->__0) . " " . $limit$$ : "none")
}'
is 'run 0 7 5 {.Some={.__0=5}}
run 1 {.side=3, .depth=2} none
run 2 1 {.Some={.__0=1}}'
# The variant that is there: in memory and in registers, with numbers of its own and without (the pointer, the letter).
cat >chosen.stp <<'STP'
probe process("./jobs").function("chosen") {
  text = sprintf("%s %s", $load$, $shape$)
  printf("%s %s %s %s\n", $load$$, $first$, $letter$, text)
}
STP
expect 0 "$SPILE" --engine=user -w -c ./jobs chosen.stp
sed -Ei 's/0x[0-9a-f]+/POINTER/g' out
is '{.Idle={}} {.Some={.__0=POINTER}} {.Some={.__0=120}} {.Idle={}} {.None={}}
{.Word={.__0=3}} {.None={}} {.None={}} {.Word={.__0=3}} {.Some={.__0=POINTER}}
{.Both={.a={.Some={.__0=4}}, .b=2.5}} {.None={}} {.Some={.__0=121}} {.Both={.a={...}, .b=2.5}} {.Some={.__0=POINTER}}'
# A structure of two numbers is in two registers. The address of one is stored by the prologue.
expect 0 "$SPILE" --engine=user -w -c ./jobs -e '
probe process("./jobs").function("only").call { println($big$) }
probe process("./jobs").function("pair").return { println($return$) }
probe process("./jobs").function("address").return { printf("%d %s\n", $return->Some->__0->total, $return$) }'
sed -Ei 's/0x[0-9a-f]+/POINTER/g' out
is '{.a=1, .b=2, .c=3}
{.a=1, .b=6}
9 {.Some={.__0=POINTER}}'
grep -q HAVE_LIBIBERTY "$BUILD/Makefile" || exit 0
for name in '<Job as Run>::run' '<jobs::Job as jobs::Run>::run' '<* as Run>::*' 'jobs::{impl#0}::run'; do
	expect 0 "$SPILE" -l "process(\"./jobs\").function(\"$name\")"
	sed -i "s,$PWD/,," out
	is 'process("jobs").function("<jobs::Job as jobs::Run>::run@/src/jobs.rs:9")'
done
