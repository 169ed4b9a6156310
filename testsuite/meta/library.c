// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of the functions of the script library, by the list that spile --dump-functions prints: NAME:TYPE (NAME:TYPE, ...).
#define _GNU_SOURCE
#include "testsuite/meta/relate.h"

#include <stdlib.h>

// Small numbers, addresses that nothing is at, tasks where a parameter is called so; texts of any length.
static const char *argument(struct rng *rng, const char *parameter, size_t len)
{
	static const char *const numbers[] = { "pid()", "(pid() & 7)", "cpu()", "0", "-1", "task_current()" };
	static const char *const texts[] = { "execname()", "\"a\"", "sprintf(\"%d:%s\", pid(), execname())", "\"\"" };

	if (memmem(parameter, len, ":string", 7))
		return *pick(rng, texts);
	return memmem(parameter, len, "task", 4) ? "task_current()" : *pick(rng, numbers);
}

static struct leaf call_of(struct seed *seed, struct rng *rng, const char *line)
{
	size_t name_len = strcspn(line, ":");
	const char *type = line + name_len + 1, *at = strchr(line, '(') + 1, *comma = "";
	struct leaf leaf = { .type = sp_starts_with(type, "string") ? T_STR : sp_starts_with(type, "long") ? T_LONG : T_NONE, .weight = 3 };
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%.*s(", (int)name_len, line);
	for (size_t len; *at != ')'; at += len, at += strspn(at, ", "), comma = ", ") {
		len = strcspn(at, ",)");
		sp_buf_printf(&text, "%s%s", comma, argument(rng, at, len));
	}
	sp_buf_puts(&text, leaf.type == T_NONE ? ");" : ")");
	leaf.text = sp_arena_strdup(&seed->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return leaf;
}

struct leaf library_call(struct seed *seed, struct rng *rng)
{
	const char *list, *line;
	unsigned n = 0;

	if (!seed->functions)
		seed->functions = trial_functions(&seed->lab, &seed->arena);
	list = seed->functions;
	for (const char *s = list; *s; s++)
		n += *s == '\n';
	if (!n)
		abort();
	do {
		line = list;
		for (unsigned i = below(rng, n); i; i--)
			line = strchr(line, '\n') + 1;
	} while (strchr("$@_", *line)); // which are not for scripts
	return call_of(seed, rng, line);
}
