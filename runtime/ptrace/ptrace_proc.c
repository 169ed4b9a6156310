// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf, getline

#include "runtime/ptrace/ptrace_proc.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/util.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define STAT_SIZE 1024

int ptrace_proc_open_fd(pid_t pid, const char *name, int mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, mode | O_CLOEXEC);
}

FILE *ptrace_proc_open(pid_t pid, const char *name)
{
	int fd = ptrace_proc_open_fd(pid, name, O_RDONLY);

	return fd < 0 ? NULL : fdopen(fd, "r");
}

int ptrace_proc_open_file(pid_t pid, const char *name)
{
	sp_cleanup_free char *path = NULL;

	return asprintf(&path, "/proc/%d/root%s", (int)pid, name) < 0 ? -1 : sp_file_open_regular(path);
}

// The compiler cannot check a format that is no literal: callers give one with one directive.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static bool scan(pid_t tid, const char *name, const char *format, void *ret)
{
	sp_cleanup_fclose FILE *file = ptrace_proc_open(tid, name);
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, format, ret) == 1)
			return true;
	return false;
}
#pragma GCC diagnostic pop

bool ptrace_proc_status(pid_t tid, const char *format, void *ret)
{
	return scan(tid, "status", format, ret);
}

int ptrace_proc_syscall(pid_t tid)
{
	int number;

	return scan(tid, "syscall", "%d", &number) ? number : -1; // "running"
}

uint64_t ptrace_proc_signals(pid_t tid, const char *format)
{
	uint64_t bits = 0;

	ptrace_proc_status(tid, format, &bits);
	return bits;
}

bool ptrace_proc_has_shadow_stack(pid_t pid)
{
	char last;

	return ptrace_proc_status(pid, "x86_Thread_features: shst%c", &last);
}

// What set-user-ID, set-group-ID and capabilities(7) of the file would have given.
bool ptrace_proc_lost_privileges(pid_t pid, char *program, size_t size)
{
	struct vm_task ids = { 0 };
	struct statvfs fs;
	struct stat st;
	char path[32];
	uint64_t permitted;
	int no_new;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &st) || statvfs(path, &fs) || fs.f_flag & ST_NOSUID || !ptrace_proc_ids(pid, &ids) ||
	    !ptrace_proc_status(pid, "NoNewPrivs: %d", &no_new) || no_new || !ptrace_proc_status(pid, "CapPrm: %" SCNx64, &permitted))
		return false;
	len = readlinkat(AT_FDCWD, path, program, size - 1);
	program[SP_MAX(len, (ssize_t)0)] = '\0';
	return (st.st_mode & S_ISUID && st.st_uid != ids.euid) || ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != ids.egid) ||
	       (!permitted && getxattr(path, "security.capability", NULL, 0) > 0);
}

// Reads "tid (comm) state ppid ..." (proc(5)) of a process or a thread. Returns what is behind the name, which may hold a parenthesis;
// NULL: it is gone. In the folder of a process is the sum of its threads, for which the kernel asks each of them.
static const char *read_stat(pid_t tid, char text[STAT_SIZE])
{
	sp_cleanup_close int fd = -1;
	char name[32];
	ssize_t size;

	snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
	fd = ptrace_proc_open_fd(tid, name, O_RDONLY);
	size = read(fd, text, STAT_SIZE - 1);
	text[SP_MAX(size, (ssize_t)0)] = '\0';
	char *end = strrchr(text, ')');
	return end && end[1] == ' ' ? end + 1 : NULL;
}

// A field of that by its number there, from 3 on; "" when there are not so many.
static const char *field_of(const char *behind_name, int number)
{
	for (int i = 3; behind_name && i < number; i++)
		behind_name = strchr(behind_name + 1, ' ');
	return behind_name ? behind_name + 1 : "";
}

char ptrace_proc_state(pid_t tid)
{
	char text[STAT_SIZE];
	const char *fields = read_stat(tid, text);

	return fields ? fields[1] : 'X';
}

uint64_t ptrace_proc_stat_number(pid_t pid, int place)
{
	char text[STAT_SIZE];

	return strtoull(field_of(read_stat(pid, text), place), NULL, 10);
}

void ptrace_proc_each_range(pid_t pid, bool (*each)(void *ctx, const struct ptrace_range *range), void *ctx)
{
	sp_cleanup_fclose FILE *file = ptrace_proc_open(pid, "maps");
	sp_cleanup_free char *line = NULL;
	size_t cap = 0;

	while (file && getline(&line, &cap, file) > 0) {
		struct ptrace_range range = { .name = "" };
		char mode[8];
		int name = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &range.start, &range.end, mode,
			   &range.offset, &name) != 4)
			continue;
		line[strcspn(line, "\n")] = '\0';
		range.executable = mode[2] == 'x';
		range.name = line + name;
		if (!each(ctx, &range))
			return;
	}
}

bool ptrace_proc_ids(pid_t pid, struct vm_task *ret)
{
	return ptrace_proc_status(pid, "Uid: %u", &ret->uid) && ptrace_proc_status(pid, "Uid: %*u %u", &ret->euid) &&
	       ptrace_proc_status(pid, "Gid: %u", &ret->gid) && ptrace_proc_status(pid, "Gid: %*u %u", &ret->egid);
}

void ptrace_proc_stat(pid_t tid, struct vm_task *ret)
{
	char text[STAT_SIZE];
	const char *fields = read_stat(tid, text), *comm = fields ? strchr(text, '(') : NULL;

	if (!comm)
		return;
	memcpy(ret->comm, comm + 1, SP_MIN((size_t)(fields - comm - 2), sizeof(ret->comm) - 1));
	ret->ppid = (uint32_t)strtoull(field_of(fields, 4), NULL, 10);
	ret->cpu = (uint32_t)strtoull(field_of(fields, 39), NULL, 10);
}
