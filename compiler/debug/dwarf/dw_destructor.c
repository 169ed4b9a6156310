// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_destructor.h"

#include "compiler/debug/dwarf/dw_sym.h"

#include <string.h>

bool dw_destructor_calls_other(struct dw_file *file, const char *symbol, bool is_gcc)
{
	size_t len = strlen(symbol);
	struct dw_sym complete, base;
	char *name;

	if (len < 4 || strcmp(symbol + len - 2, "Ev") || symbol[len - 4] != 'D')
		return false;
	if (symbol[len - 3] != '1' || is_gcc)
		return symbol[len - 3] == '0';
	name = sp_arena_strndup(&file->arena, symbol, len);
	name[len - 3] = '2';
	return dw_sym_find(file, symbol, &complete) && dw_sym_find(file, name, &base) && base.addr != complete.addr;
}
