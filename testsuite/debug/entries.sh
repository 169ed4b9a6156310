# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined instances begin where DW_AT_entry_pc says, although no instruction of theirs may be left there.
. "$SUITE/debug/lib"

instances()
{
	for name in empty_entry second all_empty nothing inside outside behind; do
		dump ./entries --inlines vars $name
	done
}
in_both_versions entries instances
