// SPDX-License-Identifier: GPL-2.0-or-later
/** Names of functions with the namespaces and classes around them: "outer::Box::grow". */
#ifndef SP_DEBUG_DW_QUALIFY_H
#define SP_DEBUG_DW_QUALIFY_H

#include "compiler/debug/dwarf/dw_file.h"

/** The whole name of a function or of one of its instances; in languages without such scopes its plain name. */
const char *dw_qualify(struct dw_file *file, Dwarf_Die *die);
/** The part of that name before the last one, of functions and variables: "outer::Box::" of "outer::Box::grow"; often "". */
const char *dw_qualify_around(struct dw_file *file, Dwarf_Die *die);
/** The same of the namespace where it can be seen without more words: that around its inline namespaces. */
const char *dw_qualify_seen_in(struct dw_file *file, Dwarf_Die *die);
/** The rank of what is in a class, "Base::", for a function whose class derives from that one at any distance: 1 and the length of the part
 *  before the function's name. 1: its class does not, or it is in none. */
size_t dw_qualify_as_base(struct dw_file *file, Dwarf_Die *function, const char *base);
/** Does the pattern match that name (dw_qualify_match())? A method of a Rust trait has several: "shop::{impl#1}::price",
 *  "<shop::Cart as shop::Price>::price", "<Cart as Price>::price". `scope`: dw_qualify_scope() of the pattern, or NULL. */
bool dw_qualify_fits(struct dw_file *file, const char *pattern, const char *scope, Dwarf_Die *die);
/** Is it a unit of a language without namespaces and classes? */
bool dw_qualify_is_flat(Dwarf_CU *cu);
/** The last part of a name or pattern: "grow", "operator<<", "twice<std::string>". */
const char *dw_qualify_last(const char *name);
/** A pattern for DW_AT_name of a method of a trait or type in Rust, whose whole name is that of its symbol, without type parameters:
 *  "sum*" of "<u64 as Sum>::sum::<Iter<u64>>". NULL: it is no such name. */
const char *dw_qualify_method(struct sp_arena *arena, const char *name);
/** The part before that, as the namespace or class has it for its name; NULL: there is none, it has wildcards, or it is of a method of
 *  a Rust trait. */
char *dw_qualify_scope(const char *name);
/** Does the pattern match the name, or the end of it behind some `::`? A pattern that begins with `::` must match it whole. */
bool dw_qualify_match(const char *pattern, const char *name);

void dw_qualifiers_destroy(struct dw_qualifiers *qualifiers);

#endif
