#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   book.sh SOURCE MADE OUT
#
# Makes the folder OUT: the manual pages that are made of the library and the examples, and the book, HTML with an index that a browser
# searches without a server. SOURCE is the top of the source, MADE the folder of the tapsets that the build has made.
set -eu
export LC_ALL=C
source=$1 made=$2 out=$3
docs=$source/docs
awk=${AWK:-awk}
date=$(sed -n 's/^\.Dd //p' "$source/compiler/cli/spile.1")
manual="spile.1 spile-language.7 spile-probes.7 spile-bpftrace.7 spile-systemtap.7 spile-run.1 spile-cache.1 spile-pack.1 spile-pack.5"
mkdir -p "$out"
rm -f "$out"/*.7 "$out"/*.html "$out"/*.js "$out"/*.css "$out"/*.svg
work=$out/.work
rm -rf "$work"
mkdir "$work"
"$docs/library.sh" "$source" "$made" >"$work/library"

path_of() # PAGE.N: where the manual page is
{
	case $1 in
	spile-run.1) echo "$source/runtime/$1" ;;
	*) echo "$source/compiler/cli/$1" ;;
	esac
}

file_of() # PAGE.N: its name in the book; both pages of spile-pack have their sections
{
	case $1 in
	spile-pack.5) echo spile-pack-format ;;
	*) echo "${1%.*}" ;;
	esac
}

library_awk() # FORM PAGE TITLE PATH|PATH...
(
	form=$1 page=$2 title=$3 IFS='|'
	set -f
	set -- $4
	unset IFS
	$awk -v form="$form" -v page="$page" -v title="$title" -v date="$date" -v names="$work/names" -f "$docs/html.awk" -f "$docs/library.awk" "$@"
)

examples_awk() { $awk -v form="$1" -v date="$date" -f "$docs/html.awk" -f "$docs/examples.awk" "$source"/examples/*/*.stp; }
mdoc_awk() { $awk -v form="$1" -v page="${2%.*}" -v section="${2##*.}" -v pages="$pages" -f "$docs/html.awk" -f "$docs/mdoc.awk" "$(path_of "$2")"; }

# ---- manual pages ----
: >"$work/names"
while IFS='|' read -r page title paths; do
	library_awk names "$page" "$title" "$paths"
done <"$work/library" | sort -u >"$work/all"
mv "$work/all" "$work/names"
while IFS='|' read -r page title paths; do
	library_awk man "$page" "$title" "$paths" >"$out/spile-$page.7"
done <"$work/library"
examples_awk man >"$out/spile-examples.7"
{
	printf '.\\" Made of docs/library.tbl by docs/book.sh.\n.Dd %s\n.Dt SPILE-TAPSETS 7\n.Os\n.Sh NAME\n.Nm spile-tapsets\n' "$date"
	printf '.Nd the library of spile: probes, functions and macros by name\n.Sh DESCRIPTION\nScripts use these by their names.\n'
	printf '.Ql spile --doc NAME\nexplains one,\n.Ql spile --dump-functions\nand\n.Ql spile --dump-probe-aliases\nlist them.\n.Bl -tag -width Ds -compact\n'
	while IFS='|' read -r page title paths; do
		printf '.It Xr spile-%s 7\n%s\n' "$page" "$title"
	done <"$work/library"
	printf '.El\n.Sh SEE ALSO\n.Xr spile 1 ,\n.Xr spile-language 7 ,\n.Xr spile-probes 7\n'
} >"$out/spile-tapsets.7"

# ---- the book ----
pages="$(for name in $manual; do file_of "$name"; done | tr '\n' ' ')spile-tapsets spile-examples $(sed 's/|.*//; s/^/spile-/' "$work/library" | tr '\n' ' ')"

