# SPDX-License-Identifier: GPL-2.0-or-later
# A manual page in mdoc, as text that `spile --doc` prints, as HTML of the book, or as rows of its index.
#
#   awk -v form=reference|html|index -v page=NAME -v section=N [-v pages="NAME NAME..."] -f mdoc.awk PAGE
#
# An entry is an .It of a list with tags, or a section. Its names are those of its head: options behind .Fl, limits in capitals, and
# probe points without their arguments. A comment `.\" doc: NAME NAME` before an .It or behind an .Sh names others, or adds the
# section. reference: entries as docs/reference.sh describes them. index: "NAME<tab>ANCHOR<tab>TEXT" a line. `pages` are those
# which .Xr becomes a link to.

BEGIN {
	split("Li Fl Ar Fn Pa Ev Cm Em Sx Dv No Nm Xr Ql Pq Op Dq Ns Pf", list, " ")
	for (i in list)
		callable[list[i]] = 1
	n = split(pages, list, " ")
	for (i = 1; i <= n; i++)
		is_page[list[i]] = 1
	is_html = form == "html"
	width = 78
}

# ---- a line ----

function plain(text)
{
	gsub(/\\\(dq/, "\"", text)
	gsub(/\\\*\(Gt/, ">", text)
	gsub(/\\\*\(Lt/, "<", text)
	gsub(/\\&/, "", text)
	gsub(/\\-/, "-", text)
	gsub(/\\e/, "\\", text)
	return text
}

# The words of a line into word[1..n_words]; quotes keep blanks.
function split_words(line,    at)
{
	n_words = 0
	while (line != "") {
		sub(/^ +/, "", line)
		if (line == "")
			break
		n_words++
		is_quoted[n_words] = 0
		if (line ~ /^"/) {
			at = index(substr(line, 2), "\"")
			word[n_words] = substr(line, 2, at - 1)
			line = substr(line, at + 2)
			is_quoted[n_words] = 1
		} else {
			at = index(line, " ")
			word[n_words] = at ? substr(line, 1, at - 1) : line
			line = at ? substr(line, at + 1) : ""
		}
	}
}

function styled(style, text)
{
	if (style == "Fl")
		text = "-" text
	text = plain(text)
	if (style == "Fn")
		text = text "()"
	if (!is_html)
		return style == "Ql" && text !~ /'/ ? "'" text "'" : text
	text = html(text)
	if (style == "Ar")
		return "<var>" text "</var>"
	if (style == "Em")
		return "<em>" text "</em>"
	return style ~ /^(Li|Fl|Fn|Pa|Ev|Cm|Nm|Dv|Ql)$/ ? "<code>" text "</code>" : text
}

# Adds a piece to the line that is made; blanks stand between pieces, but for `glued` ones.
function put(text, glued)
{
	made = made (made == "" || glued || no_space ? "" : " ") text
	no_space = 0
}

function flush_run()
{
	if (run != "" || run_style == "Fl" && run_is_alone)
		put(styled(run_style, run), run_glued)
	run = ""
	run_is_alone = run_glued = 0
}

# A line of macros as text. Words of one style stand together.
function render(line,    i, style, closing, w, target)
{
	made = ""
	no_space = 0
	closing = ""
	style = ""
	run = ""
	split_words(line)
	for (i = 1; i <= n_words; i++) {
		w = word[i]
		if (!is_quoted[i] && w in callable) {
			flush_run()
			if (w == "Ns") {
				no_space = 1
				style = run_style = ""
			} else if (w == "Pq" || w == "Op" || w == "Dq") {
				put(w == "Pq" ? "(" : w == "Op" ? "[" : "\"", 0)
				no_space = 1
				closing = (w == "Pq" ? ")" : w == "Op" ? "]" : "\"") closing
				style = ""
			} else if (w == "Xr") {
				target = word[i + 1]
				put(is_html && target in is_page ? "<a href=\"" target ".html\">" target "(" word[i + 2] ")</a>" : \
				    target "(" word[i + 2] ")", 0)
				i += 2
				style = ""
			} else if (w == "Pf") {
				put(plain(word[++i]), 0)
				no_space = 1
				style = ""
			} else if (w == "Nm" && (i == n_words || word[i + 1] ~ /^[.,;:)]$/ || word[i + 1] in callable)) {
				put(styled("Nm", page_name), 0)
			} else {
				style = run_style = w
				run_is_alone = w == "Fl" && (i == n_words || word[i + 1] == "|" || word[i + 1] in callable)
			}
		} else if (w ~ /^[.,;:)?!]$/ && !is_quoted[i]) {
			flush_run()
			if (closing != "" && i == n_words) {
				put(closing, 1)
				closing = ""
			}
			put(w, 1)
			run_style = style
		} else if (w == "(" || w == "[") {
			flush_run()
			put(w, 0)
			no_space = 1
			run_style = style
		} else if (w == "|" && style ~ /^(Ar|Fl|Cm)$/) {
			flush_run()
			put("|", 0)
			run_style = style
		} else if (style == "Fl" || style == "Fn") { # each word for itself
			flush_run()
			run_style = style
			put(styled(style, w), 0)
		} else {
			run_style = style
			run = run == "" ? w : run " " w
		}
	}
	flush_run()
	if (closing != "")
		put(closing, 1)
	return made
}

function text_of(line)
{
	if (line !~ /^\./)
		return is_html ? html(plain(line)) : plain(line)
	return render(substr(line, 2))
}

# ---- paragraphs ----

# Prints the words that wait, as lines of `width` behind the indentation.
function end_paragraph(    list, k, i, line)
{
	if (paragraph == "")
		return
	if (is_html) {
		print (in_item ? "" : "<p>") paragraph (in_item ? "" : "</p>")
	} else {
		k = split(paragraph, list, " ")
		line = ""
		for (i = 1; i <= k; i++) {
			if (line != "" && length(line) + 1 + length(list[i]) > width - length(indent)) {
				emit(indent bullet line)
				bullet = bullet == "" ? "" : "  "
				line = ""
			}
			line = line == "" ? list[i] : line " " list[i]
		}
		emit(indent bullet line)
		bullet = ""
	}
	paragraph = ""
}

function add_text(text)
{
	if (text != "")
		paragraph = paragraph (paragraph == "" || glue_next ? "" : " ") text
	glue_next = 0
}

# ---- entries of the reference ----

function emit(line)
{
	if (form == "reference" && in_entry)
		print line
	if (form == "reference" && in_topic)
		topic = topic "    " line "\n"
}

function begin_entry(names, head)
{
	end_entry()
	in_entry = 1
	print "= " kind_of_entry() "\t" names "\t" head
}

function end_entry()
{
	end_paragraph()
	in_entry = 0
}

function kind_of_entry()
{
	return page "(" section ")"
}

function end_topic()
{
	if (in_topic && form == "reference")
		printf "= %s\t%s\t%s\n%s", kind_of_entry(), topic_names, topic_title, topic
	in_topic = 0
	topic = ""
}

# The names of an entry: `--json` of "Fl -json", `kernel.function.return` of a point, MAXACTION.
function names_of(line,    k, list, i, out, name, base)
{
	if (line ~ /^Fl /) {
		out = ""
		split_words(line)
		for (i = 1; i < n_words; i++) {
			if (word[i] == "Fl" || word[i] == ",")
				if (word[i + 1] ~ /^-?[A-Za-z]/ && word[i + 1] != "Fl" && word[i + 1] != "Ar")
					out = out " -" word[i + 1]
		}
		return substr(out, 2)
	}
	if (line ~ /^(Ev )?[A-Z_, ]+$/) {
		sub(/^Ev /, "", line)
		gsub(/,/, " ", line)
		gsub(/  +/, " ", line)
		return line
	}
	if (page != "spile-probes")
		return ""
	k = split(plain(line), list, / , /)
	out = base = ""
	for (i = 1; i <= k; i++) {
		name = list[i]
		sub(/^(Li|No) /, "", name)
		gsub(/\([^)]*\)/, "", name)
		sub(/\.\.\.$/, "", name)
		if (name !~ /^[a-z.][A-Za-z_.]*$/)
			continue
		if (name ~ /^\./)
			name = base name
		else
			base = name
		if (index(out " ", " " name " ") == 0)
			out = out " " name
	}
	return substr(out, 2)
}

