// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of libc that look at files and at the environment, as the compiler calls them (look.h). __real_X is the one of
// libc. The linker makes both names of --wrap=X.
#define _GNU_SOURCE // fstatfs, the prototypes of scandir() and glob()
#include "compiler/cache/look.h"

#include "runtime/base/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>

// X(result, name, parameters, arguments, note): `note` is done first.
#define WRAPPED(X) \
	X(int, access, (const char *path, int mode), (path, mode), look_note(INPUT_FILE, path)) \
	X(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags), note_at(at, path, 0)) \
	X(FILE *, fopen, (const char *path, const char *mode), (path, mode), note_mode(path, mode)) \
	X(int, glob, (const char *pattern, int flags, int (*fn)(const char *, int), glob_t *ret), (pattern, flags, fn, ret), \
	  look_note(INPUT_GLOB, pattern)) \
	X(void *, gzopen, (const char *path, const char *mode), (path, mode), note_mode(path, mode)) \
	X(DIR *, opendir, (const char *path), (path), look_note(INPUT_FOLDER, path)) \
	X(int, posix_spawn, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr, \
			     char *const *args, char *const *env), (pid, path, actions, attr, args, env), note_program(path)) \
	X(int, posix_spawnp, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr, \
			      char *const *args, char *const *env), (pid, path, actions, attr, args, env), note_program(path)) \
	X(int, lstat, (const char *path, struct stat *ret), (path, ret), look_note(INPUT_FILE, path)) \
	X(ssize_t, readlink, (const char *path, char *text, size_t size), (path, text, size), look_note(INPUT_LINK, path)) \
	X(char *, realpath, (const char *path, char *text), (path, text), look_note(INPUT_REAL, path)) \
	X(int, scandir, (const char *path, struct dirent ***list, int (*filter)(const struct dirent *), \
			 int (*order)(const struct dirent **, const struct dirent **)), (path, list, filter, order), \
	  look_note(INPUT_FOLDER, path)) \
	X(char *, getenv, (const char *name), (name), look_note(INPUT_ENV, name)) \
	X(char *, secure_getenv, (const char *name), (name), look_note(INPUT_ENV, name)) \
	X(int, stat, (const char *path, struct stat *ret), (path, ret), look_note(INPUT_FILE, path))

// The same where the program is compiled with _FORTIFY_SOURCE.
#define WRAPPED_CHECKED(X) \
	X(int, __open_2, (const char *path, int flags), (path, flags), note_at(AT_FDCWD, path, flags)) \
	X(int, __openat_2, (int at, const char *path, int flags), (at, path, flags), note_at(at, path, flags)) \
	X(ssize_t, __readlink_chk, (const char *path, char *text, size_t size, size_t room), (path, text, size, room), \
	  look_note(INPUT_LINK, path)) \
	X(char *, __realpath_chk, (const char *path, char *text, size_t room), (path, text, room), look_note(INPUT_REAL, path))

// A file that is written is no input.
static void note_mode(const char *path, const char *mode)
{
	if (*mode == 'r')
		look_note(INPUT_FILE, path);
}

static void note_program(const char *path)
{
	char why[PATH_MAX + 64];

	snprintf(why, sizeof(why), "%s was run, which may look at any file", path);
	look_obstacle(why);
}

// `path` is relative to the folder `at`.
static void note_below(int at, const char *path, enum input_kind kind)
{
	struct inputs *inputs = look_record(NULL);
	sp_cleanup(sp_buf_deinit) struct sp_buf whole = { 0 };
	char link[64], folder[PATH_MAX];
	struct statfs fs;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	len = inputs ? readlink(link, folder, sizeof(folder)) : -1;
	if (len > 0)
		sp_buf_printf(&whole, "%.*s/%s", (int)len, folder, path);
	look_record(inputs);
	if (!inputs)
		return;
	// A mount that only this process has is on no path.
	if (fstatfs(at, &fs) == 0 && fs.f_type == TRACEFS_MAGIC)
		look_note(INPUT_KERNEL, path);
	else if (len > 0)
		look_note(kind, sp_buf_str(&whole));
	else
		look_obstacle("a file of an unknown folder was opened");
}

static void note_at(int at, const char *path, int flags)
{
	enum input_kind kind = (flags & O_DIRECTORY) == O_DIRECTORY && !(flags & O_PATH) ? INPUT_FOLDER : INPUT_FILE;

	// A file without a name, or one that is written, is no input.
	if ((flags & O_TMPFILE) == O_TMPFILE || (flags & O_ACCMODE) == O_WRONLY || flags & O_CREAT)
		return;
	if (at == AT_FDCWD || *path == '/')
		look_note(kind, path);
	else
		note_below(at, path, kind);
}

#define WRAP(result, name, parameters, arguments, note) \
	result __real_##name parameters; \
	result __wrap_##name parameters; \
	result __wrap_##name parameters \
	{ \
		note; \
		return __real_##name arguments; \
	}

WRAPPED(WRAP)
WRAPPED_CHECKED(WRAP)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
	note_at(AT_FDCWD, path, flags);
	return __real_open(path, flags, mode);
}

int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, mode_t mode);
int __wrap_openat(int at, const char *path, int flags, mode_t mode)
{
	note_at(at, path, flags);
	return __real_openat(at, path, flags, mode);
}

// ---- threads ------------------------------------------------------------------------------------------------------------

struct start {
	void *(*fn)(void *arg);
	void *arg;
	struct inputs *inputs;
};

static void *start_thread(void *ctx)
{
	struct start start = *(struct start *)ctx;

	free(ctx);
	look_record(start.inputs);
	return start.fn(start.arg);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	struct inputs *inputs = look_record(NULL);
	struct start *start;
	int error;

	look_record(inputs);
	if (!inputs)
		return __real_pthread_create(thread, attr, fn, arg);
	start = sp_calloc(1, sizeof(*start));
	*start = (struct start){ fn, arg, inputs };
	error = __real_pthread_create(thread, attr, start_thread, start);
	if (error)
		free(start);
	return error;
}
