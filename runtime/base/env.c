// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // secure_getenv, environ, setresuid
#include "runtime/base/env.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

bool sp_env_is_raised(void)
{
	return getauxval(AT_SECURE) != 0;
}

const char *sp_env(const char *name)
{
	return secure_getenv(name);
}

const char *sp_env_path(void)
{
	const char *path = sp_env("PATH");

	return path ? path : USUAL_PATH;
}

static bool is_program(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

char *sp_env_program(const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	bool is_path = strchr(name, '/');

	for (const char *folder = is_path ? "" : sp_env_path(); *folder; folder += *folder == ':') {
		size_t len = strcspn(folder, ":");

		sp_buf_clear(&path);
		sp_buf_add(&path, folder, len);
		sp_buf_printf(&path, "%s%s", len ? "/" : "./", name); // an empty folder is the current one
		if (is_program(sp_buf_str(&path)))
			return sp_buf_take(&path);
		folder += len;
	}
	return is_path && is_program(name) ? sp_strdup(name) : NULL;
}

const char *sp_env_home(void)
{
	const char *home = sp_env("HOME");
	struct stat st;

	return home && *home == '/' && stat(home, &st) == 0 && st.st_uid == geteuid() ? home : NULL;
}

// posix_spawnp() searches the PATH of this process, which is the user's.
static int spawn_usual(const char *const args[], const posix_spawn_file_actions_t *actions, pid_t *pid_ret)
{
	static const char *const usual[] = { "PATH=" USUAL_PATH, "LC_ALL=C", NULL };
	char path[4096];
	int err = ENOENT;

	for (const char *dir = USUAL_PATH; *dir && err == ENOENT; dir += *dir == ':') {
		size_t len = strcspn(dir, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, args[0]);
		// posix_spawn() does not change what it is given, although its prototype lacks a const.
		err = posix_spawn(pid_ret, path, actions, NULL, (char *const *)args, (char *const *)usual);
		dir += len;
	}
	return err;
}

int sp_env_spawn(const char *const args[], const posix_spawn_file_actions_t *actions, pid_t *pid_ret)
{
	if (sp_env_is_raised())
		return spawn_usual(args, actions, pid_ret);
	return posix_spawnp(pid_ret, args[0], actions, NULL, (char *const *)args, environ);
}

static void do_nothing(int number)
{
	(void)number;
}

void sp_env_take_signals(void)
{
	signal(SIGCHLD, SIG_DFL);
	// Programs that are started have the default again: that it is ignored would be inherited.
	if (signal(SIGXFSZ, do_nothing) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

bool sp_env_drop(void)
{
	gid_t gid = getgid();
	uid_t uid = getuid();

	// File capabilities end with execve().
	return (getegid() == gid || setresgid(gid, gid, gid) == 0) && (geteuid() == uid || setresuid(uid, uid, uid) == 0);
}
