# SPDX-License-Identifier: GPL-2.0-or-later
# The book and the manual pages that are made: every file of the library is on one page, every entry of a doc block is there, every
# link and every row of the index leads somewhere, every page is a manual page without a warning.
. "$SUITE/lib.sh"
"$TOP/docs/book.sh" "$TOP" "$BUILD/tapsets-made" "$TMP/book" || fail "no book was made"
cd "$TOP/tapsets" || exit 1
{ ls ./*.stp ./*.stpm; } | sed 's,.*/,,; s/\.stp$//' | sort >"$TMP/files"
grep -v '^#' ../docs/library.tbl | cut -d'|' -f3 | tr ' ' '\n' | grep -v '^made:\|^$' | sort >"$TMP/listed"
diff "$TMP/files" "$TMP/listed" || fail "library.tbl lists other files than there are"

cd "$TMP/book" || exit 1
cat "$TOP"/tapsets/*.stp "$TOP"/tapsets/*.stpm "$BUILD"/tapsets-made/syscall_numbers.stp "$BUILD"/tapsets-made/syscalls_*.stp |
	awk '/^\/\*\*$/ { getline; if ($2 !~ /^_/) n++ } END { print n }' >"$TMP/blocks"
grep -c '^BUILTIN([A-Z0-9_]*, "[a-zA-Z]' "$TOP/compiler/model/builtin.def" >>"$TMP/blocks"
families=$(sed -n 's/^\([a-z][a-z-]*\)|.*/spile-\1.html/p' "$TOP/docs/library.tbl")
[ "$(awk '{ n += $1 } END { print n }' "$TMP/blocks")" = "$(cat $families | grep -c '^<article')" ] || fail "entries are missing"

# file#anchor of all that can be led to, and of all that leads there.
for page in *.html; do
	echo "$page"
	grep -o ' id="[^"]*"' "$page" | sed 's/.*="/'"$page"'#/; s/"$//'
done | sort >"$TMP/ids"
[ -z "$(uniq -d "$TMP/ids")" ] || fail "twice: $(uniq -d "$TMP/ids")"
{
	for page in *.html; do
		grep -o 'href="[^":]*"' "$page" | sed 's/^href="//; s/"$//; s/^#/'"$page"'#/'
	done | grep -v '\.css$'
	sed -nE 's/^\["[^\t]*","([a-z-]+\.html#[^"]*)",.*/\1/p' index.js
} | sort -u | comm -23 - "$TMP/ids" >"$TMP/dead"
[ ! -s "$TMP/dead" ] || fail "links that lead nowhere: $(head -n 20 "$TMP/dead")"
[ "$(grep -c '^\["' index.js)" -gt 2500 ] || fail "rows of the index are missing"
for picture in $(grep -oh 'src="[^"]*"' *.html | sed 's/src="//; s/"$//' | sort -u); do
	[ -s "$picture" ] || fail "there is no $picture"
done

grep -q '^\.It write_access$' spile-vm.7 || fail "vm.pagefault's write_access is not in its page"
grep -q '^\.It Xr spile-vm 7$' spile-tapsets.7 || fail "spile-tapsets(7) does not name the page of vm"
grep -q '^\.Ss opensnoop$' spile-examples.7 || fail "spile-examples(7) does not have opensnoop"
cat spile-*.html | grep -q '<a href="[^"]*#task_execname">task_execname</a>(task)' || fail "a function in an example is no link"
command -v groff >/dev/null || exit 0
groff -mdoc -Tutf8 -ww -z ./*.7 >"$TMP/warnings" 2>&1
[ ! -s "$TMP/warnings" ] || fail "$(cat "$TMP/warnings")"
