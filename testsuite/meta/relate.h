// SPDX-License-Identifier: GPL-2.0-or-later
/** Ways to write and run a script that must all print the same. */
#ifndef META_RELATE_H
#define META_RELATE_H

#include "testsuite/meta/script.h"
#include "testsuite/meta/target.h"
#include "testsuite/meta/trial.h"

enum { MAX_HOOKS = 100 };

struct seed {
	uint64_t number;
	struct lab lab;
	bool kernel; // handlers run in the kernel, too
	unsigned shrink_seconds; // for making scripts that disagree smaller; 0: they are shown as they are
	bool shows; // writes all scripts to standard output
	const char *prog, *ticks; // programs: that of the points, and the one that events come from
	const struct target *target;
	const bool *hooks; // those whose programs can be loaded
	unsigned max_string; // -D MAXSTRINGLEN in all scripts of them; 0: as the seed has it
	bool rich; // a big function, stacks and the library in all scripts of them
	const char *release, *objects; // another kernel, for which scripts are only compiled, and the folder that keeps them; or NULL
	const char *functions; // what the library has, as it is listed; NULL: it has not been asked for yet
	struct sp_arena arena;
	struct sp_buf report; // what disagrees
	unsigned n_comparisons, n_refused;
	unsigned n_loaded[MAX_HOOKS];
};

struct variant {
	const char *label;
	struct script_layout layout;
	enum engine engine;
	const char *command;
	bool no_optimization;
	const char *object; // see struct trial
	unsigned compare; // with the first variant
};

/** Runs all, and compares each with the first. On a difference: false, and a report. `points`: what can be left out when
 *  the scripts are made smaller. */
bool relate(struct seed *seed, struct script *s, const struct variant *variants, unsigned n, struct point *points,
	    unsigned n_points);
/** The same for two texts, of which `a` has been run. */
bool relate_text(struct seed *seed, const struct trial *a, const struct outcome *first, const struct trial *b, unsigned compare);
/** Runs a script that has to compile; false, and a report, if it does not. */
bool relate_compiles(struct seed *seed, const struct trial *t, struct outcome *ret);

/** Of any function of the library. */
struct leaf library_call(struct seed *seed, struct rng *rng);

/** Loads one. */
bool relate_loads(struct seed *seed, struct script *s, const struct variant *v);
/** The hooks whose simplest script can be loaded, or compiled for another kernel. `only`: the one that is asked for, or NULL. */
void usable_hooks(struct lab *lab, const char *release, const char *only, bool usable[MAX_HOOKS]);
/** The hook of a script that --objects has kept. */
unsigned hook_of_object(const char *file);
/** How many scripts of each hook: a line each. */
void print_loaded(const unsigned long *n_loaded);

// The relations. false: there is a report.
bool relate_language(struct seed *seed);
bool relate_points(struct seed *seed);
bool relate_hooks(struct seed *seed);

#endif
