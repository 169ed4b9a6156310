// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/adder.h"

#include "runtime/base/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
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

#define MOV(reg, value) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value) }
#define MOV_REG(to, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define ADD(reg, value) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (reg), .imm = (value) }
#define CALL(id) { .code = BPF_JMP | BPF_CALL, .imm = (id) }
#define EXIT { .code = BPF_JMP | BPF_EXIT }
#define JNZ(reg, by) { .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = (reg), .off = (by) }
#define LOAD(to, from, at) { .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from), .off = (at) }
#define STORE(to, at, from) { .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from), .off = (at) }
#define FETCH_ADD(to, reg) { .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = (to), .src_reg = (reg), \
			     .imm = BPF_ADD | BPF_FETCH }
#define LD_MAP(reg, source, fd) { .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (reg), .src_reg = (source), .imm = (fd) }
#define LD_REST { 0 }

// No system call adds to an element of a map. But one runs a BPF program, which can.
static int load(int map_fd, int area_fd, bool makes)
{
	const int16_t delta = offsetof(struct area, delta), old = offsetof(struct area, old),
		      is_full = offsetof(struct area, is_full);
	const struct bpf_insn insns[] = {
		LD_MAP(BPF_REG_6, BPF_PSEUDO_MAP_VALUE, area_fd), LD_REST,
		LD_MAP(BPF_REG_1, BPF_PSEUDO_MAP_FD, map_fd), LD_REST,
		MOV_REG(BPF_REG_2, BPF_REG_6), ADD(BPF_REG_2, sizeof(struct area)), CALL(BPF_FUNC_map_lookup_elem),
		JNZ(BPF_REG_0, 17),
		LD_MAP(BPF_REG_1, BPF_PSEUDO_MAP_FD, map_fd), LD_REST,
		MOV_REG(BPF_REG_2, BPF_REG_6), ADD(BPF_REG_2, sizeof(struct area)),
		MOV_REG(BPF_REG_3, BPF_REG_6), MOV(BPF_REG_4, makes ? BPF_NOEXIST : BPF_EXIST), CALL(BPF_FUNC_map_update_elem),
		LD_MAP(BPF_REG_1, BPF_PSEUDO_MAP_FD, map_fd), LD_REST,
		MOV_REG(BPF_REG_2, BPF_REG_6), ADD(BPF_REG_2, sizeof(struct area)), CALL(BPF_FUNC_map_lookup_elem),
		JNZ(BPF_REG_0, 4),
		MOV(BPF_REG_1, 1), STORE(BPF_REG_6, is_full, BPF_REG_1), MOV(BPF_REG_0, 0), EXIT,
		LOAD(BPF_REG_1, BPF_REG_6, delta), FETCH_ADD(BPF_REG_0, BPF_REG_1), STORE(BPF_REG_6, old, BPF_REG_1),
		MOV(BPF_REG_0, 0), EXIT,
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), NULL);
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
