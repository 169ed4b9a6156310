// SPDX-License-Identifier: GPL-2.0-or-later
/** The intermediate form: what a script does at each of its sites, typed, without syntax and without debug information.
 *
 *  The problem. Handlers become code for two engines and for kernels of all ages, and sites share code where they do the same.
 *  Whether two handlers do the same, what a variable's value costs, where a loop ends: nobody can tell from a syntax tree with
 *  `$vars` in it.
 *
 *  The idea. Control is structured (a loop is a loop), expressions are trees, every load from memory is explicit, and every
 *  name is an index into a table of the unit. lower makes the unit, merges what is equal (ir_equal.h) and numbers the nodes;
 *  from then on it is read only: what is decided about it stands in the plan (plan.h), from which gen makes code.
 *
 *  The rules. Values are longs (64-bit, signed) or strings (NUL-terminated bytes in a buffer of static capacity `cap`, a
 *  multiple of 8, zero behind the NUL where it is a key). An operation that "fails" is a run-time error at its place: it goes to
 *  the enclosing TRY, else it ends the handler with an error record; a function returns to its caller's failure path.
 *
 *  Operands are evaluated in the order args, a, b, c; the parts of a key are put in its buffer one by one. lower has put
 *  copies where a later operand changes a string variable that an earlier one reads, so that other strings may be passed by
 *  reference. Storing into a string variable, a field or a buffer that is smaller than the value cuts it (always
 *  NUL-terminated) and is no error.
 *
 *  The limit. A unit only grows: everything lives in its arena until ir_unit_destroy(). ir_verify() checks what is said here, but
 *  not that a program is accepted by a kernel, which is the plan's concern. */
#ifndef SP_IR_IR_H
#define SP_IR_IR_H

#include "compiler/front/source.h"
#include "compiler/model/builtin.h"
#include "compiler/model/target.h"
#include "runtime/abi/bundle.h"
#include "runtime/abi/uservm.h"
#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

#define IR_NO_PLACE SP_NONE
#define IR_NO_LOCAL SP_NONE

enum ir_type { IR_VOID, IR_LONG, IR_STR };

enum ir_expr_op {
#define IR_EXPR(op, name, types, has) IR_##op,
#include "ir.def"
#undef IR_EXPR
};

enum ir_stmt_op {
#define IR_STMT(op, name, types, has) IR_S_##op,
#include "ir.def"
#undef IR_STMT
};

enum ir_space {
	IR_SPACE_KERNEL, // bpf_probe_read_kernel
	IR_SPACE_USER, // bpf_probe_read_user
	IR_SPACE_TASK, // member at `offset` of the current task_struct, by a direct load (no fault); the user engine has it at
		       // `vm_offset` of its context
	IR_SPACE_RESULT, // of stores: what the program returns to the kernel
	IR_SPACE_REGISTERS, // of stores under the user engine: a register of the stopped thread, in the context
	IR_SPACE_RECORD, // the record that the rest of a handler runs for, which is its context
};

enum ir_want { IR_WANT_NONE, IR_WANT_OLD, IR_WANT_NEW };

/** Which members of the unions in struct ir_expr and struct ir_stmt an operation uses: ir.def has a set of these for each. What an
 *  operation does not use is 0. */
enum ir_has {
	IR_HAS_LOCAL = 1 << 0,
	IR_HAS_GLOBAL = 1 << 1,
	IR_HAS_FIXUP = 1 << 2,
	IR_HAS_FUNC = 1 << 3,
	IR_HAS_MAP = 1 << 4,
	IR_HAS_REGEX = 1 << 5,
	IR_HAS_FORMAT = 1 << 6,
	IR_HAS_EMBED = 1 << 7,
	IR_HAS_BUILTIN = 1 << 8,
	IR_HAS_VM_OFFSET = 1 << 9,
	IR_HAS_INDEX = (1 << 10) - 1, // any of those above, of which an operation has one at most
	IR_HAS_VALUE = 1 << 10,
	IR_HAS_OFFSET = 1 << 11,
	IR_HAS_BITS = 1 << 12,
	IR_HAS_BYTES = 1 << 13,
	IR_HAS_WHAT = 1 << 14,
	IR_HAS_IMM = 31 << 10, // any of the five above, of which an operation has one at most
	IR_HAS_SIZE = 1 << 15,
	IR_HAS_IS_TEXT = 1 << 16,
};

