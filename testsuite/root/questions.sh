# SPDX-License-Identifier: GPL-2.0-or-later
# The one-liners of docs/questions.md print what is written there.
. "$SUITE/lib.sh"
. "$SUITE/markdown.sh"
run_markdown "$TOP/docs/questions.md" run-root
[ "$(grep -c '^## ' "$TOP/docs/questions.md")" = 10 ] || fail "there are not ten questions"
