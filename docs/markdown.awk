# SPDX-License-Identifier: GPL-2.0-or-later
# A page of this folder in Markdown, as HTML of the book or as rows of its index.
#
#   awk -v form=html|index -f markdown.awk PAGE.md
#
# It knows what these pages use: headings, paragraphs, code in fences or indented, lists, tables, pictures, `code`, **strong** and links.
# Comments are left out. index: "NAME<tab>ANCHOR<tab>" of each heading below the title.

function anchor_of(text)
{
	text = tolower(text)
	gsub(/[^a-z0-9 -]/, "", text)
	gsub(/ /, "-", text)
	return text
}

function link(text, to)
{
	if (to !~ /^[a-z]+:/)
		sub(/^.*\//, "", to)
	if (to ~ /^[A-Z]+\.md/) # is no page of the book
		return text
	sub(/\.md/, ".html", to)
	return "<a href=\"" to "\">" text "</a>"
}

# Code first: what is in it is no mark.
function inline(text,    out, at, part, code)
{
	out = ""
	while (match(text, /`[^`]+`/)) {
		at = RSTART # marks() matches, too
		code = substr(text, RSTART, RLENGTH)
		out = out marks(substr(text, 1, at - 1)) "<code>" html(substr(code, 2, length(code) - 2)) "</code>"
		text = substr(text, at + length(code))
	}
	out = out marks(text)
	while (match(out, /\[[^]]*\]\([^)]*\)/)) {
		part = substr(out, RSTART + 1, RLENGTH - 2)
		at = index(part, "](")
		out = substr(out, 1, RSTART - 1) link(substr(part, 1, at - 1), substr(part, at + 2)) substr(out, RSTART + RLENGTH)
	}
	return out
}

function marks(text)
{
	text = html(text)
	while (match(text, /\*\*[^*]+\*\*/))
		text = substr(text, 1, RSTART - 1) "<strong>" substr(text, RSTART + 2, RLENGTH - 4) "</strong>" substr(text, RSTART + RLENGTH)
	return text
}

function show(text)
{
	if (form == "html")
		print text
}

# Ends what is open: a paragraph, a list, a table, indented code.
function end_block()
{
	if (paragraph != "")
		show("<p>" inline(paragraph) "</p>")
	if (item != "")
		show("<li>" inline(item) "</li>")
	if (list != "")
		show("</" list ">")
	if (in_table)
		show("</tbody></table>")
	if (indented != "") {
		show("<pre>" html(substr(indented, 2)) "</pre>")
	}
	paragraph = item = list = indented = ""
	in_table = 0
}

function row(line, tag,    k, cell, i, out)
{
	sub(/^\| */, "", line)
	sub(/ *\| *$/, "", line)
	gsub(/\\\|/, "\001", line)
	k = split(line, cell, / *\| */)
	for (i = 1; i <= k; i++) {
		gsub("\001", "|", cell[i])
		out = out "<" tag ">" inline(cell[i]) "</" tag ">"
	}
	return "<tr>" out "</tr>"
}

/^```/ && in_fence { show("</pre>"); in_fence = 0; next }
in_fence { show(html($0)); next }
/^```/ { end_block(); show("<pre class=\"" substr($0, 4) "\">"); in_fence = 1; next }
/^<!--/ { next }
/^#+ / {
	end_block()
	level = index($0, " ") - 1
	text = substr($0, level + 2)
	if (level == 1)
		next # the frame has the title
	show("<h" level " id=\"" anchor_of(text) "\">" inline(text) "</h" level ">")
	gsub(/[`*]/, "", text)
	if (form == "index")
		print text "\t" anchor_of(text) "\t"
	next
}
/^!\[/ {
	end_block()
	match($0, /\]\([^)]*\)/)
	source = substr($0, RSTART + 2, RLENGTH - 3)
	sub(/^.*\//, "", source)
	show("<figure><img src=\"" source "\" alt=\"" html(substr($0, 3, RSTART - 3)) "\"></figure>")
	next
}
/^\|[- |:]+\|$/ { next }
/^\|/ {
	if (!in_table) {
		end_block()
		show("<table><thead>" row($0, "th") "</thead><tbody>")
		in_table = 1
	} else {
		show(row($0, "td"))
	}
	next
}
/^(- |[0-9]+\. )/ && paragraph == "" {
	if (item != "")
		show("<li>" inline(item) "</li>")
	if (list == "") {
		end_block()
		list = /^-/ ? "ul" : "ol"
		show("<" list ">")
	}
	item = $0
	sub(/^(- |[0-9]+\. )/, "", item)
	next
}
/^  / && item != "" { sub(/^ +/, ""); item = item " " $0; next }
/^    / && paragraph == "" { if (list != "" || in_table) end_block(); indented = indented "\n" substr($0, 5); next }
/^$/ && indented != "" { indented = indented "\n"; next }
/^$/ { end_block(); next }
{ if (indented != "" || in_table || list != "") end_block(); paragraph = paragraph (paragraph == "" ? "" : " ") $0 }
END { end_block() }
