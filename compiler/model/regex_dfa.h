// SPDX-License-Identifier: GPL-2.0-or-later
/** Deterministic automata of regular expressions, as tables. A search for the leftmost match and, among those, for the
 *  longest one; groups are then as the leftmost alternatives and the longest repetitions give them.
 *
 *  Running one, from state 0, over the bytes of a text and its NUL:
 *
 *    step = steps[state + classes[byte]];
 *    for (k = 0; k < list_len; k++)	// all of one length; list 0 changes nothing
 *    	op = lists[step.list * list_len + k], regs[op.dst] = regs[op.src];	// regs[pos]: the byte's offset, regs[unset]: -1
 *    state = step.next;	// REGEX_FAIL or REGEX_MATCH: done
 *
 *  The NUL always ends it. Behind a match, registers 2n and 2n + 1 hold where group n begins and ends, -1: it took no part. */
#ifndef SP_MODEL_REGEX_DFA_H
#define SP_MODEL_REGEX_DFA_H

#include "compiler/model/regex.h"

#define REGEX_FAIL 0xfffe
#define REGEX_MATCH 0xffff
#define REGEX_MAX_CAPTURES 32

struct regex_step {
	uint16_t next; // the state's first step, or REGEX_FAIL, REGEX_MATCH
	uint16_t list;
};

struct regex_assign {
	uint8_t dst, src;
};

struct regex_dfa {
	uint8_t classes[256]; // of a byte; that of NUL is 0
	unsigned n_classes;
	unsigned n_states;
	struct regex_step *steps;
	uint32_t n_steps; // a power of two
	struct regex_assign *lists;
	unsigned n_lists, list_len;
	unsigned n_captures; // groups that are recorded; 0: it only says whether there is a match
	unsigned pos, unset; // registers, which the caller that runs it provides
	unsigned n_regs;
};

/** In the arena. `n_captures` is at most REGEX_MAX_CAPTURES and the number of groups. NULL, or why the tables get too large. */
const char *regex_dfa_make(struct sp_arena *arena, const struct regex *regex, unsigned n_captures,
			   struct regex_dfa *ret);

#endif
