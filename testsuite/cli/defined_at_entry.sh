# SPDX-License-Identifier: GPL-2.0-or-later
# @defined of a member of what only the function's entry has: the member counts, not only its variable.
. "$SUITE/lib.sh"

expect 0 "$SPILE" --engine=user -c "$PROGS/calls 1" -e 'probe process(@1).function("look").return {
	println(@defined($o->none), @defined($o->in->none), @defined(@entry($o->none)), @defined($none))
	println(@defined(@entry($return)), @defined($return), @defined(@entry($o)))
	println(@defined($o->ref->small), @defined(@entry($o->mid)), @defined($u))
	println(@defined($o->none) ? $o->none : @entry($u) >= 0, @choose_defined($o->none, 3)) exit() }' "$PROGS/calls"
is '0000
011
111
13'
