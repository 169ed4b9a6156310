// SPDX-License-Identifier: GPL-2.0-or-later
/** Translates scripts of bpftrace: text to text, in one pass over the tokens, behind one that finds out what each map is. Operators and
 *  their order are the same in both languages, so expressions are copied but for what has another name.
 *
 *  What has no translation makes its statement a comment, with the reason, and is counted. */
#ifndef SP_BPFTRACE_BT_H
#define SP_BPFTRACE_BT_H

#include "compiler/bpftrace/bt_lex.h"
#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

enum bt_map_kind {
	BT_MAP_VALUES, // what is assigned, count(), sum()
	BT_MAP_AVG, BT_MAP_MIN, BT_MAP_MAX, // avg(), min(), max()
	BT_MAP_STATS, // stats()
	BT_MAP_HIST, // hist()
	BT_MAP_LHIST, // lhist()
};

struct bt_map {
	const char *name; // @name without @
	const char *ours;
	enum bt_map_kind kind;
	const char *limits; // of lhist(): ", 0, 100, 10"; "": not known yet
	unsigned n_keys;
	bool is_cleared_at_end;
	unsigned stack_keys, ustack_keys; // bits by key: kstack, ustack
	char stack; // its values are such: 'k', 'u'
	unsigned first_key; // of the loop that prints it: keys have other names in each loop, since they may be of other types
	bool is_zeroed, is_counted; // zero() and len() need a list, a function
};

/** bpftrace's str() of an address that may be the kernel's or a program's, and reads "" where there is nothing. */
#define BT_TEXT "text_at"
/** bpftrace's join() of texts in a program's memory. */
#define BT_JOIN "joined"

/** An address of IPv4 that may be a number, or an array of bytes, of which we have the place. */
#define BT_ADDRESS "address_in"

/** What the words of a probe's body mean. */
struct bt_place {
	bool is_user; // its texts are in a program's memory
	bool is_mark; // arg0 is the first operand of a mark
	bool is_iterator; // ctx has the parameters
	bool has_return; // retval has the type that the function returns
};

/** A type as C says it: its words, and how many stars stand behind them. `name` NULL: none. */
struct bt_type {
	const char *name;
	unsigned stars;
};

/** A variable that a pointer was assigned to, or what may be one. */
struct bt_pointer {
	const char *variable;
	struct bt_type type; // without stars: that of what was assigned; "kstack" or "ustack": a stack
};

/** `for ($variable : @map)` around what is read: its key is the first of a pair, the value the second. */
struct bt_walk {
	const char *variable;
	const struct bt_map *map;
	const char *keys; // "[k1, k2]"
	unsigned first_key;
};

struct bt {
	const char *text;
	size_t at; // of the next token
	struct sp_arena arena;
	struct sp_buf *out;
	SP_VEC(struct bt_map *) maps;
	SP_VEC(const char *) defines; // names of #define
	SP_VEC(const char *) characters; // members that are texts, not numbers, by the structures that the script defines
	SP_VEC(const char *) texts; // our names of variables and maps that printf() prints with %s
	unsigned n_keys; // that loops have had
	SP_VEC(struct bt_pointer) pointers; // in this probe
	SP_VEC(struct bt_walk) walks; // loops around what is read
	bool uses_text, uses_join, uses_address; // BT_TEXT, BT_JOIN, BT_ADDRESS are called
	bool in_format; // arguments of printf()
	unsigned n_buffers; // calls of buf() in them
	bool wants_place; // a map is named to be changed: what a statistic says of its values is not asked for
	bool wants_address; // of a text, where it is
	struct bt_place place;
	bool in_filter; // `/` ends the expression
	unsigned parens; // in the filter
	const char *why_not; // the statement so far has no translation; NULL: it has
	unsigned n_left_out;
	unsigned depth; // of blocks
	unsigned nesting; // of expressions and statements, up to BT_MAX_NESTING
};

#define BT_MAX_NESTING 200
#define BT_STACK_BITS 32u // keys of a map that can be known to be stacks

// ---- bt.c: tokens ---------------------------------------------------------------------------------------------------

struct bt_token bt_peek(const struct bt *bt);
struct bt_token bt_next(struct bt *bt);
bool bt_at(const struct bt *bt, const char *what);
/** Takes the token if it is `what`. */
bool bt_take(struct bt *bt, const char *what);
const char *bt_text(struct bt *bt, const struct bt_token *token);
/** The statement has no translation; the first reason counts. */
void bt_refuse(struct bt *bt, const char *fmt, ...) SP_PRINTF(2, 3);
struct bt_map *bt_map(struct bt *bt, const struct bt_token *token);
/** A local variable's name here: what is a word of the language, or the name of a map, gets a `_`. */
const char *bt_local(struct bt *bt, const char *name);

