# SPDX-License-Identifier: GPL-2.0-or-later
# The same with a 32-bit program, which makes one call.
WORD=32
. "$SUITE/root/frozen.sh"
