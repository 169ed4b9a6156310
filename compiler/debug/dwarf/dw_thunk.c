// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_thunk.h"

#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_step.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include "runtime/base/hash.h"

#include <stdlib.h>
#include <string.h>

#define MAX_INSNS 8 // before the jump of a thunk

struct dw_thunks {
	struct sp_hash copies; // from the symbol of a function to that of a thunk with a copy of it
};

// Passes over an offset and its end: "16_" or "n24_". NULL: there is none.
static const char *skip_offset(const char *at)
{
	size_t n;

	at += *at == 'n';
	n = strspn(at, "0123456789");
	return n && at[n] == '_' ? at + n + 1 : NULL;
}

// "N1C1fEi" of "_ZThn16_N1C1fEi" and of "_ZTv0_n24_N1C1fEi" (Itanium C++ ABI, 5.1.4.4); NULL: that is no thunk's name.
static const char *function_of(const char *symbol)
{
	const char *at = sp_starts_with(symbol, "_ZTh") || sp_starts_with(symbol, "_ZTv") ? skip_offset(symbol + strlen("_ZTh")) : NULL;

	return at && symbol[3] == 'v' ? skip_offset(at) : at;
}

// Where the thunk's first jump leads to; 0: it does something else before.
static uint64_t jumps_to(const struct dw_file *file, uint64_t pc)
{
	enum dw_flow flow = DW_GOES_ON;
	struct dw_step step;

	for (unsigned i = 0; i < MAX_INSNS && flow == DW_GOES_ON; i++) {
		if (!dw_step_at(file, pc, &step))
			return 0;
		flow = dw_step_flow(&step);
		pc = dw_step_next(&step);
	}
	return flow == DW_JUMPS ? dw_step_target(&step) : 0;
}

// A jump to where no symbol is leads there by the procedure linkage table.
static bool has_copy(struct dw_file *file, const struct dw_sym *thunk, const char *function)
{
	uint64_t target = jumps_to(file, thunk->addr);
	struct dw_sym sym;

	if (!dw_sym_find(file, function, &sym))
		return false;
	return sym.addr != thunk->addr && target != sym.addr && (!target || dw_sym_at(file, target, NULL, &sym));
}

static struct dw_thunks *find_thunks(struct dw_file *file)
{
	struct dw_thunks *thunks = sp_calloc(1, sizeof(*thunks));
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);) {
		const char *function = sym.is_func ? function_of(sym.name) : NULL;
		const char *name = function ? sp_arena_printf(&file->arena, "_Z%s", function) : NULL;

		if (name && has_copy(file, &sym, name))
			*sp_hash_insert(&thunks->copies, name, strlen(name)) = sp_arena_strdup(&file->arena, sym.name);
	}
	return thunks;
}

const char *dw_thunk_with_copy(const struct dbg_func *func)
{
	struct dw_file *file = ((struct dw_scope *)func->scope)->file;
	void **thunk;

	if (func->is_inline || file->is_kernel || file->abi->elf_machine != EM_X86_64 || !sp_starts_with(func->linkage_name, "_ZN"))
		return NULL;
	if (!file->thunks)
		file->thunks = find_thunks(file);
	thunk = sp_hash_find(&file->thunks->copies, func->linkage_name, strlen(func->linkage_name));
	return thunk ? *thunk : NULL;
}

void dw_thunks_destroy(struct dw_thunks *thunks)
{
	if (thunks)
		sp_hash_deinit(&thunks->copies);
	free(thunks);
}
