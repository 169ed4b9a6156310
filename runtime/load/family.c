// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/family.h"

#include "runtime/abi/bundle.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"
#include "runtime/load/layout.h"
#include "runtime/machine/insn.h"
#include "runtime/machine/privilege.h"
#include "runtime/machine/image.h"
#include "runtime/machine/tracefs.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "sched:"
#define FIRST_PID_NAMESPACE 0xeffffffcu // PROC_PID_INIT_INO

// Programs in the kernel see pids of the first namespace; we see those of ours.
bool family_sees_kernel_pids(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PID_NAMESPACE;
}

// ---- the programs ----------------------------------------------------------------------------------------------------

// Pieces that they share. Keys and values are at `key` and `value` of the frame, the own process's key at -4; a jump
// over a piece counts its instructions.
#define FIND(map_fd, key) MAP_FD(BPF_REG_1, map_fd), FRAME(BPF_REG_2, key), CALL(BPF_FUNC_map_lookup_elem) // 5
#define DELETE(map_fd, key) MAP_FD(BPF_REG_1, map_fd), FRAME(BPF_REG_2, key), CALL(BPF_FUNC_map_delete_elem) // 5
#define FIND_SELF(map_fd)                                                                                                \
	CALL(BPF_FUNC_get_current_pid_tgid), SHIFT_RIGHT(BPF_REG_0, 32), STORE(BPF_W, BPF_REG_10, -4, BPF_REG_0),        \
		FIND(map_fd, -4)
#define UPDATE(map_fd, key, value)                                                                                       \
	MAP_FD(BPF_REG_1, map_fd), FRAME(BPF_REG_2, key), FRAME(BPF_REG_3, value), MOV(BPF_REG_4, BPF_ANY),              \
		CALL(BPF_FUNC_map_update_elem) // 8
#define RETURN_0 MOV(BPF_REG_0, 0), EXIT

// Where a program finds a process's number.
struct place {
	uint32_t tracepoint; // layout_tracepoint(): in an argument of this one, a task; 0: in the record of an event
	uint64_t offset;
};

// The first instruction takes what has the number: an argument, or the record; the number is the only word of four bytes that is loaded.
#define HOLDER(n) LOAD(BPF_DW, BPF_REG_6, BPF_REG_1, (n) * 8)
#define NUMBER LOAD(BPF_W, BPF_REG_1, BPF_REG_6, 0)
#define ANY_MAP 0 // put in by insn_fill()

// sched_process_fork(parent, child). The frame: -4 the key that is looked up, -8 the child, -16 its value: that of its parent.
static const struct bpf_insn fork_insns[] = {
	HOLDER(1),
	FIND_SELF(ANY_MAP),
	IF_ZERO(BPF_REG_0, 22), // to the end
	LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, 0),
	STORE(BPF_DW, BPF_REG_10, -16, BPF_REG_1),
	NUMBER,
	STORE(BPF_W, BPF_REG_10, -8, BPF_REG_1),
	UPDATE(ANY_MAP, -8, -16),
	IF_ZERO(BPF_REG_0, 9),
	STORE_IMM(BPF_W, BPF_REG_10, -4, 0), // the value of key 0 counts those that found no room
	FIND(ANY_MAP, -4),
	IF_ZERO(BPF_REG_0, 2),
	MOV(BPF_REG_1, 1),
	ATOMIC_ADD(BPF_DW, BPF_REG_0, 0, BPF_REG_1),
	RETURN_0,
};

// sched_process_exec(task): the process does not run any more what it ran before.
static const struct bpf_insn exec_insns[] = {
	HOLDER(0),
	FIND_SELF(ANY_MAP),
	IF_ZERO(BPF_REG_0, 3),
	LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, 0),
	AND(BPF_REG_1, SP_FAMILY_TARGET),
	STORE(BPF_DW, BPF_REG_0, 0, BPF_REG_1),
	RETURN_0,
};

// sched_process_free(task)
static const struct bpf_insn free_insns[] = {
	HOLDER(0),
	NUMBER,
	IF_ZERO(BPF_REG_1, 6), // the counter's key
	STORE(BPF_W, BPF_REG_10, -4, BPF_REG_1),
	DELETE(ANY_MAP, -4),
	RETURN_0,
};

