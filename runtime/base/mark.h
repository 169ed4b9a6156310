// SPDX-License-Identifier: GPL-2.0-or-later
/** Marks of our own, for scripts that probe spile: a note in the file and a nop in the code, as <sys/sdt.h> makes them, which not
 *  every machine has. */
#ifndef SP_BASE_MARK_H
#define SP_BASE_MARK_H

#include <stdint.h>

/** process("spile").mark("NAME") with $arg1, a number, and $arg2, an address. */
#define SP_MARK(name, number, address)                                                                                 \
	__asm__ volatile("990: nop\n"                                                                                  \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"                                                 \
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                                                 \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"                                                   \
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"                                         \
			 ".asciz \"spile\"\n.asciz \"" name "\"\n.asciz \"-8@%0 8@%1\"\n"                               \
			 "994: .balign 4\n.popsection\n"                                                               \
			 ".ifndef _.stapsdt.base\n"                                                                    \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                       \
			 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                                              \
			 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n"                    \
			 ::"nor"((int64_t)(number)), "nor"((uint64_t)(uintptr_t)(address)))

#endif
