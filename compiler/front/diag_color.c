// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/diag_color.h"

#include "runtime/base/util.h"

#include <string.h>

static const char *const keys[] = { "error", "warning", "source", "caret", "token" };

static bool is_key(const char *text, size_t len)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(keys); i++)
		if (sp_is_word(text, len, keys[i]))
			return true;
	return false;
}

bool diag_color_is_valid(const char *colors)
{
	size_t len;

	do {
		len = strcspn(colors, "=:");
		if (colors[len] != '=' || !is_key(colors, len))
			return false;
		colors += len + 1;
		len = strspn(colors, "0123456789;");
		colors += len;
	} while (len && *colors++ == ':');
	return len && !colors[-1];
}

const char *diag_color_find(const char *colors, const char *key, size_t *len_ret)
{
	size_t len = strlen(key);

	for (const char *c = colors; c; c = strchr(c, ':')) {
		c += *c == ':';
		if (strncmp(c, key, len) || c[len] != '=')
			continue;
		*len_ret = strcspn(c + len + 1, ":");
		return c + len + 1;
	}
	return NULL;
}
