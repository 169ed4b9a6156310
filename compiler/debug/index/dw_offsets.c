// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/index/dw_offsets.h"

#include "runtime/base/util.h"

#include <stdlib.h>

#define FIRST_SIZE 1024

void dw_offsets_deinit(struct dw_offsets *table)
{
	free(table->places);
	*table = (struct dw_offsets){ 0 };
}

static struct dw_offset *place_of(const struct dw_offsets *table, uint32_t off)
{
	uint32_t at = dw_offsets_hash(off) >> 2 & table->last; // whoever shares offsets out does so by the lowest bits

	while (table->places[at].number && table->places[at].off != off)
		at = (at + 1) & table->last;
	return &table->places[at];
}

static void grow(struct dw_offsets *table)
{
	uint32_t size = table->places ? 2 * (table->last + 1) : FIRST_SIZE;
	struct dw_offsets larger = { .places = sp_calloc(size, sizeof(*larger.places)), .last = size - 1, .n = table->n };

	for (uint32_t i = 0; table->places && i <= table->last; i++)
		if (table->places[i].number)
			*place_of(&larger, table->places[i].off) = table->places[i];
	dw_offsets_deinit(table);
	*table = larger;
}

uint32_t *dw_offsets_number(struct dw_offsets *table, uint32_t off)
{
	struct dw_offset *place;

	if (!table->places || table->n > table->last / 3 * 2)
		grow(table);
	place = place_of(table, off);
	place->off = off;
	table->n += !place->number;
	return &place->number;
}
