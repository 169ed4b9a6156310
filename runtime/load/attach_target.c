// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/attach_target.h"

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
	btf__free(targets->kernel);
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
		btf = btf__load_from_kernel_by_id_split(id, targets->kernel);
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

bool attach_targets_find(struct attach_targets *targets, const char *name, unsigned kind, uint32_t *id_ret, int *fd_ret)
{
	int id;

	if (!targets->asked_kernel)
		targets->kernel = btf__load_vmlinux_btf();
	targets->asked_kernel = true;
	if (!targets->kernel)
		return false;
	*fd_ret = 0;
	id = btf__find_by_name_kind(targets->kernel, name, kind);
	if (id < 0 && !targets->asked_modules)
		read_modules(targets);
	for (size_t i = 0; id < 0 && i < targets->modules.n; i++) {
		id = btf__find_by_name_kind(targets->modules.v[i].btf, name, kind);
		*fd_ret = targets->modules.v[i].fd;
	}
	*id_ret = id < 0 ? 0 : (uint32_t)id;
	return id >= 0;
}
