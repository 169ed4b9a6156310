# SPDX-License-Identifier: GPL-2.0-or-later
# Every sort of mistake that a script can have, and the whole text of what is said about it: what is wrong, where, what to do.
. "$SUITE/lib.sh"
mistake() # WHAT SCRIPT [OPTION...]
{
	local what=$1
	printf '%b' "$2" >script.stp
	shift 2
	printf '\n==== %s\n' "$what"
	"$SPILE" -p4 -o x.spo "$@" script.stp 2>&1
	echo "status $?"
}

mistake 'type conflict through a function' 'function half(n) { return n / 2 }
probe begin { println(half("x")) }'
mistake 'type conflict through an array' 'global seen
probe begin { seen[1] = 1 }
probe end { seen[2] = "two" }'
mistake 'nothing says of which type' 'global values[10], z
function f(a) { a = a }
probe begin {
  delete values
  if (3 in values) z = z
  x = x
  f(z) }'
mistake 'a mistake in the text of a macro' '@define twice(x) %( nosuch(@x) + strlen(2) %)
@define more %(
  1 + @twice(3) %)
probe begin { println(@twice(3))
  println(@more, @twice("a" + 1)) }'
mistake 'wrong arity' 'function area(w, h) { return w * h }
probe begin { println(area(3), strlen("a", "b")) }'
mistake "assignment to a function's result" 'function f() { return 1 }
probe begin { f() = 3; f()++ }'
mistake 'break outside of a loop' 'probe begin { if (1) break }'
mistake 'a statistic as a number' 'global s
probe begin { s <<< 1; println(s + 1) }'
mistake 'other key types' 'global a
probe begin { a["x"] = 1; a[2] = 1 }'
mistake 'another number of keys' 'global a
probe begin { a["x", 1] = 1; println(a["x"]) }'
mistake 'histograms without buckets' 'global s
probe begin { s <<< 1
  print(@hist_linear(s, 0, 10, 0))
  print(@hist_linear(s, 10, 0, 1)) }'
mistake 'a target variable in begin' 'probe begin { println($x) }'
mistake 'regular expressions' 'probe begin { s = "x"
  if (s =~ "a(b") exit()
  if (s =~ "a)b") exit()
  if (s =~ "[z-a]") exit()
  if (s =~ "*") exit()
  if (s =~ "a{2,1}") exit() }'
mistake 'format and arguments' 'probe begin {
  printf("%d %s\\n", 1)
  printf("%d\\n", 1, 2)
  printf("%s %d\\n", 1, "x")
  printf("%q\\n", 1) }'
mistake 'a variable declared twice' 'global a = 1
global a
probe begin { println(a) }'
mistake 'parameters and loop variables of one name' 'function f(x, x) { return x }
global a
probe begin { foreach ([k, k] in a) println(f(1, 2)) }'
mistake 'a macro defined twice' '@define k %( 1 %)\n@define k %( 2 %)\nprobe begin { println(@k) }'
mistake 'a builtin is hidden' 'function strlen(s) { return 9 }
probe begin { println(strlen("a")) }'
mistake 'a macro that calls itself' '@define m(x) %( @m(@x) %)
probe begin { println(@m(1)) }'
mistake 'a conditional that is not closed' '%( 1 == 1 %? probe begin { exit() }'
mistake 'a mark without a conditional' 'probe begin { exit() } %)'
mistake 'literals out of range' 'probe begin { println(18446744073709551615, 18446744073709551616, 0x10000000000000000, 08) }'
mistake 'a size out of range' 'global a[4294967296]
probe begin { a[1] = 1; println(a[1]) }'
mistake 'escapes' 'probe begin { println("\\q \\xzz a\\0b \\400") }'
mistake 'a NUL byte' 'probe begin { println("a\000b") }'
mistake 'bytes that are not UTF-8' 'probe begin { println("\0377 in a string") } // \0377
probe end { \0377\0376 }'
mistake 'quotes from copied text' 'probe begin { println(\0342\0200\0234x\0342\0200\0235) }'
mistake 'what is not closed' 'probe begin { println((1 + 2) }\nprobe end { println("text) }\n/* remark'

# Unbounded recursion can be seen only where it happens.
printf 'function f(n) { return f(n + 1) + 1 }\nprobe begin { println(f(1)) }\n' >script.stp
printf '\n==== unbounded recursion\n'
"$SPILE" script.stp 2>&1
echo "status $?"
