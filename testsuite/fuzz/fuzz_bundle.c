// SPDX-License-Identifier: GPL-2.0-or-later
// The door of compiled scripts: bundle_open; what it takes, is run. An input is a .spo, or a text from which one is made
// (bundle_text.h). With a fuzzing engine, the texts of the corpus are its seeds: they are turned into files first.
#define _GNU_SOURCE
#include "runtime/print/format.h"
#include "runtime/vm/vm.h"

#include "testsuite/fuzz/bundle_text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define MAX_STEPS 2000
#define CONTEXT_SIZE 168 // of struct pt_regs

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// A task whose memory begins at 64 KiB and has a hole at every 16th page.
static int task_read(void *ctx, uint64_t addr, void *dst, size_t size)
{
	(void)ctx;
	if (addr < 65536 || size > 65536 || (addr + size) % 65536 < size % 65536)
		return -EFAULT;
	memset(dst, (int)(addr >> 8 & 63), size);
	return 0;
}

static int task_write(void *ctx, uint64_t addr, const void *src, size_t size)
{
	(void)ctx, (void)src;
	return addr < 65536 || size > 65536 ? -EFAULT : 0;
}

static void drop(void *ctx, enum sp_log_level level, const char *text)
{
	(void)ctx, (void)level;
	if (strlen(text) > 1000000)
		abort();
}

static void run_handlers(const struct bundle *bundle, struct vm *vm)
{
	static const uint8_t context[CONTEXT_SIZE] = { 1, 2, 3 };
	const struct vm_task task = { .pid = 1, .tid = 2, .comm = "fuzz", .read = task_read, .write = task_write };

	for (unsigned p = 0; p < bundle->n_progs; p++) {
		const struct sp_prog *prog = &bundle->progs[p];

		if (!prog->n_user_insns)
			continue;
		for (unsigned site = 0; site < SP_MIN(prog->n_sites, 2u); site++)
			sp_err_free(vm_run(vm, p, site, &task, prog->kind == SP_PROG_REGS ? context : NULL,
					   sizeof(context)));
	}
}

// What handlers left in the arrays, in every order.
static void walk_arrays(const struct bundle *bundle, struct store *store)
{
	for (unsigned m = 0; m < bundle->n_maps; m++) {
		const struct sp_map *map = &bundle->maps[m];
		char *element;

		if (map->kind != SP_MAP_HASH)
			continue;
		element = sp_malloc((size_t)map->key_size + map->value_size);
		for (unsigned key = 0; key <= SP_MIN(map->n_keys, 3u); key++)
			for (int direction = -1; direction <= 1; direction++) {
				struct store_iter *it = store_iter_open(store, m, key, direction, 5);

				while (store_iter_next(it, element, element + map->key_size))
					store_delete(store, m, element);
				store_iter_close(it);
			}
		free(element);
	}
}

static void run(const struct bundle *bundle)
{
	const struct sp_log log = { drop, NULL, SP_LOG_DEBUG };
	uint64_t *slots = sp_calloc(bundle->head->n_slots + 1, sizeof(*slots));
	char *data = sp_malloc(bundle->head->data_size);
	struct store *store = store_create(bundle, NULL);
	struct transport transport;
	struct vm *vm;

	memcpy(data, bundle->data_init, bundle->head->data_size);
	transport_init(&transport, bundle, &log, open("/dev/null", O_WRONLY | O_CLOEXEC));
	vm = vm_create(&(struct vm_env){ bundle, store, &transport, data, slots, MAX_STEPS, false });
	run_handlers(bundle, vm);
	// Records from a kernel that is not to be trusted either.
	transport_record(&transport, bundle->udata, bundle->udata_size);
	transport_flush(&transport);
	walk_arrays(bundle, store);
	vm_destroy(vm);
	close(transport.out_fd);
	transport_deinit(&transport);
	store_destroy(store);
	free(slots);
	free(data);
}

static bool is_text(const uint8_t *data, size_t size)
{
	return size >= strlen(BUNDLE_TEXT_MAGIC) && memcmp(data, BUNDLE_TEXT_MAGIC, strlen(BUNDLE_TEXT_MAGIC)) == 0;
}

// A corpus that is not what it seems tests nothing. But an engine may make up anything.
static void wrong_corpus(void)
{
	if (!LLVMFuzzerMutate)
		abort();
}

static void compare(const char *expect, const struct sp_err *err)
{
	char *text = err ? sp_err_text(err) : sp_strdup("ok");

	if (!strstr(text, expect)) {
		fprintf(stderr, "bundle_open says \"%s\", expected \"%s\"\n", text, expect);
		wrong_corpus();
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bundle_text text = { 0 };
	struct bundle *bundle = NULL;
	struct sp_err *err;
	char *bytes = NULL;

	if (is_text(data, size)) {
		bytes = bundle_text_assemble(&text, (const char *)data, size, &size);
		if (!bytes) {
			wrong_corpus();
			return 0;
		}
		data = (const uint8_t *)bytes;
	}
	err = bundle_open(data, size, &bundle);
	compare(text.expect, err);
	if (!err)
		run(bundle);
	bundle_close(bundle);
	sp_err_free(err);
	free(bytes);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	(void)seed;
	if (is_text(data, size)) {
		struct bundle_text text;
		size_t made;
		char *bytes = bundle_text_assemble(&text, (const char *)data, size, &made);

		if (bytes) {
			size = SP_MIN(made, max_size);
			memcpy(data, bytes, size);
		}
		free(bytes);
	}
	return LLVMFuzzerMutate(data, size, max_size);
}
