# SPDX-License-Identifier: GPL-2.0-or-later
# The memory of spile-run with a probe in the kernel.
ENGINE=kernel . "$SUITE/cli/small.sh"
