// SPDX-License-Identifier: GPL-2.0-or-later
/** What a compilation has looked at outside of its options, so that its result can be used again as long as all of that is the same.
 *
 *  The problem. A result may depend on thousands of things: library files, programs and their debug information, places where no
 *  debug information was found, links, variables of the environment, the modules that the kernel has loaded.
 *
 *  The idea. Each is an input: a kind, a name, and a value, which is bytes. The value of a file is who it is (device and inode, size,
 *  times, owner, mode), or that it is not there. To check an input is to take its value anew, and to compare the bytes.
 *
 *  The invariant. An input is noted before the file is opened, so what changes later has another value. The times of a file tell of
 *  a change when the file was not changed within the last tick of the file system's clock before it was noted: else it is an
 *  obstacle. With an obstacle the result is not kept. */
#ifndef SP_CACHE_INPUT_H
#define SP_CACHE_INPUT_H

#include "runtime/base/buf.h"
#include "runtime/base/hash.h"

#include <pthread.h>
#include <time.h>

enum input_kind {
	INPUT_FILE = 'f', // a file, or a folder of which only the existence matters; or that there is none; then the build-id, to be shown
	INPUT_FOLDER = 'd', // which names a folder has
	INPUT_LINK = 'l', // where a symbolic link leads to
	INPUT_REAL = 'r', // the path without links
	INPUT_BYTES = 'b', // the content of a file that the kernel makes when it is read
	INPUT_GLOB = 'g', // the paths that match a pattern
	INPUT_ENV = 'e', // a variable of the environment
	INPUT_KERNEL = 'k', // what the running kernel has: its symbols, tracepoints and modules
	INPUT_TARGET = 't', // what the kernel of this machine can do, and lets this process do
};

struct inputs {
	pthread_mutex_t lock;
	struct sp_hash known; // kind and name -> nothing
	struct sp_buf bytes; // all of them, as input_next() reads them
	struct timespec since; // when the compilation began
	char *obstacle; // why the result cannot be kept; NULL: it can
	size_t n;
};

void inputs_init(struct inputs *inputs);
void inputs_deinit(struct inputs *inputs);
/** Notes an input with its value now, unless it is known. What has no value that could be compared becomes an obstacle. */
void inputs_note(struct inputs *inputs, enum input_kind kind, const char *name);
/** The same of a file that has been looked at already: what was changed since the compilation began is an obstacle. */
void inputs_note_opened(struct inputs *inputs, const char *path);
/** Notes the programs and libraries that this process runs. */
void inputs_note_loaded(struct inputs *inputs);
void inputs_obstacle(struct inputs *inputs, const char *fmt, ...) SP_PRINTF(2, 3);

struct input {
	enum input_kind kind;
	const char *name;
	const uint8_t *value;
	size_t size;
	const uint8_t *build_id; // of a file that has one
	unsigned build_id_len;
};

/** Reads the input at *at and goes on to the next one; false: at the end, or the bytes are no inputs (then *at < end). */
bool input_next(const uint8_t **at, const uint8_t *end, struct input *ret);
/** Has the input still its value? */
bool input_holds(const struct input *input);
/** "file", "no file", "folder", ... */
const char *input_what(const struct input *input);

#endif
