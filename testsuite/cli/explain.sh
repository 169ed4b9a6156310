# SPDX-License-Identifier: GPL-2.0-or-later
# --explain knows every tag.
. "$SUITE/lib.sh"
for tag in $(sed -n 's/^DIAG([A-Z0-9_]*, *"\([EW][0-9]*\)".*/\1/p' "$TOP/compiler/front/diag.def"); do
	expect 0 "$SPILE" --explain "$tag"
	prints "\<$tag\>"
	[ "$(wc -c <out)" -gt 40 ] || fail "$tag: that explains nothing"
done
expect 0 "$SPILE" --explain e401
prints '^E401 '
expect 2 "$SPILE" --explain E000
says "^ERROR: there is no diagnostic 'E000'$"
