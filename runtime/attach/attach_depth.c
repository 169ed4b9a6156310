// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_depth.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/fixup.h"
#include "runtime/load/site.h"
#include "runtime/machine/insn.h"
#include "runtime/machine/target.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 64 // MAX_URETPROBE_DEPTH

static struct sp_err *prepare(struct attach *attach)
{
	uint32_t size = attach->bundle->n_progs * (uint32_t)sizeof(uint64_t);

	attach->depth.map = -1;
	SP_TRY(layout_member(&attach->layout, "struct task_struct.utask:8:0", &attach->depth.utask));
	SP_TRY(layout_member(&attach->layout, "struct uprobe_task.depth:4:0", &attach->depth.depth));
	attach->depth.map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "spile_depth", sizeof(uint32_t), size, 1, NULL);
	return attach->depth.map < 0 ? sp_err_errno(errno, "cannot make a table") : NULL;
}

enum value { MEMBERS, COUNTS, OWN_COUNT };

// The instructions that are changed, and where those begin that are for all processes.
enum { MASK = 10, ALL = 14, UTASK = 15, DEPTH = 17 };

// utask is NULL until the thread meets its first uprobe, and is no more than an address to the verifier: what is read there may be anything, but
// does not fault.
static const struct bpf_insn counter[] = {
	CALL(BPF_FUNC_get_current_pid_tgid), SHIFT_RIGHT(BPF_REG_0, 32), STORE(BPF_W, BPF_REG_10, -4, BPF_REG_0),
	MAP_FD(BPF_REG_1, MEMBERS), FRAME(BPF_REG_2, -4), CALL(BPF_FUNC_map_lookup_elem),
	IF_ZERO(BPF_REG_0, 15), // to the end
	LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, 0), [MASK] = LOAD_IMM(BPF_REG_2, UINT64_C(0)), AND_REG(BPF_REG_1, BPF_REG_2),
	IF_DIFFERENT(BPF_REG_1, BPF_REG_2, 10),
	[ALL] = CALL(BPF_FUNC_get_current_task_btf), [UTASK] = LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, 0), IF_ZERO(BPF_REG_1, 7),
	[DEPTH] = LOAD(BPF_W, BPF_REG_1, BPF_REG_1, 0), IF_LESS(BPF_REG_1, MAX_DEPTH, 5),
	MAP_MEMORY(BPF_REG_1, COUNTS), ADD_VALUE(BPF_REG_1, OWN_COUNT), MOV(BPF_REG_2, 1),
	ATOMIC_ADD(BPF_DW, BPF_REG_1, 0, BPF_REG_2),
	MOV(BPF_REG_0, 0), EXIT,
};

static int load_counter(const struct attach *attach, unsigned prog, bool is_multi)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = is_multi ? (enum bpf_attach_type)TARGET_UPROBE_MULTI : 0);
	const struct sp_site *site = &attach->bundle->sites[attach->bundle->progs[prog].first_site];
	const uint64_t mask = site_is_process(site) ? fixup_family(attach->is_confined, site->program) : 0;
	const int values[] = { load_map(attach->load, SP_MAP_FAMILY), attach->depth.map, (int)(prog * sizeof(uint64_t)) };
	struct bpf_insn insns[SP_ARRAY_SIZE(counter)];
	size_t from = mask ? 0 : ALL;

	memcpy(insns, counter, sizeof(counter));
	insn_fill(insns, SP_ARRAY_SIZE(counter), values);
	insns[MASK].imm = (int)(uint32_t)mask;
	insns[MASK + 1].imm = (int)(mask >> 32);
	insns[UTASK].off = (short)attach->depth.utask;
	insns[DEPTH].off = (short)attach->depth.depth;
	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "spile_depth", "GPL", insns + from, SP_ARRAY_SIZE(counter) - from, &opts);
}

bool attach_depth_load(struct attach *attach, unsigned prog, bool is_multi, int *fd_ret)
{
	sp_cleanup_free char *text = NULL;
	struct sp_err *err = NULL;
	int fd = -1;

	if (attach->depth.is_impossible)
		return false;
	if (!attach->depth.is_prepared)
		err = prepare(attach);
	attach->depth.is_prepared = true;
	if (!err) {
		fd = load_counter(attach, prog, is_multi);
		err = fd < 0 ? sp_err_errno(errno, "cannot load a program") : NULL;
	}
	if (!err) {
		*fd_ret = fd;
		return true;
	}
	attach->depth.is_impossible = true;
	text = sp_err_text(err);
	sp_log(attach->log, SP_LOG_INFO, "returns of calls that are nested deeper than %d are lost, and not counted: %s", MAX_DEPTH, text);
	sp_err_free(err);
	return false;
}

void attach_depth_take(const struct attach *attach, uint64_t *by_prog)
{
	sp_cleanup_free uint64_t *counts = NULL;
	const uint32_t first = 0;

	if (!attach->depth.is_prepared || attach->depth.map < 0)
		return;
	counts = sp_calloc(attach->bundle->n_progs, sizeof(*counts));
	if (!bpf_map_lookup_elem(attach->depth.map, &first, counts))
		memcpy(by_prog, counts, attach->bundle->n_progs * sizeof(*counts));
}

void attach_depth_deinit(struct attach *attach)
{
	if (attach->depth.is_prepared && attach->depth.map >= 0)
		close(attach->depth.map);
	attach->depth.is_prepared = false;
}
