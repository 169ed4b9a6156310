// SPDX-License-Identifier: GPL-2.0-or-later
// The door of perf's cache: a file of probes, and what its definitions mean. A probe that is put into it again is there once, and the
// other probes stay. `make check` also takes each file of the corpus with each bit flipped, and cut off anywhere.
#include "compiler/cache/perf_cache.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static size_t count(const char *text, size_t size)
{
	const char *at = text, *before = text;
	struct perf_probe probe;
	size_t n = 0;

	for (; perf_probes_next(&at, text + size, &probe); n++, before = at)
		if (probe.begin < before || probe.end > text + size || probe.definition + probe.len > probe.end || at <= probe.begin)
			abort();
	return n;
}

// What a definition means, and what its events are called.
static void ask(const struct perf_probe *probe)
{
	static const char *const objects[] = { "/bin/x", "[kernel.kallsyms]", "/lib/modules/6.1/kernel/x.ko", "" };
	struct sp_arena arena;
	struct perf_point point;

	sp_arena_init(&arena);
	for (size_t i = 0; i < SP_ARRAY_SIZE(objects); i++)
		if (perf_cache_point(&(struct perf_object){ .name = objects[i] }, probe, &arena, &point) && (!point.n || point.n > SP_ARRAY_SIZE(point.parts)))
			abort();
	perf_cache_is_named(probe, "a*:b", &arena);
	sp_arena_deinit(&arena);
}

static void check(const char *text, size_t size)
{
	const char *at = text;
	struct sp_buf out = { 0 };
	struct perf_probe probe;

	while (perf_probes_next(&at, text + size, &probe)) {
		ask(&probe);
		perf_probes_put(&out, probe.begin, (size_t)(probe.end - probe.begin));
	}
	size_t n = count(sp_buf_str(&out), out.len), first = 0;
	if (n > count(text, size))
		abort();
	at = text;
	if (perf_probes_next(&at, text + size, &probe)) {
		first = (size_t)(probe.end - probe.begin);
		perf_probes_put(&out, probe.begin, first);
		if (count(sp_buf_str(&out), out.len) != n || out.len < first)
			abort();
	}
	sp_buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sp_cleanup_free char *copy = sp_malloc(size + !size); // no more than that, so that the address sanitizer sees a read behind it

	if (size)
		memcpy(copy, data, size);
	check(copy, size);
	for (size_t bit = 0; bit < size * 8 && !LLVMFuzzerMutate; bit++) {
		copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
		check(copy, size);
		copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
	}
	for (size_t len = 0; len < size && !LLVMFuzzerMutate; len++) {
		sp_cleanup_free char *cut = sp_malloc(len + !len);

		memcpy(cut, data, len);
		check(cut, len);
	}
	return 0;
}
