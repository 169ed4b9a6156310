# SPDX-License-Identifier: GPL-2.0-or-later
# A function's second name, which symbols alone have, is found by a wildcard as it is by the name: once, and with its variables.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
__attribute__((noinline)) int impl_run(int a) { __asm__(""); return a * 2; }
__attribute__((noinline)) int job_stop(int b) { __asm__(""); return b * 3; }
int job_run(int) __attribute__((alias("impl_run")));
int job_walk(int) __attribute__((alias("impl_run")));
int job_end(int) __attribute__((alias("job_stop")));
int main(void) { return job_run(3) + job_walk(3) + job_end(1) != 15; }
C
gcc -g -O1 -o prog prog.c || fail gcc
listed() { sed 's/.*function(//' out; }
expect 0 "$SPILE" -L 'process("./prog").function("job_*")'
quiet
[ "$(listed)" = "\"impl_run@$PWD/prog.c:1\") \$a:int
\"job_stop@$PWD/prog.c:2\") \$b:int" ] || fail "job_* is $(cat out)"
for name in job_w* job_run job_walk; do
	expect 0 "$SPILE" -L "process(\"./prog\").function(\"$name\")"
	[ "$(listed)" = "\"impl_run@$PWD/prog.c:1\") \$a:int" ] || fail "$name is $(cat out)"
done
expect 0 "$SPILE" -l 'process("./prog").function("*_*")'
[ "$(sed -n 's/.*function("\(job\|impl\)/\1/p' out | wc -l)" = 2 ] || fail "a second name is listed beside the first: $(cat out)"
expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("job_*") { println($$parms) }'
is "a=0x3
a=0x3
b=0x1"
quiet
