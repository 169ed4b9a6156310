// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/unported.h"

#include <stddef.h>

#include "runtime/base/util.h"

struct unported {
	const char *names, *why;
};

static const char *find(const struct unported *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (sp_glob_match(rows[i].names, name))
			return rows[i].why;
	return NULL;
}

const char *unported_function(const char *name)
{
	static const struct unported functions[] = {
#define FUNCTION(names, why) { names, why },
#define MACRO(names, why)
#include "compiler/front/unported.def"
#undef FUNCTION
#undef MACRO
	};

	return find(functions, SP_ARRAY_SIZE(functions), name);
}

const char *unported_macro(const char *name)
{
	static const struct unported macros[] = {
#define FUNCTION(names, why)
#define MACRO(names, why) { names, why },
#include "compiler/front/unported.def"
#undef FUNCTION
#undef MACRO
	};

	return find(macros, SP_ARRAY_SIZE(macros), name);
}
