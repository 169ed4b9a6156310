// SPDX-License-Identifier: GPL-2.0-or-later
/** What a row of an unwind table says, as `readelf --debug-dump=frames-interp` has it: "rsp+16 c-16" is CFA, and where rbp was saved. */
#ifndef SP_TEST_UNWIND_TEXT_H
#define SP_TEST_UNWIND_TEXT_H

#include "runtime/abi/unwind.h"
#include "runtime/base/util.h"

#include <stdio.h>

static const char *unwind_text(uint32_t info, char *text, size_t size)
{
	static const char *const kinds[] = { "none", "end", "rsp", "rbp", "*rbp", "plt", "signal", "r10" };
	uint32_t kind = info & ((1u << SP_UNWIND_KIND_BITS) - 1), rbp = info >> SP_UNWIND_RBP_SHIFT;
	int32_t words = (int32_t)(info << (32 - SP_UNWIND_RBP_SHIFT)) >> (32 - SP_UNWIND_CFA_BITS);
	char saved[16];

	snprintf(saved, sizeof(saved), rbp == SP_UNWIND_RBP_SAME ? "u" : rbp == SP_UNWIND_RBP_AT_BP ? "exp" : "c-%u", rbp * 8);
	if (kind == SP_UNWIND_NONE || kind == SP_UNWIND_END || kind == SP_UNWIND_SIGNAL)
		snprintf(text, size, "%s", kinds[kind]);
	else
		snprintf(text, size, "%s%+d %s", kinds[kind], kind == SP_UNWIND_PLT ? words : words * 8, saved);
	return text;
}

#endif
