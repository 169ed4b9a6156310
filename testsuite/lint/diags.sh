# SPDX-License-Identifier: GPL-2.0-or-later
# Every diagnostic has a case: err.TAG.*.stp, or a cli/, root/, vm/ or unit/ case that names the tag, or a reason in
# diags.exempt. Tags are unique, and every row is reported somewhere. lower finds no mistakes of the user's: @defined would not know
# of them.
cd "$TOP" || exit 1
rows=$TMP/rows
sed -n 's/^DIAG(\([A-Z0-9_]*\), *"\([EW][0-9]*\)".*/\1 \2/p' compiler/front/diag.def >"$rows"
[ -s "$rows" ] || { echo "no rows in diag.def"; exit 1; }
awk '{ print $2 }' "$rows" | sort | uniq -d | sed 's/$/: two rows have this tag/' >"$TMP/bad"
while read -r id tag; do
	set -- testsuite/*/err."$tag".*
	if [ -e "$1" ] || grep -q "^$tag " testsuite/lint/diags.exempt ||
			grep -qrw "$tag" testsuite/cli testsuite/root testsuite/vm testsuite/unit --include='*.sh' --include='*.c'; then
		:
	else
		echo "$tag $id: no case"
	fi
	grep -qrw "DIAG_$id" compiler --include='*.c' --include='*.def' --include='*.h' || echo "$tag $id: never reported"
done <"$rows" >>"$TMP/bad"
for tag in $(sed -n 's/^\([EW][0-9]*\) .*/\1/p' testsuite/lint/diags.exempt); do
	grep -qw "$tag" "$rows" || echo "$tag: exempt, but not in diag.def"
done >>"$TMP/bad"
grep -rn 'DIAG_' compiler/lower | grep -v DIAG_BUG | sed 's/$/: lower reports a mistake/' >>"$TMP/bad"
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
