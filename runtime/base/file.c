// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall, O_PATH
#include "runtime/base/file.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#define SAY_PATIENCE_MS 1000
#define MAX_LINKS 40 // as the kernel follows
#define TRIES 100 // names that are tried; each is taken with a chance of 1 in 2^64

static struct sp_err *cannot_write(const char *path)
{
	return sp_err_errno(errno, "cannot write \"%s\"", path);
}

struct sp_err *sp_file_write(int fd, const char *name, const void *bytes, size_t size)
{
	for (const char *at = bytes; size;) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cannot_write(name);
		at += n;
		size -= (size_t)n;
	}
	return NULL;
}

static struct sp_err *read_all(int fd, const char *name, size_t max, struct sp_buf *ret)
{
	char chunk[16384];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sp_err_errno(errno, "cannot read %s", name);
		if (n == 0)
			return NULL;
		sp_buf_add(ret, chunk, (size_t)n);
		if (ret->len > max)
			return sp_err_new(SP_ERR_FORMAT, "cannot read %s: longer than %zu MB", name, max >> 20);
	}
}

struct sp_err *sp_file_end(FILE *file, const char *path)
{
	return feof(file) ? NULL : sp_err_errno(errno, "cannot read %s", path);
}

const char *sp_file_script_name(const char *path)
{
	return sp_streq(path, "-") ? "<input>" : path;
}

int sp_file_open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ENOEXEC;
	return -1;
}

struct sp_err *sp_file_read(const char *path, size_t max, struct sp_buf *ret)
{
	bool is_stdin = sp_streq(path, "-");
	sp_cleanup_close int opened = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (!is_stdin && opened < 0)
		return sp_err_errno(errno, "cannot open %s", path);
	if (!is_stdin && fstat(opened, &st) == 0 && S_ISDIR(st.st_mode))
		return sp_err_errno(EISDIR, "cannot read %s", path);
	return read_all(is_stdin ? STDIN_FILENO : opened, sp_file_script_name(path), max, ret);
}

