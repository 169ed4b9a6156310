# SPDX-License-Identifier: GPL-2.0-or-later
# cli/hostile with the probes in the kernel.
ENGINE=kernel . "$SUITE/cli/hostile.sh"
