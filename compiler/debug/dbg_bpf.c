// SPDX-License-Identifier: GPL-2.0-or-later
// The BPF programs that the running kernel has loaded. Each that was loaded with types names its function in a BTF of its own.
#include "compiler/cache/look.h"
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_impl.h"

#include "runtime/base/cleanup.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>

// What a program sees as its argument is a structure of its own making, for which the verifier reads another one of the kernel's:
// include/linux/bpf_types.h.
static const struct context {
	const char *seen, *kernel;
} contexts[] = {
	{ "xdp_md", "struct xdp_buff *" },
	{ "bpf_sock", "struct sock *" },
	{ "bpf_sock_addr", "struct bpf_sock_addr_kern *" },
	{ "bpf_sock_ops", "struct bpf_sock_ops_kern *" },
	{ "sk_msg_md", "struct sk_msg *" },
	{ "bpf_perf_event_data", "struct bpf_perf_event_data_kern *" },
	{ "bpf_sysctl", "struct bpf_sysctl_kern *" },
	{ "bpf_sockopt", "struct bpf_sockopt_kern *" },
	{ "sk_reuseport_md", "struct sk_reuseport_kern *" },
	{ "bpf_sk_lookup", "struct bpf_sk_lookup_kern *" },
};

const struct c_type *dbg_bpf_context(struct dbg_module *kernel, const struct dbg_bpf_program *program, const struct c_type *type)
{
	const struct c_type *pointer = c_type_strip(type);
	const struct c_type *target = pointer && pointer->kind == C_POINTER ? c_type_strip(pointer->target) : NULL;
	const struct c_type *found = NULL;

	if (!target || target->kind != C_STRUCT || !target->name)
		return type;
	if (sp_streq(target->name, "__sk_buff"))
		found = dbg_find_type(kernel, program->type == BPF_PROG_TYPE_FLOW_DISSECTOR ? "struct bpf_flow_dissector *" : "struct sk_buff *");
	for (size_t i = 0; i < SP_ARRAY_SIZE(contexts); i++)
		if (sp_streq(target->name, contexts[i].seen))
			found = dbg_find_type(kernel, contexts[i].kernel);
	return found ? found : type;
}

// The function that the program begins with, in a module of its own; NULL: the program has no types.
static struct dbg_func *find_function(struct dbg *dbg, const struct bpf_prog_info *info, uint32_t func)
{
	struct btf_file *file;
	struct dbg_module *module;
	struct sp_err *err;

	if (!info->btf_id || !func)
		return NULL;
	err = btf_file_of_kernel(info->btf_id, &file);
	if (err) {
		sp_err_free(err);
		return NULL;
	}
	module = dbg_module_new(dbg, sp_arena_printf(&dbg->arena, "BPF program %u", info->id));
	module->source = DBG_BTF;
	module->is_kernel = true;
	module->abi = dbg->kernel_module->abi;
	dbg_impl(module)->btf = file;
	dbg_impl(module)->btf_tried = true;
	return btf_func_at(file, module, func);
}

static const char *why_not(const struct bpf_prog_info *info, const struct dbg_func *func)
{
	if (info->type == BPF_PROG_TYPE_TRACING)
		return "it traces the kernel or another program itself (fentry, fexit, iter or tp_btf), and the kernel takes no such program at one";
	if (info->type == BPF_PROG_TYPE_EXT)
		return "it replaces a function of another program, and the kernel does not tell what it is given";
	if (!func)
		return "it was loaded without types (BTF)";
	return info->jited_prog_len ? NULL : "it is interpreted (net.core.bpf_jit_enable is 0)";
}

static bool read_program(struct dbg *dbg, uint32_t id, struct dbg_bpf_program *ret)
{
	sp_cleanup_close int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_func_info first = { 0 };
	struct bpf_prog_info info = { .func_info = (uintptr_t)&first, .nr_func_info = 1, .func_info_rec_size = sizeof(first) };
	uint32_t size = sizeof(info);
	const char *type;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return false; // it is gone
	ret->id = id;
	ret->type = info.type;
	memcpy(&ret->tag, info.tag, sizeof(ret->tag));
	type = libbpf_bpf_prog_type_str((enum bpf_prog_type)info.type);
	ret->type_name = type ? type : "?";
	ret->func = find_function(dbg, &info, info.nr_func_info ? first.type_id : 0);
	ret->short_name = sp_arena_strndup(&dbg->arena, info.name, strnlen(info.name, sizeof(info.name)));
	ret->name = ret->func ? ret->func->name : ret->short_name;
	ret->why_not = why_not(&info, ret->func);
	return true;
}

struct sp_err *dbg_bpf_programs(struct dbg *dbg, struct dbg_bpf_programs *ret)
{
	SP_VEC(struct dbg_bpf_program) found = { 0 };
	struct dbg_module *kernel;
	struct dbg_bpf_program program;
	uint32_t id = 0;

	look_obstacle("the BPF programs that are loaded now were asked for");
	*ret = dbg->bpf_programs;
	if (ret->v)
		return NULL;
	SP_TRY(dbg_kernel(dbg, &kernel));
	while (!bpf_prog_get_next_id(id, &id))
		if (read_program(dbg, id, &program))
			sp_vec_push(&found, program);
	if (errno != ENOENT) // behind the last one
		return sp_err_errno(errno, "cannot ask the kernel which BPF programs are loaded (it takes CAP_SYS_ADMIN)");
	ret->v = sp_arena_memdup(&dbg->arena, found.v, found.n * sizeof(*found.v));
	ret->n = (unsigned)found.n;
	sp_vec_deinit(&found);
	dbg->bpf_programs = *ret;
	return NULL;
}
