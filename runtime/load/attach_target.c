// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/attach_target.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/load/bundle.h"
#include "runtime/load/layout.h"
#include "runtime/load/site.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <unistd.h>

void attach_targets_deinit(struct attach_targets *targets)
{
	sp_vec_each(module, &targets->modules) {
		btf__free(module->btf);
		close(module->fd);
	}
	sp_vec_deinit(&targets->modules);
	sp_vec_each(program, &targets->programs)
		close(*program);
	sp_vec_deinit(&targets->programs);
}

static void add_module(struct attach_targets *targets, uint32_t id)
{
	char name[64] = "";
	struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
	uint32_t size = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(id);
	struct btf *btf = NULL;

	if (fd < 0)
		return; // the module is gone
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.kernel_btf && !sp_streq(name, "vmlinux"))
		btf = btf__load_from_kernel_by_id_split(id, targets->kernel->btf);
	if (btf)
		sp_vec_push(&targets->modules, (struct attach_module){ btf, fd });
	else
		close(fd);
}

static void read_modules(struct attach_targets *targets)
{
	targets->asked_modules = true;
	for (uint32_t id = 0; !bpf_btf_get_next_id(id, &id);)
		add_module(targets, id);
}

// In the kernel or in a module. `kind`: BTF_KIND_FUNC, BTF_KIND_TYPEDEF.
static bool find_type(struct attach_targets *targets, const char *name, unsigned kind, uint32_t *id_ret, int *fd_ret)
{
	int id = layout_find(targets->kernel, name, kind);

	*fd_ret = 0;
	if (id < 0 && targets->kernel->btf && !targets->asked_modules)
		read_modules(targets);
	for (size_t i = 0; id < 0 && i < targets->modules.n; i++) {
		id = btf__find_by_name_kind(targets->modules.v[i].btf, name, kind);
		*fd_ret = targets->modules.v[i].fd;
	}
	*id_ret = id < 0 ? 0 : (uint32_t)id;
	return id >= 0;
}

// The number of the function that the program begins with, when that has the name; else 0.
static uint32_t function_of(const struct bpf_prog_info *info, uint32_t function, const char *name)
{
	struct btf *btf = info->btf_id && info->nr_func_info ? btf__load_from_kernel_by_id(info->btf_id) : NULL;
	const struct btf_type *type = btf ? btf__type_by_id(btf, function) : NULL;
	bool is_it = type && sp_streq(btf__name_by_offset(btf, type->name_off), name);

	btf__free(btf);
	return is_it ? function : 0;
}

static struct sp_err *find_program(struct attach_targets *targets, const struct sp_site *site, const char *name, uint32_t *id_ret, int *fd_ret)
{
	uint32_t left = site->args.bpf.nth;
	bool is_other = false; // one has the name

	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);) {
		struct bpf_func_info first = { 0 };
		struct bpf_prog_info info = { .func_info = (uintptr_t)&first, .nr_func_info = 1, .func_info_rec_size = sizeof(first) };
		uint32_t size = sizeof(info);
		sp_cleanup_close int fd = site->args.bpf.id && site->args.bpf.id != id ? -1 : bpf_prog_get_fd_by_id(id);

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) || !(*id_ret = function_of(&info, first.type_id, name)))
			continue;
		is_other = true;
		if ((site->args.bpf.tag && memcmp(&site->args.bpf.tag, info.tag, sizeof(info.tag))) || left--)
			continue;
		*fd_ret = fd;
		sp_vec_push(&targets->programs, fd);
		fd = -1;
		return NULL;
	}
	return is_other ? sp_err_new(SP_ERR_TARGET, "the BPF program `%s` has other code than where the script was compiled; compile it here", name) :
			  sp_err_new(SP_ERR_PRIVILEGE, "no BPF program `%s` is loaded", name);
}

struct sp_err *attach_targets_find(struct attach_targets *targets, const struct bundle *bundle, const struct sp_site *site,
				   unsigned attach, uint32_t *id_ret, int *fd_ret)
{
	const char *symbol = bundle_text(bundle, site->symbol);
	bool is_tracepoint = attach == BPF_TRACE_RAW_TP;
	const char *prefix = is_tracepoint ? "btf_trace_" : attach == BPF_TRACE_ITER ? "bpf_iter_" : "";
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct sp_err *err = NULL;

	sp_buf_printf(&name, "%s%s", prefix, symbol);
	if (site->kind == SP_SITE_BPF || site->kind == SP_SITE_BPF_RETURN)
		err = find_program(targets, site, symbol, id_ret, fd_ret);
	else if (!find_type(targets, sp_buf_str(&name), is_tracepoint ? BTF_KIND_TYPEDEF : BTF_KIND_FUNC, id_ret, fd_ret))
		err = sp_err_new(SP_ERR_PRIVILEGE, "the kernel's BTF has no function `%s`",
				 sp_buf_str(&name) + (is_tracepoint ? strlen(prefix) : 0));
	return err ? sp_err_wrap(err, "probe %s (%s)", bundle_text(bundle, site->point), site_hook_name(site)) : NULL;
}
