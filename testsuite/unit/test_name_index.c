// SPDX-License-Identifier: GPL-2.0-or-later
// Items by name: the last one that was added first, and none of another name's that cannot be told apart by its text.
#include "runtime/base/name_index.h"

#include "expect.h"

#include <stdio.h>
#include <string.h>

#define N 5000

int main(void)
{
	struct name_index index = { 0 };
	char names[N][8];
	uint32_t item;

	name_index_init(&index, N);
	for (uint32_t i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "n%u", i % 1000);
		name_index_add(&index, i, names[i], strlen(names[i]));
	}
	for (uint32_t i = 0; i < 1000; i++) {
		unsigned n = 0;

		for (item = name_index_first(&index, names[i], strlen(names[i])); item != NAME_INDEX_END; item = name_index_next(&index, item))
			if (!strcmp(names[item], names[i]))
				EXPECT_NUM(item, i + 1000 * (4 - n++));
		EXPECT_NUM(n, 5);
	}
	name_index_deinit(&index);
	EXPECT(!index.slots);
	return expect_status();
}
