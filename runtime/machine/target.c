// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem, syscall

#include "runtime/machine/target.h"

#include "runtime/abi/target.h"
#include "runtime/ptrace/attach_ptrace.h"
#include "runtime/base/btf_head.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/include/spilert.h"
#include "runtime/machine/insn.h"
#include "runtime/machine/privilege.h"
#include "runtime/machine/image.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

static int load(enum bpf_prog_type type, const struct bpf_insn *insns, size_t n)
{
	return bpf_prog_load(type, NULL, "GPL", insns, n, NULL);
}

static bool loads(enum bpf_prog_type type, const struct bpf_insn *insns, size_t n)
{
	sp_cleanup_close int fd = load(type, insns, n);

	return fd >= 0;
}

static bool has_type(enum bpf_prog_type type)
{
	static const struct bpf_insn insns[] = { MOV(BPF_REG_0, 0), EXIT };

	return loads(type, insns, SP_ARRAY_SIZE(insns));
}

// The program reads the current task, because a kernel may take it and then refuse each read.
static bool can_read_kernel(void)
{
	static const struct bpf_insn insns[] = {
		CALL(BPF_FUNC_get_current_task), MOV_REG(BPF_REG_3, BPF_REG_0), MOV_REG(BPF_REG_1, BPF_REG_10),
		ADD(BPF_REG_1, -8), MOV(BPF_REG_2, 8), CALL(BPF_FUNC_probe_read_kernel), EXIT,
	};
	sp_cleanup_close int fd = load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, SP_ARRAY_SIZE(insns));
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (fd < 0)
		return false;
	// Kernels before 5.10 cannot run such a program by BPF_PROG_TEST_RUN; that it could be loaded is enough there.
	return bpf_prog_test_run_opts(fd, &opts) ? true : opts.retval == 0;
}

static bool has_context_helper(int helper)
{
	const struct bpf_insn insns[] = { CALL(helper), MOV(BPF_REG_0, 0), EXIT };

	return loads(BPF_PROG_TYPE_KPROBE, insns, SP_ARRAY_SIZE(insns));
}

// If the kernel has the helper, it complains about the arguments; otherwise about an unknown function.
static bool knows_helper(int helper)
{
	const struct bpf_insn insns[] = { CALL(helper), MOV(BPF_REG_0, 0), EXIT };
	char log[4096] = "";
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log, .log_size = sizeof(log), .log_level = 1);
	sp_cleanup_close int fd =
		bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), &opts);

	return fd >= 0 || (!strstr(log, "invalid func ") && !strstr(log, "unknown func ") &&
			   !strstr(log, "program of this type cannot use helper ") && log[0]);
}

static bool takes_loops(void)
{
	static const struct bpf_insn insns[] = {
		MOV(BPF_REG_0, 3), ADD(BPF_REG_0, -1),
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = -2 }, EXIT,
	};

	return loads(BPF_PROG_TYPE_KPROBE, insns, SP_ARRAY_SIZE(insns));
}

static bool takes_fetching_atomics(void)
{
	static const struct bpf_insn insns[] = {
		MOV(BPF_REG_1, 1),
		{ .code = BPF_STX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_1, .off = -8 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_1, .off = -8,
		  .imm = BPF_ADD | BPF_FETCH },
		MOV(BPF_REG_0, 0), EXIT,
	};

	return loads(BPF_PROG_TYPE_KPROBE, insns, SP_ARRAY_SIZE(insns));
}

static bool has_ring_buffer(void)
{
	sp_cleanup_close int fd =
		bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, (uint32_t)sysconf(_SC_PAGESIZE), NULL);

	return fd >= 0;
}

static bool maps_arrays(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	sp_cleanup_close int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 8, 1, &opts);

	return fd >= 0;
}

// The kernel's BTF, with a sane head; false: there is none.
static bool read_btf(struct sp_buf *ret)
{
	sp_cleanup_close int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	const struct sp_btf_head *head;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size < sizeof(*head))
		return false;
	sp_buf_fill(ret, 0, (size_t)st.st_size);
	// sysfs gives a page at a time.
	for (size_t have = 0; have < ret->len;) {
		ssize_t size = read(fd, ret->data + have, ret->len - have);

		if (size <= 0)
			return false;
		have += (size_t)size;
	}
	head = (const struct sp_btf_head *)ret->data;
	return head->magic == 0xeb9f && head->hdr_len <= ret->len && head->str_off <= ret->len - head->hdr_len &&
	       head->str_len <= ret->len - head->hdr_len - head->str_off;
}

// Where the name is among the strings; 0: nowhere.
static uint32_t find_btf_name(const struct sp_btf_head *head, const char *name)
{
	const char *strings = (const char *)head + head->hdr_len + head->str_off, *found;

	// With the NULs around it, so that it is the whole name.
	for (size_t len = strlen(name), from = 0; from + len + 2 <= head->str_len; from = (size_t)(found - strings) + 1) {
		found = memmem(strings + from, head->str_len - from, name, len + 1);
		if (!found || found == strings)
			return 0;
		if (!found[-1])
			return (uint32_t)(found - strings);
	}
	return 0;
}

