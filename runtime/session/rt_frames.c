// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/session/rt.h"

int rt_frames(void *ctx, const struct symbols_place *place, struct symbols_frame *ret)
{
	const struct spilert_place wanted = { place->path, place->module, place->symbol, place->offset };
	struct spilert_frame frames[SYMBOLS_FRAMES_MAX];
	const struct spilert *rt = ctx;
	int n = rt->opts.frames(rt->opts.frames_ctx, &wanted, frames, SYMBOLS_FRAMES_MAX);

	for (int i = 0; i < n; i++)
		ret[i] = (struct symbols_frame){ frames[i].function, frames[i].file, frames[i].line };
	return n;
}
