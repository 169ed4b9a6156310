// SPDX-License-Identifier: GPL-2.0-or-later
/** What the files of keep/ share: the DIEs of the units that are looked at, as tables in which each DIE knows its parent. */
#ifndef SP_DEBUG_KEEP_IMPL_H
#define SP_DEBUG_KEEP_IMPL_H

#include "compiler/debug/keep/keep.h"

#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

enum keep_how {
	KEEP_NAME = 1, // of a function: its name and place alone, as a declaration
	KEEP_WHOLE = 2, // with all that is in it
};

#define KEEP_NO_CLASS UINT32_MAX

struct keep_die {
	uint32_t off; // from the first byte of the unit
	uint32_t parent, end; // in the table: of the unit's DIE 0; the first one behind the tree of this one
	uint32_t class; // of types that are the same; KEEP_NO_CLASS: it is one of its own
	uint32_t out; // where it is in the new .debug_info; 0: not written
	uint16_t tag;
	uint8_t how; // enum keep_how; 0: not kept
	bool is_read; // its attributes have been followed, as far as `how` says
};

struct keep_range {
	uint64_t low, high;
};

struct keep_unit {
	Dwarf_Die top;
	Dwarf_Die program; // the unit's; of a split one its skeleton's, which has the lines and the compilation directory
	const uint8_t *base; // of the first byte that offsets count from
	SP_VEC(struct keep_die) dies; // in the order of the file
	SP_VEC(struct keep_range) code; // of the functions that are kept
	SP_VEC(uint64_t) files; // numbers in the unit's table of files that are used: new number - 1 -> old
	bool is_c;
	bool has_functions; // one of them is kept whole
	uint32_t out; // where it begins in the new .debug_info
	uint64_t line_off; // of its line table
};

struct keep_ref {
	uint32_t unit, die;
};

struct keep {
	struct dw_file *file;
	bool is_brief;
	SP_VEC(struct keep_unit *) units;
	struct sp_hash by_cu; // Dwarf_CU * -> number of the unit + 1
	SP_VEC(struct keep_ref) todo; // marked, and not yet read
	struct sp_hash definitions; // by the kind and name of a declared type: Dwarf_Die, whose addr is NULL when there is none
	struct sp_hash symbols; // names to keep
	SP_VEC(struct keep_ref) first; // by class: the one that is written
	struct sp_hash ambiguous; // names of types of which there are several
	struct sp_arena arena;
};

// ---- keep_mark.c ----

static inline struct keep_die *keep_at(const struct keep *keep, struct keep_ref ref)
{
	return &keep->units.v[ref.unit]->dies.v[ref.die];
}

/** The DIE for libdw. */
Dwarf_Die keep_libdw(const struct keep_unit *unit, uint32_t die);
/** Where a DIE is in the tables; its unit is read when it has not been. False: it is not there. */
bool keep_find(struct keep *keep, Dwarf_Die *die, struct keep_ref *ret);
/** Follows all references of what is marked. */
void keep_follow(struct keep *keep);
/** Can types of this tag be the same as others? */
bool keep_is_type(unsigned tag);
/** The definition that the reader takes for a declared type; false: there is none, or it is no declaration. */
bool keep_definition(struct keep *keep, struct keep_ref ref, struct keep_ref *ret);

/** What an attribute is, whatever its form. */
enum keep_class { KEEP_DROPPED, KEEP_REFERENCE, KEEP_EXPRESSION, KEEP_LIST, KEEP_ADDRESS, KEEP_RANGES, KEEP_FILE, KEEP_PLAIN };
enum keep_class keep_classify(const struct keep *keep, const struct keep_die *die, Dwarf_Attribute *attr);

// ---- keep_expr.c ----

/** A reference in what was written: `at` is where it stands. */
struct keep_fix {
	size_t at;
	Dwarf_Die target;
	uint32_t unit; // that has the reference; unset in what keep_expr_put() gives
	enum { KEEP_FIX_4, KEEP_FIX_UNIT_4, KEEP_FIX_UNIT_LEB } kind; // from .debug_info's or the unit's start; as a number of 4 bytes
};

struct keep_fixes {
	struct keep_fix *v;
	size_t n, cap;
};

/** Appends an expression. Operations that cannot be written are replaced by one that no reader takes. */
void keep_expr_put(const struct keep *keep, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n, struct sp_buf *out,
		   struct keep_fixes *fixes);
void keep_put_uleb(struct sp_buf *out, uint64_t value);
void keep_put_sleb(struct sp_buf *out, int64_t value);
void keep_put(struct sp_buf *out, uint64_t value, unsigned size);

// ---- keep_same.c ----

/** Puts types of C that are the same into one class. */
void keep_same(struct keep *keep);
/** The DIE that is written for this one: itself, one of its class in the same unit, or the first of its class. */
struct keep_ref keep_written(struct keep *keep, struct keep_ref ref);

// ---- keep_info.c ----

struct keep_out {
	struct keep *keep;
	struct sp_buf info, abbrev, str, line, line_str, loclists, rnglists, frame;
	struct sp_hash strings, line_strings, abbrevs;
	struct keep_fixes fixes, list_fixes; // in info and in loclists
	unsigned address_size;
};

void keep_info_write(struct keep_out *out);
/** The offset of a text in .debug_str or .debug_line_str. */
uint32_t keep_string(struct sp_buf *section, struct sp_hash *known, const char *text);
/** The number of a file in the unit's new table. */
uint64_t keep_file_number(struct keep_unit *unit, uint64_t old);

// ---- keep_line.c ----

/** Writes the line table of a unit, all numbers of whose files are known. */
void keep_line_write(struct keep_out *out, struct keep_unit *unit);
/** Numbers the files of the unit's rows. */
void keep_line_number(struct keep_out *out, struct keep_unit *unit);
void keep_frame_write(struct keep_out *out);




#endif
