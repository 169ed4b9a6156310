// SPDX-License-Identifier: GPL-2.0-or-later
// The source places of addresses that a running script prints.
#include "compiler/debug/dbg.h"
#include "compiler/driver/session.h"

static struct dbg_module *module_of(struct spile *spile, const char *path, const char *module)
{
	struct dbg_module *found = NULL;
	struct sp_err *err;

	if (path)
		err = dbg_program(spile->dbg, path, &found);
	else if (sp_streq(module, "kernel"))
		err = dbg_kernel(spile->dbg, &found);
	else
		err = dbg_kernel_module(spile->dbg, module, &found);
	sp_err_free(err);
	return err ? NULL : found;
}

SP_EXPORT int spile_frames(struct spile *spile, const struct spile_place *place, struct spile_frame *ret, int max)
{
	struct dbg_frame frames[SPILE_FRAMES_MAX];
	struct dbg_module *module;
	uint64_t address;
	unsigned n;

	if (!spile->dbg) {
		struct dbg_opts opts = session_dbg_opts(spile);

		spile->dbg = dbg_create(&opts);
	}
	module = module_of(spile, place->path, place->module);
	if (!module || module->source != DBG_DWARF)
		return 0;
	if (place->path ? !dbg_offset_address(module, place->offset, &address) : !dbg_symbol_address(module, place->symbol, &address))
		return 0;
	n = dbg_frames_at(module, place->path ? address : address + place->offset, frames, (unsigned)SP_MIN(max, SPILE_FRAMES_MAX));
	for (unsigned i = 0; i < n; i++)
		ret[i] = (struct spile_frame){ frames[i].name, frames[i].file, frames[i].line };
	return (int)n;
}
