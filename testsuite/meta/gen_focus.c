// SPDX-License-Identifier: GPL-2.0-or-later
// Statements in which one value of the program stands, in each place that a value can have: handlers of several points that
// differ in nothing else must not be taken for one.
#include "testsuite/meta/gen.h"

#define ARENA (g->tree->arena)

static const struct form {
	const char *text; // \1: the value; A: a name
} text_forms[] = {
	{ "println(\1);" },
	{ "println(\1 =~ \"^[a-m].\");" },
	{ "println(\1 !~ \"^a\");" },
	{ "if (\1 =~ \"(.)$\") { println(matched(1)) }" },
	{ "s = \1; println(strlen(s));" },
	{ "s .= \1; println(s);" },
	{ "println(\1 . \"x\");" },
	{ "println(\1 == \"a\", \1 < \"b\");" },
	{ "println(a ? \1 : s);" },
	{ "s = !a ? \1 : s; log(s);" },
	{ "s = sprintf(\"<%s>\", \1); println(s);" },
	{ "printf(\"%5s|%.2s|%-4s|\\n\", \1, \1, \1);" },
	{ "println(strlen(\1), strtol(\1, 10));" },
	{ "s = substr(\1, 1, 2); println(s);" },
	{ "println(strpos(\1, \"b\"), isinstr(\"ab\", \1));" },
	{ "s = str_replace(s, \"a\", \1); println(s);" },
	{ "s = tokenize(\1, \",\"); println(s);" },
	{ "println(text_strn(\1, 10, 1));" },
	{ "println(__string_byte(\1, 0));" },
	{ "try { println(stringat(\1, 2)) } catch { println(\"short\") }" },
	{ "try { error(\1) } catch (m) { println(m) }" },
	{ "for (i = 0; i < strlen(\1) && i < 3; i++) println(i);" },
	{ "println(fx(\1));" },
	{ "fy(\1, 1);" },
	{ "if (\1 != \"b\") println(\"other\"); else println(\"b\");" },
	{ "w = 2; while (w-- && \1 != \"a\") println(w);" },
	{ "gx = \1; println(gx);" },
	{ "gx .= \1; println(gx);" },
}, long_forms[] = {
	{ "println(\1);" },
	{ "printf(\"%d %x %c\\n\", \1, \1, 64 + (\1 & 31));" },
	{ "a = \1; println(a);" },
	{ "a += \1; println(a);" },
	{ "println(-\1, ~\1, !\1);" },
	{ "println(\1 + 1, \1 * 3, \1 >> 1, \1 / 3);" },
	{ "try { println(7 / \1) } catch { println(\"zero\") }" },
	{ "println(\1 < 7 ? \"less\" : \"more\");" },
	{ "if (\1) println(\"yes\"); else println(\"no\");" },
	{ "for (i = \1 & 3; i > 0; i--) println(i);" },
	{ "w = 2; while (w-- && \1 > 3) println(w);" },
	{ "s = sprint(\1); println(s);" },
	{ "println(substr(\"abcdefgh\", \1 & 3, 2));" },
	{ "println(__string_byte(\"abcd\", \1 & 3));" },
	{ "println(fz(\1));" },
	{ "fy(\"n\", \1);" },
	{ "gz += \1; println(gz);" },
	{ "gq <<< \1; println(@sum(gq));" },
	{ "if (\1 == 0) next; println(\"not zero\");" },
}, key_forms[] = { // A: an array; C: one of statistics; D: one of two keys, of which the second is E
	{ "A[\1] = 1; println(A[\1]);" },
	{ "A[\1]++;" },
	{ "println([\1] in A);" },
	{ "A[\1] += 3; delete A[\1];" },
	{ "C[\1] <<< 5;" },
	{ "C[\1] <<< 5; println(@sum(C[\1]));" },
	{ "println(@count(C[\1]));" },
	{ "C[\1] <<< 7; println(@max(C[\1]), @hist_log(C[\1])[66]);" },
	{ "C[\1] <<< 7; print(@hist_linear(C[\1], 0, 10, 5));" },
	{ "D[1, \1] = 2; println(D[1, \1]);" },
	{ "D[1, \1] = 2; foreach ([k, E] in D[*, \1]) n += k; println(n);" },
	{ "println([*, \1] in D);" },
	{ "D[2, \1]++; delete D[*, \1];" },
};

// Names of globals that only these statements have, by the type of the key.
static const char *with_names(struct gen *g, const char *text, enum type type)
{
	struct sp_buf out = { 0 };
	const char *form;

	for (const char *s = text; *s; s++) {
		if (*s >= 'A' && *s <= 'E' && strchr("[]);", s[1]))
			sp_buf_printf(&out, "%s%c", type == T_STR ? "xs" : "xl", *s);
		else
			sp_buf_putc(&out, *s);
	}
	form = sp_arena_strdup(ARENA, sp_buf_str(&out));
	sp_buf_deinit(&out);
	return form;
}

static const struct form *choose(struct gen *g, const struct form *forms, unsigned n)
{
	return &forms[below(g->rng, n)];
}

struct node *gen_focus(struct gen *g)
{
	enum type type = below(g->rng, 2) ? T_STR : T_LONG;
	struct node *value = gen_value(g, type);
	const struct form *f;
	bool is_key = chance(g->rng, 35);

	if (!value) {
		type = type == T_STR ? T_LONG : T_STR;
		value = gen_value(g, type);
	}
	if (!value)
		return NULL;
	if (is_key)
		f = choose(g, key_forms, SP_ARRAY_SIZE(key_forms));
	else if (type == T_STR)
		f = choose(g, text_forms, SP_ARRAY_SIZE(text_forms));
	else
		f = choose(g, long_forms, SP_ARRAY_SIZE(long_forms));
	return node_form(g->tree, T_NONE, is_key ? with_names(g, f->text, type) : f->text, 1, &value);
}
