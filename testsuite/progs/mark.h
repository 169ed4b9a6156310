// SPDX-License-Identifier: GPL-2.0-or-later
// Marks as sys/sdt.h makes them, which not every machine has. `args` is as in the note: "-4@%0 8@%1".
#if __SIZEOF_POINTER__ == 4
#define MARK_WORD ".4byte "
#define MARK_POINTER "4" // the size of an argument
#else
#define MARK_WORD ".8byte "
#define MARK_POINTER "8"
#endif
#define MARK(provider, name, semaphore, args, ...)                                                                      \
	__asm__ volatile("990: nop\n"                                                                                   \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"                                                 \
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                                                 \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"                                                   \
			 "993: " MARK_WORD "990b\n" MARK_WORD "_.stapsdt.base\n" MARK_WORD semaphore "\n"            \
			 ".asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n"                          \
			 "994: .balign 4\n.popsection\n"                                                               \
			 ".ifndef _.stapsdt.base\n"                                                                    \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                       \
			 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                                              \
			 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n" ::__VA_ARGS__)
