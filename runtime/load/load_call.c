// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/load/load_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LICENSE "GPL" // what the compiler writes into every bundle
#define MAX_TRIES 5 // the kernel gives a long load up (EAGAIN) when a signal is pending

enum {
	LOG_SIZE = (1 << 24) - 1, // what every kernel takes
	WORDS_SIZE = LOAD_LOG_SIZE - LOG_SIZE, // behind it
	LEVEL_STEPS = 1, LEVEL_WORDS = 4, // of the log: each instruction; what it ends with
};

static int call_kernel(union bpf_attr *attr)
{
	int fd = -1;

	for (unsigned i = 0; i < MAX_TRIES; i++) {
		fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, attr, sizeof(*attr));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

static int call_with_log(union bpf_attr *attr, uint32_t level, char *log, uint32_t size)
{
	*log = '\0';
	attr->log_level = level;
	attr->log_buf = (uintptr_t)log;
	attr->log_size = size;
	return call_kernel(attr);
}

// The verifier tells what it did only after a refusal: that takes long. Before Linux 6.4, a log that is full lacks its end, which has
// the reason.
static int call_again(union bpf_attr *attr, char *log)
{
	int fd = call_with_log(attr, LEVEL_STEPS, log, LOG_SIZE);
	size_t used;

	if (fd >= 0 || errno != ENOSPC)
		return fd;
	used = strlen(log);
	log[used++] = '\n';
	return call_with_log(attr, LEVEL_WORDS, log + used, WORDS_SIZE);
}

static void add_records(union bpf_attr *attr, const struct sp_buf *records)
{
	attr->func_info_rec_size = code_record_sizes[CODE_FUNC_INFO];
	attr->func_info = (uintptr_t)records[CODE_FUNC_INFO].data;
	attr->func_info_cnt = (uint32_t)(records[CODE_FUNC_INFO].len / attr->func_info_rec_size);
	attr->line_info_rec_size = code_record_sizes[CODE_LINE_INFO];
	attr->line_info = (uintptr_t)records[CODE_LINE_INFO].data;
	attr->line_info_cnt = (uint32_t)(records[CODE_LINE_INFO].len / attr->line_info_rec_size);
	if (!records[CODE_CORE_RELO].len) // Linux 5.17
		return;
	attr->core_relo_rec_size = code_record_sizes[CODE_CORE_RELO];
	attr->core_relos = (uintptr_t)records[CODE_CORE_RELO].data;
	attr->core_relo_cnt = (uint32_t)(records[CODE_CORE_RELO].len / attr->core_relo_rec_size);
}

int load_call(const struct load_kind *kind, const struct code_program *code, int btf_fd, char *log)
{
	union bpf_attr attr = {
		.prog_type = kind->type,
		.expected_attach_type = kind->attach,
		.insns = (uintptr_t)code->insns.v,
		.insn_cnt = (uint32_t)code->insns.n,
		.license = (uintptr_t)LICENSE,
		.prog_flags = kind->sleeps ? BPF_F_SLEEPABLE : 0,
		.attach_btf_id = kind->target,
		.attach_btf_obj_fd = (uint32_t)kind->target_fd,
	};
	int fd;

	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", kind->name);
	if (btf_fd >= 0) {
		attr.prog_btf_fd = (uint32_t)btf_fd;
		add_records(&attr, code->records);
	}
	fd = call_kernel(&attr);
	if (fd >= 0 || !log)
		return fd;
	// The verifier remembers a state at each jump then, not where it thinks it worth while: paths that come together are seen to.
	attr.prog_flags ^= BPF_F_TEST_STATE_FREQ;
	fd = call_kernel(&attr);
	attr.prog_flags ^= BPF_F_TEST_STATE_FREQ; // a loop without end takes minutes so
	return fd >= 0 ? fd : call_again(&attr, log);
}