# An operator has its bytes in hexadecimal: `+` and `*` are two anchors.
function anchor_of(name,    out, i, c)
{
	for (i = 1; i <= length(name); i++) {
		c = substr(name, i, 1)
		out = out (c ~ /[A-Za-z0-9_.@$-]/ ? c : c == " " ? "_" : sprintf("x%d", index("!#%&()*+,/:;<=>?[]^{|}~", c)))
	}
	return out
}

# The anchor of an entry; an option that is explained twice has two.
function new_anchor(name)
{
	name = anchor_of(name)
	return name (times[name]++ ? "-" times[name] : "")
}

# ---- the page ----

/^\.\\" doc: / { given = substr($0, 10); if (at_section) begin_topic(given); next }
/^\.\\"/ || /^\.(Dd|Dt|Os)/ { next }
/^\.Nm / && !page_name { page_name = plain(substr($0, 5)); next }
/^\.Nd / { page_title = plain(substr($0, 5)); if (is_html) print "<p class=\"lead\">" html(toupper(substr(page_title, 1, 1)) substr(page_title, 2)) ".</p>"; next }
/^\.Sh NAME/ { page_name = ""; next }

function begin_topic(names)
{
	in_topic = 1
	topic = ""
	topic_names = names
	topic_title = section_title
	given = ""
	if (form == "index")
		print_index(names, "s-" anchor_of(section_title), topic_title)
}

