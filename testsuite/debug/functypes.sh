# SPDX-License-Identifier: GPL-2.0-or-later
. "$SUITE/debug/lib"
program functypes functypes
dump ./functypes vars f
