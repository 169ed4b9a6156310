// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/index/dw_names.h"
#include "compiler/debug/index/dw_offsets.h"

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"
#include "runtime/base/vec.h"

#include <assert.h>
#include <stdlib.h>

#define MAGIC "spileidx"
#define FORMAT_VERSION 3
#define KIND_BITS 4

// The bytes: header, names, references, their DIEs, functions by unit, strings. Little-endian, as the hosts that we build for.
struct header {
	char magic[8];
	uint32_t version;
	uint32_t n_units;
	uint64_t info_size;
	uint8_t build_id[32];
	uint32_t build_id_len;
	uint32_t n_names, n_refs, n_funcs, strings_size;
	uint32_t sum; // checksum of all bytes but these four
};

struct name {
	uint32_t hash;
	uint32_t string; // offset in the strings
	uint32_t first_ref, n_refs;
};

static_assert(sizeof(struct header) == 80 && sizeof(struct name) == 16, "the layout of saved indexes");
static_assert(DW_NAME_KINDS <= 1 << KIND_BITS, "a kind fits a reference");

struct dw_names {
	uint8_t *own; // the bytes, when the index was built here rather than mapped
	const uint8_t *bytes;
	size_t size;
	const struct header *header;
	const struct name *names;
	const uint32_t *refs; // unit << KIND_BITS | kind
	const uint32_t *dies; // by reference: the offset of the DIE in its unit
	const uint32_t *first_funcs; // by unit, and one more behind the last: index of its first function in `funcs`
	const uint32_t *funcs; // offsets of the functions' DIEs in their units
	const char *strings;
};

// ---- the checksum ------------------------------------------------------------------------------------------------------

// Adds 8 bytes at a time, as a kernel's index is checked at every start. Each step is a bijection of the sum, so that a change of
// one word always changes the result.
static uint64_t add_words(uint64_t sum, const uint8_t *bytes, size_t size)
{
	uint64_t word;

	for (size_t at = 0; at < size; at += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + at, SP_MIN(sizeof(word), size - at));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum = sum << 29 | sum >> 35;
	}
	return sum;
}

static uint32_t sum_of(const uint8_t *bytes, size_t size)
{
	struct header header;

	memcpy(&header, bytes, sizeof(header));
	header.sum = 0;
	uint64_t sum = add_words(size, (const uint8_t *)&header, sizeof(header));
	sum = add_words(sum, bytes + sizeof(header), size - sizeof(header));
	return (uint32_t)(sum ^ sum >> 32);
}

