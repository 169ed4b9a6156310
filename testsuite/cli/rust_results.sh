# SPDX-License-Identifier: GPL-2.0-or-later
# rustc, too, leaves out results that are known to callers, and says so with LLVM 15 and later alone.
. "$SUITE/lib.sh"
rustc --version >/dev/null 2>&1 || skip "needs rustc"
cat >p.rs <<'E'
#[inline(never)] fn black_box<T>(x: T) -> T { let r = unsafe { std::ptr::read_volatile(&x as *const T) }; std::mem::forget(x); r }
#[inline(never)] fn constant(x: u32) -> u32 { black_box((x, 1)); 7 }
#[inline(never)] fn half(x: u32) -> f64 { black_box((x, 2)); 0.5 }
#[inline(never)] fn real(x: u32) -> u32 { black_box(x) * 3 }
#[inline(never)] fn number(x: u32) -> f64 { black_box(x) as f64 * 1.5 }
#[inline(never)] fn ignored(x: u32) -> u32 { black_box((x, 3)).0 * 5 }
fn main() {
    for i in 0..3 {
        black_box(constant(i));
        black_box(half(i));
        black_box(real(i));
        black_box(number(i));
        ignored(i);
    }
}
E
for level in 0 1 3; do
	rustc -g -C opt-level=$level -o p p.rs 2>log || fail "rustc"
	expect 0 "$SPILE" -w --engine=user -c ./p -e 'global text, n
	function told(name, text, value) { n[name]++ if (text != "return=?" && text != "return=" . value) println(name, " ", text) }
	probe process("./p").function("constant@p.rs").return { told("constant", $$return$$, "7") }
	probe process("./p").function("half@p.rs").return { told("half", $$return$$, "0.5") }
	probe process("./p").function("ignored@p.rs").return { told("ignored", $$return$$, sprint(n["ignored"] * 5)) }
	probe process("./p").function("real@p.rs").return { if ($return == n["real"]++ * 3) n["right"]++ }
	probe process("./p").function("number@p.rs").return { if ($$return$$ == "return=" . (n["number"] ? n["number"] == 1 ? "1.5" : "3" : "0")) n["right"]++ n["number"]++ }
	probe end { foreach (f+ in n) text .= sprintf("%s %d ", f, n[f]) println(text) }'
	is "constant 3 half 3 ignored 3 number 3 real 3 right 6 "
done

# Two numbers are in two registers, however small they are; what else has 8 bytes at most is in rax.
cat >q.rs <<'E'
#[inline(never)] fn black_box<T>(x: T) -> T { let r = unsafe { std::ptr::read_volatile(&x as *const T) }; std::mem::forget(x); r }
#[repr(C)] pub struct Bare { a: f64 }
pub struct Pair { a: u32, b: u32 }
pub struct Triple { a: u8, b: u8, c: u8 }
#[inline(never)] fn bare(x: u32) -> Bare { Bare { a: x as f64 } }
#[inline(never)] fn pair(x: u32) -> Pair { Pair { a: x, b: 7 } }
#[inline(never)] fn triple(x: u8) -> Triple { Triple { a: x, b: 7, c: 8 } }
#[inline(never)] fn some(x: i32) -> Option<i32> { if x == 1 { None } else { Some(x - 5) } }
#[inline(never)] fn byte(x: u8) -> Option<u8> { if x == 1 { None } else { Some(x + 200) } }
#[inline(never)] fn mixed(x: i32) -> (i32, f64) { (x - 7, x as f64 + 0.5) }
#[inline(never)] fn text(x: i32) -> Option<&'static str> { if x == 1 { None } else { Some("text") } }
#[inline(never)] fn result(x: i32) -> Result<i16, i16> { if x == 1 { Err(-1) } else { Ok(x as i16) } }
#[inline(never)] fn floats(x: f32) -> [f32; 2] { [x + 0.25, 8.0] }
#[inline(never)] fn words(x: u64) -> [u64; 2] { [x, 7] }
fn main() {
    for i in 0..2 {
        black_box((bare(i), pair(i), triple(i as u8), some(i as i32), byte(i as u8), mixed(i as i32), text(i as i32)));
        black_box((result(i as i32), floats(i as f32), words(i as u64)));
    }
}
E
names="pair triple some byte mixed text result floats"
rustc -g -C opt-level=0 -o q q.rs 2>log || fail "rustc: $(cat log)"
for name in $names; do echo "probe process(\"./q\").function(\"$name@q.rs\").return? { s = \$\$return\$\$ println(\"$name \", substr(s, 7, strlen(s))) }"; done >q.stp
expect 0 "$SPILE" -w --engine=user -c ./q q.stp
sed -i -E 's/0x[0-9a-f]+/POINTER/g' out
is 'pair {.a=0, .b=7}
triple {.a=0, .b=7, .c=8}
some {.Some={.__0=-5}}
byte {.Some={.__0=200}}
mixed {.__0=-7, .__1=0.5}
text {.Some={.__0="text"}}
result {.Ok={.__0=0}}
floats [0.25, ...]
pair {.a=1, .b=7}
triple {.a=1, .b=7, .c=8}
some {.None={}}
byte {.None={}}
mixed {.__0=-6, .__1=1.5}
text {.None={}}
result {.Err={.__0=-1}}
floats [1.25, ...]'
for name in bare words; do
	expect 1 "$SPILE" -p2 -e "probe process(\"./q\").function(\"$name@q.rs\").return { println(\$return\$) }"
	says "^semantic error: \\\$return of $name is in registers or in memory that rustc has chosen, which debug information does not tell"
done
# What optimised code has left out is not shown, and what is shown is right.
for level in 1 3; do
	rustc -g -C opt-level=$level -o q q.rs 2>log || fail "rustc"
	cp out told
	expect 0 "$SPILE" -w --engine=user -c ./q q.stp
	sed -i -E 's/0x[0-9a-f]+/POINTER/g; / \?$/d' out
	grep -vxFf <(printf '%s\n' 'pair {.a=0, .b=7}' 'pair {.a=1, .b=7}' 'triple {.a=0, .b=7, .c=8}' 'triple {.a=1, .b=7, .c=8}' 'some {.Some={.__0=-5}}' \
		'some {.None={}}' 'byte {.Some={.__0=200}}' 'byte {.None={}}' 'mixed {.__0=-7, .__1=0.5}' 'mixed {.__0=-6, .__1=1.5}' \
		'text {.Some={.__0="text"}}' 'text {.None={}}' 'result {.Ok={.__0=0}}' 'result {.Err={.__0=-1}}' \
		'floats [0.25, ...]' 'floats [1.25, ...]') out >wrong && fail "-O$level: $(cat wrong)"
done
:
