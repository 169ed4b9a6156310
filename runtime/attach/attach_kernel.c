// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall
#include "runtime/attach/attach_kernel.h"

#include "runtime/attach/attach_event.h"
#include "runtime/base/cleanup.h"
#include "runtime/load/fixup.h"
#include "runtime/machine/privilege.h"
#include "runtime/machine/image.h"
#include "runtime/machine/tracefs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KERNEL_ENOTSUPP 524 // of the kernel's own errno values; not in errno.h

// What kprobes of that processor refuse besides.
#ifdef __aarch64__
#define NOT_STEPPED "brk, as WARN_ON() is, or one of the 32 instructions behind ldxr, ldar or cas, "
#else
#define NOT_STEPPED ""
#endif

struct sp_err *attach_kernel_explain_kprobe(const char *symbol, uint64_t offset, int error)
{
	switch (error) {
	case ENOENT:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel has no function `%s` that can be probed", symbol);
	case EADDRNOTAVAIL:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel has several functions `%s`, and takes none of them by its name",
				  symbol);
	case EINVAL:
	case EILSEQ:
		return sp_err_new(SP_ERR_PRIVILEGE,
				  "the kernel does not let %s+%llu be probed: it is %scode that is not to be traced (notrace), "
				  "was only there at boot, or serves probes (/sys/kernel/debug/kprobes/blacklist)",
				  symbol, (unsigned long long)offset,
				  offset ? NOT_STEPPED "not the start of an instruction, or " : "");
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	}
	return sp_err_errno(error, "%s+%llu", symbol, (unsigned long long)offset);
}

static uint64_t text_of(const struct bundle *bundle, const struct sp_object *object)
{
	uint64_t text = 0;

	if (!fixup_is_same_kernel(bundle, object))
		return 0;
	sp_err_free(image_kernel_address("_stext", &text));
	return text;
}

// Of a module that is not loaded, or whose addresses are hidden, there is none: the attach by name tells which of these.
static bool module_address(const struct bundle *bundle, const struct sp_object *object, const struct sp_site *site, uint64_t *ret)
{
	struct sp_err *err = image_module_section(bundle_text(bundle, object->name), bundle_text(bundle, site->section), ret);

	*ret += site->args.kernel.linked;
	sp_err_free(err);
	return !err;
}

bool attach_kernel_address(struct attach *attach, const struct sp_site *site, uint64_t *ret)
{
	const struct bundle *bundle = attach->bundle;
	const struct sp_object *object = site->object < bundle->n_objects ? &bundle->objects[site->object] : NULL;

	*ret = 0;
	if (object && site->section)
		return module_address(bundle, object, site, ret);
	if (!object || object->kind != SP_OBJECT_KERNEL || !object->text_base || !site->args.kernel.linked)
		return false;
	if (!attach->asked_text)
		attach->text = text_of(bundle, object);
	attach->asked_text = true;
	*ret = site->args.kernel.linked - object->text_base + attach->text;
	return attach->text;
}

// The function is named by its address where that is known: when several functions have one name, the kernel takes the
// first of them, or none.
struct sp_err *attach_kernel_kprobe(struct attach *attach, const struct sp_site *site, int program,
				    uint64_t cookie, int *fd_ret)
{
	const char *symbol = bundle_text(attach->bundle, site->symbol);
	uint64_t address = site->args.kernel.address;
	bool by_name = *symbol && !attach_kernel_address(attach, site, &address);
	struct perf_event_attr attr = { .size = sizeof(attr), .kprobe_func = by_name ? (uintptr_t)symbol : 0,
					.config = site->kind == SP_SITE_KRETPROBE ? ATTACH_EVENT_RETURN : 0 };
	int error;

	if (!attach->kprobe_type)
		SP_TRY(privilege_event_type("kprobe", &attach->kprobe_type));
	attr.type = attach->kprobe_type;
	if (by_name)
		attr.probe_offset = site->args.kernel.offset;
	else
		attr.kprobe_addr = address;
	error = attach_event(&attr, -1, 0, program, cookie, fd_ret);
	return error ? attach_kernel_explain_kprobe(symbol, *symbol ? site->args.kernel.offset : address, error) : NULL;
}

struct sp_err *attach_kernel_trampoline(struct attach *attach, const struct sp_site *site, int program,
					int *fd_ret)
{
	const char *symbol = bundle_text(attach->bundle, site->symbol);

	*fd_ret = bpf_raw_tracepoint_open(NULL, program);
	if (*fd_ret >= 0)
		return NULL;
	switch (errno) {
	case EBUSY:
		return sp_err_new(SP_ERR_PRIVILEGE, "something else has patched the entry of %s, or this kernel "
				  "lacks CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS", symbol);
	case KERNEL_ENOTSUPP:
	case EOPNOTSUPP:
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "this kernel has no BPF trampolines for %s", symbol);
	case E2BIG:
		return sp_err_new(SP_ERR_PRIVILEGE, "no more programs can be attached to %s: the kernel's limit is reached", symbol);
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	}
	return sp_err_errno(errno, "%s", symbol);
}

#define LSM_LIST "/sys/kernel/security/lsm"

// Programs can be attached though the kernel asks none: it only does when the module `bpf` was chosen at its start. When the list
// cannot be read, nobody knows.
static bool asks_programs(void)
{
	sp_cleanup_close int fd = open(LSM_LIST, O_RDONLY | O_CLOEXEC);
	char list[512];
	ssize_t size = fd < 0 ? -1 : read(fd, list, sizeof(list) - 1);

	if (size < 0)
		return true;
	list[size] = '\0';
	for (const char *name = list; *name; name += strspn(name, ",\n")) {
		size_t len = strcspn(name, ",\n");

		if (len == 3 && !memcmp(name, "bpf", len))
			return true;
		name += len;
	}
	return false;
}

struct sp_err *attach_kernel_lsm(struct attach *attach, const struct sp_site *site, int program, int *fd_ret)
{
	if (!asks_programs())
		return sp_err_new(SP_ERR_PRIVILEGE, "`bpf` is not in " LSM_LIST ": add it to lsm= on the kernel's command line");
	return attach_kernel_trampoline(attach, site, program, fd_ret);
}

// The system call by itself: libbpf 1.1 knows no such link.
struct sp_err *attach_kernel_netfilter(struct attach *attach, const struct sp_site *site, int program, int *fd_ret)
{
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags, pf, hook;
		int32_t priority;
		uint32_t netfilter_flags;
	} link = { .prog_fd = (uint32_t)program, .attach_type = LOAD_AT_NETFILTER, .pf = site->args.netfilter.pf,
		   .hook = site->args.netfilter.hook, .priority = (int32_t)site->args.netfilter.priority };

	(void)attach;
	*fd_ret = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));
	if (*fd_ret >= 0)
		return NULL;
	switch (errno) {
	case EBUSY:
		return sp_err_new(SP_ERR_PRIVILEGE, "another BPF program has this priority at the hook; .priority(\"N\") chooses another one");
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	case EAFNOSUPPORT:
	case EOPNOTSUPP:
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "this kernel calls no BPF programs at this hook (CONFIG_NETFILTER_BPF_LINK, Linux 6.4)");
	}
	return sp_err_errno(errno, "netfilter");
}

struct sp_err *attach_kernel_raw_tp(struct attach *attach, const struct sp_site *site, int program,
				    int *fd_ret)
{
	const char *name = bundle_text(attach->bundle, site->symbol);

	*fd_ret = bpf_raw_tracepoint_open(name, program);
	if (*fd_ret >= 0)
		return NULL;
	switch (errno) {
	case ENOENT:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel has no tracepoint `%s`", name);
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "the handler reads more arguments than tracepoint `%s` has in this kernel",
				  name);
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	}
	return sp_err_errno(errno, "%s", name);
}

struct sp_err *attach_kernel_tp(struct attach *attach, const struct sp_site *site, int program,
				uint64_t cookie, int *fd_ret)
{
	const char *name = bundle_text(attach->bundle, site->symbol);
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	uint64_t id;
	int event, error;

	if (attach->tracefs < 0)
		SP_TRY(tracefs_open(&attach->tracefs));
	SP_TRY(tracefs_event_id(attach->tracefs, name, &id));
	attr.config = id;
	// The kernel attaches the program to the tracepoint, not to this event, so it runs on every CPU.
	event = attach_event_open(&attr, -1, 0);
	if (event < 0 && (errno == EPERM || errno == EACCES))
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	error = event < 0 ? errno : attach_event_link(event, program, cookie, fd_ret);
	if (event >= 0 && error == EACCES)
		return sp_err_new(SP_ERR_PRIVILEGE, "the handler reads behind the end of the record that `%s` has in this kernel",
				  name);
	return error ? sp_err_errno(error, "%s", name) : NULL;
}

static struct sp_err *watched_address(const struct attach *attach, const struct sp_site *site, uint64_t *ret)
{
	const char *name = bundle_text(attach->bundle, site->symbol);

	*ret = site->args.watch.address;
	if (*name)
		SP_TRY(image_kernel_address(name, ret));
	if ((int64_t)*ret >= 0 && *name)
		return sp_err_new(SP_ERR_TARGET, "`%s` is a per-CPU variable: each processor has one of its own", name);
	if ((int64_t)*ret >= 0)
		return sp_err_new(SP_ERR_TARGET, "the kernel has no memory at %#llx", (unsigned long long)*ret);
	return NULL;
}

static struct sp_err *event_of(const struct attach *attach, const struct sp_site *site, struct perf_event_attr *ret)
{
	uint64_t address;

	*ret = (struct perf_event_attr){ .size = sizeof(*ret) };
	if (site->kind == SP_SITE_PERF) {
		ret->type = site->args.perf.type;
		ret->config = site->args.perf.config;
		ret->sample_period = site->args.perf.amount;
		ret->freq = site->args.perf.is_rate;
		return NULL;
	}
	SP_TRY(watched_address(attach, site, &address));
	attach_event_watch(site, address, ret);
	return NULL;
}

static void drop_links(struct attach *attach, unsigned index, unsigned cpu)
{
	size_t n = 0;

	sp_vec_each(link, &attach->links)
		if (link->site == index && link->cpu == cpu + 1)
			close(link->fd);
		else
			attach->links.v[n++] = *link;
	attach->links.n = n;
}

struct sp_err *attach_kernel_event(struct attach *attach, unsigned index, int program, uint64_t cookie, int cpu)
{
	const struct sp_site *site = &attach->bundle->sites[index];
	int end = cpu < 0 ? libbpf_num_possible_cpus() : cpu + 1, n_attached = 0;
	struct perf_event_attr attr;

	if (end < 0)
		return sp_err_errno(-end, "the number of processors is not known");
	SP_TRY(event_of(attach, site, &attr));
	if (cpu >= 0)
		drop_links(attach, index, (unsigned)cpu);
	for (int i = SP_MAX(cpu, 0); i < end; i++) {
		int fd, error = attach_event(&attr, -1, i, program, cookie, &fd);

		if (error == ENODEV && (n_attached || i + 1 < end)) // that processor is off
			continue;
		if (error)
			return privilege_explain_event(error, &attr);
		sp_vec_push(&attach->links, (struct attach_link){ .site = index, .cpu = (unsigned)i + 1, .fd = fd });
		n_attached++;
	}
	return NULL;
}

struct sp_err *attach_kernel_iter(struct attach *attach, const struct sp_site *site, int program, int *fd_ret)
{
	const char *name = bundle_text(attach->bundle, site->symbol);
	union bpf_iter_link_info all = { .cgroup.order = BPF_CGROUP_ITER_DESCENDANTS_PRE }; // from the root on
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = &all, .iter_info_len = sizeof(all));

	*fd_ret = bpf_link_create(program, 0, BPF_TRACE_ITER, sp_streq(name, "cgroup") ? &opts : NULL);
	if (*fd_ret >= 0)
		return NULL;
	if (errno == EPERM || errno == EACCES)
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	return sp_err_errno(errno, "iterator %s", name);
}
