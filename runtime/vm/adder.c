// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/adder.h"

#include "runtime/base/util.h"
#include "runtime/machine/insn.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// What the program is given, and what it gives back. The key follows.
struct area {
	uint64_t zero;
	int64_t delta, old;
	uint64_t is_full;
};

struct adder {
	int prog_fd, area_fd;
	struct area *area; // mapped
	size_t size;
	uint32_t key_size;
};

enum value { MAP, AREA, HOW };
#define KEY MOV_REG(BPF_REG_2, BPF_REG_6), ADD(BPF_REG_2, sizeof(struct area)) // 2
#define FIND MAP_FD(BPF_REG_1, MAP), KEY, CALL(BPF_FUNC_map_lookup_elem) // 5

// No system call adds to an element of a map. But one runs a BPF program, which can.
static const struct bpf_insn adding[] = {
	MAP_MEMORY(BPF_REG_6, AREA), FIND,
	IF_NOT(BPF_REG_0, 0, 18),
	MAP_FD(BPF_REG_1, MAP), KEY, MOV_REG(BPF_REG_3, BPF_REG_6), MOV(BPF_REG_4, 0), ADD_VALUE(BPF_REG_4, HOW),
	CALL(BPF_FUNC_map_update_elem), FIND,
	IF_NOT(BPF_REG_0, 0, 4),
	MOV(BPF_REG_1, 1), STORE(BPF_DW, BPF_REG_6, offsetof(struct area, is_full), BPF_REG_1), MOV(BPF_REG_0, 0), EXIT,
	LOAD(BPF_DW, BPF_REG_1, BPF_REG_6, offsetof(struct area, delta)),
	{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1, .imm = BPF_ADD | BPF_FETCH },
	STORE(BPF_DW, BPF_REG_6, offsetof(struct area, old), BPF_REG_1), MOV(BPF_REG_0, 0), EXIT,
};

static int load(int map_fd, int area_fd, bool makes)
{
	const int values[] = { map_fd, area_fd, makes ? BPF_NOEXIST : BPF_EXIST };
	struct bpf_insn insns[SP_ARRAY_SIZE(adding)];

	memcpy(insns, adding, sizeof(adding));
	insn_fill(insns, SP_ARRAY_SIZE(adding), values);
	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns, SP_ARRAY_SIZE(adding), NULL);
}

struct adder *adder_create(int map_fd, uint32_t key_size, bool makes)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct adder *adder = sp_calloc(1, sizeof(*adder));

	adder->key_size = key_size;
	adder->size = SP_ALIGN_UP(sizeof(struct area) + key_size, (size_t)sysconf(_SC_PAGESIZE));
	adder->prog_fd = -1;
	adder->area_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(uint32_t),
					(uint32_t)sizeof(struct area) + key_size, 1, &opts);
	if (adder->area_fd >= 0) {
		void *area = mmap(NULL, adder->size, PROT_READ | PROT_WRITE, MAP_SHARED, adder->area_fd, 0);

		adder->area = area == MAP_FAILED ? NULL : area;
	}
	if (adder->area)
		adder->prog_fd = load(map_fd, adder->area_fd, makes);
	if (adder->prog_fd >= 0)
		return adder;
	adder_destroy(adder);
	return NULL;
}

void adder_destroy(struct adder *adder)
{
	if (!adder)
		return;
	if (adder->area)
		munmap(adder->area, adder->size);
	if (adder->area_fd >= 0)
		close(adder->area_fd);
	if (adder->prog_fd >= 0)
		close(adder->prog_fd);
	free(adder);
}

int adder_add(struct adder *adder, const void *key, int64_t delta, int64_t *old_ret)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	adder->area->delta = delta;
	adder->area->is_full = 0;
	memcpy(adder->area + 1, key, adder->key_size);
	if (bpf_prog_test_run_opts(adder->prog_fd, &opts))
		return -errno;
	*old_ret = adder->area->old;
	return adder->area->is_full ? -E2BIG : 0;
}
