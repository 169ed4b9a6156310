# SPDX-License-Identifier: GPL-2.0-or-later
# Rust: functions with the modules, types and implementations that they are in.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the fixture is x86_64 assembly"
cat >main.c <<'C'
long run(long n);
int main(void)
{
	return run(4) != 16;
}
C
${CC:-cc} -o shop main.c "$SUITE/debug/fixtures/shop.s" || skip "no C compiler"
expect 0 "$SPILE" -L 'process("./shop").function("shop::*")'
sed -i "s,$PWD,DIR,; s,/src/,,; s,<shop::shop::Cart as shop::shop::Price>::price,shop::shop::{impl#1}::price," out
sort -o out out
is 'process("DIR/shop").function("shop::run::{closure#0}@shop.rs:16") $x:i64 $cart:struct Cart
process("DIR/shop").function("shop::run@shop.rs:12") $n:i64
process("DIR/shop").function("shop::shop::Cart::add@shop.rs:7") $self:struct Cart* $amount:i64
process("DIR/shop").function("shop::shop::first<[i64; 2]>@shop.rs:9") $value:i64[2]
process("DIR/shop").function("shop::shop::{impl#1}::price@shop.rs:8") $self:struct Cart*'
expect 0 "$SPILE" --engine=user -w -c ./shop -e '
probe process("./shop").function("Cart::add") { printf("%d+%d ", $self->total, $amount) }
probe process("./shop").function("shop::shop::first<[i64; 2]>") { printf("%d %s ", $value[0], ppfunc()) }
probe process("./shop").function("{closure#*}").return { printf("%d\n", $return) }'
is '1+4 10 first<[i64; 2]> 6'
