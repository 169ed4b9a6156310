# SPDX-License-Identifier: GPL-2.0-or-later
# What a register held at the entry is kept there, unless a loop comes back to the same instruction.
. "$SUITE/debug/lib"
program back back

for place in straight:1002 short:1007 long:100c always:1016; do
	echo "--- ${place%:*}"
	"$SPILE" -p2 -e "probe process(\"./back\").statement(0x${place#*:}).absolute { println(\$p) }" >out 2>err
	sed "s,$PWD/,,g" out
	sed -n 's/^semantic error: //p' err
done
exit 0
