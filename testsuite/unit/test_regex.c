// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions: what is a pattern, and what its automaton finds. Random patterns must find what regexec(3) finds,
// with groups as a search of the nondeterministic automaton gives them.
#include "compiler/model/regex_dfa.h"
#include "runtime/base/buf.h"

#include "expect.h"

#include <regex.h>
#include <stdlib.h>

#define N_PATTERNS 1000
#define N_TEXTS 30 // of each pattern
#define MAX_TEXT 12
#define MAX_TAGS (2 * REGEX_MAX_CAPTURES)

struct found {
	bool matches;
	int tags[MAX_TAGS];
};

// ---- the automaton, and a slow way to the same ------------------------------------------------------------------------

static struct found run(const struct regex_dfa *dfa, const char *text)
{
	struct found found = { 0 };
	int regs[256];
	uint32_t state = 0;

	memset(regs, 0x55, sizeof(regs));
	for (int i = 0; state < REGEX_FAIL; i++) {
		struct regex_step step = dfa->steps[state + dfa->classes[(unsigned char)text[i]]];

		regs[dfa->pos] = i;
		regs[dfa->unset] = -1;
		for (unsigned k = 0; k < dfa->list_len; k++) {
			struct regex_assign op = dfa->lists[step.list * dfa->list_len + k];

			regs[op.dst] = regs[op.src];
		}
		EXPECT(step.next >= REGEX_FAIL || text[i]);
		state = step.next;
	}
	found.matches = state == REGEX_MATCH;
	for (unsigned t = 0; t < 2 * dfa->n_captures; t++)
		found.tags[t] = found.matches ? regs[t] : -1;
	return found;
}

struct search {
	const struct regex *regex;
	const char *text;
	bool *seen; // by node and position
	struct found best;
	int longest;
};

static void try(struct search *s, uint32_t at, int pos, const int *tags)
{
	const struct regex_node *node = &s->regex->nodes[at];
	int copy[MAX_TAGS];

	if (s->seen[at * (MAX_TEXT + 1) + (unsigned)pos])
		return;
	s->seen[at * (MAX_TEXT + 1) + (unsigned)pos] = true;
	memcpy(copy, tags, sizeof(copy));
	switch (node->op) {
	case REGEX_SET:
		if (s->text[pos] && regex_set_has(&s->regex->sets[node->arg], (unsigned char)s->text[pos]))
			try(s, node->out, pos + 1, tags);
		break;
	case REGEX_SPLIT:
		try(s, node->out, pos, tags);
		try(s, node->other, pos, tags);
		break;
	case REGEX_TAG:
		copy[node->arg] = pos;
		try(s, node->out, pos, copy);
		break;
	case REGEX_BEGIN:
		if (pos == 0)
			try(s, node->out, pos, tags);
		break;
	case REGEX_END:
		if (!s->text[pos])
			try(s, node->out, pos, tags);
		break;
	case REGEX_ACCEPT:
		if (s->best.matches && pos <= s->longest)
			break;
		s->longest = pos;
		s->best.matches = true;
		memcpy(s->best.tags, tags, sizeof(copy));
		s->best.tags[1] = pos;
		break;
	}
}

static struct found search(const struct regex *regex, const char *text)
{
	struct search s = { .regex = regex, .text = text };
	int none[MAX_TAGS];

	memset(none, -1, sizeof(none));
	s.seen = sp_malloc(regex->n_nodes * (MAX_TEXT + 1));
	for (int i = 0; i <= (int)strlen(text) && !s.best.matches; i++) {
		memset(s.seen, 0, regex->n_nodes * (MAX_TEXT + 1));
		try(&s, regex->start, i, none);
	}
	free(s.seen);
	return s.best;
}

// ---- cases ------------------------------------------------------------------------------------------------------------

// "begin,end" of each group; "" when nothing matches.
static void expect_groups(const char *pattern, const char *text, const char *want)
{
	struct sp_arena arena = { 0 };
	struct regex_error err = { 0 };
	struct regex *regex = regex_parse(&arena, pattern, (uint32_t)strlen(pattern), &err);
	struct sp_buf got = { 0 };
	struct regex_dfa dfa;
	struct found found;

	if (!regex || regex_dfa_make(&arena, regex, regex->n_groups, &dfa)) {
		sp_buf_puts(&got, "no pattern");
	} else {
		found = run(&dfa, text);
		for (unsigned g = 0; g < regex->n_groups && found.matches; g++)
			sp_buf_printf(&got, "%s%d,%d", g ? " " : "", found.tags[2 * g], found.tags[2 * g + 1]);
	}
	EXPECT_STR(sp_buf_str(&got), want);
	sp_buf_deinit(&got);
	sp_arena_deinit(&arena);
}

