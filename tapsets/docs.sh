#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   docs.sh SOURCE MADE OUT
#
# Makes the library's reference in the folder OUT: spile-PAGE.7 for each page of docs.tbl, and library.html. SOURCE is the top
# of the source, MADE the folder of the tapsets that the build has made.
set -eu
export LC_ALL=C
source=$1 made=$2 out=$3
tapsets=$source/tapsets
date=$(sed -n 's/^\.Dd //p' "$source/compiler/cli/spile.1")

mkdir -p "$out"
rm -f "$out"/spile-*.7 "$out/library.html"

# pages: one line a page: its name, title and files.
pages()
{
	grep -v '^#' "$tapsets/docs.tbl" | while IFS='|' read -r page title files; do
		paths=
		for file in $files; do
			case $file in
			made:*) paths="$paths $(echo "$made/${file#made:}"*.stp)" ;;
			*.stpm) paths="$paths $tapsets/$file" ;;
			*) paths="$paths $tapsets/$file.stp" ;;
			esac
		done
		[ "$page" != builtins ] || paths=$source/compiler/model/builtin.def
		echo "$page|$title|$paths"
	done
}

# each FORM NAMES: what docs.awk makes of each page, one behind the other; man pages into their files.
each()
{
	pages | while IFS='|' read -r page title paths; do
		[ "$1" != man ] || exec >"$out/spile-$page.7"
		${AWK:-awk} -v form="$1" -v page="$page" -v title="$title" -v date="$date" -v names="$2" -f "$tapsets/docs.awk" $paths
	done
}

each names "" | sort -u >"$out/names"
each man "$out/names"
{
	cat "$tapsets/docs.head.html"
	echo '<nav><input id="find" type="search" placeholder="Find a probe, a function, a macro" autofocus><ul>'
	pages | while IFS='|' read -r page title paths; do
		echo "<li data-page=\"$page\"><a href=\"#page-$page\">$title</a><ul>"
		sed -n "s/^\([^ ]*\) $page\$/<li><a href=\"#\1\">\1<\/a><\/li>/p" "$out/names"
		echo '</ul></li>'
	done
	echo '</ul></nav><main>'
	each html "$out/names"
	cat "$tapsets/docs.foot.html"
} >"$out/library.html"
rm "$out/names"
