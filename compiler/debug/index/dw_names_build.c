// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/index/dw_names.h"
#include "compiler/debug/index/dw_names_format.h"
#include "compiler/debug/index/dw_offsets.h"

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"
#include "runtime/base/vec.h"

#include <stdlib.h>

#define MAX_LEFT_OUT 16 // the part of the bytes that may be of units which are left out

// Names are shared out among parts, which threads merge beside each other. Their number is always the same, so that the index is.
#define N_PARTS 4

struct found {
	uint32_t string; // offset of the name in .debug_str; behind its end, one of the worker's other names
	uint32_t ref, die;
};

// One thread, which reads the units from `first` to before `end`.
struct worker {
	const struct dw_scan_source *source;
	const struct dw_names_unit *units;
	size_t first, end, unit;
	struct dw_offsets seen; // the kinds (bits) that a name has been found as, of those in only_first()
	struct sp_arena arena;
	SP_VEC(const char *) others; // names that are not in .debug_str
	SP_VEC(struct found) found[N_PARTS];
	SP_VEC(uint32_t) funcs; // the DIEs of functions
	SP_VEC(uint32_t) n_funcs; // by unit: how many of `funcs` are of those up to it
	SP_VEC(uint32_t) left_out; // units
	uint64_t n_left_out; // their bytes
};

static unsigned part_of(const struct dw_scan_source *source, uint32_t string)
{
	return string < source->str.size ? dw_offsets_hash(string) % N_PARTS : 0;
}

// Does the index keep only the first unit of a name of this kind? A type of a header is defined in a thousand units.
static bool only_first(enum dw_name_kind kind)
{
	return kind != DW_NAME_FUNC && kind != DW_NAME_VAR && kind != DW_NAME_FILE;
}

static void add_name(void *ctx, enum dw_name_kind kind, const char *name, uint32_t die)
{
	struct worker *worker = ctx;
	const struct dw_section *str = &worker->source->str;
	size_t at = (uintptr_t)name - (uintptr_t)str->data;

	if (at >= str->size) {
		at = str->size + worker->others.n;
		sp_vec_push(&worker->others, sp_arena_strdup(&worker->arena, name));
	} else if (only_first(kind)) {
		uint32_t *kinds = dw_offsets_number(&worker->seen, (uint32_t)at);
		if (*kinds >> kind & 1)
			return;
		*kinds |= 1u << kind;
	}
	struct found found = { (uint32_t)at, (uint32_t)(worker->unit << DW_NAMES_KIND_BITS | kind), die };
	sp_vec_push(&worker->found[part_of(worker->source, found.string)], found);
	if (kind == DW_NAME_FUNC)
		sp_vec_push(&worker->funcs, die);
}

// Takes back what was found of a unit that turned out to be unreadable. Types that are not seen again are searched for in it.
static void leave_out(struct worker *worker, size_t n_funcs)
{
	const struct dw_names_unit *unit = &worker->units[worker->unit];

	for (unsigned i = 0; i < N_PARTS; i++)
		while (worker->found[i].n && worker->found[i].v[worker->found[i].n - 1].ref >> DW_NAMES_KIND_BITS == worker->unit)
			worker->found[i].n--;
	worker->funcs.n = n_funcs;
	sp_vec_push(&worker->left_out, (uint32_t)worker->unit);
	worker->n_left_out += unit->end - unit->off;
}

static bool has_left_out_much(const struct worker *worker)
{
	return worker->n_left_out > worker->source->info.size / MAX_LEFT_OUT;
}

static void work(void *ctx, unsigned thread)
{
	struct worker *worker = (struct worker *)ctx + thread;
	struct dw_scan *scan = dw_scan_create(worker->source);

	for (size_t i = worker->first; i < worker->end && !has_left_out_much(worker); i++) {
		size_t n_funcs = worker->funcs.n;
		worker->unit = i;
		if (!dw_scan_unit(scan, worker->units[i].off, worker->units[i].end, add_name, worker))
			leave_out(worker, n_funcs);
		sp_vec_push(&worker->n_funcs, (uint32_t)worker->funcs.n);
	}
	dw_offsets_deinit(&worker->seen);
	dw_scan_destroy(scan);
}

// Gives each thread about the same number of bytes.
static void share_out(struct worker *workers, unsigned n, const struct dw_names_unit *units, size_t n_units)
{
	uint64_t size = n_units ? units[n_units - 1].end : 0;
	size_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		workers[i].first = at;
		while (at < n_units && (i + 1 == n || units[at].off < size / n * (i + 1)))
			at++;
		workers[i].end = at;
	}
}