// At a program's entry, whose bit is put in. The frame: -4 the process, -16 its value.
static const struct bpf_insn entry_insns[] = {
	LOAD_IMM(BPF_REG_6, UINT64_C(0)),
	FIND_SELF(ANY_MAP),
	IF_ZERO(BPF_REG_0, 2),
	LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, 0),
	OR_REG(BPF_REG_6, BPF_REG_1),
	STORE(BPF_DW, BPF_REG_10, -16, BPF_REG_6),
	UPDATE(ANY_MAP, -4, -16),
	RETURN_0,
};

static const struct program {
	const char *event, *field;
	const struct bpf_insn *insns;
	size_t n;
} programs[] = {
	[FAMILY_FORK] = { GROUP "sched_process_fork", "child_pid", fork_insns, SP_ARRAY_SIZE(fork_insns) },
	[FAMILY_FREE] = { GROUP "sched_process_free", "pid", free_insns, SP_ARRAY_SIZE(free_insns) },
	[FAMILY_EXEC] = { GROUP "sched_process_exec", "pid", exec_insns, SP_ARRAY_SIZE(exec_insns) },
	[FAMILY_EVENTS] = { NULL, NULL, entry_insns, SP_ARRAY_SIZE(entry_insns) },
};

// What is put in is of one program. The kernel waits for all processors when a program is taken from the records of an event, not when it is
// taken from the tracepoint.
static int load(unsigned index, int map_fd, const struct place *place, uint64_t bit)
{
	const struct program *program = &programs[index];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = place->tracepoint ? BPF_TRACE_RAW_TP : 0,
		    .attach_btf_id = place->tracepoint);
	struct bpf_insn insns[SP_ARRAY_SIZE(fork_insns)];

	memcpy(insns, program->insns, program->n * sizeof(*insns));
	insn_fill(insns, program->n, &map_fd);
	for (size_t i = 0; i < program->n; i++)
		if (insns[i].code == (BPF_LDX | BPF_W | BPF_MEM))
			insns[i].off = (short)place->offset;
	if (bit) {
		insns[0].imm = (int)(uint32_t)bit;
		insns[1].imm = (int)(bit >> 32);
	} else if (!place->tracepoint) {
		insns[0] = (struct bpf_insn)MOV_REG(BPF_REG_6, BPF_REG_1);
	}
	return bpf_prog_load(bit ? BPF_PROG_TYPE_KPROBE : place->tracepoint ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_TRACEPOINT,
			     "spile_family", "GPL", insns, program->n, &opts);
}

struct sp_err *family_find_events(struct family_events *ret)
{
	sp_cleanup_close int tracefs = -1;

	if (access("/proc/self/ns", F_OK))
		return sp_err_new(SP_ERR_PRIVILEGE, "/proc is not mounted here: mount -t proc proc /proc");
	if (!family_sees_kernel_pids())
		return sp_err_new(SP_ERR_PRIVILEGE, "this process is in a PID namespace of its own, and the kernel reports pids of the first one");
	SP_TRY(tracefs_open(&tracefs));
	for (unsigned i = 0; i < FAMILY_EVENTS; i++) {
		SP_TRY(tracefs_event_id(tracefs, programs[i].event, &ret->v[i].id));
		SP_TRY(tracefs_event_field(tracefs, programs[i].event, programs[i].field, &ret->v[i].offset));
	}
	return NULL;
}

// Not each kernel has types, nor takes programs that use them.
static struct sp_err *follow(struct family *family, const struct family_input *input, enum family_event event)
{
	struct place typed = { 0 }, untyped = { .offset = input->events.v[event].offset };
	struct sp_err *err = layout_member(input->layout, "struct task_struct.pid:4:0", &typed.offset);
	int program = -1;

	if (!err)
		err = layout_tracepoint(input->layout, programs[event].event + strlen(GROUP), &typed.tracepoint);
	if (!err)
		program = load(event, input->map_fd, &typed, 0);
	sp_err_free(err);
	if (program >= 0)
		return hooks_attach_raw(&family->hooks, program, NULL);
	return hooks_attach_event(&family->hooks, load(event, input->map_fd, &untyped, 0), input->events.v[event].id);
}

// A uprobe has its file and offset in the members config1 and config2.
static struct sp_err *attach_entry(struct family *family, const struct family_program *program)
{
	struct perf_event_attr attr = { .config1 = (uintptr_t)program->path };
	const struct place nowhere = { 0 };
	uint64_t offset;

