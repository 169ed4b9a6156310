// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // gettid
#include "compiler/debug/index/dw_cache.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
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

// By the XDG base directory specification a relative path in XDG_CACHE_HOME counts as none.
static char *folder_path(bool make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct sp_buf path = { 0 };

	if (cache && *cache == '/')
		sp_buf_puts(&path, cache);
	else if (home && *home == '/')
		sp_buf_printf(&path, "%s/.cache", home);
	else
		return NULL;
	if (make)
		mkdir(path.data, 0700); // when it fails, open_folder() will
	sp_buf_puts(&path, "/spile");
	if (make)
		mkdir(path.data, 0700);
	return sp_buf_take(&path);
}

// *ret is -1, without an error, when there is no folder and none was asked for.
static struct sp_err *open_folder(bool make, int *ret)
{
	sp_cleanup_free char *path = folder_path(make);
	struct stat st;

	*ret = -1;
	if (!path)
		return make ? sp_err_new(SP_ERR_NOT_FOUND, "neither XDG_CACHE_HOME nor HOME is set") : NULL;
	sp_cleanup_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && !make)
		return NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		return sp_err_errno(errno, "cannot open %s", path);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return sp_err_new(SP_ERR_PRIVILEGE, "%s belongs to another user, or others can write it", path);
	*ret = fd;
	fd = -1;
	return NULL;
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

static struct sp_err *write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sp_err_errno(errno, "cannot write an index");
		bytes += n;
		size -= n;
	}
	return NULL;
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
// at most MAX_FILES and MAX_BYTES of them. The file `name` itself stays.
static void trim(int folder, const char *name)
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
	for (size_t i = 0; i < all.n && (left > MAX_FILES || size > MAX_BYTES); i++) {
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
	struct sp_buf temp = { 0 };
	struct sp_err *err;
	int folder, fd;

	SP_TRY(open_folder(true, &folder));
	sp_buf_printf(&temp, ".%s.%ld", name, (long)gettid()); // other processes and threads may be saving it, too
	unlinkat(folder, temp.data, 0); // left by an earlier thread of that number
	fd = openat(folder, temp.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = fd < 0 ? sp_err_errno(errno, "cannot write %s", name) : write_all(fd, bytes, size);
	if (fd >= 0 && close(fd) < 0 && !err)
		err = sp_err_errno(errno, "cannot write %s", name);
	if (!err && renameat(folder, temp.data, folder, name) < 0)
		err = sp_err_errno(errno, "cannot write %s", name);
	if (err && fd >= 0)
		unlinkat(folder, temp.data, 0);
	if (!err)
		trim(folder, name);
	close(folder);
	sp_buf_deinit(&temp);
	return err;
}
