// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/rotation.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/util.h"
#include "runtime/base/vec.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct rotation {
	char *name;
	uint64_t most, written; // bytes
	unsigned keep, next; // number of the next file
	int fd;
	SP_VEC(char *) names; // of the files that there are, the oldest first
};

static char *name_of(const struct rotation *rotation)
{
	struct sp_buf name = { 0 };
	char text[PATH_MAX];

	sp_file_dated_name(rotation->name, text, sizeof(text));
	sp_buf_printf(&name, "%s.%u", text, rotation->next);
	return sp_buf_take(&name);
}

static void remove_oldest(struct rotation *rotation)
{
	while (rotation->keep && rotation->names.n > rotation->keep) {
		unlink(rotation->names.v[0]);
		free(rotation->names.v[0]);
		memmove(rotation->names.v, rotation->names.v + 1, --rotation->names.n * sizeof(*rotation->names.v));
	}
}

struct sp_err *rotation_switch(struct rotation *rotation)
{
	char *name = name_of(rotation);
	int fd;
	struct sp_err *err = sp_file_open_output(name, &fd);

	rotation->written = 0; // without another file, too: that is tried again, and told, when this one has grown by as much
	if (err) {
		free(name);
		return err;
	}
	if (rotation->fd >= 0)
		close(rotation->fd);
	rotation->fd = fd;
	rotation->next++;
	sp_vec_push(&rotation->names, name);
	remove_oldest(rotation);
	return NULL;
}

struct sp_err *rotation_start(const char *name, uint64_t most, unsigned keep, struct rotation **ret)
{
	struct rotation *rotation = sp_calloc(1, sizeof(*rotation));
	struct sp_err *err;

	rotation->name = sp_strdup(name);
	rotation->most = most;
	rotation->keep = keep;
	rotation->fd = -1;
	err = rotation_switch(rotation);
	if (err)
		rotation_end(rotation);
	else
		*ret = rotation;
	return err;
}

void rotation_end(struct rotation *rotation)
{
	if (!rotation)
		return;
	if (rotation->fd >= 0)
		close(rotation->fd);
	sp_vec_each(name, &rotation->names)
		free(*name);
	sp_vec_deinit(&rotation->names);
	free(rotation->name);
	free(rotation);
}

int rotation_fd(const struct rotation *rotation)
{
	return rotation->fd;
}

// A line that is longer than a file gets one of its own.
size_t rotation_room(const struct rotation *rotation, const char *text, size_t len)
{
	uint64_t left = rotation->most > rotation->written ? rotation->most - rotation->written : 0;
	const char *end;

	if (len <= left)
		return len;
	end = text + left;
	while (end > text && end[-1] != '\n')
		end--;
	if (end > text || rotation->written)
		return (size_t)(end - text);
	end = memchr(text, '\n', len);
	return end ? (size_t)(end - text) + 1 : len;
}

void rotation_wrote(struct rotation *rotation, size_t len)
{
	rotation->written += len;
}
