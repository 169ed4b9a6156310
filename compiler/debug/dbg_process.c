// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // O_PATH, getline
#include "compiler/debug/dbg_process.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define DELETED " (deleted)" // the kernel puts it behind the path of a file that has no name any more

size_t dbg_process_root_len(const char *path)
{
	int pid, len = 0;

	return sscanf(path, "/proc/%d/root%n", &pid, &len) == 1 && len && path[len] == '/' ? (size_t)len : 0;
}

static bool is_file(const char *path, const struct stat *wanted)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == wanted->st_dev && st.st_ino == wanted->st_ino;
}

// Paths in another mount namespace begin at the root of that, which is not the root of a process that chroot() has sent elsewhere:
// "/new/usr/bin/x" is /usr/bin/x below the root folder /new.
static const char *below_root(const char *inner, const char *root_path)
{
	char root[PATH_MAX];
	ssize_t len = readlink(root_path, root, sizeof(root) - 1);

	root[len > 0 ? len : 0] = '\0';
	return len > 1 && sp_starts_with(inner, root) && inner[len] == '/' ? inner + len : inner;
}

// The path of a file that another root folder has as `inner`: the shortest one that leads to that very file. NULL: none does.
static char *path_of(const struct stat *file, const char *root, size_t root_len, const char *inner)
{
	sp_cleanup_free char *root_path = sp_strndup(root, root_len);
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };

	if (inner[0] != '/')
		return NULL;
	if (is_file(inner, file))
		return sp_strdup(inner);
	sp_buf_printf(&path, "%s%s", root_path, below_root(inner, root_path));
	return is_file(sp_buf_str(&path), file) ? sp_buf_take(&path) : NULL;
}

// As path_of(), of the file that a link in /proc leads to. The link itself is a path, too: of a file without a name the only one.
static char *path_of_link(const char *link, const char *root, size_t root_len)
{
	char inner[PATH_MAX];
	ssize_t len = readlink(link, inner, sizeof(inner) - 1);
	struct stat file;
	char *path;

	if (len < 0 || stat(link, &file))
		return NULL;
	inner[len] = '\0';
	path = path_of(&file, root, root_len, inner);
	return path ? path : sp_strdup(link);
}

// Opens a file below the root folder of a process. Absolute symbolic links begin at that root.
static int open_below(const char *path, size_t root_len)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	sp_cleanup_free char *root = sp_strndup(path, root_len);
	sp_cleanup_close int root_fd = open(root, O_PATH | O_CLOEXEC);
	int fd;

	if (root_fd < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, root_fd, path + root_len, &how, sizeof(how));
	// Linux 5.6 has the call.
	return fd < 0 && errno == ENOSYS ? open(path, O_PATH | O_CLOEXEC) : fd;
}

static char *real_path_below(const char *path, size_t root_len)
{
	sp_cleanup_close int fd = open_below(path, root_len);
	sp_cleanup_free char *link = NULL, *found = NULL;
	struct stat file;

	if (fd < 0 || fstat(fd, &file) || asprintf(&link, "/proc/self/fd/%d", fd) < 0)
		return NULL;
	found = path_of_link(link, path, root_len);
	if (found && !sp_streq(found, link))
		return sp_take(found);
	if (is_file(path, &file))
		return sp_strdup(path);
	errno = ENOENT;
	return NULL;
}

char *dbg_process_real_path(const char *path)
{
	size_t root_len = dbg_process_root_len(path);
	sp_cleanup_free char *found = NULL;
	struct stat file;

	if (root_len)
		return real_path_below(path, root_len);
	if (stat(path, &file))
		return NULL;
	found = realpath(path, NULL);
	// "/proc/PID/exe" and its like lead to files that may have no path.
	return found && is_file(found, &file) ? sp_take(found) : sp_strdup(path);
}

char *dbg_process_program(pid_t pid)
{
	sp_cleanup_free char *link = NULL, *root = NULL;

	if (asprintf(&link, "/proc/%d/exe", (int)pid) < 0 || asprintf(&root, "/proc/%d/root", (int)pid) < 0)
		return NULL;
	return path_of_link(link, root, strlen(root));
}

// Our path of what is mapped. Who may not follow the links in map_files has to believe the path in maps.
static char *path_of_mapping(pid_t pid, const struct dbg_mapped *mapped, const char *inner)
{
	sp_cleanup_free char *link = NULL, *root = NULL, *seen = NULL;
	char *path;

	if (asprintf(&root, "/proc/%d/root", (int)pid) < 0 || asprintf(&seen, "%s%s", root, inner) < 0 ||
	    asprintf(&link, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, mapped->start, mapped->end) < 0)
		return NULL;
	path = path_of_link(link, root, strlen(root));
	return path ? path : dbg_process_real_path(seen);
}

struct sp_err *dbg_process_mappings(pid_t pid, bool (*each)(void *ctx, const struct dbg_mapped *mapped), void *ctx)
{
	sp_cleanup_free char *maps = NULL, *root = NULL, *line = NULL;
	sp_cleanup_fclose FILE *file = NULL;
	size_t cap = 0;

	if (asprintf(&maps, "/proc/%d/maps", (int)pid) < 0 || asprintf(&root, "/proc/%d/root", (int)pid) < 0 ||
	    !(file = fopen(maps, "re")))
		return NULL;
	while (getline(&line, &cap, file) > 0) {
		struct dbg_mapped mapped = { 0 };
		sp_cleanup_free char *path = NULL;
		const char *inner = strchr(line, '/');
		char rights[8];

		line[strcspn(line, "\n")] = '\0';
		if (!inner || sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &mapped.start, &mapped.end, rights,
				     &mapped.offset) != 4)
			continue;
		inner = below_root(inner, root);
		path = path_of_mapping(pid, &mapped, inner);
		mapped.executable = rights[2] == 'x';
		mapped.path = path;
		mapped.inner = inner;
		if (path && !each(ctx, &mapped))
			return NULL;
	}
	return sp_file_end(file, maps);
}

struct namesake {
	const char *path;
	bool same, other; // the process has mapped the file itself; another one
};

static bool compare_file(void *ctx, const struct dbg_mapped *mapped)
{
	struct namesake *namesake = ctx;
	size_t len = strlen(namesake->path);

	if (sp_streq(mapped->path, namesake->path))
		namesake->same = true;
	else if (sp_starts_with(mapped->inner, namesake->path) && (!mapped->inner[len] || sp_streq(mapped->inner + len, DELETED)))
		namesake->other = true;
	return !namesake->same;
}

bool dbg_process_maps_other(pid_t pid, const char *path)
{
	struct namesake namesake = { .path = path };

	sp_err_free(dbg_process_mappings(pid, compare_file, &namesake));
	return namesake.other && !namesake.same;
}
