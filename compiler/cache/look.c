// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/look.h"

#include <errno.h>

// The functions that are wrapped get no context. This is a thread's own, and is set while one session compiles.
static _Thread_local struct inputs *look_recorder;

struct inputs *look_record(struct inputs *inputs)
{
	struct inputs *before = look_recorder;

	look_recorder = inputs;
	return before;
}

void look_note(enum input_kind kind, const char *name)
{
	struct inputs *inputs = look_record(NULL); // so that what is done here is not noted
	int error = errno;

	if (inputs && name)
		inputs_note(inputs, kind, name);
	errno = error;
	look_record(inputs);
}

void look_note_opened(const char *path)
{
	struct inputs *inputs = look_record(NULL);
	int error = errno;

	if (inputs)
		inputs_note_opened(inputs, path);
	errno = error;
	look_record(inputs);
}

void look_obstacle(const char *why)
{
	if (look_recorder)
		inputs_obstacle(look_recorder, "%s", why);
}
