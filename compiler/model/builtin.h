// SPDX-License-Identifier: GPL-2.0-or-later
/** The functions that the code generator knows (builtin.def). */
#ifndef SP_MODEL_BUILTIN_H
#define SP_MODEL_BUILTIN_H

#include "runtime/abi/target.h"
#include "runtime/base/util.h"

enum builtin_id {
#define BUILTIN(id, ...) BUILTIN_##id,
#include "compiler/model/builtin.def"
#undef BUILTIN
	BUILTIN_COUNT
};

enum builtin_result { BUILTIN_RESULT_VOID, BUILTIN_RESULT_LONG, BUILTIN_RESULT_STRING };
enum builtin_where { BUILTIN_WHERE_ANY, BUILTIN_WHERE_SITE, BUILTIN_WHERE_RETURN, BUILTIN_WHERE_REGISTERS };
enum builtin_lower {
	BUILTIN_LOWER_PLAIN,
	BUILTIN_LOWER_STATEMENT, // exit(), log()
	BUILTIN_LOWER_VALUE, // computed of what the IR has
	BUILTIN_LOWER_FIXUP, // the runtime knows it before the script starts
	BUILTIN_LOWER_POINT, // text of the probe point
	BUILTIN_LOWER_REGISTERS, // of the probe's registers, and where it is
	BUILTIN_LOWER_STACK, // an address of a stack
	BUILTIN_LOWER_SYMBOLS, // text of an address or a stack
	BUILTIN_LOWER_TASK, // a number that the current task_struct leads to
	BUILTIN_LOWER_MEMORY, // at an address
	BUILTIN_LOWER_COUNT
};

struct builtin {
	const char *name;
	enum builtin_result result;
	const char *args; // 'l' and 's', one an argument; optional ones behind '|'
	enum builtin_where where;
	enum builtin_lower lower;
	bool has_effect; // is called though nobody reads the result
	bool can_fail; // may end in a run-time error, which names the place of the call
	bool walks_text; // needs memory of its own to go through a string
	uint64_t features; // bits of enum sp_feature, for the code in the kernel
	const char *what;
};

const struct builtin *builtin_info(enum builtin_id id);
/** The id, or -1. */
int builtin_find(const char *name);
unsigned builtin_min_args(const struct builtin *b);
unsigned builtin_max_args(const struct builtin *b);
/** The name of an error number, what errno_str() gives; "" when there is none. */
const char *builtin_errno(unsigned number);
/** Bytes that the text of a whole stack has room for, with NUL: of backtrace() and its kin. 0: it is no text of a stack. */
uint32_t builtin_stack_size(enum builtin_id id);
/** 'l' or 's' of argument `i`. */
char builtin_arg(const struct builtin *b, unsigned i);

#endif
