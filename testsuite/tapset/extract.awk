# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of one library file (-v file=), each as OUT.FILE.N.stp with what belongs to it (-v out=):
#   .name  the entry          .opts  options of spile, from "Example (-g):"
#   .out   what it prints     .err   what it warns
#   .alone made by "Example (alone):": it cannot share a script with others
# "Example (kernel):" makes the script's name end in .kernel.stp: its probes need the kernel. Entries without an example are
# told on stderr.
function flush_block() {
	if (base == "")
		print file ": no example: " name >"/dev/stderr"
}
function add(suffix, text) { print text >(base suffix) }
/^\/\*\*/ { block = 1; state = name = base = ""; next }
block && name == "" { name = $0; sub(/^ \* */, "", name); sub(/ -.*/, "", name) }
block && /^ \* Example( \([^)]*\))?:$/ {
	n++
	part = file; gsub("/", "_", part)
	base = out "." part "." n ($0 ~ /\(kernel\)/ ? ".kernel" : "")
	state = ".stp"
	add(".name", name)
	printf "" >(base state)
	if ($0 ~ /\(alone\)/)
		printf "" >(base ".alone")
	if (match($0, /\(-[^)]*\)/))
		add(".opts", substr($0, RSTART + 1, RLENGTH - 2))
	next
}
block && /^ \* Prints:$/ { state = ".out"; printf "" >(base state); next }
block && /^ \* Warns:$/ { state = ".err"; printf "" >(base state); next }
block && /^ \*\// { flush_block(); block = 0; next }
block && state != "" { add(state, substr($0, 8)) }
!block && (/^function [^_]/ || /^probe [^_{(][^{(]*=/) { entries++ }
# Macros whose names differ in a number, as for arrays of one to eight keys, are one entry.
!block && /^@define [^_]/ && file ~ /\.stpm$/ {
	name = $2; sub(/\(.*/, "", name); gsub(/[0-9]+/, "*", name)
	entries += !(name in macros)
	macros[name]
}
END {
	if (entries > n)
		print file ": " entries " entries, but " n + 0 " examples" >"/dev/stderr"
}
