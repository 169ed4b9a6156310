# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of Rust are found by the names that are listed: methods of traits and of types with parameters, closures in them.
. "$SUITE/lib.sh"
rustc --version >/dev/null 2>&1 || skip "needs rustc"
cat >names.rs <<'R'
trait Total { fn total<I: Iterator<Item = u64>>(items: I, more: u64) -> u64; fn twice(&self) -> u64; }
impl Total for u64 {
    #[inline(never)]
    fn total<I: Iterator<Item = u64>>(items: I, more: u64) -> u64 { let mut sum = more; items.for_each(|x| sum += x); sum }
    #[inline(never)]
    fn twice(&self) -> u64 { *self * 2 }
}
struct Pair<T>(T, T);
impl<T: Copy + Into<u64>> Pair<T> {
    #[inline(never)]
    fn sum(&self) -> u64 { self.0.into() + self.1.into() }
    #[inline(never)]
    fn with<F: Fn(u64) -> u64>(&self, f: F) -> u64 { f(self.sum()) }
}
impl<T: Copy + Into<u64>> Total for Pair<T> {
    #[inline(never)]
    fn total<I: Iterator<Item = u64>>(items: I, more: u64) -> u64 { u64::total(items, more) + 1 }
    #[inline(never)]
    fn twice(&self) -> u64 { self.sum() * 2 }
}
fn main() {
    let n = std::env::args().count() as u64;
    let v = vec![n, 2, 3];
    let (a, b) = (Pair(n as u8, 2u8), Pair(n as u32, 7u32));
    println!("{} {} {}", u64::total(v.iter().map(|x| x * n), 1), <Pair<u8> as Total>::total(v.iter().copied(), 2), n.twice());
    println!("{} {} {} {}", a.with(|x| x + n), b.with(|x| x * 3), a.twice(), b.twice());
}
R
for options in "-O -C symbol-mangling-version=v0" -O; do
	rustc -g $options -o names names.rs 2>log || skip "rustc has no $options"
	"$SPILE" -L 'process("./names").function("*")' 2>err | grep -F names.rs >all
	[ "$(wc -l <all)" -ge 7 ] || fail "$options: $(cat all)"
	while read -r line; do
		name=${line#*function(\"} name=${name%%\"*} name=${name%%@*}
		expect 0 "$SPILE" -L "process(\"./names\").function(\"$name\")"
		grep -qxF -- "$line" out || fail "$options: $name is not found: $(cat out)"
	done <all
done