	SP_TRY(image_file_entry(program->path, &offset));
	SP_TRY(privilege_event_type("uprobe", &attr.type));
	attr.config2 = offset;
	return hooks_attach(&family->hooks, load(FAMILY_EVENTS, family->map_fd, &nowhere, program->bit), &attr);
}

struct sp_err *family_add_program(struct family *family, const struct family_program *program)
{
	return attach_entry(family, program);
}

// ---- the members -----------------------------------------------------------------------------------------------------

static uint64_t bits_of(int map_fd, uint32_t pid)
{
	uint64_t value;

	return bpf_map_lookup_elem(map_fd, &pid, &value) ? 0 : value;
}

static struct sp_err *add(int map_fd, uint32_t pid, uint64_t bits)
{
	uint64_t value = bits | bits_of(map_fd, pid);

	return bpf_map_update_elem(map_fd, &pid, &value, BPF_ANY) ?
		       sp_err_errno(errno, "cannot write the map of processes") : NULL;
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

// Adds the process if its parent is a member. Its forks are followed from then on; the children that it had before are
// found by the next round.
static struct sp_err *add_child(const struct family_input *input, uint32_t pid, bool *any_ret)
{
	char number[16];
	uint32_t parent;

	if (bits_of(input->map_fd, pid) & SP_FAMILY_TARGET)
		return NULL;
	snprintf(number, sizeof(number), "%u", pid);
	parent = parent_of(number);
	if (!parent || !(bits_of(input->map_fd, parent) & SP_FAMILY_TARGET))
		return NULL;
	*any_ret = true;
	return add(input->map_fd, pid, SP_FAMILY_TARGET);
}

// Which of the programs does the process run?
static struct sp_err *add_runner(const struct family_input *input, uint32_t pid, bool *any_ret SP_UNUSED)
{
	for (unsigned i = 0; i < input->n_programs; i++)
		if (image_runs((pid_t)pid, input->programs[i].path))
			SP_TRY(add(input->map_fd, pid, input->programs[i].bit));
	return NULL;
}

static struct sp_err *each_process(const struct family_input *input, bool *any_ret,
				   struct sp_err *(*fn)(const struct family_input *input, uint32_t pid, bool *any_ret))
{
	DIR *dir = opendir("/proc");
	struct sp_err *err = NULL;
	struct dirent *entry;

	*any_ret = false;
	if (!dir)
		return sp_err_errno(errno, "cannot read /proc");
	while (!err && (entry = readdir(dir))) {
		uint32_t pid = (uint32_t)strtoull(entry->d_name, NULL, 10);

		if (pid)
			err = fn(input, pid, any_ret);
	}
	closedir(dir);
	return err;
}

static struct sp_err *start(struct family *family, const struct family_input *input)
{
	bool any = input->root && input->is_running;

	SP_TRY(add(family->map_fd, 0, 0));
	SP_TRY(follow(family, input, FAMILY_FORK));
	SP_TRY(follow(family, input, FAMILY_FREE));
	if (input->n_programs)
		SP_TRY(follow(family, input, FAMILY_EXEC));
	for (unsigned i = 0; i < input->n_programs; i++)
		SP_TRY(attach_entry(family, &input->programs[i]));
	if (input->root)
		SP_TRY(add(family->map_fd, (uint32_t)input->root, SP_FAMILY_TARGET));
	while (any)
		SP_TRY(each_process(input, &any, add_child));
	return input->n_programs ? each_process(input, &any, add_runner) : NULL;
}

struct sp_err *family_start(const struct family_input *input, struct family *ret)
{
	struct family family = { .map_fd = input->map_fd, .hooks.what = "follow processes" };
	struct sp_err *err = start(&family, input);

	if (err)
		family_stop(&family);
	else
		*ret = family;
	return err;
}

bool family_has(const struct family *family, pid_t pid)
{
	return family->hooks.fds.n && bits_of(family->map_fd, (uint32_t)pid) & SP_FAMILY_TARGET;
}

uint64_t family_lost(const struct family *family)
{
	uint64_t lost = 0;
	uint32_t key = 0;

	return !family->hooks.fds.n || bpf_map_lookup_elem(family->map_fd, &key, &lost) ? 0 : lost;
}

void family_stop(struct family *family)
{
	hooks_stop(&family->hooks);
}
