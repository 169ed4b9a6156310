# SPDX-License-Identifier: GPL-2.0-or-later
. "$SUITE/debug/lib"

variables()
{
	dump ./ops vars f
	# Behind the pushes: the CFA comes from .debug_frame, entry values are no registers any more.
	dump ./ops --at +5 vars f
}
in_both_versions ops variables
