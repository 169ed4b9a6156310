// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // O_PATH, O_TMPFILE
#include "compiler/cache/cache.h"

#include "compiler/cache/look.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// What is kept of each sort of file, by the ending of its name. The oldest goes out first.
static const struct limit {
	const char *ending, *what;
	unsigned max_files;
	uint64_t max_bytes;
	bool is_synced; // it has no checksum, so a crash of the machine must not leave half of it
} limits[] = {
	{ ".result", "compiled script", 1024, 256u << 20, false },
	{ ".list", "listing", 256, 256u << 20, false },
	{ ".names", "index of names", 64, 256u << 20, false }, // room for several kernels, each with its larger modules
	// These cannot be made again where they are needed: the limits are those of a mistake.
	{ ".probes", "probes", 4096, UINT64_C(2) << 30, true },
	{ ".functions", "all functions", 256, UINT64_C(2) << 30, true },
	{ ".debug", "decompressed debug information", 64, UINT64_C(2) << 30, true },
	{ "", "other", 64, 256u << 20, true },
};

static bool has_ending(const char *name, const char *ending)
{
	size_t len = strlen(name), end = strlen(ending);

	return len >= end && sp_streq(name + len - end, ending);
}

static const struct limit *limit_of(const char *name)
{
	const struct limit *limit = limits;

	while (!has_ending(name, limit->ending))
		limit++;
	return limit;
}

// Opens the folder `name` in `parent`. It, and a link to it, must belong to this user and to nobody else: what is in it is believed,
// and a folder of another user may lead anywhere. *ret is -1, without an error, when it is not there and is not to be made.
static struct sp_err *open_own(int parent, const char *name, bool make, int flags, int *ret)
{
	struct stat st, link;

	*ret = -1;
	if (make)
		mkdirat(parent, name, 0700); // when it fails, openat() will
	sp_cleanup_close int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	if (fd < 0 && errno == ENOENT && !make)
		return NULL;
	if (fd < 0 || fstat(fd, &st) < 0 || fstatat(parent, name, &link, AT_SYMLINK_NOFOLLOW) < 0)
		return sp_err_errno(errno, "cannot open %s", name);
	if (link.st_uid != geteuid() || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return sp_err_new(SP_ERR_PRIVILEGE, "%s belongs to another user, or others can write it", name);
	*ret = fd;
	fd = -1;
	return NULL;
}

// By the XDG base directory specification a relative path in XDG_CACHE_HOME counts as none.
static struct sp_err *open_by_name(bool make, int *ret)
{
	const char *cache = sp_env("XDG_CACHE_HOME"), *home = sp_env_home();
	sp_cleanup_close int parent = -1;

	*ret = -1;
	if (cache && *cache == '/') {
		SP_TRY(open_own(AT_FDCWD, cache, make, 0, &parent));
	} else if (home) {
		sp_cleanup_close int folder = open(home, O_PATH | O_DIRECTORY | O_CLOEXEC);
		SP_TRY(open_own(folder, ".cache", make, 0, &parent)); // which may be a link: the user has made it
	} else {
		return make ? sp_err_new(SP_ERR_NOT_FOUND, "neither XDG_CACHE_HOME nor HOME is a folder of this user") : NULL;
	}
	return parent < 0 ? NULL : open_own(parent, "spile", make, O_NOFOLLOW, ret);
}

static struct sp_err *open_folder(bool make, int *ret)
{
	struct sp_err *err = open_by_name(make, ret);
	sp_cleanup_free char *path = err ? cache_path("") : NULL;

	return path ? sp_err_wrap(err, "%.*s is not used as the cache", (int)strlen(path) - 1, path) : err;
}

char *cache_path(const char *name)
{
	const char *cache = sp_env("XDG_CACHE_HOME"), *home = sp_env_home();
	struct sp_buf path = { 0 };

	if (cache && *cache == '/')
		sp_buf_printf(&path, "%s/spile/%s", cache, name);
	else if (home)
		sp_buf_printf(&path, "%s/.cache/spile/%s", home, name);
	return path.len ? sp_buf_take(&path) : NULL;
}

struct sp_err *cache_map(const char *name, struct cache_mapped *ret)
{
	LOOK_PAUSE();
	struct stat st;
	int folder;

