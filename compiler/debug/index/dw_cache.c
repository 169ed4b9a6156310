// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // O_PATH, O_TMPFILE
#include "compiler/debug/index/dw_cache.h"

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
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Room for several kernels, each with its larger modules.
#define MAX_FILES 64
#define MAX_BYTES (256u << 20)

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
static struct sp_err *open_folder(bool make, int *ret)
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

struct sp_err *dw_cache_map(const char *name, struct dw_cached *ret)
{
	struct stat st;
	int folder;

	*ret = (struct dw_cached){ 0 };
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
	*ret = (struct dw_cached){ map, st.st_size };
	return NULL;
}

void dw_cache_unmap(struct dw_cached *cached)
{
	if (cached->bytes)
		munmap((void *)cached->bytes, cached->size);
	*cached = (struct dw_cached){ 0 };
}

struct kept {
	char name[NAME_MAX + 1];
	struct timespec used;
	uint64_t size;
};

static int oldest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct kept *)a)->used, *y = &((const struct kept *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

// Removes files with the ending of `name`, and temporary files that processes have left of such, the oldest first, until there are
// at most MAX_FILES and `max_bytes` of them. The file `name` itself stays.
static void trim(int folder, const char *name, uint64_t max_bytes)
{
	const char *kind = strrchr(name, '.') ? strrchr(name, '.') : name;
	SP_VEC(struct kept) all = { 0 };
	uint64_t size = 0;
	size_t left;
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;

	if (!dir && copy >= 0)
		close(copy);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct kept kept;
		struct stat st;
		if (!strstr(entry->d_name, kind) || fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		// File systems need not record each access; the time of change is at least that of the file's last save.
		kept.used = st.st_atim.tv_sec > st.st_ctim.tv_sec ? st.st_atim : st.st_ctim;
		kept.size = (uint64_t)st.st_size;
		memcpy(kept.name, entry->d_name, strlen(entry->d_name) + 1); // at most NAME_MAX
		sp_vec_push(&all, kept);
		size += kept.size;
	}
	if (dir)
		closedir(dir);
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), oldest_first);
	left = all.n;
	for (size_t i = 0; i < all.n && (left > MAX_FILES || size > max_bytes); i++) {
		if (sp_streq(all.v[i].name, name))
			continue;
		unlinkat(folder, all.v[i].name, 0);
		size -= all.v[i].size;
		left--;
	}
	sp_vec_deinit(&all);
}

struct sp_err *dw_cache_save(const char *name, const uint8_t *bytes, size_t size)
{
	struct sp_err *err;
	int folder;

	SP_TRY(open_folder(true, &folder));
	err = sp_file_replace(folder, name, bytes, size, 0600);
	if (!err)
		trim(folder, name, MAX_BYTES);
	close(folder);
	return err;
}

int dw_cache_open(const char *name)
{
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

int dw_cache_make(const char *name, uint64_t max_bytes, dw_cache_fill_fn *fill, void *ctx)
{
	int folder;
	struct sp_err *err = open_folder(true, &folder);

	sp_err_free(err);
	if (err || folder < 0)
		return -1;
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && fill(ctx, fd);
	if (ok && give_name(folder, fd, name))
		trim(folder, name, max_bytes);
	close(folder);
	if (!ok && fd >= 0)
		close(fd);
	return ok ? fd : -1;
}
