// SPDX-License-Identifier: GPL-2.0-or-later
/** The syntax tree. The parser makes it; sema fills in the members marked "sema:". All nodes, lists and texts live in the arena of
 *  their unit; nodes and lists of a clone in the arena that was given. Lists are arrays of pointers with a count. */
#ifndef SP_FRONT_AST_H
#define SP_FRONT_AST_H

#include "compiler/front/source.h"

#include "runtime/base/buf.h"
#include "runtime/base/name_index.h"

struct c_type;
struct site_value;
struct global;
struct function;
struct local;

enum ast_expr_kind {
#define AST_EXPR(kind, name) AST_##kind,
#include "ast.def"
#undef AST_EXPR
};

enum ast_stmt_kind {
#define AST_STMT(kind, name) AST_S_##kind,
#include "ast.def"
#undef AST_STMT
};

/** The language's types. */
enum ast_type { TYPE_UNKNOWN, TYPE_LONG, TYPE_STRING, TYPE_STATS, TYPE_VOID };

enum ast_unary_op { UN_MINUS, UN_PLUS, UN_NOT, UN_BITNOT };

enum ast_binary_op {
	BIN_ADD, BIN_SUB, BIN_MUL, BIN_DIV, BIN_MOD,
	BIN_AND, BIN_OR, BIN_XOR, BIN_SHL, BIN_SHR, BIN_USHR, // BIN_USHR: >>>
	BIN_EQ, BIN_NE, BIN_LT, BIN_LE, BIN_GT, BIN_GE,
	BIN_LAND, BIN_LOR,
	BIN_CONCAT,
};

#define AST_HIST_MAX_STEPS 1021
enum ast_stat_op { STAT_COUNT, STAT_SUM, STAT_MIN, STAT_MAX, STAT_AVG, STAT_VARIANCE };

/** One step of $x->a[1].b: a member or an index, or the pretty-printing tail. */
struct ast_step {
	enum { STEP_MEMBER, STEP_INDEX, STEP_PRETTY, STEP_PRETTY_DEEP, STEP_PRETTY_PLAIN } kind; // ->a  [e]  $  $$; sema: in $$vars
	struct span span;
	const char *name; // STEP_MEMBER
	struct ast_expr *index; // STEP_INDEX
};

struct ast_steps {
	struct ast_step *v;
	unsigned n;
};

// What an AST_EMBEDDED does: runs the code and gives its value; only runs the code, and gives 1 when that was left by STAP_NEXT;
// gives the value of the code that was run last.
enum ast_embed_part { AST_EMBED_WHOLE, AST_EMBED_RUN, AST_EMBED_RESULT };

enum ast_print_kind { // print println printd printdln printf, and the same with s
	PRINT_PLAIN, PRINT_LN, PRINT_D, PRINT_DLN, PRINT_F, PRINT_CHAR,
};

#define AST_PRINT_KINDS (PRINT_CHAR + 1)

struct ast_list {
	struct ast_expr **v; // an element is NULL where a slice has `*`
	unsigned n;
};

struct ast_expr {
	enum ast_expr_kind kind;
	struct span span; // the whole expression
	struct span op_span; // the operator or name that a diagnostic and a run-time error point at
	enum ast_type type; // sema:
	const struct c_type *c_type; // sema: type of a pointer-valued expression, for autocast; NULL: none
	union {
		int64_t number;
		struct {
			const char *text;
			uint32_t len; // may hold NUL bytes
		} string;
		struct {
			const char *name; // as written; script arguments ($1) have been replaced before
			struct global *global; // sema: one of `global` and `local` is set
			struct local *local; // sema:
		} name;
		struct {
			const char *name; // the array
			struct ast_list keys;
			struct global *global; // sema:
		} index;
		struct {
			const char *name;
			struct ast_list args;
			struct function *function; // sema: NULL: it is the builtin
			int builtin; // sema: index into the builtin table, -1: none
		} call;
		struct {
			enum ast_print_kind kind;
			bool to_string; // sprint family: the value is the text
			struct ast_expr *format; // PRINT_F: always AST_STRING; PRINT_D*: the delimiter; else NULL
			struct ast_list args; // print(@hist_log(x)) has one AST_HIST
		} print;
		struct {
			enum ast_unary_op op;
			struct ast_expr *a;
		} unary;
		struct {
			enum ast_binary_op op;
			struct ast_expr *a, *b;
		} binary;
		struct {
			struct ast_expr *cond, *a, *b;
		} ternary;
		struct {
			enum { ASSIGN_SET, ASSIGN_OP, ASSIGN_STAT } kind; // =  op=  <<<
			enum ast_binary_op op; // ASSIGN_OP
			struct ast_expr *target, *value;
		} assign;
		struct {
			struct ast_expr *target;
			int delta; // +1, -1
			bool is_prefix;
		} incdec;
		struct {
			struct ast_list keys;
			const char *name; // the array
			struct global *global; // sema:
		} in;
		struct {
			struct ast_expr *text, *pattern; // pattern is AST_STRING
			bool negated;
		} regex;
		struct {
			const char *name; // "$x", "$$vars", "$return"; NULL when `base` is set
			struct ast_expr *base; // autocast: an expression followed by steps
			struct ast_steps steps;
			bool address_of; // &$x->y
			bool is_listed; // sema: it is one of the list of $$vars, where `?` stands for what cannot be read
		} target;
		struct {
			struct ast_expr *value;
			const char *type_name; // without quotes
			struct ast_expr *module; // NULL, or AST_STRING
			struct ast_steps steps;
			bool address_of;
			bool is_enum; // @enumname("type", value): the text of a value of the type
		} cast;
		struct {
			const char *name; // "var@file.c"
			struct ast_expr *module;
			struct ast_steps steps;
			bool address_of;
			bool is_enum; // @enum("NAME"): the value of an enumerator
		} atvar;
		struct {
			struct ast_expr *a;
		} defined, entry;
		struct {
			const char *name;
		} perf, probewrite;
		struct {
			enum ast_stat_op op;
			struct ast_expr *stat; // AST_NAME or AST_INDEX
			struct ast_expr *param; // @variance's shift, or NULL
		} stat;
		struct {
			bool is_linear; // (high - low) / step is at most AST_HIST_MAX_STEPS
			struct ast_expr *stat;
			int64_t low, high, step; // is_linear
			struct ast_expr *bucket; // [i], or NULL
		} hist;
		struct {
			const char *code; // between %{ and %}, or the text of @const
			struct span span; // of the code
			struct embed *embed; // sema: sema/embed.h
			enum ast_embed_part part; // sema:
		} embedded;
		struct site_value *resolved; // sema: probe/point.h
	};
};

