// SPDX-License-Identifier: GPL-2.0-or-later
/** Calls of which a probe of functions sees more or fewer than their names say. */
#ifndef SP_PROBE_FUNC_WARN_H
#define SP_PROBE_FUNC_WARN_H

#include "compiler/probe/search.h"

void func_warn_of_calls(struct search *s, const struct dbg_funcs *found);

#endif