void dw_names_seal(uint8_t *bytes, size_t size)
{
	if (size < sizeof(struct header))
		return;
	uint32_t sum = sum_of(bytes, size);
	memcpy(bytes + offsetof(struct header, sum), &sum, sizeof(sum));
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool is_for(const struct header *header, const struct dw_names_key *key)
{
	return memcmp(header->magic, MAGIC, sizeof(header->magic)) == 0 && header->version == FORMAT_VERSION &&
	       header->info_size == key->info_size && (!key->n_units || header->n_units == key->n_units) &&
	       header->build_id_len == key->build_id_len && key->build_id_len <= sizeof(header->build_id) &&
	       memcmp(header->build_id, key->build_id, key->build_id_len) == 0;
}

// Where the tables are in the bytes.
struct layout {
	uint64_t refs, dies, first_funcs, strings, size;
};

static struct layout layout_of(const struct header *header)
{
	struct layout at = { .refs = sizeof(*header) + (uint64_t)header->n_names * sizeof(struct name) };

	at.dies = at.refs + (uint64_t)header->n_refs * sizeof(uint32_t);
	at.first_funcs = at.dies + (uint64_t)header->n_refs * sizeof(uint32_t);
	at.strings = at.first_funcs + ((uint64_t)header->n_units + 1 + header->n_funcs) * sizeof(uint32_t);
	at.size = at.strings + header->strings_size;
	return at;
}

static struct dw_names *view(const uint8_t *bytes, size_t size, const struct dw_names_key *key)
{
	const struct header *header = (const struct header *)bytes;

	if ((uintptr_t)bytes % 8 || size < sizeof(*header) || !is_for(header, key))
		return NULL;
	struct layout at = layout_of(header);
	if (size != at.size || !header->strings_size || bytes[size - 1])
		return NULL;
	struct dw_names *names = sp_calloc(1, sizeof(*names));
	names->bytes = bytes;
	names->size = size;
	names->header = header;
	names->names = (const struct name *)(header + 1);
	names->refs = (const uint32_t *)(bytes + at.refs);
	names->dies = (const uint32_t *)(bytes + at.dies);
	names->first_funcs = (const uint32_t *)(bytes + at.first_funcs);
	names->funcs = names->first_funcs + header->n_units + 1;
	names->strings = (const char *)bytes + at.strings;
	return names;
}

// The checksum finds accidents. Offsets and counts are checked nevertheless when they are used (is_sound): whoever can write the
// file can make a checksum, too.
struct dw_names *dw_names_open(const uint8_t *bytes, size_t size, const struct dw_names_key *key)
{
	struct dw_names *names = view(bytes, size, key);

	if (!names || names->header->sum == sum_of(bytes, size))
		return names;
	dw_names_destroy(names);
	return NULL;
}

void dw_names_destroy(struct dw_names *names)
{
	if (!names)
		return;
	free(names->own);
	free(names);
}

const uint8_t *dw_names_bytes(const struct dw_names *names, size_t *size_ret)
{
	*size_ret = names->size;
	return names->bytes;
}

static uint32_t hash_of(const char *name)
{
	return (uint32_t)sp_hash_bytes(name, strlen(name));
}

static bool is_sound(const struct dw_names *names, const struct name *name)
{
	const struct header *header = names->header;

	return name->string < header->strings_size && name->first_ref <= header->n_refs &&
	       name->n_refs <= header->n_refs - name->first_ref;
}

// The next name from *pos on that matches, and *pos behind it; NULL: there is none.
static const struct name *next_match(const struct dw_names *names, const char *pattern, uint32_t *pos)
{
	bool is_glob = sp_has_glob(pattern), is_literal = !strchr("*?[\\", *pattern); // the first character is no wildcard
	uint32_t hash = is_glob ? 0 : hash_of(pattern);

	while (*pos < names->header->n_names) {
		const struct name *name = &names->names[(*pos)++];
		const char *text = names->strings + name->string;
		if ((!is_glob && name->hash != hash) || !is_sound(names, name))
			continue;
		if (is_glob ? (!is_literal || *text == *pattern) && sp_glob_match(pattern, text) : sp_streq(pattern, text))
			return name;
	}
	return NULL;
}

static bool is_of_kinds(const struct dw_names *names, uint32_t ref, unsigned kinds)
{
	return kinds >> (ref & ((1u << KIND_BITS) - 1)) & 1 && ref >> KIND_BITS < names->header->n_units;
}

// Calls `fn` with the units of a name. True: `fn` wants no more.
static bool give_units(const struct dw_names *names, const struct name *name, unsigned kinds, dw_names_fn *fn, void *ctx)
{
	size_t last = SIZE_MAX;

	for (uint32_t i = 0; i < name->n_refs; i++) {
		uint32_t ref = names->refs[name->first_ref + i];
		size_t unit = ref >> KIND_BITS;
		if (!is_of_kinds(names, ref, kinds) || unit == last)
			continue;
		if (fn(ctx, unit))
			return true;
		last = unit;
	}
	return false;
}

void dw_names_find(const struct dw_names *names, const char *pattern, unsigned kinds, dw_names_fn *fn, void *ctx)
{
	const struct name *name;

	for (uint32_t pos = 0; (name = next_match(names, pattern, &pos));)
		if (give_units(names, name, kinds, fn, ctx))
			return;
}

void dw_names_files(const struct dw_names *names, const char *pattern, dw_names_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < names->header->n_names; i++) {
		const struct name *name = &names->names[i];
		if (!is_sound(names, name) || !name->n_refs ||
		    !is_of_kinds(names, names->refs[name->first_ref], DW_NAMES(DW_NAME_FILE)))
			continue;
		if (dw_line_match(names->strings + name->string, pattern) &&
		    give_units(names, name, DW_NAMES(DW_NAME_FILE), fn, ctx))
			return;
	}
}

