# SPDX-License-Identifier: GPL-2.0-or-later
# Embedded C follows pointers of the current program as it follows the kernel's, in both engines: the address says whose it is.
. "$SUITE/lib.sh"
echo 'long number; int main(int argc, char **argv) { return argc + number + !argv == 0; }' >own.c
gcc -g -O1 -o own own.c || fail "own.c does not compile"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >argv.stp <<'S'
%{
struct words { char *first, *second; };
%}
function deref:long (ptr:long) %{ STAP_RETURN(*(char **)STAP_ARG_ptr); %}
function second:string (argv:long) %{
	struct words *w = (struct words *)STAP_ARG_argv;

	sprintf(STAP_RETVALUE, "%s,%.2s,%c", w->second, w->second, w->second[1]);
%}
function nothing:long () %{ STAP_RETURN(*(long *)8); %}
probe process.function("main") {
	println(user_string(deref($argv)) == user_string(@cast($argv, "long")[0]), " ", second($argv), " ", nothing())
	exit()
}
S
for engine in kernel user; do
	expect 0 timeout 60 "$SPILE" "--engine=$engine" -g -c "./own 345" argv.stp
	is '1 345,34,4 0'
done
