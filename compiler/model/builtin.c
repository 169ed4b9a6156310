// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/builtin.h"

static const struct builtin table[] = {
#define PURE false, false // has_effect, can_fail
#define FAILS false, true
#define EFFECT true, false
#define STAYS false
#define WALKS true
#define NEEDS(feature) (1ull << SP_FEATURE_##feature)
#define BUILTIN(id, name, result, args, where, lower, effect, walks, features, what)                                     \
	[BUILTIN_##id] = { name, BUILTIN_RESULT_##result, args, BUILTIN_WHERE_##where, BUILTIN_LOWER_##lower, effect, walks, \
			   features, what },
#include "compiler/model/builtin.def"
#undef BUILTIN
};

const struct builtin *builtin_info(enum builtin_id id)
{
	return &table[id];
}

int builtin_find(const char *name)
{
	for (unsigned i = 0; i < SP_ARRAY_SIZE(table); i++)
		if (table[i].name[0] == name[0] && sp_streq(table[i].name, name))
			return (int)i;
	return -1;
}

unsigned builtin_min_args(const struct builtin *b)
{
	return (unsigned)strcspn(b->args, "|");
}

unsigned builtin_max_args(const struct builtin *b)
{
	return (unsigned)strlen(b->args) - (strchr(b->args, '|') != NULL);
}

char builtin_arg(const struct builtin *b, unsigned i)
{
	return b->args[i < builtin_min_args(b) ? i : i + 1];
}

#define STACK_PLACES 128 // SP_SYMBOLS_PLACES: the runtime shows no more
#define KERNEL_ADDRESS (sizeof("0xffffffffffffffff ") - 1)
#define USER_ADDRESS (sizeof("0x7fffffffffff ") - 1)
#define STACK_LINE 64 // a name with its offset and file: some are longer, many are shorter

uint32_t builtin_stack_size(enum builtin_id id)
{
	if (id == BUILTIN_BACKTRACE)
		return STACK_PLACES * KERNEL_ADDRESS + 1;
	if (id == BUILTIN_UBACKTRACE)
		return STACK_PLACES * USER_ADDRESS + 1;
	if (table[id].lower == BUILTIN_LOWER_SYMBOLS && table[id].args[0] == '\0')
		return STACK_PLACES * STACK_LINE;
	return 0;
}

const char *builtin_errno(unsigned number)
{
	static const char *const names[] = {
#define ERRNO(number, name) [number] = name,
#include "compiler/model/errno.def"
#undef ERRNO
	};

	return number < SP_ARRAY_SIZE(names) && names[number] ? names[number] : "";
}
