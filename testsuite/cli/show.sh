# SPDX-License-Identifier: GPL-2.0-or-later
# --funcs, --lines, --vars, --types: what debug information knows, as text and as JSON.
. "$SUITE/lib.sh"
P=$PROGS/calls
src=$(readlink -f "$SUITE/progs/calls.c")
show() { expect 0 "$SPILE" "$@" --in "$P"; quiet; }

show --funcs '!_* & !*tm_clones & !frame_dummy' # which the compiler has linked in
is 'add
look
main
round_trip
text
thread'
show --funcs 'a*|t*'
is 'add
text
thread'
show --funcs '!(*o*|t*|_*|frame*) & !main'
is add
show --funcs add --json
is "{\"name\":\"add\",\"file\":\"$src\",\"line\":37}"
for filter in '(a' 'a)' 'a b' '|a' '!'; do
	expect 2 "$SPILE" --funcs "$filter" --in "$P"
	says '^ERROR: --funcs .*: (a .\). |a name is missing|names are joined)'
done
expect 1 "$SPILE" --funcs 'nosuch*' --in "$P"

show --lines add
is "add@$src:37
    37  NOINLINE int add(int a, long b)
    38* {
    39* 	sink = a;
    40* 	return a + (int)b;
    41* }"
expect 0 "$SPILE" --lines add --in "$P" --source /nowhere
is "add@$src:37
    38*
    39*
    40*
    41*"
show --lines add@calls.c --json
is "{\"name\":\"add\",\"file\":\"$src\",\"line\":37,\"lines\":[38,39,40,41]}"
# A part of a function or of a file.
show --lines add:2-3
is "add@$src:37
    39* 	sink = a;
    40* 	return a + (int)b;"
show --lines add@calls.c:1+2
is "add@$src:37
    38* {
    39* 	sink = a;"
show --lines calls.c:36-38
is "$src
    36 
    37  NOINLINE int add(int a, long b)
    38* {"
show --lines calls.c:38+3 --json
is "{\"file\":\"$src\",\"lines\":[38,39,40]}"
expect 0 "$SPILE" --lines progs/calls.c:39 --in "$P" --source /nowhere
is "$src
    39*"
show --lines calls.c --json
grep -q '^{"file":".*/calls.c","lines":\[.*38,39,40,41,.*\]}$' out || fail "not the whole file"
expect 1 "$SPILE" --lines calls.c:1-3 --in "$P"
says '^ERROR: .*/calls has no line in `calls.c:1-3` where a probe can be set$'
expect 1 "$SPILE" --lines add:38-40 --in "$P"
says '^ERROR: `add` has no line in `add:38-40` where a probe can be set: they count from its own line, 0; `--lines add` shows them all$'
expect 1 "$SPILE" --lines add:5-2 --in "$P"
says 'has no function `add:5-2`'
expect 1 "$SPILE" --lines ad --in "$P"
says '^ERROR: .*/calls has no function `ad`; did you mean `add`\?$'

show --vars look
is "look@$src:43
  \$o:struct outer const*  %rdi
  \$u:unsigned char  %rsi
  \$s:signed char  %rdx"
show --vars add --range
is "add@$src:37
  \$a:int  %rdi  lines 38,39,40,41
  \$b:long int  %rsi  lines 38,39,40,41"
show --vars add --range --json
is "{\"name\":\"add\",\"file\":\"$src\",\"line\":37,\"variables\":[{\"name\":\"a\",\"type\":\"int\",\"place\":\"%rdi\",\"parameter\":true,\"lines\":[38,39,40,41]},{\"name\":\"b\",\"type\":\"long int\",\"place\":\"%rsi\",\"parameter\":true,\"lines\":[38,39,40,41]}]}"
# ... and the variables outside of functions.
show --vars add --range --externs
sed -i 's/ 0x[0-9a-f]*$/ ADDRESS/' out
is "add@$src:37
  \$a:int  %rdi  lines 38,39,40,41
  \$b:long int  %rsi  lines 38,39,40,41
  \$sink:int volatile  mem: addr ADDRESS"

show --types 'struct outer'
is 'struct outer: 48 bytes
       0      8  name:char const*
       8      6  in:struct inner
      14      2  (hole)
      16      8  ref:struct inner*
      24      4  union
      24      4    as_int:int
      24      4    as_bytes:unsigned char[4]
    28:0     3b  low:unsigned int
    28:3     5b  mid:int
    29:0    24b  high:unsigned int
      32      4  colour:enum colour
      36      4  (hole)
      40      8  next:struct outer*'
show --types 'enum colour'
is 'enum colour: 4 bytes
              1  RED
              2  GREEN
              3  BLUE'
show --types 'struct inner' --json
is '{"type":"struct inner","size":6,"members":[{"name":"small","type":"short int","bit_offset":0,"bits":16},{"name":"bytes","type":"unsigned char[4]","bit_offset":16,"bits":32}]}'
show --types 'enum colour' --json
is '{"type":"enum colour","size":4,"enumerators":{"RED":1,"GREEN":2,"BLUE":3}}'
expect 1 "$SPILE" --types 'struct nosuch' --in "$P"
says '^ERROR: .*/calls has no type `struct nosuch`$'
expect 1 "$SPILE" --types 'struct x' --in ./nosuch
says 'nosuch'

# The last index of an array in one byte or two has all bits set: that is no -1, which stands for an unknown number.
echo 'struct s { char a[256]; short b[65536]; int c[255][256], none[]; } x; int main(void) { return 0; }' |
	gcc -g -o arrays -x c - || fail "gcc"
expect 0 "$SPILE" --types 'struct s' --in ./arrays
is 'struct s: 392448 bytes
       0    256  a:char[256]
     256 131072  b:short int[65536]
  131328 261120  c:int[255][256]
  392448      0  none:int[]'