/** Why an event for which a handler is left is told at the end. */
enum ast_loss {
	AST_LOSS_NONE, // it is not
	AST_LOSS_UNKEPT, // what it needs was not kept by an earlier one
	AST_LOSS_PAUSED
};

struct ast_stmt {
	enum ast_stmt_kind kind;
	struct span span; // of a compound statement the keyword and what stands before its body
	union {
		struct {
			struct ast_stmt **v;
			unsigned n;
		} block;
		struct ast_expr *expr; // EXPR; RETURN (may be NULL); DELETE (AST_NAME or AST_INDEX, slices allowed)
		struct {
			struct ast_expr *cond;
			struct ast_stmt *then, *otherwise; // otherwise may be NULL
		} cond;
		struct {
			struct ast_expr *init, *cond, *step; // WHILE has cond alone; in FOR each may be NULL
			struct ast_stmt *body;
		} loop;
		struct {
			struct ast_list keys; // AST_NAME each
			struct ast_expr *value; // foreach (v = [k] in a): AST_NAME, or NULL
			const char *array; // the array, or NULL when `hist` is iterated
			struct span array_span;
			struct ast_list slice; // a[*, x]: NULL elements are `*`; n == 0: none
			struct ast_expr *hist; // AST_HIST, or NULL
			int sort_key; // -1: not sorted; 0: by value; 1..: by that key
			int sort_dir; // +1 ascending, -1 descending
			bool sort_by_stat; // a @count- and the like
			enum ast_stat_op sort_stat;
			struct ast_expr *limit; // or NULL
			struct ast_stmt *body;
			struct global *global; // sema:
			bool may_clear; // sema: the body, or what it calls, deletes the whole array
		} foreach;
		struct {
			struct ast_stmt *body, *handler;
			const char *message; // name of the string variable, or NULL
			struct local *local; // sema:
		} try_;
		enum ast_loss loss; // sema: NEXT: leaving the handler here counts the event
	};
};

/** One component of a probe point: name, or name(argument). The name may hold wildcards. */
struct ast_point_part {
	const char *name;
	struct ast_expr *arg; // AST_NUMBER or AST_STRING; NULL: no parentheses; AST_ERROR for ()
	struct span span;
};

/** a.b(c).d with its suffixes. Alternations {a,b} are expanded by the parser into several points. */
struct ast_point {
	struct ast_point_part *parts;
	unsigned n_parts;
	bool optional; // ?
	bool sufficient; // !
	struct ast_expr *condition; // if (...), or NULL
	struct span span;
};

struct ast_points {
	struct ast_point **v;
	unsigned n;
};

struct ast_probe {
	struct ast_points points;
	struct ast_stmt *body; // BLOCK
	struct span span;
};

struct ast_alias {
	struct ast_points names; // what is defined
	struct ast_points points; // what it stands for
	bool is_epilogue; // +=: the body runs after the handler, not before it
	struct ast_stmt *body;
	struct ast_stmt *epilogue; // the second block of "= points { } , { }", or NULL
	struct span span;
	bool is_private;
};

#define AST_MAX_ELEMENTS (1 << 28) // of an array; the runtime takes no more (SP_MAP_MAX_ENTRIES)

