// SPDX-License-Identifier: GPL-2.0-or-later
// The source places of addresses that a running script prints.
#include "compiler/debug/dbg.h"
#include "compiler/driver/session.h"

#include "runtime/base/cleanup.h"

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

static bool address_of(const struct dbg_module *module, const struct spile_place *place, uint64_t *ret)
{
	if (place->path)
		return dbg_offset_address(module, place->offset, ret);
	if (module->text_base && sp_streq(place->symbol, "_stext"))
		*ret = module->text_base;
	else if (!dbg_symbol_address(module, place->symbol, ret))
		return false;
	*ret += place->offset;
	return true;
}

struct known_place {
	unsigned n;
	struct spile_frame frames[];
};

static struct known_place *find_place(struct spile *spile, const struct spile_place *place)
{
	struct dbg_frame frames[SPILE_FRAMES_MAX];
	struct known_place *known;
	struct dbg_module *module;
	uint64_t address;
	unsigned n = 0;

	if (!spile->dbg) {
		struct dbg_opts opts = session_dbg_opts(spile);

		spile->dbg = dbg_create(&opts);
	}
	module = module_of(spile, place->path, place->module);
	if (module && module->source == DBG_DWARF && address_of(module, place, &address))
		n = dbg_frames_at(module, address, frames, SP_ARRAY_SIZE(frames));
	known = sp_arena_alloc(&spile->arena, sizeof(*known) + n * sizeof(*known->frames));
	known->n = n;
	for (unsigned i = 0; i < n; i++)
		known->frames[i] = (struct spile_frame){ frames[i].name, frames[i].file, frames[i].line };
	return known;
}

// Stacks have the same few addresses again and again.
static const struct known_place *known_place(struct spile *spile, const struct spile_place *place)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };
	void **slot;

	sp_buf_add(&key, &place->offset, sizeof(place->offset));
	if (place->path)
		sp_buf_puts(&key, place->path);
	else
		sp_buf_printf(&key, "%s %s", place->module, place->symbol);
	slot = sp_hash_insert(&spile->places, key.data, key.len);
	if (!*slot)
		*slot = find_place(spile, place);
	return *slot;
}

SP_EXPORT int spile_frames(struct spile *spile, const struct spile_place *place, struct spile_frame *ret, int max)
{
	const struct known_place *known = known_place(spile, place);
	unsigned n = SP_MIN(known->n, (unsigned)max);

	memcpy(ret, known->frames, n * sizeof(*ret));
	return (int)n;
}
