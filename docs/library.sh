#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   library.sh SOURCE MADE
#
# Prints the pages of the library that library.tbl has, one a line: PAGE|TITLE|PATH|PATH... SOURCE is the top of the source, MADE the folder of
# the tapsets that the build has made.
set -eu
source=$1 made=$2
grep -v '^#' "$source/docs/library.tbl" | while IFS='|' read -r page title files; do
	paths=
	for file in $files; do
		case $file in
		made:*) for path in "$made/${file#made:}"*.stp; do paths="$paths|$path"; done ;;
		*.stpm) paths="$paths|$source/tapsets/$file" ;;
		*) paths="$paths|$source/tapsets/$file.stp" ;;
		esac
	done
	[ "$page" != builtins ] || paths="|$source/compiler/model/builtin.def"
	echo "$page|$title$paths"
done
