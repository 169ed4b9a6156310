// SPDX-License-Identifier: GPL-2.0-or-later
/** Runs hand-assembled code in the VM: a function that returns in r0 becomes the handler of a bundle with two arrays, a
 *  format, a global and some constants; its result, the log and the output are kept. */
#ifndef SP_TEST_VM_MAKE_H
#define SP_TEST_VM_MAKE_H

#include "runtime/vm/vm.h"

#include "bundle_make.h"

#include <sys/mman.h>
#include <unistd.h>

enum { VM_MAP_LONGS, VM_MAP_NAMES }; // [long] -> long of 4 elements; [string] -> string
enum { VM_FORMAT_PRINT, VM_FORMAT_STRING }; // "%d %s\n"; "<%d>"
#define VM_RESULT (64 + SP_LOSS_COUNT * 8) // in the data area, behind the control block and the counters of one program
#define VM_CONSTANTS "constants\0of the handler"

struct vm_made {
	struct bundle *bundle;
	struct store *store;
	struct transport transport;
	struct vm *vm;
	struct sp_log log;
	struct sp_buf logged;
	void *data;
	uint64_t slots[2];
	char *error; // of the last run; NULL: none
	char output[256]; // of the last run
};

static void vm_made_log(void *ctx, enum sp_log_level level, const char *text)
{
	struct vm_made *made = ctx;

	(void)level;
	sp_buf_puts(&made->logged, text);
}

/** `code` is called by an entry that stores its r0. Returns false when the bundle is refused; `error` says why. */
static SP_UNUSED bool vm_made_init(struct vm_made *made, const struct bpf_insn *code, size_t n, uint64_t max_steps)
{
	const struct bpf_insn entry[] = {
		CALL_LOCAL(4), LD_AREA(1, SP_VM_AREA_DATA, VM_RESULT), STX(DW, 1, 0, 0), EXIT(),
	};
	struct sp_buf all = { 0 };
	struct bundle_make m;
	struct sp_err *err;
	size_t size;
	char *bytes;

	*made = (struct vm_made){ .slots = { 0x1122334455667788, 42 } };
	bm_init(&m);
	m.head.n_slots = 2;
	bm_map(&m, "longs", "l", 'l', 0, 4, 0);
	bm_map(&m, "names", "s", 's', 16, 100, 0);
	bm_global(&m, "result", 'l', 8);
	bm_format(&m, SP_FORMAT_PRINT, "%d %s\n", "ls", 16);
	bm_format(&m, SP_FORMAT_STRING, "<%d>", "l", 0);
	sp_buf_add(&m.udata, VM_CONSTANTS, sizeof(VM_CONSTANTS));
	sp_buf_add(&all, entry, sizeof(entry));
	sp_buf_add(&all, code, n * sizeof(*code));
	bm_prog(&m, "handler", SP_SITE_UPROBE, "process(\"./program\").function(\"f\")", (const void *)all.data,
		all.len / sizeof(*code));
	bytes = bm_finish(&m, &size);
	err = bundle_open(bytes, size, &made->bundle);
	free(bytes);
	bm_deinit(&m);
	sp_buf_deinit(&all);
	if (err) {
		made->error = sp_err_text(err);
		sp_err_free(err);
		return false;
	}
	made->log = (struct sp_log){ vm_made_log, made, SP_LOG_WARN };
	made->store = store_create(made->bundle, NULL);
	transport_init(&made->transport, made->bundle, &made->log, memfd_create("out", MFD_CLOEXEC));
	made->data = sp_calloc(1, made->bundle->head->data_size);
	made->vm = vm_create(&(struct vm_env){ .bundle = made->bundle, .store = made->store, .data = made->data,
					       .transport = &made->transport, .slots = made->slots,
					       .max_steps = max_steps });
	return true;
}

/** Returns what the code returned; 0 after an error. */
static SP_UNUSED int64_t vm_made_run(struct vm_made *made, const struct vm_task *task, const void *ctx, size_t ctx_size)
{
	struct sp_err *err;
	int64_t result;
	ssize_t len;

	memset((char *)made->data + VM_RESULT, 0, 8);
	free(made->error);
	made->error = NULL;
	sp_buf_clear(&made->logged);
	err = vm_run(made->vm, 0, 0, task, ctx, ctx_size);
	if (err) {
		made->error = sp_err_text(err);
		sp_err_free(err);
	}
	transport_flush(&made->transport);
	len = pread(made->transport.out_fd, made->output, sizeof(made->output) - 1, 0);
	made->output[len < 0 ? 0 : len] = '\0';
	memcpy(&result, (char *)made->data + VM_RESULT, sizeof(result));
	return result;
}

static SP_UNUSED void vm_made_deinit(struct vm_made *made)
{
	vm_destroy(made->vm);
	store_destroy(made->store);
	if (made->data)
		close(made->transport.out_fd);
	transport_deinit(&made->transport);
	sp_buf_deinit(&made->logged);
	bundle_close(made->bundle);
	free(made->data);
	free(made->error);
}

#endif