// Behind a member stand, in capitals, the operations or types that have it.
struct ir_expr {
	enum ir_expr_op op;
	uint32_t id; // given by ir_number()
	enum ir_type type;
	uint32_t cap; // IR_STR: bytes of its buffer, with the NUL
	uint32_t place; // places[]; IR_NO_PLACE where nothing can go wrong
	union { // ir.def says which one an operation has; `index` is for code that treats them alike
		uint32_t index;
		uint32_t local, global, fixup, func, map, regex, format, embed; // of the unit's, or the body's, list
		uint32_t builtin; // enum builtin_id
		uint32_t vm_offset; // LOAD of IR_SPACE_TASK
	};
	union { // the same; `imm` is for code that treats them alike
		int64_t imm;
		int64_t value;
		int64_t offset; // LOAD of IR_SPACE_TASK: in the kernel's struct
		int64_t bits;
		int64_t bytes; // LOADSTR: the most that is read, with the NUL; 0: as many as `cap`
		int64_t what; // SITE: enum sp_site_text, SYMBOLS: enum sp_symbol_text
	};
	union {
		uint8_t size; // 1 2 4 8; CTX: 0: not a load but the address of that byte of the context
		bool is_text; // CAPTURE
	};
	bool is_signed; // CTX LOAD: the value is sign-extended
	bool is_late; // SYMBOLS: an operand of EMIT; the record gets addresses, not text
	bool at_exit; // SYMBOLS of a program's stack: the function is about to return, and is left out
	uint16_t link; // SYMBOLS of a stack, BUILTIN __stack and __ustack: where the context has the return address, which the stack lacks; 0: none
	uint8_t tracer; // SYMBOLS of a stack, BUILTIN __stack: enum sp_tracer, the frames of tracing itself, which are left out
	enum ir_space space; // SYMBOLS LOAD LOADSTR CAPTURE LOADMEM: whose memory the address is in
	enum ir_want want; // MAP_ADD GLOBAL_ADD
	enum sp_stat stat; // STAT_GET STAT_TEXT
	struct ir_expr *a, *b, *c; // SYMBOLS: c is the address of the struct sp_symbols itself, in the runtime's machine
	struct ir_expr **args; // CALL BUILTIN SPRINTF EMBED; the key of MAP_* STAT_GET STAT_TEXT
	unsigned n_args;
	const char *text; // LITERAL
	uint32_t len; // LITERAL, without NUL
	struct ir_stmt *stmts; // SEQ: a list by `next`
};

/** Statement lists are linked by `next`. */
struct ir_stmt {
	enum ir_stmt_op op;
	uint32_t id; // given by ir_number()
	uint32_t place;
	struct ir_stmt *next;
	union {
		uint32_t index;
		uint32_t local, global, map, format;
	};
	uint8_t size; // STORE
	enum ir_space space; // STORE
	enum sp_stat stat; // STAT_PRINT
	struct ir_expr *a, *b;
	struct ir_expr **args; // EMIT; the key of MAP_SET MAP_DEL STAT_*
	unsigned n_args;
	struct ir_stmt *then, *otherwise; // IF; LOOP, FOREACH: body in `then`; TRY: body in `then`, handler in `otherwise`
	struct ir_stmt *step; // LOOP
	struct {
		uint32_t *keys; // the locals that the parts of the key are put in
		uint32_t value; // local, or IR_NO_LOCAL
		unsigned sort_key; // 0: value, 1.. key parts, SP_VM_SORT_STAT + enum sp_stat
		int sort_dir; // 0: any order
		struct ir_expr *limit; // NULL: none
	} foreach;
	uint32_t message; // TRY: string local that gets the message, or IR_NO_LOCAL
	bool is_loss; // RETURN from the handler: counted as `loss`
	enum sp_loss loss;
};

