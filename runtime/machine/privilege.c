// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf

#include "runtime/machine/privilege.h"

#include "runtime/base/cleanup.h"
#include "runtime/machine/insn.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>

struct sp_err *privilege_check_bpf(void)
{
	static const struct bpf_insn insns[] = { MOV(BPF_REG_0, 0), EXIT };
	sp_cleanup_close int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), NULL);

	if (fd >= 0)
		return NULL;
	switch (-fd) {
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not let us load BPF programs: %s",
				  privilege_hint());
	case ENOSYS:
		return sp_err_new(SP_ERR_PRIVILEGE, "this kernel has no BPF (CONFIG_BPF_SYSCALL)");
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "this kernel has no BPF programs for probes (CONFIG_BPF_EVENTS)");
	}
	return sp_err_errno(-fd, "cannot load a BPF program");
}

static uint64_t effective_capabilities(void)
{
	sp_cleanup_fclose FILE *file = fopen("/proc/self/status", "re");
	uint64_t bits = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %" SCNx64, &bits) == 1)
			break;
	return bits;
}

static bool has(uint64_t capabilities, unsigned capability)
{
	return capabilities >> capability & 1;
}

static bool is_admin(void)
{
	return has(effective_capabilities(), CAP_SYS_ADMIN);
}

static bool is_locked_down(void)
{
	sp_cleanup_fclose FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[256] = "";

	if (!file || !fgets(line, sizeof(line), file))
		return false;
	return strstr(line, "[confidentiality]") || strstr(line, "[integrity]");
}

// The capabilities of root of a user namespace are for what belongs to that, which the kernel's own probes do not.
static bool is_in_user_namespace(void)
{
	sp_cleanup_fclose FILE *file = fopen("/proc/self/uid_map", "re");
	unsigned inside, outside, count;

	return file && fscanf(file, "%u %u %u", &inside, &outside, &count) == 3 && count != UINT32_MAX;
}

const char *privilege_hint(void)
{
	uint64_t capabilities = effective_capabilities();

	if (!has(capabilities, CAP_SYS_ADMIN)) {
		bool bpf = has(capabilities, CAP_BPF), perfmon = has(capabilities, CAP_PERFMON);

		if (!bpf && !perfmon)
			return "it takes root, or CAP_BPF and CAP_PERFMON (sudo, setcap)";
		if (!bpf)
			return "CAP_BPF is missing";
		if (!perfmon)
			return "CAP_PERFMON is missing";
	}
	if (is_in_user_namespace())
		return "the privileges are those of a user namespace; it takes root, or CAP_BPF and CAP_PERFMON, outside of it";
	if (is_locked_down())
		return "the kernel is locked down (/sys/kernel/security/lockdown), which a boot without Secure Boot "
		       "or lockdown= ends";
	return "the privileges are there, so a seccomp filter, a container or a security module refuses it; try it "
	       "outside of the container";
}

const char *privilege_uprobe_hint(void)
{
	uint64_t capabilities = effective_capabilities();

	if (has(capabilities, CAP_BPF) && has(capabilities, CAP_PERFMON) && !has(capabilities, CAP_SYS_ADMIN))
		return "uprobes take CAP_SYS_ADMIN (root) here; CAP_PERFMON is enough where the kernel has uprobe.multi (6.6)";
	return privilege_hint();
}

static const char *event_hint(void)
{
	sp_cleanup_fclose FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int paranoid = 0;

	// Debian's kernels have more than the 2 of others, and CAP_PERFMON is not enough then.
	if (!is_admin() && file && fscanf(file, "%d", &paranoid) == 1 && paranoid > 2)
		return "perf events take CAP_SYS_ADMIN (root) while kernel.perf_event_paranoid is above 2";
	return privilege_hint();
}

struct sp_err *privilege_explain_event(int error, const struct perf_event_attr *attr)
{
	switch (error) {
	case 0:
		return NULL;
	case ENOSPC:
		return sp_err_new(SP_ERR_PRIVILEGE, "the processors have no debug register left");
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", event_hint());
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case EINVAL:
		if (attr->type == PERF_TYPE_BREAKPOINT)
			return sp_err_new(SP_ERR_PRIVILEGE, "the processor cannot watch that");
		if (error == EINVAL)
			return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not take the event, or not so many samples "
					  "(/proc/sys/kernel/perf_event_max_sample_rate)");
		return sp_err_new(SP_ERR_PRIVILEGE, "this machine has no event of type %u with configuration %llu", attr->type,
				  (unsigned long long)attr->config);
	}
	return sp_err_errno(error, "perf_event_open");
}

bool privilege_has_event_source(const char *name)
{
	sp_cleanup_free char *path = NULL;

	return asprintf(&path, "/sys/bus/event_source/devices/%s/type", name) > 0 && access(path, R_OK) == 0;
}

struct sp_err *privilege_event_type(const char *name, uint32_t *ret)
{
	sp_cleanup_free char *path = NULL;
	sp_cleanup_fclose FILE *file = NULL;

	if (asprintf(&path, "/sys/bus/event_source/devices/%s/type", name) < 0)
		return sp_err_bug("asprintf");
	file = fopen(path, "re");
	if (!file || fscanf(file, "%u", ret) != 1)
		return sp_err_new(SP_ERR_PRIVILEGE, "this kernel has no %ss", name);
	return NULL;
}