// Bytes of a type in the kernel's BTF.
static size_t btf_type_size(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(*type) + 4;
	case BTF_KIND_ARRAY:
		return sizeof(*type) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return sizeof(*type) + btf_vlen(type) * 12;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*type) + btf_vlen(type) * 8;
	}
	return sizeof(*type);
}

// The id of a function in the kernel's BTF, by one pass over it: libbpf's parser takes thirty times as long. 0: none.
static uint32_t find_btf_func(const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf btf = { 0 };
	const struct sp_btf_head *head;
	uint32_t id = 1, wanted;
	size_t at, end;

	if (!read_btf(&btf))
		return 0;
	head = (const struct sp_btf_head *)btf.data;
	wanted = find_btf_name(head, name);
	if (!wanted)
		return 0;
	at = head->hdr_len + head->type_off;
	end = SP_MIN(at + head->type_len, btf.len);
	for (; at + sizeof(struct btf_type) <= end; id++) {
		const struct btf_type *type = (const struct btf_type *)(btf.data + at);

		if (btf_is_func(type) && type->name_off == wanted)
			return id;
		at += btf_type_size(type);
	}
	return 0;
}

// Attached and detached for real: a kernel may load such programs and have no trampolines. bpf_fentry_test1 is in every
// kernel with BPF (net/bpf/test_run.c), and called by its tests alone.
static bool has_trampolines(void)
{
	static const struct bpf_insn insns[] = { MOV(BPF_REG_0, 0), EXIT };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	sp_cleanup_close int prog = -1, link = -1;

	// Some kernels refuse all such programs; then there is no need to read megabytes of types.
	opts.attach_btf_id = 1;
	if (bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), &opts) == -EPERM)
		return false;
	opts.attach_btf_id = find_btf_func("bpf_fentry_test1");
	if (!opts.attach_btf_id)
		return false;
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), &opts);
	if (prog >= 0)
		link = bpf_raw_tracepoint_open(NULL, prog);
	return link >= 0;
}

bool target_guards_trampolines(void)
{
	return takes_fetching_atomics(); // of the same release
}

// If the kernel has such links, it looks for the function, which does not exist. Attaching to one that exists would
// take long.
static bool has_kprobe_multi(void)
{
	static const struct bpf_insn insns[] = { MOV(BPF_REG_0, 0), EXIT };
	const char *symbol = "spile_no_such_function";
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, link_opts, .kprobe_multi.cnt = 1, .kprobe_multi.syms = &symbol);
	sp_cleanup_close int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), &opts);
	int error = fd >= 0 ? bpf_link_create(fd, 0, BPF_TRACE_KPROBE_MULTI, &link_opts) : fd;

	return error == -ESRCH || error == -ENOENT;
}

static bool release_at_least(unsigned major, unsigned minor)
{
	unsigned here_major = 0, here_minor = 0;
	struct utsname uts;

	uname(&uts);
	sscanf(uts.release, "%u.%u", &here_major, &here_minor);
	return here_major > major || (here_major == major && here_minor >= minor);
}

// Since Linux 6.13 a program of more than 64 bytes of stack has one stack for each processor, where one that sleeps and those that run
// meanwhile write over each other's: seen on 6.18, on x86_64.
bool target_lets_uprobes_sleep(void)
{
	static const struct bpf_insn insns[] = { MOV(BPF_REG_0, 0), EXIT };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	sp_cleanup_close int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), &opts);

	return fd >= 0 && !release_at_least(6, 13);
}

// Kernels without such links say EINVAL; one that has them looks for the file first.
bool target_has_uprobe_multi(void)
{
	static const struct bpf_insn insns[] = { MOV(BPF_REG_0, 0), EXIT };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = (enum bpf_attach_type)TARGET_UPROBE_MULTI);
	sp_cleanup_close int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, SP_ARRAY_SIZE(insns), &opts);
	const uint64_t offset = 0;
	struct target_uprobe_multi attr = { .prog_fd = (uint32_t)fd, .attach_type = TARGET_UPROBE_MULTI,
					    .path = (uintptr_t)"/dev/null/none", .offsets = (uintptr_t)&offset, .count = 1 };

	return fd >= 0 && syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)) < 0 && errno == ENOTDIR;
}

