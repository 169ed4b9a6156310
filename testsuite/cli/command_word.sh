# SPDX-License-Identifier: GPL-2.0-or-later
# `process` is the program that the first word of -c names, which is read as the shell reads it: quotes, backslashes, variables, ~.
. "$SUITE/lib.sh"
echo '__attribute__((noipa)) int f(int x) { return x; } int main(int c, char **v) { return f(c) - c; }' >prog.c
mkdir 'a b'
gcc -g -O1 -o 'a b/my $prog' prog.c && gcc -g -O1 -o prog prog.c || fail gcc
export AT="$TMP/a b" NAME='my $prog'
for command in "'a b/my \$prog'" '"a b/my \$prog" x' 'a\ b/my\ \$prog' 'a" b"/my\ '"'\$'prog" '"$AT/my \$prog"' '"${AT}/$NAME"' '"$AT"/"$NAME">none' \
	'~/prog' '$HOME/prog;' './prog|cat'; do
	HOME=$TMP expect 0 "$SPILE" --no-cache --engine=user -c "$command" -e 'probe process.function("f") { println("hit") }'
	is hit
done
# What the variable was is kept with the compiled script.
echo 'int main(void) { return 0; }' | gcc -g -x c -o 'a b/prog' - || fail gcc
for AT in "$TMP" "$TMP/a b"; do
	expect 0 "$SPILE" --engine=user -c '"$AT/prog"' -e 'probe begin { println("on") } probe process.function("f")? { println("hit") }'
	cat out
done >both
[ "$(cat both)" = 'on
hit
on' ] || fail "another program, and the same probes: $(cat both)"
