// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/index/dw_grep.h"

#include "runtime/base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK (256u << 10)
#define OVERLAP 64 // bytes of the last chunk: what is searched for may begin there
#define PARALLEL_FROM (64u << 20) // bytes of a program's .debug_info

struct search {
	const struct dw_units *units;
	const struct dw_needles *const *needles; // a unit has to hold some of each
	unsigned n_needles;
	const struct dw_scan_source *source; // not NULL: a unit has to define a function with the name that they are of
	atomic_size_t next; // unit that no thread has taken
	bool *holds; // by unit
};

// Reads the section in chunks into a small buffer: pages of the mapping would become resident memory.
static bool holds_some(const struct search *search, const struct dw_unit *unit, const struct dw_needles *needles, uint8_t *chunk)
{
	const struct dw_section *info = &search->units->info;

	if (info->fd < 0)
		return dw_needles_are_in(needles, info->data + unit->off, info->data + unit->end);
	for (uint64_t off = unit->off; off < unit->end; off += CHUNK - OVERLAP) {
		size_t size = SP_MIN(CHUNK, unit->end - off);
		if (pread(info->fd, chunk, size, (off_t)(info->file_off + off)) != (ssize_t)size ||
		    dw_needles_are_in(needles, chunk, chunk + size))
			return true;
	}
	return false;
}

static bool unit_holds(const struct search *search, size_t i, struct dw_scan *scan, uint8_t *chunk)
{
	const struct dw_unit *unit = &search->units->list.v[i];
	bool holds = true;

	if (scan)
		return dw_scan_may_define(scan, unit->off, unit->end, search->needles[0]);
	for (unsigned k = 0; k < search->n_needles && holds && !unit->is_elsewhere && search->units->has_info; k++)
		holds = holds_some(search, unit, search->needles[k], chunk);
	return holds;
}

bool dw_grep_unit(struct dw_file *file, size_t unit, const struct dw_needles *needles)
{
	struct search search = { .units = file->units, .needles = &needles, .n_needles = 1 };
	uint8_t *chunk = sp_malloc(CHUNK);
	bool holds = unit_holds(&search, unit, NULL, chunk);

	free(chunk);
	return holds;
}

static void search_some(void *ctx, unsigned thread SP_UNUSED)
{
	struct search *search = ctx;
	struct dw_scan *scan = search->source ? dw_scan_create(search->source) : NULL;
	uint8_t *chunk = sp_malloc(CHUNK);

	for (size_t i; (i = atomic_fetch_add(&search->next, 1)) < search->units->list.n;)
		search->holds[i] = unit_holds(search, i, scan, chunk);
	free(chunk);
	dw_scan_destroy(scan);
}

static void search_units(struct dw_file *file, const struct dw_scan_source *source, const struct dw_needles *const *needles,
			 unsigned n, dw_unit_fn *fn, void *ctx)
{
	size_t n_units = dw_units_count(file);
	struct search search = { .units = file->units, .needles = needles, .n_needles = n, .source = n ? source : NULL };
	bool at_once = n && (!file->is_kernel || source) && file->units->info.size >= PARALLEL_FROM;

	if (at_once) {
		search.holds = sp_calloc(n_units + 1, sizeof(bool));
		sp_parallel(sp_parallel_threads(), search_some, &search);
	}
	struct dw_scan *scan = search.source ? dw_scan_create(search.source) : NULL;
	uint8_t *chunk = sp_malloc(CHUNK);
	for (size_t i = 0; i < n_units; i++)
		if ((at_once ? search.holds[i] : unit_holds(&search, i, scan, chunk)) && fn(ctx, i))
			break;
	free(chunk);
	dw_scan_destroy(scan);
	free(search.holds);
}

void dw_grep_name(struct dw_file *file, const char *name, dw_unit_fn *fn, void *ctx)
{
	struct dw_needles needles;
	bool can_tell = dw_needles_of_name(file, name, &needles);

	search_units(file, NULL, (const struct dw_needles *[]){ &needles }, can_tell, fn, ctx);
}

void dw_grep_definitions(struct dw_file *file, const struct dw_scan_source *source, const char *name, dw_unit_fn *fn, void *ctx)
{
	struct dw_needles needles;
	bool can_tell = dw_needles_of_name(file, name, &needles);

	search_units(file, source, (const struct dw_needles *[]){ &needles }, can_tell, fn, ctx);
}

void dw_grep_scoped(struct dw_file *file, const char *scope, const char *name, dw_unit_fn *fn, void *ctx)
{
	struct dw_needles needles[2];
	unsigned n = dw_needles_of_name(file, name, &needles[0]);

	n += dw_needles_of_name(file, scope, &needles[n]);
	search_units(file, NULL, (const struct dw_needles *[]){ &needles[0], &needles[1] }, n, fn, ctx);
}

void dw_grep_refs(struct dw_file *file, const Dwarf_Off *offs, size_t n, dw_unit_fn *fn, void *ctx)
{
	struct dw_needles needles;
	bool can_tell = dw_needles_of_refs(offs, n, &needles);

	search_units(file, NULL, (const struct dw_needles *[]){ &needles }, can_tell, fn, ctx);
}
