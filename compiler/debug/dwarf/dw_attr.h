// SPDX-License-Identifier: GPL-2.0-or-later
/** Attributes of DIEs. An attribute that the DIE itself lacks is taken from its abstract origin or its declaration. */
#ifndef SP_DEBUG_DW_ATTR_H
#define SP_DEBUG_DW_ATTR_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define DW_AT_GO_EMBEDDED_FIELD 0x2903 // cmd/internal/dwarf of Go; a flag

/** The name of the DIE, as dwarf_diename() has it; "" when it has none, or a broken one. */
const char *dw_attr_name(Dwarf_Die *die);
/** Does the DIE have the flag, and is it set? */
bool dw_attr_flag(Dwarf_Die *die, unsigned name);
/** False: the DIE lacks the attribute, or it is no constant. */
bool dw_attr_number(Dwarf_Die *die, unsigned name, uint64_t *ret);
/** The same; `otherwise` where that would give false. */
uint64_t dw_attr_number_or(Dwarf_Die *die, unsigned name, uint64_t otherwise);
/** Is the DIE in a unit of C++? */
bool dw_attr_is_cplusplus(Dwarf_Die *die);
/** A place in a source file that is known from elsewhere; 0: not told. */
struct dw_spot {
	unsigned line, column;
};
/** Where something is declared, and where an inlined function is called. */
struct dw_spot dw_attr_declared(Dwarf_Die *die);
struct dw_spot dw_attr_called(Dwarf_Die *die);
bool dw_spot_is(struct dw_spot a, struct dw_spot b);
/** An attribute that says where something is: DW_AT_location, DW_AT_frame_base. */
bool dw_attr_place(Dwarf_Die *die, unsigned name, Dwarf_Attribute *ret);
/** What an operation of an expression, such as DW_OP_addrx, takes from .debug_addr: an address, or a number (an offset of thread-local
 *  variables). False: there is no such entry. */
bool dw_attr_indexed(Dwarf_Attribute *attr, const Dwarf_Op *op, bool *is_addr_ret, uint64_t *ret);
/** With -fdebug-types-section the DIE that a unit has of a type leads to that in a unit of the type's own, which has the members.
 *  False: the DIE leads nowhere. */
bool dw_attr_signature(Dwarf_Die *die, Dwarf_Die *ret);

#endif
