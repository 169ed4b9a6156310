// SPDX-License-Identifier: GPL-2.0-or-later
// The folder of a session's files: $XDG_RUNTIME_DIR/spile/SESSION, or /run/spile/SESSION for root. Beside it is SESSION.lock, which
// the session holds as long as it lives, and a link that has the script's name.
#define _GNU_SOURCE // nftw

#include "runtime/files/files.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOCK ".lock"

static char *format(const char *folder, const char *name, const char *suffix)
{
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%s/%s%s", folder, name, suffix);
	return sp_buf_take(&text);
}

// ---- where it is ----------------------------------------------------------------------------------------------------

static bool is_own_folder(const char *path)
{
	struct stat st;

	return path && *path == '/' && !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

// The folder of all sessions of the user. Nobody else can make anything there.
static struct sp_err *find_base(char **ret)
{
	const char *given = sp_env("XDG_RUNTIME_DIR");
	char own[64];
	sp_cleanup_free char *path = NULL;
	struct stat st;

	snprintf(own, sizeof(own), "/run/user/%u", (unsigned)geteuid());
	if (!is_own_folder(given))
		given = geteuid() == 0 ? "/run" : own;
	if (!is_own_folder(given))
		return sp_err_new(SP_ERR_NOT_FOUND, "there is no folder for the files of procfs probes: XDG_RUNTIME_DIR is to name one of yours");
	path = format(given, "spile", "");
	if (mkdir(path, 0755) && errno != EEXIST)
		return sp_err_errno(errno, "cannot make the folder %s", path);
	if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
		return sp_err_new(SP_ERR_SYSTEM, "%s is not a folder that only you can write to", path);
	*ret = sp_take(path);
	return NULL;
}

// ---- what others have left ------------------------------------------------------------------------------------------

static void run_unmount(const char *path)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp("fusermount3", (char **)(const char *[]){ "fusermount3", "-uzq", "--", path, NULL });
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	remove(path);
	return 0;
}

// False: it is still there.
static bool remove_folder(const char *path)
{
	struct stat st;

	if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) && errno == EPERM)
		run_unmount(path);
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	return lstat(path, &st) && errno == ENOENT;
}

// The lock, when nobody has it; else -1. Who has held it may have taken the file away meanwhile.
static int take_lock(const char *path, int flags)
{
	for (;;) {
		int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
		struct stat st;

		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			close(fd);
			return -1;
		}
		if (!fstat(fd, &st) && st.st_nlink)
			return fd;
		close(fd);
		if (!(flags & O_CREAT))
			return -1;
	}
}

static void clean(const char *base, const char *name)
{
	size_t len = strlen(name), n_suffix = strlen(LOCK);
	sp_cleanup_free char *lock_path = format(base, name, "");
	sp_cleanup_free char *folder = NULL;
	sp_cleanup_close int lock = -1;

	if (len <= n_suffix || strcmp(name + len - n_suffix, LOCK))
		return;
	lock = take_lock(lock_path, 0);
	if (lock < 0)
		return;
	folder = sp_strndup(lock_path, strlen(lock_path) - n_suffix);
	if (remove_folder(folder))
		unlink(lock_path);
}

// Links to folders that are gone. Those that are there are not looked at: their sessions would have to answer, and may be stopped.
static void clean_link(const char *base, const char *name)
{
	sp_cleanup_free char *path = format(base, name, ""), *lock_path = NULL;
	char session[NAME_MAX + 1];
	ssize_t len = readlinkat(AT_FDCWD, path, session, sizeof(session) - 1);

	session[SP_MAX(len, 0)] = '\0';
	lock_path = format(base, session, LOCK);
	if (len > 0 && !strchr(session, '/') && access(lock_path, F_OK) && errno == ENOENT)
		unlink(path);
}

static void clean_all(const char *base, void (*clean_one)(const char *base, const char *name))
{
	DIR *dir = opendir(base);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			clean_one(base, entry->d_name);
	if (dir)
		closedir(dir);
}

// ---- the folder -----------------------------------------------------------------------------------------------------

static struct sp_err *make_folder(const char *base, const struct files_input *input, struct files_folder *ret)
{
	ret->lock_path = format(base, input->session, LOCK);
	ret->lock = take_lock(ret->lock_path, O_CREAT);
	if (ret->lock < 0) {
		free(ret->lock_path);
		ret->lock_path = NULL;
		return sp_err_new(SP_ERR_SYSTEM, "another session has the folder %s/%s", base, input->session);
	}
	ret->path = format(base, input->session, "");
	if (mkdir(ret->path, 0755) && (!remove_folder(ret->path) || mkdir(ret->path, 0755)))
		return sp_err_errno(errno, "cannot make the folder %s", ret->path);
	return NULL;
}

// The first session of a script has its name.
static void make_link(const char *base, const struct files_input *input, struct files_folder *ret)
{
	sp_cleanup_free char *path = input->alias ? format(base, input->alias, "") : NULL;

	if (!path)
		return;
	if (!symlink(input->session, path))
		ret->link = sp_take(path);
	else
		sp_log(input->log, SP_LOG_WARN, "another session has the name %s: the files of procfs probes are in %s", path, ret->path);
}

// Takes the folder away when the session is killed.
static void start_guard(struct files_folder *folder)
{
	pid_t session = getpid();
	sigset_t all;

	folder->guard = fork();
	if (folder->guard)
		return;
	setsid();
	prctl(PR_SET_NAME, "tap-files"); // a `killall spile` is not for this process
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sp_file_close_range(0, (unsigned)folder->lock);
	sp_file_close_range((unsigned)folder->lock + 1, ~0U);
	while (getppid() == session)
		sigtimedwait(&all, NULL, NULL);
	files_folder_remove(folder);
	_exit(0);
}

static void end_guard(const struct files_folder *folder)
{
	if (folder->guard <= 0)
		return;
	kill(folder->guard, SIGKILL);
	waitpid(folder->guard, NULL, 0);
}

struct sp_err *files_folder_create(const struct files_input *input, struct files_folder *ret)
{
	sp_cleanup_free char *base = NULL;
	struct sp_err *err = find_base(&base);

	*ret = (struct files_folder){ .lock = -1 };
	if (err)
		return err;
	clean_all(base, clean);
	clean_all(base, clean_link);
	err = make_folder(base, input, ret);
	if (err)
		return err;
	make_link(base, input, ret);
	start_guard(ret);
	return NULL;
}

void files_folder_remove(struct files_folder *folder)
{
	end_guard(folder);
	if (folder->link)
		unlink(folder->link);
	if (folder->lock_path) {
		if (!folder->path || remove_folder(folder->path))
			unlink(folder->lock_path);
		close(folder->lock);
	}
	free(folder->link);
	free(folder->path);
	free(folder->lock_path);
}
