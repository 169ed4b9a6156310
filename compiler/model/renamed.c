// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/renamed.h"

#include "runtime/base/util.h"

static const struct {
	const char *old, *now; // lists of names
} functions[] = {
#define FUNCTION(old, now) { old, now },
#define MEMBER(type, member, since, now)
#include "compiler/model/renamed.def"
#undef FUNCTION
#undef MEMBER
};

static const struct {
	const char *type, *member, *since, *now;
} members[] = {
#define FUNCTION(old, now)
#define MEMBER(type, member, since, now) { type, member, since, now },
#include "compiler/model/renamed.def"
#undef FUNCTION
#undef MEMBER
};

const char *renamed_function(const char *name)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(functions); i++)
		if (sp_list_has(functions[i].old, name, strlen(name)))
			return functions[i].now;
	return NULL;
}

const char *renamed_member(const char *type, const char *member, struct sp_arena *arena)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(members); i++)
		if (sp_streq(members[i].type, type) && sp_streq(members[i].member, member))
			return sp_arena_printf(arena, "since Linux %s it is %s", members[i].since, members[i].now);
	return NULL;
}
