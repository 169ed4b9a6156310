// SPDX-License-Identifier: GPL-2.0-or-later
// Loads BPF programs and runs them every 10 ms until it is killed: a filter of packets whose name is longer than the kernel's own
// text of it, a raw tracepoint whose argument is of a structure that no kernel has, one without types and, where the kernel has
// such ones, one that traces the first. Prints the number of the first, which returns the argument, or 7.
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char names[] = "\0int\0__sk_buff\0packet\0spile_counts_packets\0spile_args\0first\0unsigned long\0arguments\0spile_sums_args";

enum { INT = 1, PACKET, PACKET_PTR, PACKET_PROTO, PACKET_FUNC, ULONG, ARGS, ARGS_PTR, ARGS_PROTO, ARGS_FUNC };

static uint32_t name(const char *text)
{
	for (size_t at = 0; at < sizeof(names); at += strlen(names + at) + 1)
		if (!strcmp(names + at, text))
			return (uint32_t)at;
	return 0;
}

static uint32_t info(uint32_t kind, uint32_t n)
{
	return kind << 24 | n;
}

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int load_types(void)
{
	const uint32_t types[] = {
		name("int"), info(BTF_KIND_INT, 0), 4, BTF_INT_SIGNED << 24 | 32,
		name("__sk_buff"), info(BTF_KIND_STRUCT, 0), 0,
		0, info(BTF_KIND_PTR, 0), PACKET,
		0, info(BTF_KIND_FUNC_PROTO, 1), INT, name("packet"), PACKET_PTR,
		name("spile_counts_packets"), info(BTF_KIND_FUNC, BTF_FUNC_GLOBAL), PACKET_PROTO,
		name("unsigned long"), info(BTF_KIND_INT, 0), 8, 64,
		name("spile_args"), info(BTF_KIND_STRUCT, 1), 8, name("first"), ULONG, 0,
		0, info(BTF_KIND_PTR, 0), ARGS,
		0, info(BTF_KIND_FUNC_PROTO, 1), INT, name("arguments"), ARGS_PTR,
		name("spile_sums_args"), info(BTF_KIND_FUNC, BTF_FUNC_GLOBAL), ARGS_PROTO,
	};
	struct { struct btf_header head; char rest[sizeof(types) + sizeof(names)]; } btf = {
		.head = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(btf.head), .type_len = sizeof(types),
			  .str_off = sizeof(types), .str_len = sizeof(names) },
	};
	union bpf_attr attr = { .btf = (uintptr_t)&btf, .btf_size = sizeof(btf.head) + sizeof(types) + sizeof(names) };

	memcpy(btf.rest, types, sizeof(types));
	memcpy(btf.rest + sizeof(types), names, sizeof(names));
	return bpf(BPF_BTF_LOAD, &attr);
}

// A program that returns `result`. `function`: its type; 0: none.
static int load(enum bpf_prog_type type, const char *text, int btf, uint32_t function, int result, int target)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = result },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_func_info where = { .type_id = function };
	union bpf_attr attr = { .prog_type = type, .insns = (uintptr_t)code, .insn_cnt = sizeof(code) / sizeof(*code), .license = (uintptr_t)"GPL" };

	strncpy(attr.prog_name, text, sizeof(attr.prog_name) - 1);
	if (function) {
		attr.prog_btf_fd = (uint32_t)btf;
		attr.func_info = (uintptr_t)&where;
		attr.func_info_cnt = 1;
		attr.func_info_rec_size = sizeof(where);
	}
	if (target >= 0) {
		attr.expected_attach_type = BPF_TRACE_FENTRY;
		attr.attach_prog_fd = (uint32_t)target;
		attr.attach_btf_id = PACKET_FUNC;
	}
	return bpf(BPF_PROG_LOAD, &attr);
}

static uint32_t id_of(int program)
{
	struct bpf_prog_info about = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)program, .info_len = sizeof(about), .info = (uintptr_t)&about } };

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : about.id;
}

int main(int argc, char **argv)
{
	char packet[64] = { 0 };
	uint64_t args[2] = { 40, 2 };
	int btf = load_types();
	int counts = load(BPF_PROG_TYPE_SCHED_CLS, "spile_counts_packets", btf, PACKET_FUNC, argc > 1 ? atoi(argv[1]) : 7, -1);
	int sums = load(BPF_PROG_TYPE_RAW_TRACEPOINT, "spile_sums_args", btf, ARGS_FUNC, -3, -1);
	int bare = load(BPF_PROG_TYPE_SCHED_CLS, "spile_bare", -1, 0, 1, -1);

	if (btf < 0 || counts < 0 || sums < 0 || bare < 0) {
		perror("bpf");
		return 1;
	}
	load(BPF_PROG_TYPE_TRACING, "spile_traces", btf, PACKET_FUNC, 0, counts);
	printf("%u\n", id_of(counts));
	fflush(stdout);
	for (;;) {
		union bpf_attr of_packet = { .test = { .prog_fd = (uint32_t)counts, .data_size_in = sizeof(packet), .data_in = (uintptr_t)packet } };
		union bpf_attr of_args = { .test = { .prog_fd = (uint32_t)sums, .ctx_size_in = sizeof(args), .ctx_in = (uintptr_t)args } };

		if (bpf(BPF_PROG_TEST_RUN, &of_packet) || bpf(BPF_PROG_TEST_RUN, &of_args)) {
			perror("BPF_PROG_TEST_RUN");
			return 1;
		}
		usleep(10000);
	}
}
