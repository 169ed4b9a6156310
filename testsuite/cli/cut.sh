# SPDX-License-Identifier: GPL-2.0-or-later
# Texts of a program that are longer than a string are cut, and counted; those that just fit, or of which the script wants
# no more, are not.
. "$SUITE/lib.sh"
expect 0 "$SPILE" --engine=user -D MAXSTRINGLEN=16 -c "$PROGS/calls 1 123456789abcdef 123456789abcdefg" -e '
probe process(@1).function("main") {
	println(user_string(user_long($argv + 16)))
	println(user_string_n(user_long($argv + 24), 4))
	println(user_string(user_long($argv + 24)))
}' "$PROGS/calls"
is '123456789abcdef
1234
123456789abcdef'
says '^WARNING: 1 string of process\(.*\)\.function\("main@.*"\) was cut \(-D MAXSTRINGLEN=N makes room\)$'
# Also where nothing is left of what is behind the first part.
expect 0 "$SPILE" -D MAXSTRINGLEN=16 -e 'global none probe oneshot { if ("a text of more than 16 bytes" . none =~ "a.t") println("found") }'
says '^WARNING: 1 string of begin was cut '
