# SPDX-License-Identifier: GPL-2.0-or-later
# The reference of the library: every file is on one page, every entry of a doc block is there, every link leads somewhere, every
# page is a manual page without a warning.
. "$SUITE/lib.sh"
"$TOP/tapsets/docs.sh" "$TOP" "$BUILD/tapsets-made" "$TMP/docs" || fail "no reference was made"
cd "$TOP/tapsets" || exit 1
{ ls ./*.stp ./*.stpm; } | sed 's,.*/,,; s/\.stp$//' | sort >"$TMP/files"
grep -v '^#' docs.tbl | cut -d'|' -f3 | tr ' ' '\n' | grep -v '^made:\|^$' | sort >"$TMP/listed"
diff "$TMP/files" "$TMP/listed" || fail "docs.tbl lists other files than there are"

html=$TMP/docs/library.html
cat ./*.stp ./*.stpm "$BUILD"/tapsets-made/syscalls_*.stp | awk '/^\/\*\*$/ { getline; if ($2 !~ /^_/) n++ } END { print n }' >"$TMP/blocks"
grep -c '^BUILTIN([A-Z0-9_]*, "[a-zA-Z]' "$TOP/compiler/model/builtin.def" >>"$TMP/blocks"
[ "$(awk '{ n += $1 } END { print n }' "$TMP/blocks")" = "$(grep -c '^<article' "$html")" ] || fail "entries are missing"
grep -o ' id="[^"]*"' "$html" | sed 's/.*="//; s/"//' | sort >"$TMP/ids"
[ -z "$(uniq -d "$TMP/ids")" ] || fail "twice: $(uniq -d "$TMP/ids")"
grep -o 'href="#[^"]*"' "$html" | sed 's/.*#//; s/"//' | sort -u | comm -23 - <(sort -u "$TMP/ids") >"$TMP/dead"
[ ! -s "$TMP/dead" ] || fail "links that lead nowhere: $(cat "$TMP/dead")"

grep -q '^\.It write_access$' "$TMP/docs/spile-vm.7" || fail "vm.pagefault's write_access is not in its page"
grep -q '<a href="#task_execname">task_execname</a>(task)' "$html" || fail "a function in an example is no link"
command -v groff >/dev/null || exit 0
groff -mdoc -Tutf8 -ww -z "$TMP"/docs/*.7 >"$TMP/warnings" 2>&1
[ ! -s "$TMP/warnings" ] || fail "$(cat "$TMP/warnings")"
