# SPDX-License-Identifier: GPL-2.0-or-later
# The lists in Makefile.am hold every source file of the tree, and nothing else.
cd "$TOP" || exit 1
find compiler runtime -name '*.[ch]' -o -name '*.def' | sort >"$TMP/tree"
tr -s ' \t\\' '\n' <Makefile.am | grep -E '^(compiler|runtime)/.*\.([ch]|def)$' | sort -u >"$TMP/lists"
diff --label 'in the tree' --label 'in Makefile.am' -u "$TMP/tree" "$TMP/lists" | grep '^[-+]' && exit 1
exit 0
