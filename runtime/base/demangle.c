// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/demangle.h"

#include <stdlib.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

#define MAX_SYMBOL 4096 // the demangler's time and depth grow with the name, which may be anybody's

char *sp_demangle(const char *symbol, bool parameters)
{
	size_t len = strcspn(symbol, "@"); // "_Znwm@@GLIBCXX_3.4"
	int options = DMGL_AUTO | DMGL_ANSI | (parameters ? DMGL_PARAMS : 0);
	char *name, *text;

	if ((!sp_starts_with(symbol, "_Z") && !sp_starts_with(symbol, "_R")) || len > MAX_SYMBOL)
		return NULL;
	name = sp_strndup(symbol, len);
	// cplus_demangle() does the same, but brings the demanglers of D, Ada and Java.
	text = rust_demangle(name, options);
	if (!text)
		text = cplus_demangle_v3(name, options);
	free(name);
	if (!text)
		return NULL;
	// " [clone .constprop.0]"
	char *clone = strstr(text, " [clone ");
	if (clone)
		*clone = '\0';
	return text;
}
#else
char *sp_demangle(const char *symbol SP_UNUSED, bool parameters SP_UNUSED)
{
	return NULL;
}
#endif
