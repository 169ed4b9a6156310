# SPDX-License-Identifier: GPL-2.0-or-later
# Each member of struct spile_opts is in the key of a result, keeps a result from being kept, or cannot change one.
cd "$TOP" || exit 1
sed -n '/^struct spile_opts {/,/^};/p' compiler/include/spile.h | sed -E 's,/\*.*,,; s,^[[:space:]]*\*.*,,; s/\(\*([a-z_]+)\)\(.*\)/\1/' |
	grep ';' | sed -E 's/;.*//; s/,/ /g' | tr -s ' *\t' '\n' | grep -vE '^(const|char|int|size_t|void|enum|spile_level|struct|\}|)$' |
	sort -u >"$TMP/members"
[ "$(wc -l <"$TMP/members")" -gt 25 ] || { echo "these are not all members"; cat "$TMP/members"; exit 1; }
cat >"$TMP/without" <<'E'
cache
ctx
describe
diag
list_json
log
output
phase
progress
size
E
sed -n '/^bool result_is_possible/,/^struct result_key result_key/p' compiler/cache/result.c | grep -oE '\<(o|opts)->[a-z_]+' | sed 's/.*>//' |
	sort -u - "$TMP/without" | comm -13 - "$TMP/members" |
	sed 's,$, of struct spile_opts is not in the key of a result (compiler/cache/result.c),' >"$TMP/bad"
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