/** A piece of C of the script. Its function takes long parameters as values, all else by address. */
struct ir_embed {
	enum ir_embed_kind { IR_EMBED_TOP, IR_EMBED_BODY, IR_EMBED_VALUE } kind;
	const char *code; // without %{ and %}
	uint32_t place; // of its first byte
	enum ir_type type; // of the result
	struct ir_embed_arg {
		enum ir_embed_role {
			IR_EMBED_PARAM,
			IR_EMBED_RESULT,
			IR_EMBED_MESSAGE, // what STAP_ERROR says
			IR_EMBED_OUTPUT, // what STAP_PRINTF prints: twice max_string
			IR_EMBED_GLOBAL,
		} role;
		const char *name; // PARAM GLOBAL
		enum ir_type type;
		bool reads, writes; // GLOBAL
	} *args;
	unsigned n_args;
	bool is_unmangled; // THIS->x as well as STAP_ARG_x
	bool is_unbounded; // it has a loop whose last round the verifier does not see
};

struct ir_local {
	const char *name; // "" for temporaries
	enum ir_type type;
	uint32_t cap;
};

struct ir_global {
	const char *name;
	enum ir_type type;
	uint32_t cap;
	int64_t init;
	const char *init_text; // IR_STR; NULL: ""
	uint32_t init_len;
	bool is_unread, is_private, in_hex; // in_hex: its numbers are printed so at the end
};

struct ir_map {
	const char *name; // of the BPF map: at most 15 bytes, unique
	const char *label; // the script's name
	const char *key_names; // as in struct sp_map
	enum sp_map_kind kind;
	uint32_t max_entries;
	bool wraps, forgets, is_unread, is_private, in_hex, is_plain;
	enum ir_type value_type;
	uint32_t value_size;
	struct sp_stat_shape stat; // SP_MAP_STAT: no keys make it a scalar of key_size SP_STAT_KEY_SIZE, and the value is a record
	struct ir_key {
		enum ir_type type;
		uint32_t offset, size; // in the key
		bool in_hex;
	} *keys;
	unsigned n_keys;
	uint32_t key_size;
	uint32_t place;
};

struct ir_format {
	const char *text;
	enum sp_format_kind kind;
	struct ir_arg {
		enum ir_type type;
		uint32_t offset, size; // in the record
		bool is_late; // the record has a struct sp_symbols, of which the runtime makes the text
	} *args;
	unsigned n_args;
	uint32_t record_size;
	/** What the directives print, in order: the arguments, or parts of them. */
	struct ir_field {
		enum sp_type type;
		uint32_t arg, at; // the argument, and the part's first byte in it; a part may reach into the longs that follow
		uint32_t size; // of the part; ir_format_parts() takes 0 for a whole argument
		bool is_signed; // SP_BITS SP_NAMED SP_WIDE SP_NAME
		bool is_number; // SP_NAME
		bool is_flags; // SP_NAMED
		uint8_t bit_off, bit_size; // SP_BITS SP_NAMED SP_WHEN SP_UNLESS
		uint32_t more; // SP_NAMED SP_WHEN SP_UNLESS SP_NAME: names[]; SP_VALUE: formats[]; SP_WIDE: base
	} *fields;
	unsigned n_fields;
	bool tells_who; // the last arguments are struct sp_event_who, whose site is filled in where the record is made
};

struct ir_name {
	const char *text;
	int64_t value;
	uint32_t left; // how many names of the same enumeration follow this one
};

struct ir_place {
	const char *file;
	uint32_t line, column;
	const char *what; // "operator '/'"; ""
};

struct ir_regex {
	const char *pattern;
	uint32_t place;
};

struct ir_fixup {
	enum sp_fixup_kind kind;
	uint32_t object; // of objects[], or SP_NONE
	const char *text; // as in struct sp_fixup, or ""
};

struct ir_object {
	const char *name, *path;
	uint16_t kind; // SP_OBJECT_*
	uint8_t build_id[32];
	unsigned build_id_len;
	union {
		uint64_t text_base;   // as in struct sp_object
		uint64_t code_layout; // likewise
	};
	bool is_portable; // a kernel: the script runs on other kernels, too, unless `bound_by` says what ties it to this one
	const char *bound_by; // the variable or function that is read in a way which holds for this very kernel; NULL: none
	uint32_t bound_at; // the place of that, or IR_NO_PLACE
};

