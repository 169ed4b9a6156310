// SPDX-License-Identifier: GPL-2.0-or-later
/** What the files of lowering share: the unit that grows, the body that is being lowered, and small builders. */
#ifndef SP_LOWER_CTX_H
#define SP_LOWER_CTX_H

#include "compiler/lower/lower.h"

struct lower {
	const struct lower_opts *opts;
	const struct program *program;
	struct ir_unit *unit;
	const struct abi *abi; // of the target; NULL: not known
	SP_VEC(const struct dbg_module *) modules; // of unit->objects, by index
	uint32_t *global_index; // by place in program->globals: index into unit->globals or unit->maps
	uint32_t *embed_index; // by place in program->embeds: index into unit->embeds; UINT32_MAX: not used
	uint32_t *func_index; // by place in program->functions; UINT32_MAX: not lowered
	SP_VEC(const void *) copy_of; // by index of unit->funcs: the function that it is a handler's copy of, or NULL

	struct sp_hash places; // what lower_place() was asked -> index + 1

	// The body that is being lowered.
	const struct handler *handler; // NULL: a function that is for any
	const struct function *function; // NULL: the handler's own body
	const struct site *site; // functions: of the handler that they are for, or NULL
	bool has_own_text; // a text of the site itself is in its code: no other site can have it
	bool can_merge; // sites of the probe statement that come out alike will share the program
	bool functions_ask; // a function that is for any handler has pp() or the like
	bool reads_floats;
	bool keeps_text; // at a function's entry, in the kernel: what becomes text there is kept until the return
	unsigned tries; // how many bodies of `try` are around what is being lowered
	unsigned n_bound; // objects that were found to hold for one kernel alone
	uint32_t compat_mask; // local of the handler, see lower_call.h; IR_NO_LOCAL: nobody asks
	uint32_t embed_result; // what the body's embedded code has given
	SP_VEC(struct ir_local) locals;
	SP_VEC(uint32_t) local_index; // by index of the script's local: index into locals
	struct ir_stmt **tail; // where the next statement goes
};

// ---- places and diagnostics ----

/** What run-time errors name: "identifier" and "x" are told as `identifier 'x'`. `what` is "" when there is nothing to name,
 *  and `name` NULL when `what` says all. */
uint32_t lower_place(struct lower *l, struct span span, const char *what, const char *name);
/** Our own mistake, as a diagnostic: what sema had to resolve or refuse. */
void lower_bug(struct lower *l, struct span span, const char *what);

// ---- types ----

enum ir_type lower_type(enum ast_type type);
/** A capacity as the IR wants it: a multiple of 8, at most max_string; 0 means max_string. */
uint32_t lower_cap(const struct lower *l, uint64_t bytes);
/** The same for a variable, whose capacity sema has found: it may be more, where the variable has the text of a stack. */
uint32_t lower_room(const struct lower *l, uint64_t bytes);
/** What a text needs at least that has this part: the script's own texts (LITERAL) may be longer than its strings are, so 0. */
uint32_t lower_part_room(const struct ir_expr *part);

// ---- names ----

uint32_t lower_global(const struct lower *l, const struct global *global);
/** UINT32_MAX when it was not lowered. */
uint32_t lower_func(const struct lower *l, const struct function *function);
uint32_t lower_local(const struct lower *l, const struct local *local);
/** Index of the object of a module; UINT32_MAX for NULL. */
uint32_t lower_object(struct lower *l, const struct dbg_module *module);
struct ir_expr *lower_fixup(struct lower *l, enum sp_fixup_kind kind, uint32_t object);
/** What the kernel was moved by when it was loaded. */
struct ir_expr *lower_kernel_slide(struct lower *l, const struct dbg_module *kernel);
/** Where a section of a kernel module was loaded. */
struct ir_expr *lower_section(struct lower *l, const struct dbg_module *module, const char *section);

// ---- expressions ----

/** `a op b`, where `b` is a number. */
struct ir_expr *lower_with(struct lower *l, enum ir_expr_op op, struct ir_expr *a, int64_t b);
/** `cond ? yes : no`; only the chosen one is evaluated. */
struct ir_expr *lower_choose(struct lower *l, struct ir_expr *cond, struct ir_expr *yes, struct ir_expr *no);

// ---- statements and temporaries ----

/** Appends a statement or a list; NULL is an empty list. */
void lower_emit(struct lower *l, struct ir_stmt *s);

/** Collects what is emitted between begin and end in a list of its own. */
struct lower_list {
	struct ir_stmt *head, **saved;
};

void lower_list_begin(struct lower *l, struct lower_list *list);
struct ir_stmt *lower_list_end(struct lower *l, struct lower_list *list);

/** A new temporary. */
uint32_t lower_temp(struct lower *l, enum ir_type type, uint32_t cap);
struct ir_expr *lower_read(struct lower *l, uint32_t local);
/** Emits `temporary = value` and reads it; what is constant or never changes is given back as it is. */
struct ir_expr *lower_keep(struct lower *l, struct ir_expr *value);
/** The value of a missing result: 0 or "". */
struct ir_expr *lower_zero(struct lower *l, enum ir_type type);

/** May evaluating it change anything? */
bool lower_has_effects(struct ir_expr *e);
/** May it change this LOCAL, GLOBAL or MAP_GET? */
bool lower_changes(struct ir_expr *e, const struct ir_expr *variable);
/** Strings are passed by reference: an operand that is a string variable is copied when a later one may change it. */
void lower_protect(struct lower *l, struct ir_expr **operands, unsigned n);

#endif
