// SPDX-License-Identifier: GPL-2.0-or-later
/** Changes debug information so that it stays well-formed: each value keeps its size and is read as what it was. Tags, attributes and
 *  forms become others, references lead to other entries, texts and numbers change, and so do the operations of locations. */
#ifndef SP_FUZZ_DWARF_CHANGE_H
#define SP_FUZZ_DWARF_CHANGE_H

#include "runtime/base/util.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum spot_kind {
	SPOT_TAG, // and all of these: a number of 7 bits at most, so that it is one byte
	SPOT_CHILDREN,
	SPOT_ATTRIBUTE,
	SPOT_FORM,
	SPOT_REFERENCE, // to an entry of the same unit
	SPOT_NUMBER,
	SPOT_LEB,
	SPOT_OPERATION,
	SPOT_LIST, // the kind of an entry of a location list
	N_SPOT_KINDS
};

struct spot {
	size_t at;
	uint32_t unit; // of a reference: where its unit begins
	uint8_t size;
};

struct dwarf_bytes {
	const uint8_t *v;
	size_t at, end;
	bool bad; // it went beyond the end
};

struct dwarf_spots {
	SP_VEC(struct spot) of[N_SPOT_KINDS];
	SP_VEC(size_t) entries; // where they begin
};

// ---- reading ---------------------------------------------------------------------------------------------------------

static uint64_t dwarf_fixed(struct dwarf_bytes *b, unsigned size)
{
	uint64_t value = 0;

	if (b->bad || b->end - b->at < size) {
		b->bad = true;
		return 0;
	}
	memcpy(&value, b->v + b->at, size);
	b->at += size;
	return value;
}

static uint64_t dwarf_leb(struct dwarf_bytes *b)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = dwarf_fixed(b, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->bad);
	return value;
}

static void dwarf_skip(struct dwarf_bytes *b, uint64_t size)
{
	if (b->end - b->at < size)
		b->bad = true;
	else
		b->at += size;
}

static struct dwarf_bytes dwarf_section(const uint8_t *data, size_t size, const char *name)
{
	const struct dwarf_bytes none = { .bad = true };
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdr, names;

	if (size < sizeof(ehdr))
		return none;
	memcpy(&ehdr, data, sizeof(ehdr));
	if (ehdr.e_shoff > size || (size - ehdr.e_shoff) / sizeof(shdr) < ehdr.e_shnum || ehdr.e_shstrndx >= ehdr.e_shnum)
		return none;
	memcpy(&names, data + ehdr.e_shoff + ehdr.e_shstrndx * sizeof(shdr), sizeof(names));
	for (unsigned i = 0; i < ehdr.e_shnum; i++) {
		memcpy(&shdr, data + ehdr.e_shoff + i * sizeof(shdr), sizeof(shdr));
		uint64_t at = names.sh_offset + shdr.sh_name, len = strlen(name) + 1;

		if (at <= size && size - at >= len && !memcmp(data + at, name, len) && shdr.sh_offset <= size &&
		    shdr.sh_size <= size - shdr.sh_offset && !(shdr.sh_flags & SHF_COMPRESSED))
			return (struct dwarf_bytes){ data, shdr.sh_offset, shdr.sh_offset + shdr.sh_size, false };
	}
	return none;
}

// ---- finding what can be changed -------------------------------------------------------------------------------------

static void add_spot(struct dwarf_spots *spots, enum spot_kind kind, const struct dwarf_bytes *b, size_t at, uint32_t unit)
{
	if (!b->bad && b->at - at <= UINT8_MAX)
		sp_vec_push(&spots->of[kind], ((struct spot){ at, unit, (uint8_t)(b->at - at) }));
}

enum { OPERAND_LEB = 16, OPERAND_OTHER };

