# SPDX-License-Identifier: GPL-2.0-or-later
# A function's name with bytes behind its entry: one instruction of it. One that begins there, or it is told where it does.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the instructions are others here"
p="process(\"$PROGS/refused\")"
expect 0 "$SPILE" -l "$p.function(\"f_locked+7\"), $p.function(\"f_loc*+0x7\").call"
is "$p.function(\"f_locked+0x7\")
$p.function(\"f_locked+0x7\").call"
# Of several functions with the name, those of the file.
expect 0 "$SPILE" -l "$p.function(\"f_locked+7@refused.c\")"
is "$p.function(\"f_locked+0x7\")"
expect 1 "$SPILE" -l "$p.function(\"f_locked+7@other.c\")"
says '^    note: f_locked is defined in .*/refused\.c, line [0-9]+$'
refuses() # POINT MESSAGE REGEX...: what is said
{
	expect 1 "$SPILE" -l "$p.$1"
	shift
	for line in "$@"; do says "$line"; done
}
refuses 'function("f_locked+3")' '^    note: f_locked\+0x3 is in the middle of an instruction$' '^    hint: it begins at f_locked\+0$'
refuses 'function("f_locked+100")' '^    note: f_locked has [0-9]+ bytes$'
refuses 'function("f_locked+7@refused.c:10")' '^semantic error: the place is told by bytes or by lines, not by both '
refuses 'function("nosuch+8")' '^semantic error: nothing matches '
refuses 'function("f_locked+7").return' '^semantic error: f_locked\+0x7 is one instruction, which has no such event '
expect 0 "$SPILE" --engine="${ENGINE:-user}" -c "$PROGS/refused </dev/null" -e "probe $p.function(\"f_locked+7\") { println(@var(\"counter\"), \" \", pp()) }"
prints "^1 process(.*)\\.function\\(\"f_locked\\+0x7\"\\)\$"
