// SPDX-License-Identifier: GPL-2.0-or-later
/** What the script does with each of its arrays. */
#ifndef SP_PLAN_MAP_H
#define SP_PLAN_MAP_H

#include "compiler/plan/plan.h"

/** Decides is_lasting, is_filled_late, is_apart, is_ordered_for_user and is_split of maps. It must be known which functions run where. */
void plan_map(struct plan *plan);
/** Of a map that is_split: of a key in SP_MAP_SHORT. */
static inline uint32_t plan_short_key_size(const struct ir_map *map)
{
	uint32_t text = map->keys[map->n_keys - 1].size;

	return map->key_size - text + sp_short_text(text);
}

#endif
