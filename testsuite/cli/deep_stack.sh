# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks that are kept, in a variable, as a key, as a value and as a part of a text, have all their calls, whatever MAXSTRINGLEN is; of those
# with more than 127 it is told that they were cut.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
cp "$PROGS/nested" . || fail "no copy" # another case may trace the file itself
cat >deep.stp <<'S'
global kept, calls, stacks, mixed
%( $# > 1 %? global lines, named %)
probe process(@1).function("down") {
	if ($n != 1)
		next
	kept = ubacktrace()
	calls[ubacktrace(), 1]++
	stacks["deep"] = ubacktrace()
	mixed = "at " . ubacktrace()
	%( $# > 1 %? lines = sprint_ubacktrace() named[sprint_ubacktrace()]++ %)
}
function count(text, part) {
	n = 0
	for (line = tokenize(text, "\n "); line != ""; line = tokenize("\n "))
		n += isinstr(usymname(strtol(line, 16)) . line, part)
	return n
}
function ends(text) { return text =~ "0x[0-9a-f]{12} $" }
probe end {
	println(count(kept, "down"), " ", ends(kept))
	foreach ([stack, i] in calls)
		println(stack == kept, " ", calls[stack, i])
	println(stacks["deep"] == kept, " ", mixed == "at " . kept, " ", sprintf("%s|", kept) == kept . "|")
	%( $# > 1 %?
	foreach (text in named)
		println(@2, text == lines, " ", count(text, "down"), " ", named[text])
	%)
}
S
kept() { expect 0 timeout 60 "$SPILE" --engine=$engine -D MAXSTRINGLEN=64 -c "./nested $1" deep.stp ./nested ${2-}; }
kept 64
quiet
is "64 1
1 1
1 1 1"
kept 120 names
quiet
is "120 1
1 1
1 1 1
names1 120 1"
kept 200
is "127 1
1 1
1 1 1"
grep -v '^ ' err >said
[ "$(sed -E 's/process\(.*nested.c:6"\)/P/' said)" = "WARNING: 4 stacks of P were cut (the innermost 127 functions are kept)" ] || fail "the loss"
