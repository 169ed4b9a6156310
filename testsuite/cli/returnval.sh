# SPDX-License-Identifier: GPL-2.0-or-later
# returnval() has the sign of the function's type; without debug information, of an int that is an error's number.
. "$SUITE/lib.sh"
command -v strip >/dev/null || skip "no strip"
strip -g -o bare "$PROGS/results"
results() # PROGRAM
{
	local points=
	for name in failed bits narrow wide address; do
		points="$points${points:+, }process(\"$1\").function(\"$name\").return"
	done
	expect 0 "$SPILE" --engine=user -c "$1" -e "probe $points { println(ppfunc(), \" \", returnval()) }"
}
results "$PROGS/results"
sort -o out out
is 'address 140737488355327
bits 4294967280
failed -2
narrow -3
wide -5'
results ./bare
sort -o out out
is 'address 140737488355327
bits -16
failed -2
narrow -3
wide -5'
