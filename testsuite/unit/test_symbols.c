// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept of processes that have ended: the last 4,096.
#include "runtime/print/symbols.h"

#include "expect.h"

#define KEPT 4096
#define FIRST 100000

int main(void)
{
	struct symbols *symbols = symbols_create(0);
	struct image_mapping code = { .start = 0x1000, .end = 0x2000, .executable = true, .dev = 1, .inode = 1, .path = "/none" };

	symbols_set_recorded(symbols, true); // /proc is not asked
	for (pid_t pid = FIRST; pid < FIRST + 3 * KEPT; pid++) {
		symbols_events.map(symbols, pid, &code);
		if (pid != FIRST + 7)
			symbols_events.exit(symbols, pid);
	}
	EXPECT(!symbols_knows(symbols, FIRST));
	EXPECT(symbols_knows(symbols, FIRST + 7));
	EXPECT(!symbols_knows(symbols, FIRST + 2 * KEPT - 1));
	EXPECT(symbols_knows(symbols, FIRST + 2 * KEPT));
	EXPECT(symbols_knows(symbols, FIRST + 3 * KEPT - 1));
	symbols_destroy(symbols);
	return expect_status();
}
