// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall, O_PATH
#include "runtime/base/tracefs.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

// A mount that only this process sees: Linux 5.2 and later, as root. glibc has no fsopen(2) before 2.36.
static int open_detached(void)
{
	sp_cleanup_close int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return -errno;
	fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

int sp_tracefs_open(int access)
{
	static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int fd;

	for (size_t i = 0; i < SP_ARRAY_SIZE(mounts); i++) {
		fd = open(mounts[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		// The mount point exists without the mount: it is empty then.
		if (fd >= 0 && faccessat(fd, "events", access, 0) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	fd = open_detached();
	// CAP_SYS_ADMIN mounts it, but its files are root's.
	if (fd >= 0 && faccessat(fd, "events", access, 0)) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

// "	field:pid_t child_pid;	offset:44;	size:4;	signed:1;"
bool sp_tracefs_field_parse(const char *line, struct sp_tracefs_field *ret)
{
	static const char prefix[] = "\tfield:";
	int is_signed = 0;

	if (!sp_starts_with(line, prefix))
		return false;
	ret->decl = line + strlen(prefix);
	ret->decl_len = strcspn(ret->decl, ";\n");
	if (sscanf(ret->decl + ret->decl_len, "; offset:%" SCNu32 "; size:%" SCNu32 "; signed:%d", &ret->offset, &ret->size,
		   &is_signed) < 2)
		return false;
	ret->is_signed = is_signed;
	return true;
}
