# SPDX-License-Identifier: GPL-2.0-or-later
# Entries of the reference, made of rows of diag.def, unported.def, gone.def and habit.def: docs/reference.sh says what they look like.
# Of diag.def also the body of a page of the book, or rows of its index.
#
#   awk [-v form=html|index] -f rows.awk FILE.def...

# A row ends with its parenthesis; its strings stand in s[1..n], those side by side as one.
FNR == 1 { row = "" }
/^\/\// || /^#/ { next }
/^[A-Z]+\(/ { row = "" }
{ row = row " " $0 }
/\)( *\/\/.*)?$/ && row ~ /^ *[A-Z]+\(/ { read_row(); row = "" }

function read_row(    kind, is_joined, text)
{
	kind = row
	sub(/^ */, "", kind)
	sub(/\(.*/, "", kind)
	n = 0
	is_joined = 0
	while (match(row, /"([^"\\]|\\.)*"/)) {
		text = substr(row, RSTART + 1, RLENGTH - 2)
		is_joined = n && substr(row, 1, RSTART - 1) ~ /^ *$/
		row = substr(row, RSTART + RLENGTH)
		if (is_joined)
			s[n] = s[n] text
		else
			s[++n] = text
	}
	if (kind == "DIAG")
		entry((s[1] ~ /^W/ ? "warning" : "error") " of scripts", s[1], s[1] ": " s[2], s[3])
	else if (kind == "GONE")
		entry("a probe point that this Linux has no place for", s[1], s[1] (s[2] == "" ? "" : ", gone since Linux " s[2]), "Instead: " s[3] ".")
	else if (kind == "POINT")
		entry_of_bpftrace("probe " s[2])
	else if (kind == "WORD")
		entry("a word of other languages", s[1], s[1] ", in other languages", s[2] ".")
	else if (FILENAME ~ /habit/)
		entry_of_bpftrace(s[2])
	else if (kind == "FUNCTION" || kind == "MACRO")
		entry("a " tolower(kind) " of SystemTap that is not here", (kind == "MACRO" ? "@" : "") s[1], (kind == "MACRO" ? "@" : "") s[1], "Not here: " s[2] ".")
}

# Where variables and functions are called the same, one entry does.
function entry_of_bpftrace(here)
{
	if (known[s[1] here]++ == 0)
		entry("spile-bpftrace(7)", s[1], s[1] ", in bpftrace", "Here: " here)
}

function entry(kind, name, head, text,    list, k, i)
{
	gsub(/\\"/, "\"", head)
	gsub(/\\n/, "\n", text)
	gsub(/\\"/, "\"", text)
	gsub(/\\\\/, "\\", text)
	if (form == "html") {
		print "<article id=\"" name "\"><h3><a href=\"#" name "\">" html(head) "</a></h3><p>" html(text) "</p></article>"
		return
	}
	if (form == "index") {
		print name "\t" name "\t" substr(head, length(name) + 3)
		return
	}
	print "= " kind "\t" name "\t" head
	k = split(text, list, "\n")
	for (i = 1; i <= k; i++)
		print "    " list[i]
}
