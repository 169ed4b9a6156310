# SPDX-License-Identifier: GPL-2.0-or-later
# In code that rustc has optimised, parameters are copied to the slots that debug information names behind what it calls the prologue. Until
# then there is no value, and without optimisation all are there.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
rustc --version >/dev/null 2>&1 || skip "needs rustc"
cat >late.rs <<'R'
#[inline(never)] fn keep<T>(x: T) -> T { let r = unsafe { std::ptr::read_volatile(&x as *const T) }; std::mem::forget(x); r }
#[inline(never)] fn text(a: u64, flag: bool, s: &'static str, o: Option<u8>) -> usize {
    println!("{} {} {} {:?}", a, flag as u8, s.len(), o.map(|x| x as i32 + 1));
    keep((&a, &flag, &s, &o));
    s.len()
}
fn main() {
    for i in 0..3 {
        keep(text(keep(i << 40 | 5), keep(i != 1), keep("some text"), keep(if i == 1 { None } else { Some(31) })));
    }
}
R
for level in 0 1 2 3; do
	rustc -g -C opt-level=$level -o late late.rs 2>log || fail "rustc"
	expect 0 "$SPILE" --engine=user -c ./late -e 'global known, wrong
	probe process("./late").function("late::text") {
		n = known["calls"]++
		if (@defined($a)) { known["a"]++ wrong += $a != (n << 40 | 5) }
		if (@defined($flag)) { known["flag"]++ wrong += $flag != (n != 1) }
		if (@defined($s->length)) { known["s"]++ wrong += $s->length != 9 || user_string_n($s->data_ptr, 9) != "some text" }
		o = $$parms$$
		if (o =~ " o=[^?]") { known["o"]++ wrong += !isinstr(o, n == 1 ? "o={.None={}}" : "o={.Some={.__0=31}}") }
	}
	probe end { printf("%d wrong, %d calls, %d %d %d %d\n", wrong, known["calls"], known["a"], known["flag"], known["s"], known["o"]) }'
	grep -E 'wrong' out >told
	[ $level != 0 ] || [ "$(cat told)" = "0 wrong, 3 calls, 3 3 3 3" ] || fail "-O0: $(cat told)"
	grep -q '^0 wrong, 3 calls' told || fail "-O$level: $(cat told)"
done
