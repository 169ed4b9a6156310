// SPDX-License-Identifier: GPL-2.0-or-later
/** Runs what the generator made: in the VM, and in this kernel by BPF_PROG_TEST_RUN. */
#ifndef SP_TEST_GEN_RUN_H
#define SP_TEST_GEN_RUN_H

#include "gen_make.h"
#include "runtime/print/transport.h"
#include "runtime/vm/vm.h"

#include <errno.h>
#include <sys/uio.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#define RUN_CTX_SIZE 64
#define RUN_LOG_SIZE (1 << 20)

struct gen_run {
	struct bundle *bundle;
	struct transport transport;
	struct sp_log log;
	struct sp_buf logged; // errors and warnings
	char *output;
	char *error; // NULL: none
	uint32_t verified; // kernel: instructions that the verifier looked at
};

static void run_log(void *ctx, enum sp_log_level level, const char *text)
{
	struct gen_run *run = ctx;

	(void)level;
	sp_buf_puts(&run->logged, text);
	sp_buf_putc(&run->logged, '\n');
}

static bool run_open(struct gen_run *run, const struct gen_made *made)
{
	struct sp_err *err;

	*run = (struct gen_run){ 0 };
	err = bundle_open(made->spo.data, made->spo.len, &run->bundle);
	if (err) {
		run->error = sp_err_text(err);
		sp_err_free(err);
		return false;
	}
	run->log = (struct sp_log){ run_log, run, SP_LOG_WARN };
	transport_init(&run->transport, run->bundle, &run->log, memfd_create("out", MFD_CLOEXEC));
	return true;
}

static void run_take_output(struct gen_run *run)
{
	off_t size;

	transport_flush(&run->transport);
	size = lseek(run->transport.out_fd, 0, SEEK_END);
	run->output = sp_calloc((size_t)size + 1, 1);
	if (pread(run->transport.out_fd, run->output, (size_t)size, 0) != size)
		run->error = sp_strdup("the output cannot be read");
}

static SP_UNUSED void run_deinit(struct gen_run *run)
{
	if (run->bundle)
		close(run->transport.out_fd);
	transport_deinit(&run->transport);
	sp_buf_deinit(&run->logged);
	bundle_close(run->bundle);
	free(run->output);
	free(run->error);
}

// What the tests' programs read with IR_SPACE_USER: this process.
static int run_read_self(void *ctx, uint64_t addr, void *dst, size_t size)
{
	struct iovec local = { dst, size }, remote = { (void *)(uintptr_t)addr, size };

	(void)ctx;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

/** The unit's first program, once. */
static SP_UNUSED void run_in_vm(struct gen_run *run, const struct gen_made *made, const void *ctx)
{
	struct vm_task task = { .read = run_read_self };
	struct sp_err *err;
	struct store *store;
	struct vm *vm;
	void *data;

	if (!run_open(run, made))
		return;
	vm_task_self(&task);
	task.read = run_read_self;
	store = store_create(run->bundle, NULL);
	data = sp_malloc(run->bundle->head->data_size);
	memcpy(data, run->bundle->data_init, run->bundle->head->data_size);
	vm = vm_create(&(struct vm_env){ .bundle = run->bundle,
					 .store = store,
					 .data = data,
					 .max_steps = 10000000,
					 .transport = &run->transport });
	err = vm_run(vm, 0, 0, &task, ctx, ctx ? RUN_CTX_SIZE : 0);
	if (err) {
		run->error = sp_err_text(err);
		sp_err_free(err);
	}
	vm_destroy(vm);
	store_destroy(store);
	free(data);
	run_take_output(run);
}

static int run_record(void *ctx, void *record, size_t size)
{
	transport_record(&((struct gen_run *)ctx)->transport, record, size);
	return 0;
}

static SP_UNUSED int run_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vprintf(format, args) : 0;
}

static void run_loaded(struct gen_run *run, struct bpf_object *object, const void *ctx)
{
	struct bpf_program *prog = bpf_object__next_program(object, NULL);
	struct bpf_map *events = bpf_object__find_map_by_name(object, SP_MAP_EVENTS);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ctx, .ctx_size_in = RUN_CTX_SIZE);
	struct bpf_prog_info info = { 0 };
	uint32_t info_size = sizeof(info);
	struct ring_buffer *ring = NULL;

	bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &info_size);
	run->verified = info.verified_insns;
	if (events)
		ring = ring_buffer__new(bpf_map__fd(events), run_record, run, NULL);
	if (bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) < 0)
		run->error = sp_strdup("BPF_PROG_TEST_RUN failed");
	if (ring)
		ring_buffer__consume(ring);
	ring_buffer__free(ring);
}

/** The unit's first program, a raw tracepoint's, once. */
static SP_UNUSED void run_in_kernel(struct gen_run *run, const struct gen_made *made, const void *ctx)
{
	static char log[RUN_LOG_SIZE]; // of the verifier
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "unit", .kernel_log_buf = log,
		    .kernel_log_size = sizeof(log));
	struct bpf_object *object;

	if (!run_open(run, made))
		return;
	libbpf_set_print(run_quiet);
	object = bpf_object__open_mem(made->spo.data, made->spo.len, &opts);
	if (!object) {
		run->error = sp_strdup("libbpf does not open the object");
		return;
	}
	if (bpf_object__load(object) < 0)
		run->error = sp_strdup(log);
	else
		run_loaded(run, object, ctx);
	bpf_object__close(object);
	run_take_output(run);
}

/** May this process load programs at all? */
static SP_UNUSED bool run_can_load(void)
{
	const struct bpf_insn code[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
					 { .code = BPF_JMP | BPF_EXIT } };
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "probe", "GPL", code, 2, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

#endif
