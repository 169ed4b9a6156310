// SPDX-License-Identifier: GPL-2.0-or-later
/** Regular expressions of =~ and !~: POSIX extended ones over bytes, without back references. A backslash makes the next
 *  character an ordinary one, also between brackets. Parsed to a nondeterministic automaton; regex_dfa.h goes on. */
#ifndef SP_MODEL_REGEX_H
#define SP_MODEL_REGEX_H

#include "runtime/base/arena.h"

enum regex_op {
	REGEX_SET, // takes a byte of sets[arg], goes on at out
	REGEX_SPLIT, // goes on at out or at other; the first is preferred
	REGEX_TAG, // the position is that of tag arg; tag 2n is where group n begins, 2n + 1 where it ends
	REGEX_BEGIN, // goes on at the text's first byte only
	REGEX_END, // goes on at the text's end only
	REGEX_ACCEPT,
};

struct regex_node {
	enum regex_op op;
	uint32_t arg;
	uint32_t out, other;
};

struct regex_set {
	uint64_t bits[4];
};

struct regex {
	struct regex_node *nodes;
	uint32_t n_nodes;
	uint32_t start;
	struct regex_set *sets;
	uint32_t n_sets;
	unsigned n_groups; // with group 0, the whole match
};

struct regex_error {
	uint32_t at; // the byte of the pattern
	const char *text; // in the arena
};

/** In the arena; NULL, and the error filled in, when `pattern` is none. */
struct regex *regex_parse(struct sp_arena *arena, const char *pattern, uint32_t len, struct regex_error *err);

static inline bool regex_set_has(const struct regex_set *set, unsigned byte)
{
	return set->bits[byte / 64] >> byte % 64 & 1;
}

#endif
