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
		if (sp_streq(table[i].name, name))
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

const char *builtin_errno(unsigned number)
{
	static const char *const names[] = {
#define ERRNO(number, name) [number] = name,
#include "compiler/model/errno.def"
#undef ERRNO
	};

	return number < SP_ARRAY_SIZE(names) && names[number] ? names[number] : "";
}
