// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/index/dw_names.h"
#include "compiler/debug/index/dw_names_format.h"

#include "runtime/base/hash.h"

#include <stdlib.h>

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
	struct dw_names_header header;

	memcpy(&header, bytes, sizeof(header));
	header.sum = 0;
	uint64_t sum = add_words(size, (const uint8_t *)&header, sizeof(header));
	sum = add_words(sum, bytes + sizeof(header), size - sizeof(header));
	return (uint32_t)(sum ^ sum >> 32);
}

void dw_names_seal(uint8_t *bytes, size_t size)
{
	if (size < sizeof(struct dw_names_header))
		return;
	uint32_t sum = sum_of(bytes, size);
	memcpy(bytes + offsetof(struct dw_names_header, sum), &sum, sizeof(sum));
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool is_for(const struct dw_names_header *header, const struct dw_names_key *key)
{
	return memcmp(header->magic, DW_NAMES_MAGIC, sizeof(header->magic)) == 0 && header->version == DW_NAMES_VERSION &&
	       header->info_size == key->info_size && (!key->n_units || header->n_units == key->n_units) &&
	       header->build_id_len == key->build_id_len && key->build_id_len <= sizeof(header->build_id) &&
	       memcmp(header->build_id, key->build_id, key->build_id_len) == 0;
}

struct dw_names *dw_names_view(const uint8_t *bytes, size_t size, const struct dw_names_key *key)
{
	const struct dw_names_header *header = (const struct dw_names_header *)bytes;

	if ((uintptr_t)bytes % 8 || size < sizeof(*header) || !is_for(header, key))
		return NULL;
	struct dw_names_layout at = dw_names_layout(header);
	if (size != at.size || !header->strings_size || bytes[size - 1])
		return NULL;
	struct dw_names *names = sp_calloc(1, sizeof(*names));
	names->bytes = bytes;
	names->size = size;
	names->header = header;
	names->names = (const struct dw_names_entry *)(header + 1);
	names->refs = (const uint32_t *)(bytes + at.refs);
	names->dies = (const uint32_t *)(bytes + at.dies);
	names->first_funcs = (const uint32_t *)(bytes + at.first_funcs);
	names->funcs = names->first_funcs + header->n_units + 1;
	names->left_out = (const uint32_t *)(bytes + at.left_out);
	names->strings = (const char *)bytes + at.strings;
	return names;
}

// The checksum finds accidents. Offsets and counts are checked nevertheless when they are used (is_sound): whoever can write the
// file can make a checksum, too.
struct dw_names *dw_names_open(const uint8_t *bytes, size_t size, const struct dw_names_key *key)
{
	struct dw_names *names = dw_names_view(bytes, size, key);

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

static bool is_sound(const struct dw_names *names, const struct dw_names_entry *name)
{
	const struct dw_names_header *header = names->header;

	return name->string < header->strings_size && name->first_ref <= header->n_refs &&
	       name->n_refs <= header->n_refs - name->first_ref;
}

// The next name from *pos on that matches, and *pos behind it; NULL: there is none.
static const struct dw_names_entry *next_match(const struct dw_names *names, const char *pattern, uint32_t *pos)
{
	bool is_glob = sp_has_glob(pattern), is_literal = !strchr("*?[\\", *pattern); // the first character is no wildcard
	uint32_t hash = is_glob ? 0 : hash_of(pattern);

	while (*pos < names->header->n_names) {
		const struct dw_names_entry *name = &names->names[(*pos)++];
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
	return kinds >> (ref & ((1u << DW_NAMES_KIND_BITS) - 1)) & 1 && ref >> DW_NAMES_KIND_BITS < names->header->n_units;
}

// Calls `fn` with the units of a name. True: `fn` wants no more.
static bool give_units(const struct dw_names *names, const struct dw_names_entry *name, unsigned kinds, dw_names_fn *fn, void *ctx)
{
	size_t last = SIZE_MAX;

	for (uint32_t i = 0; i < name->n_refs; i++) {
		uint32_t ref = names->refs[name->first_ref + i];
		size_t unit = ref >> DW_NAMES_KIND_BITS;
		if (!is_of_kinds(names, ref, kinds) || unit == last)
			continue;
		if (fn(ctx, unit))
			return true;
		last = unit;
	}
	return false;
}

bool dw_names_find(const struct dw_names *names, const char *pattern, unsigned kinds, dw_names_fn *fn, void *ctx)
{
	const struct dw_names_entry *name;

	for (uint32_t pos = 0; (name = next_match(names, pattern, &pos));)
		if (give_units(names, name, kinds, fn, ctx))
			return true;
	return false;
}

void dw_names_left_out(const struct dw_names *names, dw_names_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < names->header->n_left_out; i++)
		if (names->left_out[i] < names->header->n_units && fn(ctx, names->left_out[i]))
			return;
}

bool dw_names_leave_out(const struct dw_names *names, size_t unit)
{
	for (uint32_t i = 0; i < names->header->n_left_out; i++)
		if (names->left_out[i] == unit)
			return true;
	return false;
}

void dw_names_files(const struct dw_names *names, const char *pattern, dw_names_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < names->header->n_names; i++) {
		const struct dw_names_entry *name = &names->names[i];
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
	const struct dw_names_entry *name;

	for (uint32_t pos = 0; (name = next_match(names, pattern, &pos));) {
		for (uint32_t i = name->first_ref; i < name->first_ref + name->n_refs; i++)
			if (is_of_kinds(names, names->refs[i], DW_NAMES(DW_NAME_FUNC)))
				fn(ctx, names->refs[i] >> DW_NAMES_KIND_BITS, names->dies[i]);
	}
}

void dw_names_unit_funcs(const struct dw_names *names, size_t unit, dw_names_func_fn *fn, void *ctx)
{
	uint32_t end = SP_MIN(names->first_funcs[unit + 1], names->header->n_funcs);

	for (uint32_t i = names->first_funcs[unit]; i < end; i++)
		fn(ctx, names->funcs[i]);
}
