// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_syscall.h"

#include "runtime/abi/syscall.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/insn.h"
#include "runtime/machine/privilege.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

// A bit of the thread tells the kind of its call. Where BTF does not say where that is, the mode that the thread was in tells,
// which is wrong for a 64-bit program that makes a 32-bit call (int $0x80).
#if defined(__x86_64__)
#define OWN(name) SP_X86_64_##name
#define REGS_MODE 136 // cs
#define MODE_MASK 0xffff
#define MODE_COMPAT 0x23 // __USER32_CS
#elif defined(__aarch64__)
#define OWN(name) SP_AARCH64_##name
#define REGS_MODE 264 // pstate
#define MODE_MASK 0x10
#define MODE_COMPAT 0x10 // PSR_MODE32_BIT
#else
#error "where is the number of a system call?"
#endif

#define KIND_BIT (1 << OWN(COMPAT_BIT))

#define ENTRIES (2 * SP_SYSCALLS) // calls of 32-bit programs come behind the others
#define NUMBER BPF_REG_7
#define KIND BPF_REG_8

// Copies part of the registers, which the context in register 6 begins with a pointer to, to the frame.
#define READ_REG(to, size, offset)                                                                                       \
	FRAME(BPF_REG_1, to), MOV(BPF_REG_2, size), LOAD(BPF_DW, BPF_REG_3, BPF_REG_6, 0), ADD(BPF_REG_3, offset),       \
		CALL(BPF_FUNC_probe_read_kernel)
// Goes on to the program of that number and kind, if there is one.
#define DISPATCH(array_fd, compat)                                                                                       \
	IF_NOT(KIND, compat, 1), ADD(NUMBER, SP_SYSCALLS), MOV_REG(BPF_REG_1, BPF_REG_6), MAP_FD(BPF_REG_2, array_fd),   \
		MOV_REG(BPF_REG_3, NUMBER), CALL(BPF_FUNC_tail_call), MOV(BPF_REG_0, 0), EXIT

static unsigned entry_of(const struct sp_site *site)
{
	return site->args.syscall.number + (site->args.syscall.flags & SP_SYSCALL_COMPAT ? SP_SYSCALLS : 0);
}

static bool is_return(const struct sp_site *site)
{
	return site->args.syscall.flags & SP_SYSCALL_RETURN;
}

// The verifier knows the types of registers and threads: they are read without helpers.
static int load_typed(int array_fd, bool at_return, unsigned tracepoint, uint64_t kind_offset)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_6, BPF_REG_1),
		LOAD(BPF_DW, BPF_REG_2, BPF_REG_6, 0),
		LOAD(at_return ? BPF_W : BPF_DW, NUMBER, at_return ? BPF_REG_2 : BPF_REG_6, at_return ? OWN(CALL_NUMBER) : 8),
		CALL(BPF_FUNC_get_current_task_btf),
		LOAD(OWN(COMPAT_SIZE) == 4 ? BPF_W : BPF_DW, KIND, BPF_REG_0, kind_offset),
		AND(KIND, KIND_BIT),
		DISPATCH(array_fd, KIND_BIT),
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP, .attach_btf_id = tracepoint);

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "spile_syscall", "GPL", insns, SP_ARRAY_SIZE(insns), &opts);
}

static int load_untyped(int array_fd)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_6, BPF_REG_1),
		READ_REG(-8, sizeof(uint32_t), OWN(CALL_NUMBER)),
		LOAD(BPF_W, NUMBER, BPF_REG_10, -8),
		READ_REG(-8, sizeof(uint64_t), REGS_MODE),
		LOAD(BPF_DW, KIND, BPF_REG_10, -8),
		AND(KIND, MODE_MASK),
		DISPATCH(array_fd, MODE_COMPAT),
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "spile_syscall", "GPL", insns, SP_ARRAY_SIZE(insns), NULL);
}

static struct sp_err *load_dispatcher(struct attach *attach, const struct attach_layer *layer, const char *tracepoint,
				      int *ret)
{
	uint64_t info, kind;
	char type[64], member[64];
	int id;

	if (layer->kind == SP_PROG_TYPED_TP) {
		SP_TRY(layout_member(&attach->layout, "struct task_struct.thread_info:0:0", &info));
		snprintf(member, sizeof(member), "struct thread_info.%s:%d:0", OWN(COMPAT_MEMBER), OWN(COMPAT_SIZE));
		SP_TRY(layout_member(&attach->layout, member, &kind));
		snprintf(type, sizeof(type), "btf_trace_%s", tracepoint);
		id = btf__find_by_name_kind(attach->layout.btf, type, BTF_KIND_TYPEDEF);
		if (id < 0)
			return sp_err_new(SP_ERR_TARGET, "the kernel's BTF has no tracepoint `%s`", tracepoint);
		*ret = load_typed(layer->fd, layer->is_return, (unsigned)id, info + kind);
	} else {
		*ret = load_untyped(layer->fd);
	}
	return *ret >= 0 ? NULL : sp_err_errno(errno, "cannot load the program for tracepoint %s", tracepoint);
}

static struct sp_err *start(struct attach *attach, const struct attach_layer *layer, const char *tracepoint)
{
	sp_cleanup_close int program = -1;
	int link;

	SP_TRY(load_dispatcher(attach, layer, tracepoint, &program));
	link = bpf_raw_tracepoint_open(layer->kind == SP_PROG_TYPED_TP ? NULL : tracepoint, program);
	if (link >= 0)
		sp_vec_push(&attach->others, link);
	else if (errno == EPERM || errno == EACCES)
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	else
		return sp_err_errno(errno, "tracepoint %s", tracepoint);
	return NULL;
}

static struct sp_err *add_layer(struct attach *attach, const struct sp_site *site, enum sp_prog_kind kind,
				struct attach_layer **ret)
{
	struct attach_layer layer = { .is_return = is_return(site), .kind = kind };

	layer.fd = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "spile_calls", sizeof(uint32_t), sizeof(uint32_t), ENTRIES, NULL);
	if (layer.fd < 0)
		return sp_err_errno(errno, "cannot make the table of system calls");
	sp_vec_push(&attach->others, layer.fd);
	sp_vec_push(&attach->layers, layer);
	*ret = &sp_vec_last(&attach->layers);
	return start(attach, *ret, bundle_text(attach->bundle, site->symbol));
}

// The first layer whose entry is free: handlers that came before are in layers before it.
static struct attach_layer *find_layer(struct attach *attach, const struct sp_site *site, enum sp_prog_kind kind)
{
	unsigned entry = entry_of(site);

	sp_vec_each(layer, &attach->layers)
		if (layer->is_return == is_return(site) && layer->kind == kind && !(layer->used[entry / 64] >> entry % 64 & 1))
			return layer;
	return NULL;
}

struct sp_err *attach_syscall(struct attach *attach, const struct sp_site *site, int program)
{
	enum sp_prog_kind kind = attach->bundle->progs[site->prog].kind;
	struct attach_layer *layer = find_layer(attach, site, kind);
	uint32_t entry = entry_of(site), fd = (uint32_t)program;

	if (!layer)
		SP_TRY(add_layer(attach, site, kind, &layer));
	if (bpf_map_update_elem(layer->fd, &entry, &fd, BPF_ANY))
		return sp_err_errno(errno, "cannot add the handler to the table of system calls");
	layer->used[entry / 64] |= UINT64_C(1) << entry % 64;
	return NULL;
}
