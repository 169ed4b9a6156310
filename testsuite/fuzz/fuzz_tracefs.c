// SPDX-License-Identifier: GPL-2.0-or-later
// The door of an event's `format` in tracefs: the declaration of a field lies in its line.
#include "runtime/base/tracefs.h"
#include "testsuite/fuzz/near.h"

#include <stdlib.h>

static void check(const char *bytes, size_t len)
{
	sp_cleanup_free char *text = sp_malloc(len + 1);
	struct sp_tracefs_field field;

	memcpy(text, bytes, len);
	text[len] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sp_tracefs_field_parse(line, &field) &&
		    (field.decl < line || field.decl + field.decl_len > text + len || memchr(field.decl, '\n', field.decl_len)))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_near(data, size, check);
	return 0;
}
