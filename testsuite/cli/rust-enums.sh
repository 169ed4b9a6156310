# SPDX-License-Identifier: GPL-2.0-or-later
# Rust: methods of traits by the names that are written, and enumerations whose variants have members.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the fixture is x86_64 assembly"
printf 'long work(long n);\nint main(void)\n{\n\treturn work(4) == 0;\n}\n' >main.c
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
is 'run 0 7 5 {.__discr=Some, .None={}, .Some={.__0=5}}
run 1 {.side=3, .depth=2} none
run 2 1 {.__discr=Some, .None={}, .Some={.__0=1}}'
grep -q HAVE_LIBIBERTY "$BUILD/Makefile" || exit 0
for name in '<Job as Run>::run' '<jobs::Job as jobs::Run>::run' '<* as Run>::*' 'jobs::{impl#0}::run'; do
	expect 0 "$SPILE" -l "process(\"./jobs\").function(\"$name\")"
	sed -i "s,$PWD/,," out
	is 'process("jobs").function("<jobs::Job as jobs::Run>::run@/src/jobs.rs:9")'
done
