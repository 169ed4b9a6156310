# SPDX-License-Identifier: GPL-2.0-or-later
# The mark is below what it marks, on a terminal: behind tabs, characters of two columns and of none, a byte order mark, carriage returns.
# What would steer the terminal is shown as `?`.
. "$SUITE/lib.sh"
shown() # SCRIPT, as printf(1) takes it
{
	printf "$1" >shown.stp
	expect 1 "$SPILE" -p2 shown.stp
	cat err
}
shown 'probe begin {\r\n\tprintln("\303\244"\t+ nosuch(1))\r\n}\r\n'
shown 'probe begin { println("\346\227\245\346\234\254", "\360\237\230\200", nosuch(1)) }\n'
shown 'probe begin { println(1 + "\346\227\245\346\234\254") }\n'
shown 'probe begin { println("e\314\201", nosuch(1)) }\n'
shown '\357\273\277probe begin { println(nosuch(1)) }\n'
shown '\357\273\277probe begin { println(1)\n\tnosuch(1) }\n'
shown '\357\273\277'
shown 'probe begin { println("\033[31m \302\23331m \342\200\256 \377", nosuch(1)) }\n'
shown 'probe begin { println(1)\0 }\n'
