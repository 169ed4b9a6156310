# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of library files, as scripts in the folder -v to=:
#   start.stp   those that are one probe which runs at the start, as one script; what they print and warn: start.out, start.err
#   kernel.stp  those whose probes need the kernel ("Example (kernel):"), as one script; those of them that print also as
#               kernel.N.stp with kernel.N.out
#   N.stp       each other one, with N.name (its entry) and what it has of
#               N.opts (options of spile: "Example (-g):"), N.out (what it prints), N.err (what it warns)
# "Example (alone):" keeps one out of the common scripts. Entries without an example are told on stderr.
function append(suffix, text) { if (text != "") printf "%s", text >>(to "/" suffix) }

function end_example() {
	if (state == "")
		return
	if (is_kernel && options == "" && text !~ /(^|\n)probe oneshot/) {
		append("kernel.stp", text)
		if (prints) {
			append("kernel." ++kernels ".stp", text)
			append("kernel." kernels ".out", part[".out"])
		}
	} else if (prints && options == "" && !is_alone && declarations == 1 && text ~ /(^|\n)probe (oneshot|begin) *\{/) {
		sub(/probe (oneshot|begin) *\{/, "probe begin(" ++starts ") {", text)
		gsub(/[^a-z_]exit\(\)/, "", text)
		append("start.stp", text)
		append("start.out", part[".out"])
		append("start.err", part[".err"])
	} else {
		n++
		append(n ".stp", text)
		append(n ".name", name "\n")
		append(n ".opts", options)
		append(n ".out", part[".out"])
		append(n ".err", part[".err"])
	}
	state = ""
}

function end_file() {
	if (entries > examples)
		print file ": " entries " entries, but " examples + 0 " examples" >"/dev/stderr"
	entries = examples = 0
	split("", macros)
}

FNR == 1 { end_file(); file = FILENAME }
/^\/\*\*/ { in_block = 1; state = name = ""; has_example = 0; next }
in_block && name == "" { name = $0; sub(/^ \* */, "", name); sub(/ -.*/, "", name) }
in_block && /^ \* Example( \([^)]*\))?:$/ {
	end_example()
	examples++
	has_example = 1
	state = ".stp"
	text = part[".out"] = part[".err"] = options = ""
	declarations = prints = 0
	is_kernel = /\(kernel\)/
	is_alone = /\(alone\)/
	if (match($0, /\(-[^)]*\)/))
		options = substr($0, RSTART + 1, RLENGTH - 2)
	next
}
in_block && /^ \* Prints:$/ { state = ".out"; prints = 1; next }
in_block && /^ \* Warns:$/ { state = ".err"; next }
in_block && /^ \*\// {
	end_example()
	if (!has_example)
		print file ": no example: " name >"/dev/stderr"
	in_block = 0
	next
}
in_block && state == ".stp" {
	line = substr($0, 8)
	text = text line "\n"
	declarations += line ~ /^(probe|function|global|@define)/
}
in_block && state != ".stp" && state != "" { part[state] = part[state] substr($0, 8) "\n" }
!in_block && (/^function [^_]/ || /^probe [^_{(][^{(]*=/) { entries++ }
# Macros whose names differ in a number, as for arrays of one to eight keys, are one entry.
!in_block && /^@define [^_]/ && FILENAME ~ /\.stpm$/ {
	name = $2; sub(/\(.*/, "", name); gsub(/[0-9]+/, "*", name)
	entries += !(name in macros)
	macros[name]
}
END { end_file() }
