# SPDX-License-Identifier: GPL-2.0-or-later
# A text as HTML: for the others here, of which each is run with this one before it.
function html(text)
{
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}
