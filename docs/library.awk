# SPDX-License-Identifier: GPL-2.0-or-later
# The reference of the library, made of the doc blocks.
#
#   awk -v form=names|index|reference|man|html -v page=PAGE -v title=TEXT [-v names=FILE] -f library.awk FILE...
#
# names: prints `NAME PAGE` for each entry. index: "NAME<tab>ANCHOR<tab>TEXT". reference: entries as docs/reference.sh has them.
# man: a manual page in mdoc. html: the body of a page; names that FILE (what `names` printed of all pages) has become links.
# builtin.def is read as well: its rows are entries.
#
# A doc block is a title ("NAME - text"), then paragraphs, lines "VARIABLE - text" and examples:
#
#   /**
#    * probe vm.brk - the end of the data segment is moved
#    *
#    * address - where the new part begins
#    *
#    * Example (kernel):
#    *     probe vm.brk { println(address) }
#    */

BEGIN {
	while (names != "" && (getline line < names) > 0) {
		split(line, word, " ")
		page_of[word[1]] = word[2]
	}
}

# ---- reading ----

FNR == 1 { in_head = 1; in_block = 0; head = "" }
/^BUILTIN\(/ { read_builtin($0); next }
FILENAME ~ /\.def$/ { next }
in_head && /^\/\/ SPDX/ { next }
in_head && /^\/\/ / { head = head (head == "" ? "" : " ") substr($0, 4); next }
in_head { in_head = 0; if (head != "") intros[++n_intros] = head }
/^\/\*\*$/ { in_block = 1; n_lines = 0; next }
in_block && /^ \*\/$/ { in_block = 0; add_entry(); next }
in_block { line = $0; sub(/^ \* ?/, "", line); lines[++n_lines] = line }
END {
	if (form == "names")
		for (i = 1; i <= n; i++)
			print key_of(heads[i]), page
	else if (form == "index")
		for (i = 1; i <= n; i++)
			print key_of(heads[i]) "\t" key_of(heads[i]) "\t" texts[i]
	else if (form == "reference")
		print_reference()
	else if (form == "man")
		print_man()
	else
		print_html()
}

function add_entry(    i, text)
{
	if (lines[1] ~ /^_/) # of the library's own use
		return
	n++
	i = index(lines[1], " - ")
	heads[n] = substr(lines[1], 1, i - 1)
	gsub(/  +/, " ", heads[n])
	texts[n] = substr(lines[1], i + 3)
	bodies[n] = ""
	for (i = 2; i <= n_lines && kind_of(lines[i]) == "text"; i++)
		texts[n] = texts[n] " " lines[i]
	for (; i <= n_lines; i++)
		bodies[n] = bodies[n] lines[i] "\n"
}

# BUILTIN(CPU, "cpu", LONG, "", ..., "the processor that runs the handler")
function read_builtin(row,    part, args, i, list, kind)
{
	split(row, part, /, */)
	gsub(/"/, "", part[2])
	if (part[2] ~ /^[_@$]/ || !match(row, /, "([^"\\]|\\.)*"\)$/))
		return
	n++
	texts[n] = substr(row, RSTART + 3, RLENGTH - 5)
	gsub(/\\"/, "\"", texts[n])
	kind = part[3] == "LONG" ? ":long" : part[3] == "STRING" ? ":string" : ""
	gsub(/"/, "", part[4])
	args = ""
	for (i = 1; i <= length(part[4]); i++) {
		list = substr(part[4], i, 1)
		if (list == "|") {
			args = args (args == "" ? "[" : " [")
			continue
		}
		args = args (args == "" || args ~ /\[$/ ? "" : ", ") (list == "s" ? "string" : "long")
	}
	heads[n] = part[2] kind " (" args (args ~ /\[/ ? "]" : "") ")"
	bodies[n] = ""
}

# "probe vm.brk" -> vm.brk, "strlen:long (s)" -> strlen, "@task(address)" -> @task
function key_of(head)
{
	sub(/^probe /, "", head)
	sub(/[ :(].*/, "", head)
	return head
}

# What a line of a block is: "" blank, "example" the head of one, "prints", "code", "item" VARIABLE - text, "text".
function kind_of(line)
{
	if (line == "")
		return ""
	if (line ~ /^Example( \([^)]*\))?:$/)
		return "example"
	if (line ~ /^(Prints|Warns):$/)
		return "prints"
	if (line ~ /^    /)
		return "code"
	if (line ~ /^[A-Za-z_$][A-Za-z0-9_$, .()*]* - /)
		return "item"
	return "text"
}

function begin(kind) { if (form == "man") begin_man(kind); else begin_html(kind) }
function end(kind) { if (form == "man") end_man(kind); else end_html(kind) }

# Prints a body, neighbours of one kind together. Text behind an item goes on with it. `own` is the entry, no link in itself.
function print_body(body, own,    list, i, k, kind, state)
{
	k = split(body, list, "\n")
	state = ""
	for (i = 1; i <= k; i++) {
		kind = kind_of(list[i])
		if (kind == "")
			continue
		if (kind != state && !(state == "item" && kind == "text")) {
			if (state != "")
				end(state)
			begin(state = kind)
		}
		if (form == "man")
			line_man(kind, list[i])
		else
			line_html(kind, list[i], own)
	}
	if (state != "")
		end(state)
}

# ---- what `spile --doc` prints ----

function print_reference(    i, k, j, list, kind)
{
	for (i = 1; i <= n; i++) {
		kind = heads[i] ~ /^probe / ? "probe" : heads[i] ~ /^@/ ? "macro" : "function"
		print "= " kind ", spile-" page "(7)\t" key_of(heads[i]) "\t" heads[i] " - " texts[i]
		k = split(bodies[i], list, "\n")
		for (j = 1; j < k; j++)
			print (list[j] == "" ? "" : "    ") list[j]
	}
}

# ---- man ----

function roff(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	if (text ~ /^[.']/)
		text = "\\&" text
	return text
}

# .Bd and .Ed take no blanks of the text, so each state ends the one before.
function begin_man(kind)
{
	print kind == "item" ? ".Bl -tag -width Ds -compact" : kind == "code" ? ".Bd -literal -offset indent -compact" : ".Pp"
}

function end_man(kind)
{
	if (kind == "item")
		print ".El"
	else if (kind == "code")
		print ".Ed"
}

function line_man(kind, line,    at)
{
	at = index(line, " - ")
	if (kind == "item")
		print ".It " roff(substr(line, 1, at - 1)) "\n" roff(substr(line, at + 3))
	else
		print kind == "example" ? "Example:" : roff(kind == "code" ? substr(line, 5) : line)
}

function print_man(    i)
{
	print ".\\\" Made of the library's doc blocks by docs/library.awk."
	print ".Dd " date
	print ".Dt SPILE-" toupper(page) " 7"
	print ".Os"
	print ".Sh NAME"
	print ".Nm spile-" page
	print ".Nd " roff(title)
	print ".Sh DESCRIPTION"
	print "Scripts of"
	print ".Xr spile 1"
	print "use what is here by its name."
	for (i = 1; i <= n_intros; i++)
		print ".Pp\n" roff(intros[i])
	for (i = 1; i <= n; i++) {
		print ".Ss " roff(heads[i])
		print roff(toupper(substr(texts[i], 1, 1)) substr(texts[i], 2)) "."
		print_body(bodies[i], "")
	}
	print ".Sh SEE ALSO"
	print ".Xr spile 1"
}

# ---- HTML ----

# Text with links at the names that are entries; in code only what is called, or what follows "probe".
function linked(text, own,    out, word, key)
{
	out = ""
	while (match(text, /[@A-Za-z_][A-Za-z0-9_.]*/)) {
		word = substr(text, RSTART, RLENGTH)
		out = out html(substr(text, 1, RSTART - 1))
		text = substr(text, RSTART + RLENGTH)
		key = word
		sub(/\.+$/, "", key)
		if (key in page_of && key != own && (key ~ /[._@]/ || text ~ /^\(/))
			out = out "<a href=\"" (page_of[key] == page ? "" : "spile-" page_of[key] ".html") "#" key "\">" html(key) "</a>" substr(word, length(key) + 1)
		else
			out = out html(word)
	}
	return out html(text)
}

function begin_html(kind)
{
	print kind == "item" ? "<dl>" : kind == "code" ? "<pre>" : "<p>"
}

function end_html(kind)
{
	print kind == "item" ? "</dl>" : kind == "code" ? "</pre>" : "</p>"
}

function line_html(kind, line, own,    at)
{
	at = index(line, " - ")
	if (kind == "item")
		print "<dt>" html(substr(line, 1, at - 1)) "</dt><dd>" linked(substr(line, at + 3), own) "</dd>"
	else
		print linked(kind == "code" ? substr(line, 5) : line, own)
}

function print_html(    i, key, head, id, times)
{
	print "<p class=\"lead\">" html(toupper(substr(title, 1, 1)) substr(title, 2)) ".</p>"
	for (i = 1; i <= n_intros; i++)
		print "<p>" linked(intros[i], "") "</p>"
	for (i = 1; i <= n; i++) {
		key = key_of(heads[i])
		head = html(heads[i])
		id = key (times[key]++ ? "-" times[key] : "") # a function with other parameters has the same name
		print "<article id=\"" id "\"><h3><a href=\"#" id "\">" head "</a></h3>"
		print "<p>" linked(toupper(substr(texts[i], 1, 1)) substr(texts[i], 2), key) ".</p>"
		print_body(bodies[i], key)
		print "</article>"
	}
}
