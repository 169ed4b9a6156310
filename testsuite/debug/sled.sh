# SPDX-License-Identifier: GPL-2.0-or-later
# A function of aarch64 begins at its symbol, with instructions for tracers that gcc's debug information leaves out. Where they begin, what
# it was called with is where it is behind them.
. "$SUITE/debug/lib"

functions()
{
	printf '\267\0' | dd of=sled bs=1 seek=18 conv=notrunc status=none # EM_AARCH64
	for name in f g h; do
		dump ./sled vars $name
		dump ./sled --at +4 vars $name
	done
}
in_both_versions sled functions
