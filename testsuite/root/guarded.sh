# SPDX-License-Identifier: GPL-2.0-or-later
# cli/guarded with the probes in the kernel.
ENGINE=kernel . "$SUITE/cli/guarded.sh"