// ---- bt_point.c -----------------------------------------------------------------------------------------------------

/** One point of a probe in our words; NULL: there is nothing like it. */
const char *bt_point(struct bt *bt, const char *text);

// ---- bt_maps.c ------------------------------------------------------------------------------------------------------

/** Finds the maps of the text. */
void bt_find_maps(struct bt *bt);
/** Names the keys of a loop over the map. */
void bt_name_keys(struct bt *bt, struct bt_map *map);
/** Prints the map as bpftrace does, the largest values last. `limit`: only so many of the largest; `divisor`: of the values; both as text,
 *  or NULL. */
void bt_print_map(struct bt *bt, struct bt_map *map, const char *limit, const char *divisor);
/** "[k1, k2]" of a map with keys; "". */
const char *bt_key_list(struct bt *bt, const struct bt_map *map);
/** What is known of a statistic's values: "@avg(x)". Of a plain value, itself. */
const char *bt_map_value(struct bt *bt, const struct bt_map *map, const char *element);

// ---- bt_expr.c ------------------------------------------------------------------------------------------------------

/** The next expression, translated. Reading stops in front of what cannot belong to it. */
const char *bt_expr(struct bt *bt);
/** A number as it is written here: 1e6 and 1_000 are numbers, and 10ms is in nanoseconds. */
const char *bt_number(struct bt *bt, const char *text);
/** The next operand with what stands before and behind it. */
const char *bt_unary(struct bt *bt);
/** Arguments in parentheses, translated, at most `max`; returns how many. */
unsigned bt_args(struct bt *bt, const char **args, unsigned max);
/** A map, or an element, to be changed: its name here. */
const char *bt_place(struct bt *bt);
/** `($1)`, the argument of the script as text; takes it. NULL: it is something else. */
const char *bt_argument_text(struct bt *bt);
/** printf's arguments: "(\"%d\\n\", x)". */
const char *bt_format_args(struct bt *bt);
/** The value, read as text when `place`, which it is assigned to, is printed so and the value is an array of characters. */
const char *bt_as_text(struct bt *bt, const char *place, const char *value);
/** The value, read as text when it is a member or a parameter. */
const char *bt_member_text(struct bt *bt, const char *value);

// ---- bt_call.c ------------------------------------------------------------------------------------------------------

/** The call of a function that has a value, its name taken. */
const char *bt_call(struct bt *bt, const char *name);
/** 'k' or 'u': the value is a stack, or a variable or an element that has one; 0. */
char bt_stack_kind(const struct bt *bt, const char *value);
/** "print_backtrace()" of the expression `backtrace()`; NULL: it is no stack. With an `s` in front it gives the text. */
const char *bt_stack_printer(struct bt *bt, const char *stack);
/** The functions of the script that its calls need, in front of its probes. */
void bt_define_functions(struct bt *bt, struct sp_buf *out);

// ---- bt_type.c ------------------------------------------------------------------------------------------------------

/** `(struct sock *)` or the like; takes it. Without a name: the parentheses, if any, hold no type, and nothing was taken. */
struct bt_type bt_cast_type(struct bt *bt);
/** The same, and nothing is taken. */
struct bt_type bt_peek_cast(struct bt *bt);
/** The value as one of the type. */
const char *bt_cast(struct bt *bt, const struct bt_type *type, const char *value);
/** What a pointer of the type points to, `index` elements behind the address; NULL: at it. */
const char *bt_target(struct bt *bt, const struct bt_type *pointer, const char *address, const char *index);
/** Behind a `*`: what the next operand points to. */
const char *bt_dereference(struct bt *bt);
/** The variable has a pointer from here on, if the type is one. */
void bt_learn_pointer(struct bt *bt, const char *variable, const struct bt_type *type);
/** The variable has the type of this value from here on, if that is a parameter, a member of a structure or a stack. */
void bt_learn_value(struct bt *bt, const char *variable, const char *value);
/** NULL: nothing is known of it. */
const struct bt_type *bt_pointer_type(const struct bt *bt, const char *variable);
/** Whether the value is a variable with a pointer to which bpftrace adds elements, not bytes. */
bool bt_counts_elements(const struct bt *bt, const char *value);
/** sizeof(T), offsetof(T, member); the word is taken. */
const char *bt_sizeof(struct bt *bt);
const char *bt_offsetof(struct bt *bt);

// ---- bt_stmt.c ------------------------------------------------------------------------------------------------------

/** { statements }, with what stands in front of them in the body. */
void bt_body(struct bt *bt, const char *first);

#endif
