# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes: they see both.
ENGINE=kernel . "$SUITE/cli/mapped_alone.sh"
