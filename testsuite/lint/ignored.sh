# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing generated is committed, and nothing that was left at the top.
cd "$TOP" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git checkout"; exit 77; }
{
	git ls-files --cached --ignored --exclude-standard
	git ls-files --cached | sed -nE 's,^([^/]*)$,\1,p' | grep -vxE '\.(clang-format|editorconfig|gitignore)|[A-Z]+(\.md)?|Makefile\.am|configure\.ac|quickstart'
} >"$TMP/ignored"
cat "$TMP/ignored"
[ ! -s "$TMP/ignored" ]