struct ast_global {
	const char *name;
	struct ast_expr *init; // literal, or NULL
	int64_t size; // [N]; 0: default
	bool wraps; // %
	bool is_private;
	struct span span; // of the name
};

struct ast_param {
	const char *name;
	enum ast_type type; // TYPE_UNKNOWN: not declared
	struct span span;
};

struct ast_function {
	const char *name;
	struct ast_param *params;
	unsigned n_params;
	enum ast_type return_type; // TYPE_UNKNOWN: not declared
	struct ast_stmt *body; // NULL for embedded C
	const char *embedded; // code between %{ and %}, or NULL
	struct span embedded_span; // of the code
	bool is_private;
	int64_t priority; // :N of an overload; -1: none
	struct span span; // of the name
};

struct ast_embedded {
	const char *code;
	struct span span; // of the code
};

struct ast_alias_name {
	struct ast_alias *alias;
	const struct ast_point *name; // an alias has several
};

/** One parsed file. */
struct unit {
	uint32_t file;
	struct sp_arena arena; // owns the nodes
	struct ast_probe **probes;
	struct ast_alias **aliases;
	struct ast_global **globals;
	struct ast_function **functions;
	struct ast_embedded **embeds;
	unsigned n_probes, n_aliases, n_globals, n_functions, n_embeds;
	struct ast_alias_name *alias_names; // NULL: nobody has looked for one yet (sema/bind_alias.c)
	struct name_index alias_index; // of alias_names, by the names of their parts with dots between them
};

struct unit *unit_create(uint32_t file);
void unit_destroy(struct unit *unit);

/** Deep copies. What sema has filled in is copied as it is. A copy shares names and strings with the original, whose unit must
 *  outlive it. NULL gives NULL. */
struct ast_expr *ast_clone_expr(struct sp_arena *arena, const struct ast_expr *e);
struct ast_stmt *ast_clone_stmt(struct sp_arena *arena, const struct ast_stmt *s);

/** A member of struct ast_expr that points at something: at other expressions, or at a text. */
struct ast_field {
	enum ast_field_form {
		FIELD_END, // ends a list of fields
		FIELD_NEEDED, // struct ast_expr *
		FIELD_OPTIONAL, // the same, or NULL
		FIELD_LITERAL, // the same: a format or pattern, which belongs to the node and is not computed when the script runs
		FIELD_LIST, // struct ast_list
		FIELD_SLICE, // the same, whose elements may be NULL: `*`
		FIELD_STEPS, // struct ast_steps
		FIELD_TEXT, // const char *
	} form;
	size_t offset; // in struct ast_expr
	const char *label; // of dumps; "": none
};

/** The fields of expressions of a kind, up to FIELD_END. */
const struct ast_field *ast_fields(enum ast_expr_kind kind);

typedef void (*ast_expr_fn)(void *ctx, struct ast_expr **place);
typedef void (*ast_stmt_fn)(void *ctx, struct ast_stmt **place);

/** Calls `fn` for each direct child of `e` that is computed when the script runs (no formats, no patterns), in the order of
 *  evaluation, with the address of the pointer to it. NULL children are left out. Those of AST_RESOLVED: sema/tree.h. */
void ast_expr_children(struct ast_expr *e, ast_expr_fn fn, void *ctx);
/** The same for a statement: the expressions that it holds itself, and its direct sub-statements. */
void ast_stmt_children(struct ast_stmt *s, ast_expr_fn on_expr, ast_stmt_fn on_stmt, void *ctx);
/** Calls `fn` for every expression below and for `*place` itself, children first. */
void ast_walk_expr(struct ast_expr **place, ast_expr_fn fn, void *ctx);

/** The tree as the tests' goldens have it: one node a line, indented, with the line:column of its span unless `places` is NULL. */
void ast_dump(struct sp_buf *out, const struct unit *unit, struct source_map *places);
/** An expression as script text on one line, with parentheses only where they are needed, as messages quote it. */
void ast_print_expr(struct sp_buf *out, const struct ast_expr *e);
/** kernel.function("f").call? as the user would write it. */
void ast_print_point(struct sp_buf *out, const struct ast_point *p);

/** Checks what the parser promises (kinds, spans inside their file, no NULL where none may be).
 *  Returns a description of the first break, NULL when all is well. */
const char *ast_verify(const struct unit *unit, const struct source_map *sources);

/** Can it stand left of an assignment? Variables, elements, target variables, @kderef and @uderef can; AST_ERROR counts, too. */
bool ast_is_lvalue(const struct ast_expr *e);

const char *ast_type_name(enum ast_type type); // "unknown" "long" "string" "stats" "void"
const char *ast_binary_op_text(enum ast_binary_op op);
const char *ast_stat_op_name(enum ast_stat_op op); // "@count" ...
const char *ast_print_name(enum ast_print_kind kind, bool to_string); // "println", "sprintln" ...

#endif
