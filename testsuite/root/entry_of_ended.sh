# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes.
ENGINE=kernel . "$SUITE/cli/entry_of_ended.sh"
