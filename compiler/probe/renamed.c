// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/renamed.h"

#include "compiler/model/syscall.h"
#include "runtime/base/buf.h"

#define MAX_OFFERED 2

// ---- functions ----------------------------------------------------------------------------------

static const struct {
	const char *old, *now; // lists of names
} functions[] = {
#define FUNCTION(old, now) { old, now },
#define MEMBER(type, member, since, now)
#include "compiler/probe/renamed.def"
#undef FUNCTION
#undef MEMBER
};

static bool is_there(struct dbg_module *kernel, const char *name)
{
	struct dbg_func_query query = { .name = name, .calls = true, .inlines = true };
	struct dbg_funcs found = { 0 };
	struct sp_err *err = dbg_find_funcs(kernel, &query, &found);

	sp_err_free(err);
	return found.n;
}

// The next name of a list, in the arena; NULL: there is none.
static const char *next_name(const char **list, struct sp_arena *arena)
{
	size_t len = strcspn(*list, ",");
	const char *name = len ? sp_arena_strndup(arena, *list, len) : NULL;

	*list += len;
	*list += strspn(*list, ", ");
	return name;
}

static bool is_listed(const char *list, const char *wanted, struct sp_arena *arena)
{
	for (const char *name = next_name(&list, arena); name; name = next_name(&list, arena))
		if (sp_streq(name, wanted))
			return true;
	return false;
}

// "sys_read" as "read"; NULL: it is no system call.
static const char *syscall_name(const char *name)
{
	static const char *const prefixes[] = { "sys_", "SyS_", "compat_sys_", "compat_SyS_" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(prefixes); i++)
		if (sp_starts_with(name, prefixes[i]) && syscall_find(name + strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

// What became of a function that is in no table: since Linux 6.10 those that take memory are behind macros.
static const char *unprofiled(struct dbg_module *kernel, const char *name, struct sp_arena *arena)
{
	const char *now = sp_arena_printf(arena, "%s_noprof", name);

	return is_there(kernel, now) ? sp_arena_printf(arena, "did you mean '%s'?", now) : NULL;
}

const char *renamed_function(struct dbg_module *kernel, const char *name, struct sp_arena *arena)
{
	const char *offered[MAX_OFFERED] = { NULL }, *now, *list;
	size_t n = 0;

	if (syscall_name(name))
		return sp_arena_printf(arena, "did you mean syscall.%s?", syscall_name(name));
	for (size_t i = 0; i < SP_ARRAY_SIZE(functions); i++) {
		if (!is_listed(functions[i].old, name, arena))
			continue;
		list = functions[i].now;
		for (now = next_name(&list, arena); now && n < MAX_OFFERED; now = next_name(&list, arena))
			if (!sp_streq(now, name) && is_there(kernel, now))
				offered[n++] = now;
	}
	if (!n)
		return unprofiled(kernel, name, arena);
	return sp_arena_printf(arena, n > 1 ? "did you mean '%s' or '%s'?" : "did you mean '%s'?", offered[0], offered[1]);
}

// ---- members ------------------------------------------------------------------------------------

static const struct {
	const char *type, *member, *since, *now;
} members[] = {
#define FUNCTION(old, now)
#define MEMBER(type, member, since, now) { type, member, since, now },
#include "compiler/probe/renamed.def"
#undef FUNCTION
#undef MEMBER
};

const char *renamed_member(const char *type, const char *member, struct sp_arena *arena)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(members); i++)
		if (sp_streq(members[i].type, type) && sp_streq(members[i].member, member))
			return sp_arena_printf(arena, "since Linux %s it is %s", members[i].since, members[i].now);
	return NULL;
}
