// SPDX-License-Identifier: GPL-2.0-or-later
// The script's variables as text, or as JSON: at the end, and when SIGUSR1 asks for them.
#include "runtime/print/json_globals.h"
#include "runtime/print/unread.h"
#include "runtime/session/rt.h"

void rt_show_globals(struct spilert *rt, const bool *shown, bool with_read)
{
	const struct unread what = { .bundle = rt->bundle, .data = rt->data, .store = rt->store, .symbols = rt->symbols, .shown = shown,
				     .with_read = with_read };

	if (rt->opts.json)
		json_globals_put(&rt->transport.pending, &what);
	else
		unread_print(&rt->transport.pending, &what);
}