struct ir_site {
	enum sp_site_kind kind;
	bool optional;
	bool is_process; // SP_SITE_PROCESS
	bool is_inside; // SP_SITE_INSIDE
	bool begins; // SP_SITE_BEGINS
	const char *point, *name, *function, *symbol, *why; // name: NULL is the point
	const char *section; // the section of a kernel module that args.kernel.linked is an offset in; NULL: none
	uint32_t object, program; // objects[], or SP_NONE, as in struct sp_site
	union sp_hook_args args; // by kind
};

struct ir_func {
	const char *name;
	SP_VEC(struct ir_local) locals; // the first n_params are the parameters
	unsigned n_params;
	enum ir_type type;
	uint32_t cap;
	struct ir_stmt *body;
	uint32_t place;
};

/** Why something is so: the first operation that makes it so. */
struct ir_cause {
	const char *what; // a clause: "an array is walked in order"; NULL: it is not so
	uint32_t place;
};

/** Whether a handler leaves the kernel in its middle: decided once, by lower/lower_rest.c, from what its code does and from what was
 *  found when code was made of it. */
struct ir_deferral {
	struct ir_cause cause; // what it cannot do in the kernel
	struct ir_cause stays; // why it has no rest in spite of that
	bool is_all; // of what makes it large nothing is left in the kernel, if it can be cut: it was too large
	bool reads_late; // the rest reads memory when it runs: its addresses are not known before
	uint32_t rest; // index of the program, without sites, that goes on when the record of this one comes; SP_NONE: none
};

struct ir_prog {
	const char *name; // BPF symbol, unique, at most 63 bytes
	const char *section; // libbpf's name: "kprobe/ksys_read", "fentry/f", "raw_tp/x", "tp/a/b", "uprobe"
	enum sp_prog_kind kind;
	bool in_kernel, in_user; // where its hook allows it to run
	unsigned first_site, n_sites;
	SP_VEC(struct ir_local) locals;
	struct ir_stmt *body;
	bool reads_floats; // it reads floating point registers, which are at hand in the user engine only
	bool is_confined; // a process() handler: with -c or -x it runs in the target and in what that starts
	uint32_t program; // the one of objects[] to whose processes it is confined; SP_NONE: any program
	uint32_t place; // of the probe
	uint32_t condition; // number of the SP_SITE_CONDITION that tells whether it is to be attached; 0: always
	struct ir_deferral deferral;
};

struct ir_unit {
	struct sp_arena arena;
	const char *script;
	struct target target;
	uint16_t syscall_number; // where struct pt_regs has the number of a system call
	uint32_t max_string, max_action, max_errors, ring_size;
	uint32_t max_user_action; // MAXACTION_INTERRUPTIBLE
	uint32_t max_trylock, trylock_delay; // how often a handler tries to get a lock, and us from try to try
	uint32_t max_nesting; // of calls; 0: as many as the script needs (struct plan has the number)
	bool faults_are_zero; // reads that fail give 0
	bool has_tracer_frames; // some expression has a tracer
	bool has_user_stacks; // some expression ir_is_user_stack
	SP_VEC(struct ir_map) maps;
	SP_VEC(struct ir_global) globals;
	SP_VEC(struct ir_format) formats;
	struct sp_hash format_index; // what makes them different to index + 1
	SP_VEC(struct ir_name) names;
	SP_VEC(struct ir_place) places;
	struct sp_hash place_index; // their text to index + 1
	SP_VEC(struct ir_regex) regexes;
	SP_VEC(struct ir_fixup) fixups;
	SP_VEC(struct ir_object) objects;
	SP_VEC(struct ir_site) sites;
	SP_VEC(struct ir_func) funcs;
	SP_VEC(struct ir_embed) embeds;
	SP_VEC(struct ir_prog) progs;
	uint32_t n_exprs, n_stmts; // ids are below; 0: ir_number has not been called
};