// A name, and where its references are put.
struct entry {
	uint32_t hash, string; // as in struct dw_names_entry
	uint32_t n_refs, first_ref;
	unsigned kinds; // bits: that it was found as
};

// An offset in .debug_str stands for a name, as the linker merges equal strings there. When it did not, a name has several entries,
// and a search finds all of them.
struct part {
	struct sp_hash by_name; // for names that are not in .debug_str: name -> 1 + index of its entry
	struct dw_offsets by_offset; // for the others: the same
	SP_VEC(struct entry) entries;
	struct sp_buf strings;
	SP_VEC(uint32_t) entry_of; // by what the workers found of this part, in order: index of its entry; UINT32_MAX: it is left out
	uint32_t n_refs;
};

struct builder {
	const struct worker *workers;
	unsigned n_workers;
	struct part parts[N_PARTS];
	uint32_t *refs, *dies; // in the index
};

// Everything that was found of one part, in the order of the units.
#define each_found(worker, found, builder, number) \
	for (const struct worker *worker = (builder)->workers; worker < (builder)->workers + (builder)->n_workers; worker++) \
		sp_vec_each(found, &worker->found[number])

static uint32_t add_entry(struct part *part, const char *name)
{
	size_t len = strlen(name);

	sp_vec_push(&part->entries,
		    (struct entry){ .hash = (uint32_t)sp_hash_bytes(name, len), .string = (uint32_t)part->strings.len });
	sp_buf_add(&part->strings, name, len + 1);
	return (uint32_t)part->entries.n;
}

static uint32_t entry_of(struct part *part, const struct worker *worker, uint32_t string)
{
	const struct dw_section *str = &worker->source->str;

	if (string < str->size) {
		uint32_t *number = dw_offsets_number(&part->by_offset, string);
		if (!*number)
			*number = add_entry(part, (const char *)str->data + string);
		return *number - 1;
	}
	const char *name = worker->others.v[string - str->size];
	void **slot = sp_hash_insert(&part->by_name, name, strlen(name));
	if (!*slot)
		*slot = (void *)(uintptr_t)add_entry(part, name);
	return (uint32_t)(uintptr_t)*slot - 1;
}

static void count(struct part *part, const struct worker *worker, const struct found *found)
{
	enum dw_name_kind kind = found->ref & ((1u << DW_NAMES_KIND_BITS) - 1);
	uint32_t at = entry_of(part, worker, found->string);
	struct entry *entry = &part->entries.v[at];
	bool is_left_out = only_first(kind) && entry->kinds >> kind & 1;
	entry->kinds |= 1u << kind;
	entry->n_refs += !is_left_out;
	part->n_refs += !is_left_out;
	sp_vec_push(&part->entry_of, is_left_out ? UINT32_MAX : at);
}

static void count_part(void *ctx, unsigned number)
{
	struct builder *b = ctx;
	struct part *part = &b->parts[number];
	size_t n = 0;

	for (unsigned i = 0; i < b->n_workers; i++)
		n += b->workers[i].found[number].n;
	sp_vec_reserve(&part->entry_of, n);
	each_found(worker, found, b, number)
		count(part, worker, found);
}

// Puts the references of one part at their places. Those of an entry come one after the other.
static void place_part(void *ctx, unsigned number)
{
	struct builder *b = ctx;
	struct part *part = &b->parts[number];
	size_t n = 0;

	each_found(worker, found, b, number) {
		uint32_t entry = part->entry_of.v[n++];
		if (entry == UINT32_MAX)
			continue;
		uint32_t i = part->entries.v[entry].first_ref++;
		b->refs[i] = found->ref;
		b->dies[i] = found->die;
	}
}

static void deinit_builder(struct builder *b)
{
	for (unsigned i = 0; i < N_PARTS; i++) {
		sp_hash_deinit(&b->parts[i].by_name);
		dw_offsets_deinit(&b->parts[i].by_offset);
		sp_buf_deinit(&b->parts[i].strings);
		sp_vec_deinit(&b->parts[i].entries);
		sp_vec_deinit(&b->parts[i].entry_of);
	}
}

static uint8_t *put(uint8_t *at, const void *data, size_t size)
{
	if (size)
		memcpy(at, data, size);
	return at + size;
}

static void put_names(struct builder *b, struct dw_names_entry *at)
{
	uint32_t first = 0, strings = 0;

	for (unsigned i = 0; i < N_PARTS; i++) {
		sp_vec_each(entry, &b->parts[i].entries) {
			*at++ = (struct dw_names_entry){ entry->hash, strings + entry->string, first, entry->n_refs };
			entry->first_ref = first;
			first += entry->n_refs;
		}
		strings += (uint32_t)b->parts[i].strings.len;
	}
}

