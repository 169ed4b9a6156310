# SPDX-License-Identifier: GPL-2.0-or-later
# Arrays of Pascal: those with bounds of their own are read, those of bits are not read as if their elements had bytes.
. "$SUITE/lib.sh"
command -v fpc >/dev/null || skip "no Pascal compiler"
cat >prog.pas <<'P'
program prog;
type
  TRec = record
    arr: array[2..4] of smallint;
    m: array[1..2, 0..2] of longint;
    bits: bitpacked array[0..7] of boolean;
  end;
  PRec = ^TRec;
procedure show(r: PRec);
begin
  r^.arr[2] := r^.arr[3];
end;
var r: TRec;
begin
  r.arr[3] := 8; r.m[2,1] := 21; r.bits[3] := true;
  show(@r);
end.
P
fpc -gw3 -O- prog.pas >fpc.out 2>&1 || skip "the Pascal compiler has no library"
expect 0 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("show") { printf("%d %d %s\n", $r->arr[1], $r->m[1][1], $r$) }'
is '8 21 {.arr=[...], .m=[...], .bits=?}'
expect 1 "$SPILE" -p2 -e 'probe process("./prog").function("show") { println($r->bits[3]) }'
