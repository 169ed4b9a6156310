# SPDX-License-Identifier: GPL-2.0-or-later
# What docs/tutorial.md does as root.
. "$SUITE/lib.sh"
. "$SUITE/markdown.sh"
run_markdown "$TOP/docs/tutorial.md" run-root
