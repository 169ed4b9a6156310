#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   reference.sh SOURCE MADE >FILE
#
# Prints what `spile --doc` reads: all names that users meet, each an entry. SOURCE is the top of the source, MADE the folder of the
# tapsets that the build has made. An entry is a line "= KIND<tab>NAME NAME...<tab>TITLE" and lines of text behind it, which begin with a
# blank or are empty. A name may have a *.
set -eu
export LC_ALL=C
source=$1 made=$2
docs=$(cd "$source/docs" && pwd)
awk=${AWK:-awk}

for page in "$source"/compiler/cli/spile*.[1-9] "$source/runtime/spile-run.1"; do
	name=${page##*/}
	$awk -v form=reference -v page="${name%.*}" -v section="${name##*.}" -f "$docs/html.awk" -f "$docs/mdoc.awk" "$page"
done
"$docs/library.sh" "$source" "$made" | while IFS='|' read -r page title paths; do
	IFS='|'
	set -f
	set -- $paths
	unset IFS
	$awk -v form=reference -v page="$page" -v title="$title" -f "$docs/html.awk" -f "$docs/library.awk" "$@"
done
$awk -v form=reference -f "$docs/html.awk" -f "$docs/examples.awk" "$source"/examples/*/*.stp
cd "$source/compiler"
$awk -f "$docs/html.awk" -f "$docs/rows.awk" front/diag.def front/unported.def sema/gone.def front/habit.def