void dw_names_funcs(const struct dw_names *names, const char *pattern, dw_names_die_fn *fn, void *ctx)
{
	const struct name *name;

	for (uint32_t pos = 0; (name = next_match(names, pattern, &pos));) {
		for (uint32_t i = name->first_ref; i < name->first_ref + name->n_refs; i++)
			if (is_of_kinds(names, names->refs[i], DW_NAMES(DW_NAME_FUNC)))
				fn(ctx, names->refs[i] >> KIND_BITS, names->dies[i]);
	}
}

void dw_names_unit_funcs(const struct dw_names *names, size_t unit, dw_names_func_fn *fn, void *ctx)
{
	uint32_t end = SP_MIN(names->first_funcs[unit + 1], names->header->n_funcs);

	for (uint32_t i = names->first_funcs[unit]; i < end; i++)
		fn(ctx, names->funcs[i]);
}

// ---- building -------------------------------------------------------------------------------------------------------

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
	bool ok;
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
	struct found found = { (uint32_t)at, (uint32_t)(worker->unit << KIND_BITS | kind), die };
	sp_vec_push(&worker->found[part_of(worker->source, found.string)], found);
	if (kind == DW_NAME_FUNC)
		sp_vec_push(&worker->funcs, die);
}

static void work(void *ctx, unsigned thread)
{
	struct worker *worker = (struct worker *)ctx + thread;
	struct dw_scan *scan = dw_scan_create(worker->source);

	worker->ok = true;
	for (size_t i = worker->first; i < worker->end && worker->ok; i++) {
		worker->unit = i;
		worker->ok = dw_scan_unit(scan, worker->units[i].off, worker->units[i].end, add_name, worker);
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
	uint32_t hash, string; // as in struct name
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
	enum dw_name_kind kind = found->ref & ((1u << KIND_BITS) - 1);
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

static void put_names(struct builder *b, struct name *at)
{
	uint32_t first = 0, strings = 0;

	for (unsigned i = 0; i < N_PARTS; i++) {
		sp_vec_each(entry, &b->parts[i].entries) {
			*at++ = (struct name){ entry->hash, strings + entry->string, first, entry->n_refs };
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
	return at;
}

static struct header header_of(const struct builder *b, const struct dw_names_key *key)
{
	struct header header = {
		.magic = MAGIC, .version = FORMAT_VERSION, .n_units = key->n_units, .info_size = key->info_size,
		.build_id_len = key->build_id_len,
	};

	memcpy(header.build_id, key->build_id, sizeof(header.build_id));
	for (unsigned i = 0; i < N_PARTS; i++) {
		header.n_names += (uint32_t)b->parts[i].entries.n;
		header.n_refs += b->parts[i].n_refs;
		header.strings_size += (uint32_t)b->parts[i].strings.len;
	}
	for (unsigned i = 0; i < b->n_workers; i++)
		header.n_funcs += (uint32_t)b->workers[i].funcs.n;
	return header;
}

static uint8_t *put_out(struct builder *b, const struct dw_names_key *key, size_t *size_ret)
{
	struct header header = header_of(b, key);
	struct layout layout = layout_of(&header);
	uint8_t *out = sp_malloc(layout.size);

	put(out, &header, sizeof(header));
	put_names(b, (struct name *)(out + sizeof(header)));
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
	struct dw_names *names = view(out, size, key);
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
	sp_arena_deinit(&worker->arena);
}

struct dw_names *dw_names_build(const struct dw_scan_source *source, const struct dw_names_unit *units,
				const struct dw_names_key *key)
{
	unsigned n = sp_parallel_threads();
	struct worker workers[SP_PARALLEL_MAX] = { 0 };
	bool ok = key->n_units < 1u << (32 - KIND_BITS) && source->str.size < UINT32_MAX / 2;
	struct dw_names *names = NULL;

	for (unsigned i = 0; i < n; i++) {
		workers[i].source = source;
		workers[i].units = units;
	}
	share_out(workers, n, units, key->n_units);
	if (ok)
		sp_parallel(n, work, workers);
	for (unsigned i = 0; i < n; i++)
		ok &= workers[i].ok;
	if (ok)
		names = merge(workers, n, key);
	for (unsigned i = 0; i < n; i++) {
		deinit_worker(&workers[i]);
	}
	return names;
}
