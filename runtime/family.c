// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/family.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"
#include "runtime/insn.h"
#include "runtime/privilege.h"
#include "runtime/tracefs.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FORK "sched:sched_process_fork"
#define FREE "sched:sched_process_free"
#define FIRST_PID_NAMESPACE 0xeffffffcu // PROC_PID_INIT_INO

// The kernel's programs see the numbers of the first namespace; we see our own's.
static bool sees_kernel_pids(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PID_NAMESPACE;
}

struct sp_err *family_find_events(struct family_events *ret)
{
	sp_cleanup_close int tracefs = -1;

	if (!sees_kernel_pids())
		return sp_err_new(SP_ERR_PRIVILEGE, "this is a PID namespace of its own, and the kernel tells of others");
	SP_TRY(tracefs_open(&tracefs));
	SP_TRY(tracefs_event_id(tracefs, FORK, &ret->fork_id));
	SP_TRY(tracefs_event_field(tracefs, FORK, "child_pid", &ret->child_offset));
	SP_TRY(tracefs_event_id(tracefs, FREE, &ret->free_id));
	return tracefs_event_field(tracefs, FREE, "pid", &ret->pid_offset);
}

// ---- the programs ----------------------------------------------------------------------------------------------------

// The frame: -4 the key that is looked up, -8 the child, -16 its value.
static int load_fork(int map_fd, unsigned child_offset)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_6, BPF_REG_1),
		CALL(BPF_FUNC_get_current_pid_tgid),
		SHIFT_RIGHT(BPF_REG_0, 32),
		STORE(BPF_W, BPF_REG_10, -4, BPF_REG_0),
		MAP_FD(BPF_REG_1, map_fd),
		FRAME(BPF_REG_2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(BPF_REG_0, 21), // to the end
		LOAD(BPF_W, BPF_REG_1, BPF_REG_6, child_offset),
		STORE(BPF_W, BPF_REG_10, -8, BPF_REG_1),
		STORE_IMM(BPF_DW, BPF_REG_10, -16, 0),
		MAP_FD(BPF_REG_1, map_fd),
		FRAME(BPF_REG_2, -8),
		FRAME(BPF_REG_3, -16),
		MOV(BPF_REG_4, BPF_ANY),
		CALL(BPF_FUNC_map_update_elem),
		IF_ZERO(BPF_REG_0, 9),
		STORE_IMM(BPF_W, BPF_REG_10, -4, 0), // the value of key 0 counts those that found no room
		MAP_FD(BPF_REG_1, map_fd),
		FRAME(BPF_REG_2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(BPF_REG_0, 2),
		MOV(BPF_REG_1, 1),
		ATOMIC_ADD(BPF_DW, BPF_REG_0, 0, BPF_REG_1),
		MOV(BPF_REG_0, 0),
		EXIT,
	};

	return bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "spile_fork", "GPL", insns, SP_ARRAY_SIZE(insns), NULL);
}

static int load_free(int map_fd, unsigned pid_offset)
{
	const struct bpf_insn insns[] = {
		LOAD(BPF_W, BPF_REG_1, BPF_REG_1, pid_offset),
		IF_ZERO(BPF_REG_1, 6), // the counter's key
		STORE(BPF_W, BPF_REG_10, -4, BPF_REG_1),
		MAP_FD(BPF_REG_1, map_fd),
		FRAME(BPF_REG_2, -4),
		CALL(BPF_FUNC_map_delete_elem),
		MOV(BPF_REG_0, 0),
		EXIT,
	};

	return bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "spile_free", "GPL", insns, SP_ARRAY_SIZE(insns), NULL);
}

static struct sp_err *attach(struct family *family, unsigned index, uint64_t event_id)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = event_id };
	int fd;

	if (family->prog_fds[index] < 0)
		return sp_err_errno(errno, "cannot load what follows the target's children");
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	family->event_fds[index] = fd;
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, family->prog_fds[index]) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return sp_err_errno(errno, "cannot follow the target's children: %s", privilege_hint());
	return NULL;
}

// ---- the members -----------------------------------------------------------------------------------------------------

static bool is_member(int map_fd, uint32_t pid)
{
	uint64_t value;

	return bpf_map_lookup_elem(map_fd, &pid, &value) == 0;
}

static struct sp_err *add(int map_fd, uint32_t pid)
{
	uint64_t value = 0;

	return bpf_map_update_elem(map_fd, &pid, &value, BPF_ANY) ?
		       sp_err_errno(errno, "cannot write the map of the target's children") : NULL;
}

static uint32_t parent_of(const char *pid)
{
	char path[64], text[512], *end;
	sp_cleanup_close int fd = -1;
	unsigned parent = 0;
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	text[SP_MAX(size, (ssize_t)0)] = '\0';
	end = strrchr(text, ')'); // of the name, which may hold anything
	if (!end || sscanf(end + 1, " %*c %u", &parent) != 1)
		return 0;
	return parent;
}

// Those whose parent is a member. Their own forks are followed from then on; what they forked before is found by the next
// round.
static struct sp_err *add_children(int map_fd, bool *any_ret)
{
	DIR *dir = opendir("/proc");
	struct sp_err *err = NULL;
	struct dirent *entry;

	*any_ret = false;
	if (!dir)
		return sp_err_errno(errno, "cannot read /proc");
	while (!err && (entry = readdir(dir))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10), parent;

		if (!pid || is_member(map_fd, pid))
			continue;
		parent = parent_of(entry->d_name);
		if (!parent || !is_member(map_fd, parent))
			continue;
		*any_ret = true;
		err = add(map_fd, pid);
	}
	closedir(dir);
	return err;
}

static struct sp_err *start(struct family *family, const struct family_events *events, pid_t root, bool is_running)
{
	bool any = is_running;

	SP_TRY(add(family->map_fd, 0));
	family->prog_fds[0] = load_fork(family->map_fd, events->child_offset);
	SP_TRY(attach(family, 0, events->fork_id));
	family->prog_fds[1] = load_free(family->map_fd, events->pid_offset);
	SP_TRY(attach(family, 1, events->free_id));
	SP_TRY(add(family->map_fd, (uint32_t)root));
	while (any)
		SP_TRY(add_children(family->map_fd, &any));
	return NULL;
}

struct sp_err *family_start(const struct family_events *events, int map_fd, pid_t root, bool is_running,
			    struct family *ret)
{
	struct family family = FAMILY_NONE;
	struct sp_err *err;

	family.map_fd = map_fd;
	err = start(&family, events, root, is_running);
	if (err)
		family_stop(&family);
	else
		*ret = family;
	return err;
}

void family_take_events(struct family *family, int fds[2])
{
	memcpy(fds, family->event_fds, sizeof(family->event_fds));
	family->event_fds[0] = family->event_fds[1] = -1;
}

uint64_t family_lost(const struct family *family)
{
	uint64_t lost = 0;
	uint32_t key = 0;

	return bpf_map_lookup_elem(family->map_fd, &key, &lost) ? 0 : lost;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void family_stop(struct family *family)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(family->prog_fds); i++) {
		close_fd(&family->event_fds[i]);
		close_fd(&family->prog_fds[i]);
	}
}
