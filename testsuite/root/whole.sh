# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes. Where machines are emulated, the kernel takes its time.
ENGINE=kernel SECONDS_AT_MOST=300 . "$SUITE/cli/whole.sh"
