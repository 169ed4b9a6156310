// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/error_text.h"

#include "runtime/base/util.h"

static const struct {
	enum sp_error_value value;
	const char *text;
} errors[SP_RT_CODE_COUNT] = {
#define SP_ERROR(code, value, text) [SP_RT_##code] = { SP_ERROR_##value, text },
#include "runtime/abi/error.def"
#undef SP_ERROR
};

enum sp_error_value sp_error_put_what(struct sp_buf *out, enum sp_error_code code)
{
	enum sp_error_value value = errors[code].value;

	sp_buf_puts(out, errors[code].text);
	if (value == SP_ERROR_ADDRESS)
		sp_buf_puts(out, "0x");
	return value;
}

void sp_error_put_address(struct sp_buf *out, uint64_t address)
{
	sp_buf_printf(out, "%0*llx", SP_ERROR_DIGITS, (unsigned long long)address);
}

void sp_error_put_map(struct sp_buf *out, const char *label, uint32_t max_entries)
{
	sp_buf_printf(out, " (%s has %u elements; -D MAXMAPENTRIES=N gives more)", label, max_entries);
}
