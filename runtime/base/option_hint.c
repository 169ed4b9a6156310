// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/option_hint.h"

#include "runtime/base/util.h"

#include <ctype.h>
#include <stdio.h>

#define NAME_SIZE 64 // sp_edit_distance() takes no longer ones
#define FAR 100

// Of the whole name or of its beginning, as getopt_long(3) takes that, too; a part of it is near.
static unsigned distance_of(const char *word, const char *name)
{
	char start[NAME_SIZE];

	if (strstr(name, word))
		return 1;
	snprintf(start, sizeof(start), "%.*s", (int)strlen(word), name);
	return SP_MIN(sp_edit_distance(word, name, FAR), sp_edit_distance(word, start, FAR) + 1);
}

// NULL: none is near, or getopt_long() has named those that begin so.
static const char *nearest(const char *dashed, const struct option *options)
{
	const char *ret = NULL;
	char word[NAME_SIZE];
	unsigned limit;

	dashed += strspn(dashed, "-");
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(dashed, "="), dashed);
	limit = (unsigned)strlen(word) / 3; // a third of the letters may be wrong
	for (; options->name; options++) {
		unsigned distance = distance_of(word, options->name);

		if (sp_starts_with(options->name, word))
			return NULL;
		if (distance > limit || (ret && distance == limit))
			continue;
		ret = options->name;
		limit = distance;
	}
	return ret;
}

void sp_option_hint(char *const *argv, const char *letters, const struct option *options)
{
	const char *name = optopt ? NULL : nearest(argv[optind - 1], options);
	int other = optopt ^ ('a' ^ 'A');

	if (name)
		fprintf(stderr, "Did you mean '--%s'?\n", name);
	else if (isascii(optopt) && isalpha(optopt) && !strchr(letters, optopt) && strchr(letters, other))
		fprintf(stderr, "Did you mean '-%c'?\n", other);
}
