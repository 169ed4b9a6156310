// SPDX-License-Identifier: GPL-2.0-or-later
/** A whole program: what sema makes of units, and what ir/lower takes. Owns its arena; the trees in it are clones. */
#ifndef SP_SEMA_PROGRAM_H
#define SP_SEMA_PROGRAM_H

#include "compiler/front/ast.h"
#include "compiler/probe/point.h"

/** Local of a handler or function; parameters come first. */
struct local {
	const char *name;
	enum ast_type type;
	struct span span; // first use, or the parameter
	const struct c_type *c_type; // for autocast
	uint32_t cap; // TYPE_STRING: bytes with NUL, set by size
	unsigned index;
	struct span type_span; // what decided the type
	bool is_written, is_read;
};

#define PROGRAM_MAX_KEYS 31 // as many as SP_VM_SORT_STAT has room for

struct global {
	const char *name;
	enum ast_type type; // of the value
	struct span span;
	bool is_array, wraps, is_private;
	bool forgets; // full, it drops an old element; which one, nobody relies on
	unsigned n_keys;
	enum ast_type *key_types;
	uint32_t *key_caps; // 8 for a long
	const struct c_type *key_c_types[PROGRAM_MAX_KEYS]; // of pointers that are stored; NULL: none, or of several types
	const char *key_names[PROGRAM_MAX_KEYS]; // what the first use that has a name calls each; NULL: none has
	uint32_t cap; // of a string value
	int64_t size; // elements; 0: default
	struct ast_expr *init;
	bool is_read, is_written; // by live code
	bool is_synthetic; // made by the compiler (@entry)
	bool is_given; // the runtime assigns it: $value of files that are written, SP_RUNNING_GLOBAL
	struct span type_span, key_spans[PROGRAM_MAX_KEYS];
	uint32_t stat_reads; // TYPE_STATS: bits 1 << enum ast_stat_op of what live code reads; prune
	bool reads_log, reads_linear; // its histograms; prune
	const struct ast_expr *linear; // the first @hist_linear of it, whose limits all have; check
	const struct c_type *c_type;
	unsigned index;
};

struct function {
	const char *name;
	struct ast_function *decl;
	struct ast_stmt *body;
	SP_VEC(struct local *) locals; // the first n_params are the parameters
	unsigned n_params;
	enum ast_type return_type; // TYPE_VOID when it returns nothing
	uint32_t return_cap;
	struct span type_span;
	bool is_recursive, is_used;
	unsigned found_in; // calls.c: the last walk that has found it
	bool is_library;
	unsigned index;
	const struct c_type *c_type; // of the result
	struct function *next_overload;
	bool has_effect; // effect_mark()
	bool needs_context; // it, or what it calls, uses target variables of the probe
	bool is_copied; // into functions of handlers: this one is left for its declaration
	const struct function *copy_of; // a handler's copy: of this one; else NULL
	const struct handler *handler; // the one that a copy is for; NULL: of any
	struct embed *embed; // written in C; NULL: in the script language
};

/** One body with its sites. bind makes one of each probe statement; context makes of it a handler for each site, or one for
 *  all sites when the body uses nothing of them. */
struct handler {
	struct ast_probe *probe;
	const struct handler *origin; // bind's, of which context has made it: those of one origin may share code
	size_t n_sites; // of the origin: how many the probe statement has
	bool at_entry; // context: keeps values of a function's entry for the other handlers of its origin
	bool is_once; // context: of several at one place one is enough
	struct ast_stmt *body;
	SP_VEC(struct local *) locals;
	SP_VEC(struct site *) sites; // context: all of one prog_kind
	unsigned condition; // of `probe P if (...)`: the number of the handler that tells whether it holds; 0: none
	size_t n_copies; // context: functions that are copied for it, side by side in the program's list
	enum sp_prog_kind prog_kind;
	bool is_return;
	unsigned index;
};

struct embed; // sema/embed.h

/** Numbers of the current task that kernel code finds behind a pointer of its task_struct, or in a structure within it. */
enum task_number {
	TASK_PPID, TASK_EUID, TASK_EGID, TASK_COMPAT, TASK_NUMBER_COUNT,
	// What helpers give as well, but to netfilter handlers in no kernel, or in new ones alone.
	TASK_COMM = TASK_NUMBER_COUNT, TASK_PID, TASK_TID, TASK_UID, TASK_GID, TASK_PATH_COUNT
};
/** TASK_NUMBER_COUNT: the builtin gives none of them. */
enum task_number task_number_of(int builtin);
/** The same for those that helpers give; TASK_PATH_COUNT: none of them. */
enum task_number task_helped_of(int builtin);

/** Where the kernel has what handlers read of the current task; layout.c. */
struct kernel_layout {
	const struct dbg_module *module; // vmlinux with its types; NULL: nobody asked, or it is not at hand
	struct task_path {
		bool is_known;
		const char *pointer; // "cred", of struct task_struct
		const char *type, *member; // "struct cred", "euid"; NULL: `pointer` is no pointer, but the member itself
		bool is_within; // not behind `pointer`, which is itself of that type
		int64_t pointer_offset, offset;
	} numbers[TASK_PATH_COUNT];
	bool has_thread_pointer;
	int64_t thread_pointer; // in task_struct
};

/** perf.type(T).config(C).counter("NAME"): what @perf("NAME") reads. */
struct perf_counter {
	const char *name;
	uint32_t type;
	uint64_t config;
	struct span span;
};

struct program {
	struct sp_arena arena;
	SP_VEC(struct perf_counter) counters;
	SP_VEC(struct global *) globals;
	SP_VEC(const char *) left_out; // names of globals without a use; prune
	SP_VEC(struct function *) functions;
	SP_VEC(struct handler *) handlers;
	unsigned n_walks; // calls.c: along the calls of functions
	unsigned n_conditions;
	struct global *paused; // guard.c: not 0 in a pause; NULL: there are none
	struct global *running, *begun; // guard.c: of process.begin; NULL: there is none
	unsigned n_probes; // resolved sites, for the Pass 2 line
	SP_VEC(struct embed *) embeds;
	struct span start; // of the script
	enum program_stage { PROGRAM_BOUND, PROGRAM_RESOLVED, PROGRAM_TYPED } stage; // what program_verify may expect
	struct kernel_layout kernel;
	uint32_t pp_cap, ppfunc_cap; // size: capacities of pp(), pn() and ppfunc() anywhere
};

void program_destroy(struct program *program);
/** NULL: no probe defines it. */
const struct perf_counter *program_counter(const struct program *program, const char *name);
/** The golden form: globals, functions, handlers with typed bodies and sites. `sites` false leaves the sites' targets out. */
void program_dump(struct sp_buf *out, const struct program *program);
/** What later passes rely on. NULL, or the first break. */
const char *program_verify(const struct program *program);

#endif
