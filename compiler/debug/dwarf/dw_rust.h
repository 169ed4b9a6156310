// SPDX-License-Identifier: GPL-2.0-or-later
/** How functions of Rust that are not extern "C" return: what rustc has done on x86_64 from 1.63 to 1.95. */
#ifndef SP_DEBUG_DW_RUST_H
#define SP_DEBUG_DW_RUST_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_loc.h"
#include "compiler/model/type.h"

bool dw_rust_has_convention(const struct dbg_func *func);
/** Does rustc say which functions it has changed (DW_CC_nocall)? Since 1.73, with LLVM 17. */
bool dw_rust_tells_changes(Dwarf_Die *unit);
/** A result of that type, when the function has returned. NULL: in memory, or debug information does not tell: #[repr(C)] makes a difference
 *  and is not in it. */
const struct loc *dw_rust_result(const struct dw_file *file, struct sp_arena *arena, const struct c_type *type);

#endif
