// SPDX-License-Identifier: GPL-2.0-or-later
/** The units (CUs) of one file: their offsets, and which of them has the code at an address. A kernel has 2,000 units in 200 MB, so
 *  their headers are read as they are needed, and the memory of the pages that this touches is given back to the system. */
#ifndef SP_DEBUG_DW_UNITS_H
#define SP_DEBUG_DW_UNITS_H

#include "compiler/debug/dwarf/dw_file.h"

#include "runtime/base/vec.h"

struct dw_unit {
	Dwarf_CU *cu; // the split unit, when the file has its skeleton and the split unit was found
	Dwarf_CU *skeleton; // of a split unit; else NULL
	Dwarf_Off off, end; // in .debug_info
	bool is_type; // DW_UT_type
	bool is_elsewhere; // not in .debug_info: in .debug_types, or a split unit
};

// A row of .debug_aranges.
struct dw_arange {
	uint64_t start, end;
	Dwarf_Off off; // of the unit, in .debug_info
};

struct dw_units {
	SP_VEC(struct dw_unit) list; // as far as they have been read: first those of .debug_info by offset, then those elsewhere
	size_t n_main; // how many of these are in .debug_info
	bool has_all; // `list` is complete
	struct dw_section info; // .debug_info
	bool has_info;
	// The rest is for dw_units.c alone.
	bool is_broken;
	Dwarf_CU *last; // the last unit that was read; NULL: none
	bool has_aranges; // .debug_aranges has been read
	SP_VEC(struct dw_arange) aranges; // by address
	bool has_without; // `without_aranges` is complete
	SP_VEC(size_t) without_aranges; // units that .debug_aranges says nothing about
	bool has_split, warned_of_missing; // split DWARF
};

/** Called with the index of a unit; true ends the calls. */
typedef bool dw_unit_fn(void *ctx, size_t unit);

/** Reads the headers of all units; of a large kernel only the first. A second call does nothing. */
struct sp_err *dw_units_open(struct dw_file *file);
void dw_units_destroy(struct dw_units *units);

/** The number of units. Reads the headers that have not been read. */
size_t dw_units_count(struct dw_file *file);
/** The i-th unit, whose header is read when necessary; NULL: there are not so many. */
const struct dw_unit *dw_units_at(struct dw_file *file, size_t i);
/** The topmost DIE of a unit that has been read. */
void dw_units_die(const struct dw_file *file, size_t i, Dwarf_Die *ret);
/** The unit that has code at `pc`; false: none. */
bool dw_units_at_pc(struct dw_file *file, uint64_t pc, size_t *ret);
/** The unit whose bytes cover an offset in .debug_info, among those that have been read; n_main: none. */
size_t dw_units_of_offset(const struct dw_units *units, Dwarf_Off off);
/** The skeleton of a split unit; other units are their own. */
Dwarf_CU *dw_units_skeleton(const struct dw_file *file, Dwarf_CU *cu);

/** Called with a type unit and the type in it; true ends the calls. */
typedef bool dw_type_fn(void *ctx, Dwarf_Die *unit, Dwarf_Die *type, uint64_t signature);
/** Calls `fn` for each type unit of all objects with split units. Returns whether it has ended the calls. */
bool dw_units_split_types(struct dw_file *file, dw_type_fn *fn, void *ctx);
/** The type of a DW_FORM_ref_sig8 that is in another object than the unit that refers to it, as dwp(1) keeps one of each. */
bool dw_units_signed_type(struct dw_file *file, Dwarf_Attribute *attr, Dwarf_Die *ret);
/** The type unit's DIE of a type of which this DIE has no more than the signature; false: it is no such DIE. */
bool dw_units_whole_type(struct dw_file *file, Dwarf_Die *die, Dwarf_Die *ret);

/** Gives back the memory of the pages that a walk over units has touched. To be called between two units only. */
void dw_units_forget(struct dw_file *file);

#endif