function print_index(names, anchor, text,    list, k, i)
{
	k = split(names, list, " ")
	for (i = 1; i <= k; i++)
		print list[i] "\t" anchor "\t" text
}

/^\.S[hs] / {
	end_entry()
	if ($1 == ".Sh")
		end_topic()
	section_title = plain(substr($0, 5))
	gsub(/"/, "", section_title)
	at_section = $1 == ".Sh"
	if (is_html)
		print "<h" ($1 == ".Sh" ? 2 : 3) " id=\"s-" anchor_of(section_title) "\">" html(sentence_case(section_title)) "</h" ($1 == ".Sh" ? 2 : 3) ">"
	else if ($1 == ".Ss" && in_topic)
		emit("\n    " section_title)
	next
}
{ at_section = 0 }

function sentence_case(text)
{
	return text ~ /^[A-Z ]+$/ ? substr(text, 1, 1) tolower(substr(text, 2)) : text
}

/^\.Bl / {
	end_paragraph()
	depth++
	list_kind[depth] = $2
	n_items[depth] = 0
	if (is_html)
		print $2 == "-tag" ? "<dl>" : "<ul>"
	next
}
/^\.El/ {
	end_paragraph()
	if (depth == 1 && list_kind[1] == "-tag")
		end_entry()
	if (is_html)
		print list_kind[depth] == "-tag" ? "</dd></dl>" : "</li></ul>"
	depth--
	indent = substr(indent, 5)
	bullet = ""
	in_item = 0
	next
}
/^\.It/ {
	end_paragraph()
	n_items[depth]++
	indent = sprintf("%" (4 * (depth - 1)) "s", "")
	if (list_kind[depth] == "-tag") {
		head = text_of("." substr($0, 5))
		names = given != "" ? given : names_of(substr($0, 5))
		given = ""
		if (form == "reference") {
			if (depth == 1 && names != "")
				begin_entry(names, head)
			else if (depth == 1)
				end_entry()
			if (depth > 1)
				emit(indent head)
			else if (in_topic)
				topic = topic "    " head "\n"
			indent = indent "    "
		} else if (form == "index") {
			if (names != "")
				print_index(names, new_anchor(first_of(names)), "")
		} else {
			print (n_items[depth] > 1 ? "</dd>" : "") "<dt" (names != "" ? " id=\"" new_anchor(first_of(names)) "\"" : "") ">" head "</dt><dd>"
		}
		in_item = is_html
	} else if (is_html) {
		print (n_items[depth] > 1 ? "</li>" : "") "<li>"
		in_item = 1
	} else {
		bullet = "- "
	}
	next
}

function first_of(names)
{
	sub(/ .*/, "", names)
	return names
}

/^\.Bd / { end_paragraph(); in_code = 1; if (is_html) print "<pre>"; else emit(""); next }
/^\.Ed/ { in_code = 0; if (is_html) print "</pre>"; else emit(""); next }
in_code { if (is_html) print html(plain($0)); else emit(indent "    " plain($0)); next }
/^\.Dl / { end_paragraph(); if (is_html) print "<pre>" html(plain(substr($0, 5))) "</pre>"; else emit(indent "    " plain(substr($0, 5))); next }
/^\.Pp/ { if (is_html && in_item && paragraph != "") paragraph = paragraph "<br>"; else { end_paragraph(); if (!is_html) emit("") } next }
/^\.Nm$/ { add_text(styled("Nm", page_name)); next }
{ add_text(text_of($0)) }
END { end_entry(); end_topic() }