	*ret = (struct cache_mapped){ 0 };
	SP_TRY(open_folder(false, &folder));
	if (folder < 0)
		return NULL;
	sp_cleanup_close int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	int error = errno;
	close(folder);
	if (fd < 0)
		return error == ENOENT ? NULL : sp_err_errno(error, "cannot open %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return sp_err_new(SP_ERR_PRIVILEGE, "%s is not a regular file of this user", name);
	if (!st.st_size)
		return NULL;
	void *map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return sp_err_errno(errno, "cannot map %s", name);
	*ret = (struct cache_mapped){ map, st.st_size };
	return NULL;
}

void cache_unmap(struct cache_mapped *cached)
{
	if (cached->bytes)
		munmap((void *)cached->bytes, cached->size);
	*cached = (struct cache_mapped){ 0 };
}

static int oldest_first(const void *a, const void *b)
{
	const struct cache_entry *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

// The files that are there and end so (NULL: all), the oldest first.
static void read_folder(int folder, const char *ending, struct cache_list *ret)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;

	if (!dir && copy >= 0)
		close(copy);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct cache_entry found = { .what = limit_of(entry->d_name)->what };
		struct timespec used;
		struct stat st;
		if (ending && !has_ending(entry->d_name, ending))
			continue;
		if (fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		// File systems need not record each access; the time of change is at least that of the file's last save.
		used = st.st_atim.tv_sec > st.st_ctim.tv_sec ? st.st_atim : st.st_ctim;
		found.used = (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
		found.size = (uint64_t)st.st_size;
		memcpy(found.name, entry->d_name, strlen(entry->d_name) + 1); // at most NAME_MAX
		sp_vec_push(ret, found);
	}
	if (dir)
		closedir(dir);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), oldest_first);
}

// Temporary files (".NUMBER.tmp") are of a process that is writing, or of one that was killed.
#define TMP_SECONDS 600

static bool is_left(const struct cache_entry *entry)
{
	return has_ending(entry->name, ".tmp") && entry->used / 1000000000 + TMP_SECONDS < (uint64_t)time(NULL);
}

// Removes the oldest files of one sort until the rest is within the limit, and what killed processes have left. The file `keep`
// stays (NULL: none). Returns the number of files that were removed.
static unsigned trim(int folder, const struct limit *limit, const char *keep)
{
	struct cache_list all = { 0 };
	uint64_t size = 0;
	size_t left = 0;
	unsigned n = 0;

	read_folder(folder, NULL, &all);
	sp_vec_each(entry, &all) {
		if (limit_of(entry->name) == limit) {
			size += entry->size;
			left++;
		}
	}
	sp_vec_each(entry, &all) {
		bool is_much = limit_of(entry->name) == limit && (left > limit->max_files || size > limit->max_bytes);
		if ((!is_much && !is_left(entry)) || (keep && sp_streq(entry->name, keep)))
			continue;
		n += unlinkat(folder, entry->name, 0) == 0;
		size -= is_much ? entry->size : 0;
		left -= is_much;
	}
	sp_vec_deinit(&all);
	return n;
}

struct sp_err *cache_save(const char *name, const uint8_t *bytes, size_t size)
{
	LOOK_PAUSE();
	const struct limit *limit = limit_of(name);
	struct sp_err *err;
	struct stat st;
	int folder;

	SP_TRY(open_folder(true, &folder));
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		unlinkat(folder, name, 0); // a pipe would be written to
	err = limit->is_synced ? sp_file_replace(folder, name, bytes, size, 0600) :
				 sp_file_replace_unsynced(folder, name, bytes, size, 0600);
	if (!err)
		trim(folder, limit, name);
	close(folder);
	return err;
}

int cache_lock(void)
{
	LOOK_PAUSE();
	int folder;
	struct sp_err *err = open_folder(true, &folder);

	sp_err_free(err);
	if (err)
		return -1;
	while (flock(folder, LOCK_EX) && errno == EINTR)
		;
	return folder;
}

int cache_open(const char *name)
{
	LOOK_PAUSE();
	struct stat st;
	int folder;
	struct sp_err *err = open_folder(false, &folder);

	sp_err_free(err);
	if (err || folder < 0)
		return -1;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	close(folder);
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

// Gives a file without a name its name. Whoever is killed before has left nothing behind.
static bool give_name(int folder, int fd, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	unlinkat(folder, name, 0);
	return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) == 0;
}

int cache_make(const char *name, cache_fill_fn *fill, void *ctx)
{
	LOOK_PAUSE();
	int folder;
	struct sp_err *err = open_folder(true, &folder);

	sp_err_free(err);
	if (err || folder < 0)
		return -1;
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && fill(ctx, fd);
	if (ok && give_name(folder, fd, name))
		trim(folder, limit_of(name), name);
	close(folder);
	if (!ok && fd >= 0)
		close(fd);
	return ok ? fd : -1;
}

struct sp_err *cache_check(void)
{
	int folder;

	SP_TRY(open_folder(false, &folder));
	if (folder >= 0)
		close(folder);
	return NULL;
}

struct sp_err *cache_each(const char *ending, struct cache_list *ret)
{
	int folder;

	SP_TRY(open_folder(false, &folder));
	if (folder < 0)
		return NULL;
	read_folder(folder, ending, ret);
	close(folder);
	return NULL;
}

struct sp_err *cache_remove(const char *name)
{
	struct sp_err *err = NULL;
	int folder;

	SP_TRY(open_folder(false, &folder));
	if (folder < 0)
		return NULL;
	if (unlinkat(folder, name, 0) && errno != ENOENT)
		err = sp_err_errno(errno, "cannot remove %s", name);
	close(folder);
	return err;
}

struct sp_err *cache_prune(unsigned *n_ret)
{
	int folder;

	SP_TRY(open_folder(false, &folder));
	*n_ret = 0;
	for (size_t i = 0; folder >= 0 && i < SP_ARRAY_SIZE(limits); i++)
		*n_ret += trim(folder, &limits[i], NULL);
	if (folder >= 0)
		close(folder);
	return NULL;
}

void cache_touch(const char *name)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };
	int folder;
	struct sp_err *err = open_folder(false, &folder);

	sp_err_free(err);
	if (err || folder < 0)
		return;
	utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW);
	close(folder);
}
