# SPDX-License-Identifier: GPL-2.0-or-later
# The lessons of docs/tutorial.md that need no root print what is written there; root/tutorial and vm/tutorial have the others.
. "$SUITE/lib.sh"
. "$SUITE/markdown.sh"
spile_options=--engine=user
export XDG_CACHE_HOME=$PWD/cache
run_markdown "$TOP/docs/tutorial.md" run
[ "$(grep -c '^## [0-9]*\. ' "$TOP/docs/tutorial.md")" = 10 ] || fail "there are not ten lessons"
