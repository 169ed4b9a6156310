// SPDX-License-Identifier: GPL-2.0-or-later
/** Compiles and runs a script in this process, keeps what it prints, and says whether two such results agree. */
#ifndef META_TRIAL_H
#define META_TRIAL_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"

enum engine { ENGINE_NONE /* begin and end alone */, ENGINE_PTRACE, ENGINE_KERNEL, ENGINE_LOAD /* loaded into the kernel, and not run */ };

/** What all trials share. */
struct lab {
	const char *modules, *tapsets; // folders of spile-gen.so and of the script library
	char *description; // of this machine
	char *last; // shared with the process that watches: label and script of what runs; may be NULL
	unsigned n_scripts; // run so far
};

enum { LAST_SIZE = 64 << 10 };

struct trial {
	const char *label; // for reports
	const char *script;
	const char *command; // of ENGINE_PTRACE and ENGINE_KERNEL
	enum engine engine;
	bool no_optimization;
	const char *release; // of another kernel, for which it is only compiled; NULL: of this one
	const char *object; // the file that the compiled script is kept in, with `release` or ENGINE_LOAD; NULL: nobody wants it
	unsigned max_string; // -D MAXSTRINGLEN; 0: the default
	unsigned max_errors; // -D MAXERRORS; 0: none
	unsigned max_action; // -D MAXACTION, of handlers of events; 0: more than scripts need, and what needs more is not compared
};

enum outcome_kind {
	OUTCOME_RAN,
	OUTCOME_REFUSED, // by the compiler, with a diagnostic
	OUTCOME_BROKEN, // an internal error, or one of the machine
	OUTCOME_BUDGET // MAXACTION, which does not count alike everywhere, ended it
};

struct outcome {
	enum outcome_kind kind;
	int status;
	bool is_late; // the compiler has warned that a global changes late
	char tag[8]; // OUTCOME_REFUSED: of the first error
	struct sp_buf out, err;
};

void trial_run(struct lab *lab, const struct trial *t, struct outcome *ret);
void outcome_deinit(struct outcome *o);
/** What the library has, as spile --dump-functions prints it. */
const char *trial_functions(struct lab *lab, struct sp_arena *arena);
/** Loads a compiled script into the kernel. */
void trial_load_file(const char *path, struct outcome *ret);

enum compare {
	COMPARE_PLACES = 1, // line and column of run-time errors, and who called whom
	COMPARE_CUTS = 2, // how many strings were too long
	COMPARE_HERE = 4, // addresses are printed: another machine, where they differ, has to run it and no more
	COMPARE_UNCUT = 8 // only where no strings were too long
};

/** Writes beside the object of `t`, which was compiled for another kernel, what it has to print there. */
void trial_keep(const struct trial *t, const struct outcome *expected, unsigned compare);
/** Is that written of an object? */
bool trial_is_kept(const char *object);
/** Runs such an object. On a difference: false, and a report. */
bool trial_run_kept(const char *object, struct sp_buf *report);

bool outcomes_agree(const struct outcome *a, const struct outcome *b, unsigned compare);
/** The first lines that differ, for people. */
void outcomes_differ(struct sp_buf *out, const struct outcome *a, const struct outcome *b, unsigned compare);

#endif
