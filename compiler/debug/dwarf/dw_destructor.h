// SPDX-License-Identifier: GPL-2.0-or-later
/** The functions that a destructor of C++ becomes. */
#ifndef SP_DEBUG_DW_DESTRUCTOR_H
#define SP_DEBUG_DW_DESTRUCTOR_H

#include "compiler/debug/dwarf/dw_file.h"

/** Does that symbol's function leave what the destructor does to another one, which it calls? The deleting destructor does (D0 in the
 *  Itanium C++ ABI, 5.1.4.3), and clang's complete one (D1) of a class with virtual bases. Both together would be two events of one
 *  object's end. */
bool dw_destructor_calls_other(struct dw_file *file, const char *symbol, bool is_gcc);
/** Is another function of the same destructor that is inlined into that one what it leaves its work to? */
bool dw_destructor_holds_other(const char *symbol, bool is_gcc);

#endif
