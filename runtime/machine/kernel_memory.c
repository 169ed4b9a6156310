// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/machine/kernel_memory.h"

#include "runtime/base/cleanup.h"
#include "runtime/machine/insn.h"
#include "runtime/machine/privilege.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>

#define WINDOW 4096 // bytes that the program copies at once

struct kernel_memory {
	int prog;
	void *window;
};

// What the program is asked, as the arguments of its tracepoint.
struct request {
	uint64_t what, addr, size;
};

enum { READ, CURRENT };

static const struct bpf_insn reader[] = {
	LOAD(BPF_DW, BPF_REG_2, BPF_REG_1, offsetof(struct request, size)),
	LOAD(BPF_DW, BPF_REG_3, BPF_REG_1, offsetof(struct request, addr)),
	LOAD(BPF_DW, BPF_REG_4, BPF_REG_1, offsetof(struct request, what)),
	MAP_MEMORY(BPF_REG_6, 0),
	IF_NOT(BPF_REG_4, CURRENT, 4),
	CALL(BPF_FUNC_get_current_task), STORE(BPF_DW, BPF_REG_6, 0, BPF_REG_0), MOV(BPF_REG_0, 0), EXIT,
	IF_MORE(BPF_REG_2, WINDOW, 3),
	MOV_REG(BPF_REG_1, BPF_REG_6), CALL(BPF_FUNC_probe_read_kernel), EXIT,
	MOV(BPF_REG_0, -EFAULT), EXIT,
};

static int load(int map)
{
	struct bpf_insn insns[SP_ARRAY_SIZE(reader)];

	memcpy(insns, reader, sizeof(reader));
	insn_fill(insns, SP_ARRAY_SIZE(reader), &map);
	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns, SP_ARRAY_SIZE(reader), NULL);
}

// 0, or a negative errno value: of the system call, or of the program.
static int ask(const struct kernel_memory *memory, struct request request)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &request, .ctx_size_in = sizeof(request));
	int ret = bpf_prog_test_run_opts(memory->prog, &opts);

	return ret < 0 ? ret : (int)opts.retval;
}

uint64_t kernel_memory_current(struct kernel_memory *memory)
{
	return ask(memory, (struct request){ .what = CURRENT }) < 0 ? 0 : *(uint64_t *)memory->window;
}

int kernel_memory_read(struct kernel_memory *memory, uint64_t addr, void *dst, size_t size)
{
	for (size_t done = 0; done < size; done += WINDOW) {
		size_t n = SP_MIN(size - done, (size_t)WINDOW);

		if (ask(memory, (struct request){ READ, addr + done, n }) < 0)
			return -EFAULT;
		memcpy((char *)dst + done, memory->window, n);
	}
	return 0;
}

static struct sp_err *refused(int error)
{
	if (error == -ENOTSUP || error == -524) // ENOTSUPP, which has no name outside of the kernel
		return sp_err_new(SP_ERR_PRIVILEGE, "that takes Linux 5.10");
	return sp_err_new(SP_ERR_PRIVILEGE, "%s", privilege_hint());
}

// A kernel may take the program and then refuse each read.
static struct sp_err *try_read(struct kernel_memory *memory)
{
	int ret = ask(memory, (struct request){ .what = CURRENT });
	uint64_t task;

	if (ret < 0)
		return refused(ret);
	task = *(uint64_t *)memory->window;
	ret = ask(memory, (struct request){ READ, task, 8 });
	return ret < 0 ? refused(ret) : NULL;
}

struct sp_err *kernel_memory_open(struct kernel_memory **ret)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	sp_cleanup_close int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "spile_window", 4, WINDOW, 1, &opts);
	struct kernel_memory *memory;
	struct sp_err *err;

	if (map < 0)
		return refused(map);
	memory = sp_calloc(1, sizeof(*memory));
	memory->window = mmap(NULL, WINDOW, PROT_READ, MAP_SHARED, map, 0);
	memory->prog = load(map);
	if (memory->window == MAP_FAILED)
		err = sp_err_errno(errno, "cannot map the memory of a BPF array");
	else if (memory->prog < 0)
		err = refused(memory->prog);
	else
		err = try_read(memory);
	if (err) {
		kernel_memory_close(memory);
		return err;
	}
	*ret = memory;
	return NULL;
}

void kernel_memory_close(struct kernel_memory *memory)
{
	if (!memory)
		return;
	if (memory->prog >= 0)
		close(memory->prog);
	if (memory->window != MAP_FAILED)
		munmap(memory->window, WINDOW);
	free(memory);
}
