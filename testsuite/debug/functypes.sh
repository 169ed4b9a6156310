# SPDX-License-Identifier: GPL-2.0-or-later
. "$SUITE/debug/lib"
in_both_versions functypes dump ./functypes vars f
