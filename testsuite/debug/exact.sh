# SPDX-License-Identifier: GPL-2.0-or-later
# Every function of a C++ program that a wildcard lists is found by the name that is listed, with the same variables: lambdas that are
# inlined, and lambdas in lambdas, pointers in template arguments, destructors that are inlined.
. "$SUITE/lib.sh"
cat >names.cc <<'C'
static volatile int n_calls;
struct Grant { int kind; };
template <typename T, typename F> static inline T *find_if(T *a, int n, F f)
{
	for (int i = 0; i < n; i++)
		if (f(a[i]))
			return &a[i];
	return 0;
}
static inline bool allow_all(const Grant *a, int n)
{
	return find_if(a, n, [](const Grant &g) { n_calls++; return g.kind == 42; }) != 0;
}
static inline int outer(int n)
{
	auto first = [=](int x) { auto second = [=](auto y) { n_calls++; return y + x + n; }; return second(x) + second(2L) + second(&x == 0); };
	return first(n_calls);
}
template <typename T> struct Box { T value; __attribute__((noinline)) int grow(int n) { n_calls++; return n + sizeof(T); } };
struct Guard { int held; ~Guard() { n_calls -= held; } };
int main(int argc, char **argv)
{
	Guard guard = { argc };
	Grant grants[3] = { { argc }, { 41 }, { 42 + argc } };
	Box<int> a = { 1 };
	Box<int *> b = { 0 };
	Box<const char **> c = { 0 };
	return allow_all(grants, 3) + outer(argc) + a.grow(1) + b.grow(2) + c.grow(3);
}
C
clang=$(command -v clang++ || compgen -c clang++- | sort -V | tail -1)
for compiler in "g++ -O2" "g++ -O0" "g++ -O2 -flto" "g++ -O2 -gdwarf-4 -fdebug-types-section" ${clang:+"$clang -O1"}; do
	$compiler -g -o names names.cc 2>log || fail "$compiler: $(cat log)"
	expect 0 "$SPILE" -L 'process("./names").function("*")'
	mv out all
	[ "$(wc -l <all)" -ge 15 ] || fail "$compiler: $(cat all)"
	while read -r line; do
		name=${line#*function(\"} name=${name%%\"*} name=${name%%@*}
		expect 0 "$SPILE" -L "process(\"./names\").function(\"$name\")"
		grep -qxF -- "$line" out || fail "$compiler: $name is not found"
		# Others are so called in another scope.
		while read -r other; do
			other=${other#*function(\"} other=${other%%\"*}
			case ${other%%@*} in "$name" | *"::$name") ;; *) fail "$compiler: $name finds $other" ;; esac
		done <out
	done <all
done
# A star in template arguments that is none of a type is a wildcard.
g++ -g -O2 -o names names.cc || fail "g++"
expect 0 "$SPILE" -l 'process("./names").function("Box<*>::grow")'
[ "$(wc -l <out)" = 3 ] || fail "Box<*>"
expect 0 "$SPILE" -l 'process("./names").function("Box<in*>::g*")'
[ "$(wc -l <out)" = 2 ] || fail "Box<in*>"
expect 0 "$SPILE" -l 'process("./names").function("Box<int*>::g*")'
[ "$(wc -l <out)" = 1 ] || fail "Box<int*>"
