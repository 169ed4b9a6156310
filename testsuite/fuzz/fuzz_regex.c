// SPDX-License-Identifier: GPL-2.0-or-later
// A pattern, and behind a line break a text: parsed, made an automaton with and without groups, run. Both automata agree
// on whether there is a match, and what they report lies in the text.
#include "compiler/model/regex_dfa.h"

#include <stdint.h>
#include <stdlib.h>

#define MAX_PATTERN 200

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_tables(const struct regex_dfa *dfa)
{
	check(dfa->n_steps && (dfa->n_steps & (dfa->n_steps - 1)) == 0);
	for (unsigned i = 0; i < 256; i++)
		check(dfa->classes[i] < dfa->n_classes);
	check(dfa->classes[0] == 0);
	for (uint32_t i = 0; i < dfa->n_states * dfa->n_classes; i++) {
		check(dfa->steps[i].list < dfa->n_lists);
		check(dfa->steps[i].next >= REGEX_FAIL ||
		      dfa->steps[i].next + dfa->n_classes <= dfa->n_states * dfa->n_classes);
	}
	for (unsigned i = 0; i < dfa->n_lists * dfa->list_len; i++)
		check(dfa->lists[i].dst < dfa->n_regs && dfa->lists[i].src < dfa->n_regs);
}

// As regex_dfa.h says that it is run.
static bool run(const struct regex_dfa *dfa, const char *text, size_t len)
{
	int64_t regs[256] = { 0 };
	unsigned state = 0;

	if (dfa->n_captures)
		regs[dfa->unset] = -1;
	for (size_t i = 0;; i++) {
		const struct regex_step *step = &dfa->steps[state + dfa->classes[(uint8_t)text[i]]];

		check(i <= len);
		if (dfa->n_captures)
			regs[dfa->pos] = (int64_t)i;
		for (unsigned k = 0; k < dfa->list_len; k++) {
			const struct regex_assign *op = &dfa->lists[step->list * dfa->list_len + k];

			regs[op->dst] = regs[op->src];
		}
		state = step->next;
		if (state == REGEX_FAIL)
			return false;
		if (state == REGEX_MATCH)
			break;
	}
	for (unsigned n = 0; n < dfa->n_captures; n++) {
		int64_t begin = regs[2 * n], end = regs[2 * n + 1];

		check((begin == -1) == (end == -1) && begin <= end && end <= (int64_t)len);
		check(n > 0 || begin >= 0);
		check(begin == -1 || (begin >= regs[0] && end <= regs[1]));
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t len = newline ? (size_t)(newline - data) : size;
	struct sp_arena arena = { 0 };
	struct regex_dfa plain, groups;
	struct regex_error err = { 0 };
	struct regex *regex;

	if (len > MAX_PATTERN)
		return 0;
	regex = regex_parse(&arena, sp_arena_strndup(&arena, (const char *)data, len), (uint32_t)len, &err);
	if (!regex) {
		check(err.text && err.at <= len);
	} else if (!regex_dfa_make(&arena, regex, 0, &plain)) {
		const char *text = newline ? sp_arena_strndup(&arena, (const char *)newline + 1, size - len - 1) : "";
		bool matches;

		check_tables(&plain);
		matches = run(&plain, text, strlen(text));
		if (!regex_dfa_make(&arena, regex, SP_MIN(regex->n_groups, (unsigned)REGEX_MAX_CAPTURES), &groups)) {
			check_tables(&groups);
			check(run(&groups, text, strlen(text)) == matches);
		}
	}
	sp_arena_deinit(&arena);
	return 0;
}