static uint8_t *put_funcs(const struct builder *b, uint8_t *at)
{
	uint32_t *first = (uint32_t *)at, before = 0;

	*first++ = 0;
	for (unsigned i = 0; i < b->n_workers; i++) {
		sp_vec_each(n, &b->workers[i].n_funcs)
			*first++ = before + *n;
		before += (uint32_t)b->workers[i].funcs.n;
	}
	at = (uint8_t *)first;
	for (unsigned i = 0; i < b->n_workers; i++)
		at = put(at, b->workers[i].funcs.v, b->workers[i].funcs.n * sizeof(uint32_t));
	for (unsigned i = 0; i < b->n_workers; i++)
		at = put(at, b->workers[i].left_out.v, b->workers[i].left_out.n * sizeof(uint32_t));
	return at;
}

static struct dw_names_header header_of(const struct builder *b, const struct dw_names_key *key)
{
	struct dw_names_header header = {
		.version = DW_NAMES_VERSION, .n_units = key->n_units, .info_size = key->info_size,
		.build_id_len = key->build_id_len,
	};

	memcpy(header.magic, DW_NAMES_MAGIC, sizeof(header.magic));
	memcpy(header.build_id, key->build_id, sizeof(header.build_id));
	for (unsigned i = 0; i < N_PARTS; i++) {
		header.n_names += (uint32_t)b->parts[i].entries.n;
		header.n_refs += b->parts[i].n_refs;
		header.strings_size += (uint32_t)b->parts[i].strings.len;
	}
	for (unsigned i = 0; i < b->n_workers; i++) {
		header.n_funcs += (uint32_t)b->workers[i].funcs.n;
		header.n_left_out += (uint32_t)b->workers[i].left_out.n;
	}
	return header;
}

static uint8_t *put_out(struct builder *b, const struct dw_names_key *key, size_t *size_ret)
{
	struct dw_names_header header = header_of(b, key);
	struct dw_names_layout layout = dw_names_layout(&header);
	uint8_t *out = sp_malloc(layout.size);

	put(out, &header, sizeof(header));
	put_names(b, (struct dw_names_entry *)(out + sizeof(header)));
	b->refs = (uint32_t *)(out + layout.refs);
	b->dies = (uint32_t *)(out + layout.dies);
	sp_parallel(N_PARTS, place_part, b);
	uint8_t *at = put_funcs(b, out + layout.first_funcs);
	for (unsigned i = 0; i < N_PARTS; i++)
		at = put(at, b->parts[i].strings.data, b->parts[i].strings.len);
	*size_ret = layout.size;
	return out;
}

static struct dw_names *merge(const struct worker *workers, unsigned n, const struct dw_names_key *key)
{
	struct builder b = { .workers = workers, .n_workers = n };
	size_t size;

	sp_parallel(N_PARTS, count_part, &b);
	if (!b.parts[0].strings.len)
		sp_buf_add(&b.parts[0].strings, "", 1);
	uint8_t *out = put_out(&b, key, &size);
	deinit_builder(&b);
	dw_names_seal(out, size);
	struct dw_names *names = dw_names_view(out, size, key);
	if (names)
		names->own = out;
	else
		free(out);
	return names;
}

static void deinit_worker(struct worker *worker)
{
	for (unsigned i = 0; i < N_PARTS; i++)
		sp_vec_deinit(&worker->found[i]);
	sp_vec_deinit(&worker->others);
	sp_vec_deinit(&worker->funcs);
	sp_vec_deinit(&worker->n_funcs);
	sp_vec_deinit(&worker->left_out);
	sp_arena_deinit(&worker->arena);
}

struct dw_names *dw_names_build(const struct dw_scan_source *source, const struct dw_names_unit *units,
				const struct dw_names_key *key)
{
	unsigned n = sp_parallel_threads();
	struct worker workers[SP_PARALLEL_MAX] = { 0 };
	bool ok = key->n_units < 1u << (32 - DW_NAMES_KIND_BITS) && source->str.size < UINT32_MAX / 2;
	struct dw_names *names = NULL;
	uint64_t n_left_out = 0;

	for (unsigned i = 0; i < n; i++) {
		workers[i].source = source;
		workers[i].units = units;
	}
	share_out(workers, n, units, key->n_units);
	if (ok)
		sp_parallel(n, work, workers);
	for (unsigned i = 0; i < n; i++)
		n_left_out += workers[i].n_left_out;
	ok &= n_left_out <= source->info.size / MAX_LEFT_OUT;
	if (ok)
		names = merge(workers, n, key);
	for (unsigned i = 0; i < n; i++)
		deinit_worker(&workers[i]);
	return names;
}
