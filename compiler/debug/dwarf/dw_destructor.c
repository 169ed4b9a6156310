// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_destructor.h"

#include "compiler/debug/dwarf/dw_sym.h"

#include <string.h>

// '0' of "_ZN1AD0Ev"; 0: that is no destructor's.
static char variant_of(const char *symbol)
{
	size_t len = strlen(symbol);

	return len >= 4 && !strcmp(symbol + len - 2, "Ev") && symbol[len - 4] == 'D' ? symbol[len - 3] : 0;
}

bool dw_destructor_holds_other(const char *symbol, bool is_gcc)
{
	return variant_of(symbol) == '0' || (variant_of(symbol) == '1' && !is_gcc);
}

bool dw_destructor_calls_other(struct dw_file *file, const char *symbol, bool is_gcc)
{
	struct dw_sym complete, base;
	char *name;

	if (variant_of(symbol) == '0' || !dw_destructor_holds_other(symbol, is_gcc))
		return variant_of(symbol) == '0';
	name = sp_arena_strndup(&file->arena, symbol, strlen(symbol));
	name[strlen(symbol) - 3] = '2';
	return dw_sym_find(file, symbol, &complete) && dw_sym_find(file, name, &base) && base.addr != complete.addr;
}
