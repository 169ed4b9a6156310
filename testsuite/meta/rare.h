// SPDX-License-Identifier: GPL-2.0-or-later
/** What few scripts have, as rows of tables. */
#ifndef META_RARE_H
#define META_RARE_H

#include "testsuite/meta/gen.h"

/** `kids`, a letter each: l and s an expression, p and P one without effects, n a small number, w a width, e an element or a scalar that is changed, t one of a
 *  text, q a statistic, b a block, B the body of a loop, A the name of an array with one key, Q that of one of statistics, C a number near
 *  MAXSTRINGLEN, h nothing: in handlers alone. In statements L and S in front of a point are local variables, N one of its own. */
struct rare {
	const char *kids, *form, *alt;
	bool fails; // can fail: in a try block alone
};

#define FORM(kids, form) { kids, form, NULL, false }
#define ALIKE(kids, form, alt) { kids, form, alt, false }
#define FAILS(kids, form) { kids, form, NULL, true }

struct rares {
	const struct rare *rows;
	unsigned n;
};

extern const struct rares rare_longs, rare_texts, rare_statements;

#endif
