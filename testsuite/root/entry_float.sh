# SPDX-License-Identifier: GPL-2.0-or-later
# $$parms$$ of a .return: what the kernel cannot make text of at the entry, as floating point numbers, is a question mark there.
. "$SUITE/lib.sh"
cat >p.c <<'C'
struct thing { int id; float f; struct { double d; char name[8]; } in; } thing = { 4, 1.5f, { 2.25, "name" } };
__attribute__((noipa)) int work(struct thing *t, double x) { t->id++; return (int)x; }
int main(void) { return work(&thing, 3.5) - 3; }
C
gcc -g -O1 -o p p.c || fail gcc
echo 'probe process("./p").function("work").return { printf("%s\n%s\n", $t$, $$parms$$) text = $t$$ println(text) }' >script.stp
expect 0 "$SPILE" --engine=kernel -c ./p script.stp
is '{.id=4, .f=?, .in={...}}
t={.id=4, .f=?, .in={.d=?, .name="name"}} x=?
{.id=4, .f=?, .in={.d=?, .name="name"}}'
expect 0 "$SPILE" --engine=user -c ./p script.stp
is '{.id=4, .f=1.5, .in={...}}
t={.id=4, .f=1.5, .in={.d=2.25, .name="name"}} x=3.5
{.id=4, .f=1.5, .in={.d=2.25, .name="name"}}'

# So is the variant that an enumeration of Rust has: one for all that there may be.
command -v rustc >/dev/null || exit 0
cat >r.rs <<'C'
pub enum Event { Quit, Move { x: i32, y: i32 }, Number(f64) }
#[inline(never)] pub fn handle(e: &Event) -> i32 { match e { Event::Quit => 0, Event::Move { x, y } => x + y, Event::Number(f) => *f as i32 } }
fn main() { for e in [Event::Move { x: 1, y: 2 }, Event::Number(2.5), Event::Quit].iter() { std::hint::black_box(handle(e)); } }
C
rustc -g -C opt-level=1 r.rs -o r 2>err || skip "rustc does not work here"
expect 0 "$SPILE" --engine=kernel -c ./r -e 'probe process("./r").function("r::handle").return { println($e$$) }'
is '{?}
{?}
{?}'