// Bytes of the operand of an operation of DWARF.
static unsigned operand(uint8_t op)
{
	if ((op >= DW_OP_breg0 && op <= DW_OP_breg31) || op == DW_OP_constu || op == DW_OP_consts || op == DW_OP_plus_uconst || op == DW_OP_regx ||
	    op == DW_OP_fbreg || op == DW_OP_piece || op == DW_OP_addrx || op == DW_OP_constx || op == DW_OP_convert || op == DW_OP_reinterpret)
		return OPERAND_LEB;
	if (op == DW_OP_const1u || op == DW_OP_const1s || op == DW_OP_pick || op == DW_OP_deref_size)
		return 1;
	if (op == DW_OP_const2u || op == DW_OP_const2s || op == DW_OP_skip || op == DW_OP_bra || op == DW_OP_call2)
		return 2;
	if (op == DW_OP_const4u || op == DW_OP_const4s || op == DW_OP_call4 || op == DW_OP_call_ref)
		return 4;
	if (op == DW_OP_addr || op == DW_OP_const8u || op == DW_OP_const8s)
		return 8;
	if (op == DW_OP_implicit_value || op == DW_OP_bregx || op == DW_OP_bit_piece || (op > DW_OP_stack_value && op != DW_OP_form_tls_address))
		return OPERAND_OTHER;
	return 0;
}

static void find_operations(struct dwarf_spots *spots, struct dwarf_bytes *b, uint64_t size)
{
	struct dwarf_bytes in = *b;

	dwarf_skip(b, size);
	if (b->bad)
		return;
	for (in.end = b->at; in.at < in.end && !in.bad;) {
		size_t at = in.at;
		unsigned kind = operand((uint8_t)dwarf_fixed(&in, 1));

		add_spot(spots, SPOT_OPERATION, &in, at, 0);
		at = in.at;
		if (kind == OPERAND_OTHER)
			return;
		if (kind == OPERAND_LEB)
			dwarf_leb(&in);
		else
			dwarf_skip(&in, kind);
		if (in.at > at)
			add_spot(spots, kind == OPERAND_LEB ? SPOT_LEB : SPOT_NUMBER, &in, at, 0);
	}
}

static unsigned fixed_size(uint64_t form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_ref_addr:
	case DW_FORM_strp_sup:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_addr:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	}
	return 0;
}

static bool is_leb(uint64_t form)
{
	return form == DW_FORM_udata || form == DW_FORM_sdata || form == DW_FORM_ref_udata || form == DW_FORM_strx || form == DW_FORM_addrx ||
	       form == DW_FORM_loclistx || form == DW_FORM_rnglistx;
}

static void find_value(struct dwarf_spots *spots, struct dwarf_bytes *b, uint64_t form, uint32_t unit)
{
	unsigned size = fixed_size(form);
	size_t at = b->at;

	if (size) {
		dwarf_skip(b, size);
		add_spot(spots, form == DW_FORM_ref4 ? SPOT_REFERENCE : SPOT_NUMBER, b, at, unit);
	} else if (is_leb(form)) {
		dwarf_leb(b);
		add_spot(spots, SPOT_LEB, b, at, unit);
	} else if (form == DW_FORM_exprloc || form == DW_FORM_block) {
		find_operations(spots, b, dwarf_leb(b));
	} else if (form == DW_FORM_block1) {
		find_operations(spots, b, dwarf_fixed(b, 1));
	} else if (form == DW_FORM_string) {
		while (dwarf_fixed(b, 1))
			;
	} else if (form != DW_FORM_flag_present && form != DW_FORM_implicit_const) {
		b->bad = true;
	}
}

static void find_abbreviations(struct dwarf_spots *spots, struct dwarf_bytes b)
{
	uint64_t attribute, form;

	while (b.at < b.end && !b.bad) {
		if (!dwarf_leb(&b))
			continue;
		size_t at = b.at;
		dwarf_leb(&b);
		add_spot(spots, SPOT_TAG, &b, at, 0);
		at = b.at;
		dwarf_fixed(&b, 1);
		add_spot(spots, SPOT_CHILDREN, &b, at, 0);
		do {
			at = b.at;
			attribute = dwarf_leb(&b);
			if (attribute)
				add_spot(spots, SPOT_ATTRIBUTE, &b, at, 0);
			at = b.at;
			form = dwarf_leb(&b);
			if (form)
				add_spot(spots, SPOT_FORM, &b, at, 0);
			if (form == DW_FORM_implicit_const)
				dwarf_leb(&b);
		} while ((attribute || form) && !b.bad);
	}
}

