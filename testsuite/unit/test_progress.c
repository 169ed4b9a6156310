// SPDX-License-Identifier: GPL-2.0-or-later
// A bar after a second, once for each per cent, taken away at the end.
#include "compiler/driver/progress.h"
#include "expect.h"

static void keep(void *ctx, const char *text)
{
	sp_buf_printf(ctx, "<%s>", text);
}

static const char *said(struct sp_buf *out)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s", sp_buf_str(out));
	sp_buf_deinit(out);
	return text;
}

int main(void)
{
	struct sp_buf out = { 0 };
	struct spile_opts opts = { .ctx = &out, .progress = keep };
	struct progress progress;

	progress_begin(&progress, &opts, 400);
	progress_add(&progress, 100, true);
	EXPECT_STR(said(&out), "");
	progress_end(&progress);
	EXPECT_STR(said(&out), "");

	progress_begin(&progress, &opts, 400);
	progress.since -= UINT64_C(1000000000);
	progress_add(&progress, 100, true);
	EXPECT_STR(said(&out), "<[##########                              ] 25 %>");
	progress_add(&progress, 1, true); // the same
	progress_add(&progress, 99, false);
	EXPECT_STR(said(&out), "");
	progress_add(&progress, 1000, true);
	EXPECT_STR(said(&out), "<[########################################] 100 %>");
	progress_end(&progress);
	EXPECT_STR(said(&out), "<>");
	sp_buf_deinit(&out);
	return expect_status();
}
