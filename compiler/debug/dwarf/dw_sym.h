// SPDX-License-Identifier: GPL-2.0-or-later
/** ELF symbols of one file, by name and by address. */
#ifndef SP_DEBUG_DW_SYM_H
#define SP_DEBUG_DW_SYM_H

#include "compiler/debug/dwarf/dw_file.h"

struct dw_sym {
	const char *name;
	uint64_t addr, size;
	bool is_func; // STT_FUNC, or an IFUNC, whose address is that of its resolver
	bool is_ifunc;
	bool is_code; // a function or a label
	bool is_local;
	bool is_weak; // others may define it, too, as inline functions of C++
};

/** Fills one symbol per call, with `*pos` 0 at first; false at the end. Undefined and section symbols are left out. */
bool dw_sym_next(struct dw_file *file, size_t *pos, struct dw_sym *ret);
/** The same for symbols whose names are `name`, or go on with a dot or a version: "name.isra.0", "name@@V1". When it has been asked a few
 *  times, it has a table to look in. */
bool dw_sym_next_named(struct dw_file *file, const char *name, size_t *pos, struct dw_sym *ret);
/** Are there symbols whose names in the source are others: those of C++ and Rust? */
bool dw_sym_has_mangled(struct dw_file *file);
/** True when `symbol` is `name`, or a clone of it that the compiler has made ("name.isra.0", "name.part.1"). */
bool dw_sym_is_clone(const char *symbol, const char *name);
/** The length of the source name that a symbol begins with: "fopen" of "fopen@@GLIBC_2.2.5", "f" of "f.constprop.0.isra.0". */
size_t dw_sym_name_len(const char *symbol);
/** True when `symbol` is `name`, without regard to its version, or the name of a copy of that whole function. */
bool dw_sym_is_named(const char *symbol, const char *name);
/** The best symbol at exactly this address (`prefer` when it is one of them), else the nearest function below it that
 *  covers it. False: none. */
bool dw_sym_at(struct dw_file *file, uint64_t addr, const char *prefer, struct dw_sym *ret);
/** Fills up to `max` symbols that are at exactly this address, and returns how many. */
unsigned dw_sym_all_at(struct dw_file *file, uint64_t addr, struct dw_sym *ret, unsigned max);
/** Has one symbol alone that name? */
bool dw_sym_is_unique(struct dw_file *file, const char *name);
/** A `*pos` for dw_sym_next() behind the local symbols; 0 when it is not known where these end. */
size_t dw_sym_first_global(struct dw_file *file);
/** The first symbol of that name, a global one before a local one; false: none. */
bool dw_sym_find(struct dw_file *file, const char *name, struct dw_sym *ret);

void dw_syms_destroy(struct dw_syms *syms);

#endif