// One entry by its abbreviation, which is looked for from the table's begin.
static void find_entry(struct dwarf_spots *spots, struct dwarf_bytes *b, struct dwarf_bytes table, uint32_t unit)
{
	uint64_t code = dwarf_leb(b), attribute, form;
	bool is_it;

	while (code && !b->bad) {
		is_it = dwarf_leb(&table) == code;
		dwarf_leb(&table);
		dwarf_fixed(&table, 1);
		do {
			attribute = dwarf_leb(&table);
			form = dwarf_leb(&table);
			if (form == DW_FORM_implicit_const)
				dwarf_leb(&table);
			if (is_it && form)
				find_value(spots, b, form, unit);
		} while ((attribute || form) && !table.bad && !b->bad);
		b->bad = b->bad || table.bad;
		if (is_it)
			return;
	}
}

static void find_entries(struct dwarf_spots *spots, struct dwarf_bytes b, const struct dwarf_bytes *tables)
{
	size_t begin = b.at;

	while (b.at < b.end && !b.bad) {
		struct dwarf_bytes unit = b, table = *tables;
		uint32_t start = (uint32_t)(b.at - begin);

		dwarf_skip(&b, dwarf_fixed(&b, 4));
		if (b.bad)
			return;
		unit.end = b.at;
		dwarf_skip(&unit, 4);
		if (dwarf_fixed(&unit, 2) < 5) {
			dwarf_skip(&table, dwarf_fixed(&unit, 4));
			dwarf_skip(&unit, 1);
		} else {
			uint64_t type = dwarf_fixed(&unit, 1);

			dwarf_skip(&unit, 1);
			dwarf_skip(&table, dwarf_fixed(&unit, 4));
			dwarf_skip(&unit, type == DW_UT_type ? 12 : type == DW_UT_skeleton || type == DW_UT_split_compile ? 8 : 0);
		}
		while (unit.at < unit.end && !unit.bad && !table.bad) {
			sp_vec_push(&spots->entries, unit.at - begin);
			find_entry(spots, &unit, table, start);
		}
	}
}

static void find_location(struct dwarf_spots *spots, struct dwarf_bytes *b, unsigned n_lebs, unsigned n_bytes)
{
	size_t at = b->at;

	for (unsigned i = 0; i < n_lebs; i++) {
		at = b->at;
		dwarf_leb(b);
		add_spot(spots, SPOT_LEB, b, at, 0);
	}
	dwarf_skip(b, n_bytes);
	find_operations(spots, b, dwarf_leb(b));
}

static void find_lists(struct dwarf_spots *spots, struct dwarf_bytes b)
{
	dwarf_skip(&b, 8);
	dwarf_skip(&b, dwarf_fixed(&b, 4) * 4);
	while (b.at < b.end && !b.bad) {
		size_t at = b.at;
		uint8_t kind = (uint8_t)dwarf_fixed(&b, 1);

		add_spot(spots, SPOT_LIST, &b, at, 0);
		if (kind == DW_LLE_startx_endx || kind == DW_LLE_startx_length || kind == DW_LLE_offset_pair)
			find_location(spots, &b, 2, 0);
		else if (kind == DW_LLE_default_location)
			find_location(spots, &b, 0, 0);
		else if (kind == DW_LLE_start_end)
			find_location(spots, &b, 0, 16);
		else if (kind == DW_LLE_start_length) {
			dwarf_skip(&b, 8);
			find_location(spots, &b, 1, 0);
		} else if (kind == DW_LLE_base_address)
			dwarf_skip(&b, 8);
		else if (kind == DW_LLE_base_addressx)
			dwarf_leb(&b);
	}
}

// Of DWARF 4.
static void find_old_lists(struct dwarf_spots *spots, struct dwarf_bytes b)
{
	while (b.at < b.end && !b.bad) {
		uint64_t start = dwarf_fixed(&b, 8), end = dwarf_fixed(&b, 8);

		if ((start || end) && start != UINT64_MAX)
			find_operations(spots, &b, dwarf_fixed(&b, 2));
	}
}

// ---- changing --------------------------------------------------------------------------------------------------------

static void change_leb(uint8_t *bytes, unsigned size, unsigned (*below)(uint64_t *state, size_t n), uint64_t *state)
{
	static const uint8_t values[] = { 0, 1, 2, 0x3f, 0x40, 0x7f };

	for (unsigned i = 0; i < size; i++)
		bytes[i] = (uint8_t)((bytes[i] & 0x80) | (below(state, 2) ? values[below(state, sizeof(values))] : below(state, 0x80)));
}

