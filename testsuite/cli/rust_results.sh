# SPDX-License-Identifier: GPL-2.0-or-later
# rustc, too, leaves out results that are known to callers, and says so with LLVM 15 and later alone.
. "$SUITE/lib.sh"
rustc --version >/dev/null 2>&1 || skip "needs rustc"
cat >p.rs <<'E'
use std::hint::black_box;
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
