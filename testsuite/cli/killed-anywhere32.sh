# SPDX-License-Identifier: GPL-2.0-or-later
# The same with a 32-bit program, which never has that handler.
WORD=32
STEP=${STEP:-9}
. "$SUITE/cli/killed-anywhere.sh"