struct ir_unit *ir_unit_create(void);
void ir_unit_destroy(struct ir_unit *unit);

struct ir_prog *ir_prog_new(struct ir_unit *unit, const char *name, enum sp_prog_kind kind);
struct ir_func *ir_func_new(struct ir_unit *unit, const char *name, enum ir_type type, uint32_t cap);
/** The index of an equal one, which is added when there is none yet. Texts are copied. */
uint32_t ir_place(struct ir_unit *unit, const char *file, uint32_t line, uint32_t column, const char *what);
uint32_t ir_regex(struct ir_unit *unit, const char *pattern, uint32_t place);
uint32_t ir_fixup(struct ir_unit *unit, enum sp_fixup_kind kind, uint32_t object, const char *text);
/** Lays out the record: the head, then the arguments, each aligned to 8. `args` have types and sizes. */
uint32_t ir_format(struct ir_unit *unit, const char *text, enum sp_format_kind kind, const struct ir_arg *args,
		   unsigned n_args);
/** The same, when directives print parts of arguments. A format of kind SP_FORMAT_PART has no records of its own: another format
 *  names it, to print a part of its records, and both have the same first arguments. */
uint32_t ir_format_parts(struct ir_unit *unit, const char *text, enum sp_format_kind kind, const struct ir_arg *args,
			 unsigned n_args, const struct ir_field *fields, unsigned n_fields);
/** Adds the names of an enumeration, unless the unit has them, and gives the index of the first. Fills in `left`. */
uint32_t ir_names(struct ir_unit *unit, const struct ir_name *names, unsigned n);

struct ir_expr *ir_expr_new(struct ir_unit *unit, enum ir_expr_op op, enum ir_type type, uint32_t place);
struct ir_stmt *ir_stmt_new(struct ir_unit *unit, enum ir_stmt_op op, uint32_t place);
struct ir_expr *ir_const(struct ir_unit *unit, int64_t value);
struct ir_expr *ir_literal(struct ir_unit *unit, const char *text, size_t len);
struct ir_expr *ir_local(struct ir_unit *unit, uint32_t index, enum ir_type type, uint32_t cap);
struct ir_expr *ir_unary(struct ir_unit *unit, enum ir_expr_op op, struct ir_expr *a);
/** Result long. Sums and products of constants are computed, and so is x + 0. */
struct ir_expr *ir_binary(struct ir_unit *unit, enum ir_expr_op op, struct ir_expr *a, struct ir_expr *b, uint32_t place);
/** SEQ of `stmts` (NULL gives `value` itself). */
struct ir_expr *ir_seq(struct ir_unit *unit, struct ir_stmt *stmts, struct ir_expr *value);
struct ir_stmt *ir_set(struct ir_unit *unit, uint32_t local, struct ir_expr *value, uint32_t place);

/** Visits everything below, in the order of evaluation: operands before the expression, expressions before the statement
 *  that uses them; `stmt` may be NULL, `expr`, too. `leave` (or NULL) comes behind the nested lists of a statement. */
struct ir_visitor {
	void *ctx;
	void (*expr)(void *ctx, const struct ir_expr *e);
	void (*stmt)(void *ctx, const struct ir_stmt *s);
	void (*leave)(void *ctx, const struct ir_stmt *s);
};

void ir_walk_expr(const struct ir_expr *e, const struct ir_visitor *v);
void ir_walk_stmts(const struct ir_stmt *list, const struct ir_visitor *v);
/** Every body of the unit, functions first. */
void ir_walk_unit(const struct ir_unit *unit, const struct ir_visitor *v);

/** The same for whoever makes the unit and still changes it; `stmt` may be NULL. */
struct ir_editor {
	void *ctx;
	void (*expr)(void *ctx, struct ir_expr *e);
	void (*stmt)(void *ctx, struct ir_stmt *s);
};

void ir_edit_stmts(struct ir_stmt *list, const struct ir_editor *editor);

/** Gives each expression and each statement of the unit's bodies its id, from 0 on in the order of the bodies: what is kept
 *  about them stands in tables beside the IR. The last thing that is done to a unit; later nobody changes it. */
