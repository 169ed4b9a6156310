// SPDX-License-Identifier: GPL-2.0-or-later
/** The functions that the code generator knows (builtin.def). */
#ifndef SP_MODEL_BUILTIN_H
#define SP_MODEL_BUILTIN_H

#include "runtime/base/util.h"

enum builtin_id {
#define BUILTIN(id, name, result, args, where, what) BUILTIN_##id,
#include "compiler/model/builtin.def"
#undef BUILTIN
	BUILTIN_COUNT
};

enum builtin_result { BUILTIN_RESULT_VOID, BUILTIN_RESULT_LONG, BUILTIN_RESULT_STRING };
enum builtin_where { BUILTIN_WHERE_ANY, BUILTIN_WHERE_PROBE, BUILTIN_WHERE_SITE, BUILTIN_WHERE_RETURN, BUILTIN_WHERE_REGISTERS };

struct builtin {
	const char *name;
	enum builtin_result result;
	const char *args; // 'l' and 's', one an argument; optional ones behind '|'
	enum builtin_where where;
	const char *what;
};

const struct builtin *builtin_info(enum builtin_id id);
/** The id, or -1. */
int builtin_find(const char *name);
unsigned builtin_min_args(const struct builtin *b);
unsigned builtin_max_args(const struct builtin *b);
/** The name of an error number, what errno_str() gives; "" when there is none. */
const char *builtin_errno(unsigned number);
/** 'l' or 's' of argument `i`. */
char builtin_arg(const struct builtin *b, unsigned i);

#endif