static void test_groups(void)
{
	expect_groups("a|ab|abc(d)?", "xxabcd", "2,6 5,6");
	expect_groups("a|ab|abc(d)?", "ab", "0,2 -1,-1");
	expect_groups("(a|ab)(c|bcd)(d*)", "abcd", "0,4 0,1 1,4 4,4");
	expect_groups("(a*)+", "b", "0,0 0,0");
	expect_groups("(a*)*", "b", "0,0 0,0");
	expect_groups("(a|b)*", "abab", "0,4 3,4");
	expect_groups("((a)|(b))*", "ab", "0,2 1,2 0,1 1,2");
	expect_groups("x*", "aax", "0,0");
	expect_groups("^a", "ba", "");
	expect_groups("a$", "ba", "1,2");
	expect_groups("(^a|b)c", "xac", "");
	expect_groups("(^a|b)c", "xbc", "1,3 1,2");
	expect_groups("a{2,3}", "aaaa", "0,3");
	expect_groups("(a{0})b", "aab", "2,3 2,2");
	expect_groups("(.*)=(.*)", "a=b=c", "0,5 0,3 4,5");
	expect_groups("(a(b)?)+", "aba", "0,3 2,3 1,2");
	expect_groups("(a+|b)(c)?$", "aabc", "2,4 2,3 3,4");
	expect_groups("abcd|c", "xabcd", "1,5");
	expect_groups("abcd|c", "xabce", "3,4");
	expect_groups("", "abc", "0,0");
	expect_groups("[]a]+", "x]a", "1,3");
	expect_groups("[^]a]", "]ab", "2,3");
	expect_groups("[a\\]b]+", "x]ab", "1,4");
	expect_groups("\\d\\.", "d.", "0,2");
	expect_groups("[[:alpha:]_][[:alnum:]_]*", "9a_1 ", "1,4");
	expect_groups(".", "\n", "0,1");
	expect_groups("\xc3\xa9", "caf\xc3\xa9", "3,5");
}

static void expect_error(const char *pattern, unsigned at, const char *want)
{
	struct sp_arena arena = { 0 };
	struct regex_error err = { 0 };

	EXPECT(!regex_parse(&arena, pattern, (uint32_t)strlen(pattern), &err));
	EXPECT_STR(err.text, want);
	EXPECT_NUM(err.at, at);
	sp_arena_deinit(&arena);
}

static void test_errors(void)
{
	char *deep = sp_malloc(300), *wide = sp_malloc(5001);

	expect_error("*a", 0, "nothing is there to be repeated");
	expect_error("a|+", 2, "nothing is there to be repeated");
	expect_error("(?:a)", 1, "nothing is there to be repeated");
	expect_error("a(b", 1, "`(` without `)`");
	expect_error("a)b", 1, "`)` without `(`");
	expect_error("x[abc", 1, "`[` without `]`");
	expect_error("[]", 0, "`[` without `]`");
	expect_error("[a\\", 0, "`[` without `]`");
	expect_error("[[:alpha]", 1, "`[:` without `:]`");
	expect_error("[[:word:]]", 3, "no character class is named `word`");
	expect_error("[xb-a]", 2, "the range ends before it begins");
	expect_error("a\\", 1, "a backslash ends the pattern");
	expect_error("(a)\\1", 3, "back references are no part of the language");
	expect_error("a{x}", 2, "a number of repetitions is missing");
	expect_error("a{,3}", 2, "a number of repetitions is missing");
	expect_error("a{2", 1, "`{` without `}`");
	expect_error("a{3,2}", 1, "the second number of repetitions is the smaller one");
	expect_error("a{1001}", 2, "at most 1000 repetitions can be counted");
	expect_error("^*", 1, "an anchor cannot be repeated");
	expect_error("((a{1000}){1000}){1000}", 0, "the repetitions come to too many states");
	expect_error("a{0}{1000}{1000}{1000}{1000}", 0, "the repetitions come to too many states");
	memset(deep, '(', 299);
	deep[299] = '\0';
	expect_error(deep, 100, "parentheses are nested too deeply");
	memset(wide, 'a', 5000);
	wide[5000] = '\0';
	expect_error(wide, 4096, "the pattern is too long");
	free(deep);
	free(wide);
}

