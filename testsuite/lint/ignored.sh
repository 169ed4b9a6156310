# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing generated is committed.
cd "$TOP" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git checkout"; exit 77; }
git ls-files --cached --ignored --exclude-standard >"$TMP/ignored"
cat "$TMP/ignored"
[ ! -s "$TMP/ignored" ]