// Makes a file in the folder of `path`, of a name that nobody can know before.
static int make_temporary(int folder, const char *path, mode_t mode, struct sp_buf *name)
{
	const char *slash = strrchr(path, '/');
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		uint64_t number;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -1;
		sp_buf_clear(name);
		sp_buf_printf(name, "%.*s.%016llx.tmp", slash ? (int)(slash - path + 1) : 0, path, (unsigned long long)number);
		fd = openat(folder, sp_buf_str(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

static struct sp_err *write_and_close(int fd, const char *path, const void *bytes, size_t size, bool sync)
{
	struct sp_err *err = sp_file_write(fd, path, bytes, size);

	if (!err && sync && fsync(fd))
		err = cannot_write(path);
	if (close(fd) && !err) // some file systems tell here that the disk is full
		err = cannot_write(path);
	return err;
}

const char *sp_file_path_fault(const char *path)
{
	if (*path == '/')
		return "it cannot begin with '/'";
	for (;; path++) {
		size_t len = strcspn(path, "/");

		if (!len)
			return "no part of it can be empty";
		if ((len == 1 && path[0] == '.') || (len == 2 && path[0] == '.' && path[1] == '.'))
			return "no part of it can be '.' or '..'";
		if (len > NAME_MAX)
			return "a part of it is too long";
		path += len;
		if (!*path)
			return NULL;
	}
}

// The signal is held back for the time of the write, and taken from the thread when the write has raised it.
ssize_t sp_file_write_quietly(int fd, const void *bytes, size_t size)
{
	const struct timespec now = { 0 };
	sigset_t pipe_set, old, pending;
	int failure;
	ssize_t n;

	sigemptyset(&pipe_set);
	sigaddset(&pipe_set, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe_set, &old);
	n = write(fd, bytes, size);
	failure = errno;
	if (n < 0 && failure == EPIPE && !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = failure;
	return n;
}

// In a folder of another user a link may lead to any file: those of root and of the user alone are followed, by the text of the link that
// was looked at, as another may have its name meanwhile. The length of those that /proc makes, as /dev/stdout leads to one, is not that of
// the text, which is no path.
static struct sp_err *open_to_write(int folder, const char *path, int flags, int *fd_ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf at = { 0 };

	sp_buf_puts(&at, path);
	for (unsigned n_links = 0; n_links < MAX_LINKS; n_links++, errno = ELOOP) {
		int fd = openat(folder, at.data, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		char text[PATH_MAX];
		const char *slash;
		struct stat st;
		ssize_t len = fstat(fd, &st) ? -1 : readlinkat(fd, "", text, sizeof(text));

		close(fd);
		if (len >= 0 && st.st_uid && st.st_uid != geteuid())
			return sp_err_new(SP_ERR_SYSTEM, "cannot write \"%s\": it is a link of another user", path);
		if (len < 0 || len != st.st_size) {
			fd = openat(folder, at.data, flags | (len < 0 ? O_NOFOLLOW : 0) | O_WRONLY | O_CLOEXEC, 0666);
			if (fd < 0)
				break;
			*fd_ret = fd;
			return NULL;
		}
		slash = *text == '/' ? NULL : strrchr(at.data, '/');
		at.len = slash ? (size_t)(slash + 1 - at.data) : 0;
		sp_buf_add(&at, text, (size_t)len);
	}
	return cannot_write(path);
}

static struct sp_err *replace(int folder, const char *path, const void *bytes, size_t size, mode_t mode, bool sync)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct sp_err *err;
	struct stat st;
	int fd;

	if (fstatat(folder, path, &st, 0) == 0 && !S_ISREG(st.st_mode)) {
		err = open_to_write(folder, path, 0, &fd);
		return err ? err : write_and_close(fd, path, bytes, size, false);
	}
	fd = make_temporary(folder, path, mode, &name);
	if (fd < 0)
		return cannot_write(path);
	err = write_and_close(fd, path, bytes, size, sync);
	if (!err && renameat(folder, sp_buf_str(&name), folder, path))
		err = cannot_write(path);
	if (err)
		unlinkat(folder, sp_buf_str(&name), 0);
	return err;
}

struct sp_err *sp_file_replace(int folder, const char *path, const void *bytes, size_t size, mode_t mode)
{
	return replace(folder, path, bytes, size, mode, true);
}

struct sp_err *sp_file_replace_unsynced(int folder, const char *path, const void *bytes, size_t size, mode_t mode)
{
	return replace(folder, path, bytes, size, mode, false);
}

// Is it the file that the name has now?
static bool has_name(int fd, const char *path)
{
	struct stat own, named;

	return fstat(fd, &own) == 0 && stat(path, &named) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

struct sp_err *sp_file_lock(const char *path, int *fd_ret)
{
	int fd;

	// For writing: a server of files (NFS) gives locks to those alone.
	while ((fd = open(path, O_RDWR | O_CLOEXEC)) >= 0) {
		while (flock(fd, LOCK_EX)) {
			if (errno == EINTR)
				continue;
			close(fd);
			return sp_err_errno(errno, "cannot lock \"%s\"", path);
		}
		if (has_name(fd, path)) {
			*fd_ret = fd;
			return NULL;
		}
		close(fd);
	}
	return cannot_write(path);
}

struct sp_err *sp_file_open_output(const char *path, int *fd_ret)
{
	return open_to_write(AT_FDCWD, path, O_CREAT | O_TRUNC | O_APPEND, fd_ret);
}

void sp_file_say(unsigned *lost, const char *prefix, const char *text)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
	int n;

	while ((n = poll(&fd, 1, *lost ? 0 : SAY_PATIENCE_MS)) < 0 && errno == EINTR)
		;
	if (!n) {
		++*lost;
		return;
	}
	if (*lost)
		fprintf(stderr, "WARNING: %u messages were lost (standard error was not read)\n", *lost);
	*lost = 0;
	fprintf(stderr, "%s%s\n", prefix, text);
}

void sp_file_dated_name(const char *format, char *ret, size_t size)
{
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	if (!strftime(ret, size, format, &tm))
		snprintf(ret, size, "%s", format);
}

void sp_file_close_range(unsigned first, unsigned end)
{
	struct rlimit limit;

	if (first >= end || syscall(SYS_close_range, first, end - 1, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 65536)
		limit.rlim_cur = 65536;
	for (unsigned fd = first; fd < SP_MIN(end, (unsigned)limit.rlim_cur); fd++)
		close((int)fd);
}

bool sp_file_take_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		// The wrong way round: who writes to a closed output shall know it.
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}
