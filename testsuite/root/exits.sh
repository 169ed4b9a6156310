# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, in the kernel.
ENGINE=kernel . "$SUITE/cli/exits.sh"