static void change_form(uint8_t *form, unsigned (*below)(uint64_t *state, size_t n), uint64_t *state)
{
	unsigned size = fixed_size(*form);

	for (unsigned i = 0; i < 200; i++) {
		uint8_t other = (uint8_t)(1 + below(state, 0x2c));

		if (size ? fixed_size(other) == size : is_leb(*form) && is_leb(other)) {
			*form = other;
			return;
		}
	}
}

static void change_number(uint8_t *bytes, unsigned size, unsigned (*below)(uint64_t *state, size_t n), uint64_t *state)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX, INT64_MAX, 1ull << 63, 0x80000000, 0x7fffffff, 0xffff, 8, 64 };
	uint64_t value = values[below(state, SP_ARRAY_SIZE(values))];

	if (below(state, 2)) {
		value = 0;
		memcpy(&value, bytes, SP_MIN(size, 8u));
		value += below(state, 33) - 16;
	}
	memcpy(bytes, &value, SP_MIN(size, 8u));
}

static void change_operation(uint8_t *op, unsigned (*below)(uint64_t *state, size_t n), uint64_t *state)
{
	unsigned kind = operand(*op);

	for (unsigned i = 0; i < 200 && kind != OPERAND_OTHER; i++) {
		uint8_t other = (uint8_t)(3 + below(state, 0xad));

		if (operand(other) == kind) {
			*op = other;
			return;
		}
	}
}

static void change_spot(uint8_t *data, const struct dwarf_spots *spots, enum spot_kind kind, const struct spot *spot,
			unsigned (*below)(uint64_t *state, size_t n), uint64_t *state)
{
	uint8_t *bytes = data + spot->at;
	uint32_t offset;

	switch (kind) {
	case SPOT_TAG:
		*bytes = (uint8_t)(spot->size == 1 ? 1 + below(state, 0x4b) : *bytes);
		break;
	case SPOT_CHILDREN:
		*bytes ^= 1;
		break;
	case SPOT_ATTRIBUTE:
		if (spot->size == 1)
			*bytes = (uint8_t)(1 + below(state, 0x7f));
		break;
	case SPOT_FORM:
		if (spot->size == 1)
			change_form(bytes, below, state);
		break;
	case SPOT_REFERENCE:
		offset = (uint32_t)spots->entries.v[below(state, spots->entries.n)] - spot->unit;
		memcpy(bytes, &offset, sizeof(offset));
		break;
	case SPOT_OPERATION:
		change_operation(bytes, below, state);
		break;
	case SPOT_LIST:
		*bytes = (uint8_t)(below(state, 3) ? 2 + below(state, 3) : below(state, 10));
		break;
	case SPOT_LEB:
		change_leb(bytes, spot->size, below, state);
		break;
	case SPOT_NUMBER:
		change_number(bytes, spot->size, below, state);
		break;
	case N_SPOT_KINDS:
		break;
	}
}

/** False: it has no debug information, and is as it was. `below(state, n)`: a random number. */
static bool dwarf_change(uint8_t *data, size_t size, unsigned (*below)(uint64_t *state, size_t n), uint64_t *state)
{
	struct dwarf_bytes abbrev = dwarf_section(data, size, ".debug_abbrev");
	struct dwarf_spots spots = { 0 };
	bool any = false;

	find_abbreviations(&spots, abbrev);
	find_entries(&spots, dwarf_section(data, size, ".debug_info"), &abbrev);
	find_lists(&spots, dwarf_section(data, size, ".debug_loclists"));
	find_old_lists(&spots, dwarf_section(data, size, ".debug_loc"));
	for (unsigned n = 1 + below(state, 4), tries = 0; n && tries < 40; tries++) {
		enum spot_kind kind = (enum spot_kind)below(state, N_SPOT_KINDS);

		if (!spots.of[kind].n || !spots.entries.n)
			continue;
		change_spot(data, &spots, kind, &spots.of[kind].v[below(state, spots.of[kind].n)], below, state);
		any = true;
		n--;
	}
	for (unsigned kind = 0; kind < N_SPOT_KINDS; kind++)
		sp_vec_deinit(&spots.of[kind]);
	sp_vec_deinit(&spots.entries);
	return any;
}

#endif
