// SPDX-License-Identifier: GPL-2.0-or-later
// A tool for the cases: prints the rows of a file's unwind table, "OFFSET CFA RBP".
#include "runtime/unwind/unwind_table.h"

#include "unwind_text.h"

#include <inttypes.h>

int main(int argc, char **argv)
{
	struct unwind_table table = { 0 };
	struct sp_err *err = argc == 2 ? unwind_table_read(argv[1], &table) : sp_err_new(SP_ERR_USAGE, "a file is missing");
	char text[64];

	if (err) {
		fprintf(stderr, "%s\n", sp_err_text(err));
		return 1;
	}
	for (size_t i = table.n_buckets + 1u; i < table.elements.n; i++)
		printf("%016" PRIx64 " %s\n", table.elements.v[i] & UINT32_MAX,
		       unwind_text((uint32_t)(table.elements.v[i] >> 32), text, sizeof(text)));
	unwind_table_deinit(&table);
	return 0;
}