static bool has_kernel_feature(enum sp_feature feature)
{
	switch (feature) {
	case SP_FEATURE_BPF:
		return has_type(BPF_PROG_TYPE_KPROBE);
	case SP_FEATURE_BTF:
		return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	case SP_FEATURE_KPROBE:
		return privilege_has_event_source("kprobe");
	case SP_FEATURE_KPROBE_MULTI:
		return has_kprobe_multi();
	case SP_FEATURE_FENTRY:
		return target_guards_trampolines() && has_trampolines();
	case SP_FEATURE_UPROBE:
		return privilege_has_event_source("uprobe");
	case SP_FEATURE_UPROBE_MULTI:
		return target_has_uprobe_multi();
	case SP_FEATURE_RAW_TP:
		return has_type(BPF_PROG_TYPE_RAW_TRACEPOINT);
	case SP_FEATURE_TP:
		return privilege_has_event_source("tracepoint") && has_type(BPF_PROG_TYPE_TRACEPOINT);
	case SP_FEATURE_PERF_EVENT:
		return has_type(BPF_PROG_TYPE_PERF_EVENT);
	case SP_FEATURE_RINGBUF:
		return has_ring_buffer();
	case SP_FEATURE_COOKIE:
		return has_context_helper(BPF_FUNC_get_attach_cookie);
	case SP_FEATURE_KERNEL_READ:
		return can_read_kernel();
	case SP_FEATURE_BOUNDED_LOOPS:
		return takes_loops();
	case SP_FEATURE_BPF_LOOP:
		return knows_helper(BPF_FUNC_loop);
	case SP_FEATURE_SNPRINTF:
		return knows_helper(BPF_FUNC_snprintf);
	case SP_FEATURE_MAP_WALK:
		return knows_helper(BPF_FUNC_for_each_map_elem);
	case SP_FEATURE_TASK_STORAGE: // before 6.4 elements were made by kmalloc(), which a handler may have interrupted
		return knows_helper(BPF_FUNC_task_storage_get) && release_at_least(6, 6);
	case SP_FEATURE_ATOMICS:
		return takes_fetching_atomics();
	case SP_FEATURE_PERCPU_LOOKUP:
		return knows_helper(BPF_FUNC_map_lookup_percpu_elem);
	case SP_FEATURE_GLOBAL_DATA:
		return maps_arrays();
	case SP_FEATURE_SLEEPABLE_UPROBE:
		return target_lets_uprobes_sleep();
	case SP_FEATURE_OVERRIDE:
		return knows_helper(BPF_FUNC_override_return);
	case SP_FEATURE_PTRACE:
	case SP_FEATURE_COUNT:
		break;
	}
	return false;
}

static bool has_user_engine(void)
{
	struct sp_err *err = attach_ptrace_check();

	sp_err_free(err);
	return !err;
}

uint64_t target_features(bool kernel)
{
	uint64_t bits = has_user_engine() ? UINT64_C(1) << SP_FEATURE_PTRACE : 0;

	if (has_kernel_feature(SP_FEATURE_BTF))
		bits |= UINT64_C(1) << SP_FEATURE_BTF;
	if (!kernel || !has_kernel_feature(SP_FEATURE_BPF))
		return bits;
	for (unsigned i = 0; i < SP_FEATURE_COUNT; i++)
		if (has_kernel_feature((enum sp_feature)i))
			bits |= UINT64_C(1) << i;
	return bits;
}

uint64_t target_lacks(uint64_t features)
{
	for (unsigned i = 0; i < SP_FEATURE_COUNT; i++)
		if (features >> i & 1 && has_kernel_feature((enum sp_feature)i))
			features &= ~(UINT64_C(1) << i);
	return features;
}

const char *target_feature_name(enum sp_feature feature)
{
	static const char *const names[] = {
#define SP_FEATURE(id, name, since, what) [SP_FEATURE_##id] = name,
		SP_FEATURES(SP_FEATURE)
#undef SP_FEATURE
	};

	return names[feature];
}

// What the kernel's jiffies count: 1 / the resolution of its coarse clock.
static long ticks_per_second(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &ts) || ts.tv_sec || !ts.tv_nsec)
		return 100;
	return (1000000000 + ts.tv_nsec / 2) / ts.tv_nsec;
}

SP_EXPORT char *spilert_describe(int kernel)
{
	struct sp_buf text = { 0 };
	char build_id_text[2 * SP_BUILD_ID_MAX + 1];
	struct image_build_id build_id;
	struct utsname uts;
	uint64_t features = target_features(kernel != 0);

	uname(&uts);
	image_kernel_build_id(&build_id);
	sp_buf_printf(&text, "%s %d\narch %s\nrelease %s\n", SP_TARGET_MAGIC, SP_TARGET_VERSION, uts.machine,
		      uts.release);
	if (build_id.len)
		sp_buf_printf(&text, "build-id %s\n", image_build_id_text(build_id.bytes, build_id.len, build_id_text));
	sp_buf_printf(&text, "cpus %ld\nhz %ld\nfeatures", sysconf(_SC_NPROCESSORS_CONF), ticks_per_second());
	for (unsigned i = 0; i < SP_FEATURE_COUNT; i++)
		if (features >> i & 1)
			sp_buf_printf(&text, " %s", target_feature_name(i));
	sp_buf_putc(&text, '\n');
	return sp_buf_take(&text);
}
