// SPDX-License-Identifier: GPL-2.0-or-later
/** Parameters behind the name of a function, which choose one of several overloads: "op(int)", "ns::Box::put(char const*, long)". */
#ifndef SP_DEBUG_OVERLOAD_H
#define SP_DEBUG_OVERLOAD_H

#include "compiler/debug/dbg.h"

/** Where the parameters begin: "(int)" of "op(int)"; NULL: the name has none. */
const char *overload_params(const char *name);
/** Keeps the functions whose symbols have these parameters. "const char *" is "char const*"; wildcards are allowed. */
void overload_keep(const char *params, struct dbg_funcs *funcs);

#endif
