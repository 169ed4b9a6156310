# SPDX-License-Identifier: GPL-2.0-or-later
# Makes flamegraph.js a string of C on one line, without comments, without blanks that do not part two words, and without the last
# semicolon of a block. What is between quotation marks stays.
BEGIN { FS = "'"; print "const char flamegraph_script[] =" }

function is_word(c) { return c ~ /[A-Za-z0-9_$]/ }

function tight(code,    i, c, out)
{
	gsub(/\t/, " ", code)
	for (i = 1; i <= length(code); i++) {
		c = substr(code, i, 1)
		if (c != " " || (is_word(substr(out, length(out))) && is_word(substr(code, i + 1, 1))))
			out = out c
	}
	gsub(/;}/, "}", out)
	return out
}

/^ *\/\// { next }

{
	line = tight($1)
	for (i = 2; i <= NF; i++)
		line = line "'" (i % 2 ? tight($i) : $i)
	gsub(/[\\"]/, "\\\\&", line)
	if (line ~ /^}/)
		sub(/;$/, "", held)
	if (held != "")
		print "\t\"" held "\""
	held = line
}

END { print "\t\"" held "\\n\";" }