void ir_number(struct ir_unit *unit);

/** What a dump shows beside the IR; each prints to `out` where it is called. */
struct ir_notes {
	void *ctx;
	void (*expr)(void *ctx, struct sp_buf *out, const struct ir_expr *e); // behind it
	void (*before)(void *ctx, struct sp_buf *out, const struct ir_stmt *s, unsigned depth); // a line of its own
	void (*stmt)(void *ctx, struct sp_buf *out, const struct ir_stmt *s); // behind its first line
	void (*local)(void *ctx, struct sp_buf *out, const struct ir_func *func, const struct ir_prog *prog,
		      uint32_t local); // of one of the two
	void (*global)(void *ctx, struct sp_buf *out, uint32_t global);
	void (*func)(void *ctx, struct sp_buf *out, uint32_t func);
	void (*prog)(void *ctx, struct sp_buf *out, uint32_t prog);
};

/** The golden form: stable across LLVM versions. `notes` may be NULL. */
void ir_dump(struct sp_buf *out, const struct ir_unit *unit, const struct ir_notes *notes);
/** Checks types, indexes, capacities and operands, and ids once there are some. NULL, or a description of the first fault. */
const char *ir_verify(const struct ir_unit *unit);

/** Where the script says it; SPAN_NONE when no file of `sources` does, or `place` is NULL. */
struct span ir_place_span(const struct ir_place *place, const struct source_map *sources);

/** "an array is walked in order at FILE:LINE:COLUMN". */
void ir_cause_print(struct sp_buf *out, const struct ir_unit *unit, const struct ir_cause *cause);

/** Is it a string that has to be computed into a buffer? Others exist already: literals, variables. */
static inline bool ir_is_computed(const struct ir_expr *e)
{
	return e->type == IR_STR && !e->is_late &&
	       (e->op == IR_COND || e->op == IR_SYMBOLS || e->op == IR_LOADSTR || e->op == IR_LOADMEM ||
		e->op == IR_CAPTURE || e->op == IR_CONCAT || e->op == IR_MAP_GET ||
				     e->op == IR_CALL || e->op == IR_BUILTIN || e->op == IR_SITE || e->op == IR_SPRINTF ||
				     e->op == IR_STAT_TEXT);
}

/** Does the operation go through strings byte by byte? Such strings cannot be on the stack of a kernel program. */
bool ir_walks_text(const struct ir_expr *e);
/** Does it read memory at an address? */
static inline bool ir_reads_memory(const struct ir_expr *e)
{
	return e->op == IR_LOAD || e->op == IR_LOADSTR || e->op == IR_LOADMEM || e->op == IR_CAPTURE;
}
/** Bytes of scratch memory that the operation needs beside its operands and result; 0: none. */
uint32_t ir_work_size(const struct ir_expr *e);
/** Is it a stack, or an address of it? */
bool ir_is_stack(const struct ir_expr *e);
/** The same of a program's. */
bool ir_is_user_stack(const struct ir_expr *e);
/** Where in that memory the struct sp_unwind_state of such an expression is. */
uint32_t ir_unwind_offset(const struct ir_expr *e);
/** What probemod() calls it: the path of a program, the name of a part of the kernel. */
static inline const char *ir_object_label(const struct ir_object *object)
{
	return object->kind == SP_OBJECT_PROGRAM ? object->path : object->name;
}

/** SITE, as the runtime's machine names it. */
const char *ir_site_text(const struct ir_unit *unit, const struct ir_site *site, enum sp_site_text what);

const char *ir_expr_op_name(enum ir_expr_op op);
const char *ir_stmt_op_name(enum ir_stmt_op op);
/** Of the result and the operands, in the letters of ir.def. */
const char *ir_expr_op_types(enum ir_expr_op op);
const char *ir_stmt_op_types(enum ir_stmt_op op);
/** A set of enum ir_has. */
unsigned ir_expr_op_has(enum ir_expr_op op);
unsigned ir_stmt_op_has(enum ir_stmt_op op);

#endif