item() { echo "<li><a href=\"$1.html\">$2</a></li>"; } # PAGE TEXT
{
	echo '<h4>Begin</h4><ul>'
	item index 'What it is'
	item tutorial 'Ten lessons'
	item questions 'Ten questions'
	item spile-examples 'Example scripts'
	echo '</ul><h4>Manual</h4><ul>'
	for name in $manual; do
		item "$(file_of "$name")" "$(sed -n 's/^\.Nd //p' "$(path_of "$name")" | sed 's/:.*//; s/^spile //') <small>${name%.*}(${name##*.})</small>"
	done
	item diagnostics 'what messages mean'
	echo '</ul><h4>Library</h4><ul>'
	item spile-tapsets 'all of it'
	while IFS='|' read -r page title paths; do
		item "spile-$page" "$title"
	done <"$work/library"
	echo '</ul><h4>Inside</h4><ul>'
	item architecture 'How it is built'
	echo '</ul>'
} >"$work/nav"

frame() # PAGE TITLE: standard input as a page
{
	$awk -v here="href=\"$1.html\"" -v title="$2" -v nav="$work/nav" '
		{ gsub(/@TITLE@/, title) }
		/@NAV@/ { while ((getline line < nav) > 0) { at = index(line, here); if (at) line = substr(line, 1, at - 1) here " class=\"here\"" substr(line, at + length(here)); print line } next }
		/@BODY@/ { while ((getline line < "-") > 0) print line; next }
		{ print }' "$docs/book.html"
}

index_rows() # PAGE KIND: "NAME<tab>ANCHOR<tab>TEXT" as rows of the index
{
	$awk -F'\t' -v page="$1" -v kind="$2" '{ gsub(/[\\"]/, "\\\\&"); gsub(/</, "\\x3c")
		printf "[\"%s\",\"%s.html#%s\",\"%s\",\"%s\"],\n", $1, page, $2, $3, kind }'
}

for name in $manual; do
	file=$(file_of "$name")
	mdoc_awk html "$name" | frame "$file" "${name%.*}(${name##*.})" >"$out/$file.html"
	mdoc_awk index "$name" | index_rows "$file" "${name%.*}(${name##*.})" >>"$work/rows"
done
while IFS='|' read -r page title paths; do
	library_awk html "$page" "$title" "$paths" | frame "spile-$page" "spile-$page(7)" >"$out/spile-$page.html"
	library_awk index "$page" "$title" "$paths" | index_rows "spile-$page" "spile-$page(7)" >>"$work/rows"
done <"$work/library"
{
	echo '<p class="lead">Probes, functions and macros that scripts use by their names.</p><dl>'
	while IFS='|' read -r page title paths; do
		echo "<dt><a href=\"spile-$page.html\">spile-$page</a></dt><dd>$title</dd>"
	done <"$work/library"
	echo '</dl>'
} | frame spile-tapsets 'spile-tapsets(7)' >"$out/spile-tapsets.html"
examples_awk html | frame spile-examples 'spile-examples(7)' >"$out/spile-examples.html"
examples_awk index | index_rows spile-examples example >>"$work/rows"
rows_html() { $awk -v form="$1" -f "$docs/html.awk" -f "$docs/rows.awk" "$source/compiler/front/diag.def"; }
rows_html html | frame diagnostics 'What messages mean' >"$out/diagnostics.html"
rows_html index | index_rows diagnostics diagnostic >>"$work/rows"
for name in tutorial questions architecture; do
	title=$(sed -n 's/^# //p' "$docs/$name.md" | head -n 1)
	$awk -v form=html -f "$docs/html.awk" -f "$docs/markdown.awk" "$docs/$name.md" | frame "$name" "$title" >"$out/$name.html"
	$awk -v form=index -f "$docs/html.awk" -f "$docs/markdown.awk" "$docs/$name.md" | index_rows "$name" "$title" >>"$work/rows"
done
# README without the title of the project, which the frame has, and what is for its place in a repository.
sed '/^## Building/,$d' "$source/README.md" | $awk -v form=html -f "$docs/html.awk" -f "$docs/markdown.awk" | frame index spile >"$out/index.html"
{
	echo 'const entries = ['
	cat "$work/rows"
	echo '];'
} >"$out/index.js"
cp "$docs/book.css" "$docs/book.js" "$docs"/*.svg "$out"
rm -rf "$work"
