// SPDX-License-Identifier: GPL-2.0-or-later
/** Why the kernel's verifier refused a program, in words and by script line. */
#ifndef SP_RUNTIME_REJECTION_H
#define SP_RUNTIME_REJECTION_H

#include "runtime/load/code_link.h"

/** What to do when it was in_loop, in a program with C of the script. */
#define REJECTION_EMBEDDED_LOOP                                                                                          \
	"a loop of the embedded C that the handler calls has to end after a number of rounds that the verifier can see, " \
	"such as for (i = 0; i < 1000 && i < n; i++); outside of the kernel (begin, timers, --engine=user) any loop will do"

/** And when it was something else. */
#define REJECTION_EMBEDDED "the embedded C that the handler calls does this, or the fault is ours; -vv shows the whole log"

struct rejection {
	bool is_told; // the verifier looked at the program; else the kernel refused it before
	int insn; // the instruction at which it gave up; -1: not told
	const char *reason; // its own last words, within the log; "" when there are none
	size_t reason_len;
	const char *plain; // the same in plain words; NULL when we have none
	bool is_refused; // the program would do, but nobody may do what it does
	bool in_loop; // it goes round and round: it sees no end, or has looked at more than it is allowed to
	bool too_large; // it looked at more instructions than it is allowed to
};

/** Reads a verifier log (level 1). The results point into `log`. */
void rejection_parse(const char *log, struct rejection *ret);

struct rejection_place {
	const char *file; // lives as long as the code
	unsigned line, column;
};

/** Where the instruction comes from, by the program's line information. False: unknown. */
bool rejection_place(const struct code_program *program, const struct rejection *rejection, struct rejection_place *ret);

#endif
