# SPDX-License-Identifier: GPL-2.0-or-later
# The example scripts, by the comments at their tops.
#
#   awk -v form=reference|man|index|html -v date=DATE -f examples.awk examples/AREA/NAME.stp...
#
# reference: entries as docs/reference.sh has them. man: spile-examples(7). index: "NAME<tab>ANCHOR<tab>TEXT". html: the body of a page,
# with the scripts.

function plain_option(line) # without the name of the global, which is for spile
{
	if (line ~ /^ *-[A-Za-z0-9] .*\]$/)
		sub(/ *\[[^]]*\]$/, "", line)
	return line
}

FNR == 1 {
	n++
	in_head = 1
	k = split(FILENAME, part, "/")
	areas[n] = part[k - 1]
	names[n] = part[k]
	sub(/\.stp$/, "", names[n])
}
in_head && (/^#!/ || /SPDX-License-Identifier/) { next }
in_head && /^\/\// { line = substr($0, 3); sub(/^ /, "", line); heads[n] = heads[n] plain_option(line) "\n"; next }
{ in_head = 0; codes[n] = codes[n] $0 "\n" }

# The first sentence, on one line.
function first_sentence(text)
{
	sub(/\n\n.*/, "", text)
	gsub(/\n/, " ", text)
	if (match(text, /\. [A-Z]/))
		text = substr(text, 1, RSTART)
	sub(/ +$/, "", text)
	return text
}

function roff(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/\n\./, "\n\\\\\\&.", text)
	gsub(/\n'/, "\n\\\\\\&'", text)
	return text
}

# What stands behind the first paragraph: the call, the options, what it prints.
function rest(text,    at)
{
	at = index(text, "\n\n")
	return at ? substr(text, at + 2) : ""
}

function first_paragraph(text)
{
	sub(/\n\n.*/, "", text)
	sub(/\n$/, "", text)
	return text
}

function print_man(    i, area)
{
	print ".\\\" Made of examples/ by docs/examples.awk.\n.Dd " date "\n.Dt SPILE-EXAMPLES 7\n.Os\n.Sh NAME\n.Nm spile-examples"
	print ".Nd scripts that come with spile\n.Sh DESCRIPTION"
	print ".Ql spile NAME\nruns a script,\n.Ql spile NAME -h\nprints how it is called, and\n.Ql spile --examples WORD\nfinds those about something."
	for (i = 1; i <= n; i++) {
		if (areas[i] != area)
			print ".Sh " toupper(areas[i])
		area = areas[i]
		print ".Ss " roff(names[i]) "\n" roff(first_paragraph(heads[i]))
		if (rest(heads[i]) != "")
			printf ".Bd -literal -offset indent -compact\n%s.Ed\n", escaped_lines(rest(heads[i]))
	}
	print ".Sh SEE ALSO\n.Xr spile 1 ,\n.Xr spile-tapsets 7"
}

function escaped_lines(text)
{
	text = roff("\n" text)
	return substr(text, 2)
}

function print_html(    i, area)
{
	print "<p class=\"lead\">Scripts to use as they are, and to begin one's own with.</p>"
	print "<p><code>spile NAME</code> runs one, <code>spile NAME -h</code> prints how it is called, <code>spile --examples WORD</code> finds those about something.</p>"
	for (i = 1; i <= n; i++) {
		if (areas[i] != area)
			print "<h2 id=\"area-" areas[i] "\">" toupper(substr(areas[i], 1, 1)) substr(areas[i], 2) "</h2>"
		area = areas[i]
		print "<article id=\"" names[i] "\"><h3><a href=\"#" names[i] "\">" names[i] "</a></h3><p>" html(first_paragraph(heads[i])) "</p>"
		if (rest(heads[i]) != "")
			print "<pre>" html(rest(heads[i])) "</pre>"
		sub(/^\n+/, "", codes[i])
		print "<details><summary>the script</summary><pre>" html(codes[i]) "</pre></details></article>"
	}
}

END {
	if (form == "man")
		print_man()
	else if (form == "html")
		print_html()
	for (i = 1; i <= n && (form == "reference" || form == "index"); i++) {
		if (form == "index") {
			print names[i] "\t" names[i] "\t" first_sentence(heads[i])
			continue
		}
		print "= example, spile-examples(7)\t" names[i] "\tspile " names[i] " - " first_sentence(heads[i])
		k = split(rest(heads[i]), list, "\n")
		for (j = 1; j < k; j++)
			print (list[j] == "" ? "" : "    ") list[j]
	}
}