static void test_sizes(void)
{
	static const char explodes[] = "(a|b)*a(a|b){14}c";
	struct sp_arena arena = { 0 };
	struct regex_error err;
	struct regex_dfa dfa;
	struct regex *regex = regex_parse(&arena, "foo", 3, &err);

	EXPECT(!regex_dfa_make(&arena, regex, 0, &dfa));
	EXPECT_NUM(dfa.n_states, 3);
	EXPECT_NUM(dfa.n_classes, 4); // NUL, f, o, others
	EXPECT_NUM(dfa.n_steps, 16); // of 12
	EXPECT_NUM(dfa.list_len, 0);
	// The same once more, with the prefixes that are alike merged.
	regex = regex_parse(&arena, "(a|b|c|d)*e|(a|b|c|d)*e", 23, &err);
	EXPECT(!regex_dfa_make(&arena, regex, 0, &dfa));
	EXPECT_NUM(dfa.n_states, 1);
	regex = regex_parse(&arena, explodes, (uint32_t)strlen(explodes), &err);
	EXPECT_STR(regex_dfa_make(&arena, regex, 0, &dfa), "too many states");
	sp_arena_deinit(&arena);
}

// ---- random patterns --------------------------------------------------------------------------------------------------

static uint64_t seed = 20240229;

static unsigned draw(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static void random_pattern(struct sp_buf *out, unsigned depth)
{
	static const char *const atoms[] = { "a", "b", "c", "ab", ".", "[ab]", "[^a]", "[b-d]", "[[:alpha:]]" };
	static const char *const repeats[] = { "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}" };
	unsigned n = 1 + draw(2 + (depth > 0));

	for (unsigned i = 0; i < n; i++) {
		if (depth && draw(3) == 0) {
			sp_buf_putc(out, '(');
			random_pattern(out, depth - 1);
			if (draw(2)) {
				sp_buf_putc(out, '|');
				random_pattern(out, depth - 1);
			}
			sp_buf_putc(out, ')');
		} else {
			sp_buf_puts(out, atoms[draw(SP_ARRAY_SIZE(atoms))]);
		}
		if (draw(3) == 0)
			sp_buf_puts(out, repeats[draw(SP_ARRAY_SIZE(repeats))]);
	}
}

struct compiled {
	const struct regex *regex;
	struct regex_dfa plain, tagged;
	regex_t other;
	const char *pattern;
};

static void compare(const struct compiled *c, const char *text)
{
	regmatch_t match[1] = { { 0, 0 } };
	struct found found = run(&c->tagged, text), slow = search(c->regex, text);
	bool matches = regexec(&c->other, text, 1, match, 0) == 0;

	if (run(&c->plain, text).matches == matches && found.matches == matches &&
	    (!matches || (found.tags[0] == match[0].rm_so && found.tags[1] == match[0].rm_eo &&
			  memcmp(found.tags, slow.tags, 2 * c->regex->n_groups * sizeof(int)) == 0)))
		return;
	expect_failures++;
	printf("\"%s\" =~ \"%s\": %d at %d..%d; regexec: %d at %d..%d\n", text, c->pattern, found.matches, found.tags[0],
	       found.tags[1], matches, match[0].rm_so, match[0].rm_eo);
}

// Gives false when the tables get too large.
static bool compare_texts(const char *pattern)
{
	struct compiled c = { .pattern = pattern };
	struct sp_arena arena = { 0 };
	struct regex_error err;
	char text[MAX_TEXT + 1];
	bool ok;

	c.regex = regex_parse(&arena, pattern, (uint32_t)strlen(pattern), &err);
	EXPECT(c.regex);
	ok = c.regex && !regex_dfa_make(&arena, c.regex, 0, &c.plain) &&
	     !regex_dfa_make(&arena, c.regex, c.regex->n_groups, &c.tagged);
	if (ok && regcomp(&c.other, pattern, REG_EXTENDED) == 0) {
		for (unsigned i = 0; i < N_TEXTS; i++) {
			unsigned len = draw(MAX_TEXT);

			for (unsigned k = 0; k < len; k++)
				text[k] = (char)('a' + draw(4));
			text[len] = '\0';
			compare(&c, text);
		}
		regfree(&c.other);
	}
	sp_arena_deinit(&arena);
	return ok;
}

static void test_random(void)
{
	struct sp_buf pattern = { 0 };
	unsigned n_large = 0;

	for (unsigned n = 0; n < N_PATTERNS; n++) {
		sp_buf_clear(&pattern);
		sp_buf_puts(&pattern, draw(5) ? "" : "^");
		random_pattern(&pattern, 2);
		sp_buf_puts(&pattern, draw(5) ? "" : "$");
		n_large += !compare_texts(pattern.data);
	}
	EXPECT(n_large < N_PATTERNS / 50);
	sp_buf_deinit(&pattern);
}

int main(void)
{
	test_groups();
	test_errors();
	test_sizes();
	test_random();
	return expect_status();
}
