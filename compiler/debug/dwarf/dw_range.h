// SPDX-License-Identifier: GPL-2.0-or-later
/** Where the code of a scope is: of a function, an inlined instance or a block. */
#ifndef SP_DEBUG_DW_RANGE_H
#define SP_DEBUG_DW_RANGE_H

#include <elfutils/libdw.h>

#include <stdbool.h>
#include <stdint.h>

/** Bytes that a function may begin with before the code that its DIE tells of: instructions for tracers, where gcc makes code for aarch64
 *  (-fpatchable-function-entry, as Linux does). */
#define MAX_TRACER_CODE 64

/** Does the scope have addresses? A function with addresses is concrete; one without is abstract or only declared. */
bool dw_range_has(Dwarf_Die *die);
/** Does its code cover the address? True also for a scope without addresses. */
bool dw_range_covers(Dwarf_Die *die, uint64_t pc);
/** Does the scope begin there with an empty range? The optimiser leaves one where no instruction of an inlined instance is left: it would
 *  run before the instruction at `pc`. */
bool dw_range_is_empty_at(Dwarf_Die *die, uint64_t pc);
/** The range of the scope that holds the address; false: none does. */
bool dw_range_at(Dwarf_Die *die, uint64_t pc, uint64_t *low_ret, uint64_t *high_ret);
/** The first address of a scope within `function`, or of the function itself, and the range that holds it. False: no code. */
bool dw_range_entry(Dwarf_Die *die, Dwarf_Die *function, uint64_t *entry_ret, uint64_t *low_ret, uint64_t *high_ret);

#endif
