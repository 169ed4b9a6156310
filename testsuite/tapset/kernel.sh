# SPDX-License-Identifier: GPL-2.0-or-later
# The library's examples that need the kernel compile.
KERNEL_ONLY=yes . "$SUITE/tapset/examples.sh"
