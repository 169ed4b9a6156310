// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/progress.h"

#include <stdio.h>

#define PATIENCE UINT64_C(1000000000) // ns
#define WIDTH 40 // of the bar

void progress_begin(struct progress *progress, const struct spile_opts *opts, unsigned total)
{
	*progress = (struct progress){ .opts = opts, .since = sp_now_ns(), .total = SP_MAX(total, 1u), .told = -1 };
}

void progress_add(struct progress *progress, unsigned n, bool tell)
{
	unsigned done = SP_MIN(atomic_fetch_add(&progress->done, n) + n, progress->total);
	int percent = (int)((uint64_t)done * 100 / progress->total);
	unsigned filled = (unsigned)percent * WIDTH / 100;
	char bar[WIDTH + 1], text[WIDTH + 32];

	if (!tell || !progress->opts->progress || percent == progress->told || sp_now_ns() - progress->since < PATIENCE)
		return;
	for (unsigned i = 0; i < WIDTH; i++)
		bar[i] = i < filled ? '#' : ' ';
	bar[WIDTH] = '\0';
	snprintf(text, sizeof(text), "[%s] %d %%", bar, percent);
	progress->told = percent;
	progress->opts->progress(progress->opts->ctx, text);
}

void progress_end(struct progress *progress)
{
	if (progress->told >= 0)
		progress->opts->progress(progress->opts->ctx, "");
}
