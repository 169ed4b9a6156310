// SPDX-License-Identifier: GPL-2.0-or-later
/** Random scripts: globals, functions, handlers, as trees. What a handler hangs on, and how the script is written, is chosen
 *  when it is printed. */
#ifndef META_SCRIPT_H
#define META_SCRIPT_H

#include "testsuite/meta/rng.h"
#include "testsuite/meta/tree.h"

enum { MAX_KEYS = 2, MAX_GLOBALS = 16, MAX_FUNCS = 6, MAX_BODIES = 2, MAX_STATEMENTS = 200 };

enum global_kind { GLOBAL_SCALAR, GLOBAL_ARRAY, GLOBAL_STAT };

struct global {
	const char *name;
	enum global_kind kind;
	enum type type; // of values; T_LONG for statistics
	unsigned n_keys; // of arrays, and of statistics that are one
	enum type keys[MAX_KEYS];
	unsigned size; // of arrays; 0: the default
	bool wraps;
	bool is_known; // texts in its key are literals: the kernel has numbers for them
	bool is_unread; // nothing reads it: it is printed at the end
	bool is_own; // has the current thread or process as key, which is never printed
	bool is_of_thread; // is_own, and nothing but handlers use it, by tid(): the kernel keeps its elements with the threads
	const char *init; // scalars; NULL: none
};

/** A value of a probed program, or of a probe's context. */
struct leaf {
	const char *text;
	enum type type;
	unsigned weight;
	bool names_site; // differs at each point, as ppfunc() does
};

struct script {
	struct tree tree;
	struct global globals[MAX_GLOBALS];
	unsigned n_globals;
	struct function *funcs[MAX_FUNCS];
	unsigned n_funcs;
	struct node *setup; // of a probe begin that comes before all
	struct node *bodies[MAX_BODIES];
	unsigned n_bodies;
	struct node *end;
	unsigned max_string; // -D MAXSTRINGLEN; 0: the default
	unsigned max_errors; // -D MAXERRORS; 0: none
	unsigned max_action; // -D MAXACTION; 0: as many rounds as it needs
	bool user_only; // kernel handlers cannot have what is in it
	bool shows_at_error; // the probe of errors prints what that of the end does
};

struct script_wants {
	unsigned n_bodies;
	unsigned n_statements; // of a body, at most
	const struct leaf *leaves;
	unsigned n_leaves;
	bool leaves_in_functions; // those that are no variable of the place
	bool first_has_leaves; // the other bodies have none: they are for points of any kind
	bool has_big_function; // which many places call
	bool may_be_user_only;
};

/** The trees live as long as the arena. */
void script_make(struct script *s, struct sp_arena *arena, struct rng rng, const struct script_wants *wants);

struct point {
	const char *text;
	bool is_off; // left out, to make a script smaller
};

/** One probe statement for a body: `probe POINTS {`, with `first` as its first statement on that line. */
struct head {
	struct point *const *points;
	unsigned n_points;
	const char *alias; // the points are those of an alias of this name, or NULL
	const char *first; // or NULL
	unsigned body;
};

/** Of handlers: one half can be that of an alias, or all statements but one those of aliases of aliases. */
enum halves { HALVES_NONE, HALVES_PROLOGUE, HALVES_EPILOGUE, HALVES_LEVELS };

struct script_layout {
	struct style style;
	uint64_t order; // shuffles globals, functions and probes; 0: as they are
	bool shared; // functions have more callers, none of which is ever reached
	enum halves halves;
	uint64_t level_ends; // of HALVES_LEVELS: chooses the aliases whose statement is behind
	bool conditional; // probes have conditions, which are true, and so have probes that never run
	const char *preamble; // text in front, or NULL
	const struct head *heads;
	unsigned n_heads;
};

/** Only what is used is declared. */
void script_print(struct sp_buf *out, const struct script *s, const struct script_layout *layout);

#endif
