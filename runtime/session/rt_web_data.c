// SPDX-License-Identifier: GPL-2.0-or-later
// What the page of --web shows, at one moment. Variables and losses are the objects of --json (events.schema.json), an array with its
// greatest elements; with them there are
//
//   {"type": "run", "state": "running", "name": ..., "ns": ..., "began": ..., "cpus": ..., "errors": ..., "elements": ...}
//   {"type": "probe", "number": ..., "probe": ..., "points": ..., "hits": ..., "ns": ..., "state": "on"}
//   {"type": "flame", "root": {"name": ..., "value": ..., "children": [...]}}
#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/print/json_globals.h"
#include "runtime/session/rt.h"

#include <unistd.h>

#define ELEMENTS 1000 // of an array
#define FLAME_PARTS 2000 // a frame is as wide as one of them, at least

static void end_line(struct sp_buf *out)
{
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

static void put_run(struct sp_buf *out, const struct spilert *rt, const char *state)
{
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", "run");
	sp_json_text(out, "state", state);
	sp_json_text(out, "name", rt->opts.title ? rt->opts.title : rt->opts.name);
	sp_json_unsigned(out, "ns", sp_now_ns());
	sp_json_unsigned(out, "began", rt->watch.began);
	sp_json_number(out, "cpus", SP_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L));
	sp_json_unsigned(out, "errors", rt_count_errors(rt));
	sp_json_unsigned(out, "elements", ELEMENTS);
	end_line(out);
}

static const char *state_of(const struct spilert_probe *probe)
{
	return probe->is_fixed ? "fixed" : probe->is_off ? "off" : probe->is_disarmed ? "disarmed" : "on";
}

static void put_probes(struct sp_buf *out, const struct spilert *rt)
{
	unsigned n = spilert_probes(rt, NULL, 0);
	struct spilert_probe *probes = sp_calloc(n + 1, sizeof(*probes));

	spilert_probes(rt, probes, n);
	for (unsigned i = 0; i < n; i++) {
		sp_json_begin(out, NULL, '{');
		sp_json_text(out, "type", "probe");
		sp_json_unsigned(out, "number", probes[i].number);
		sp_json_text(out, "probe", probes[i].point);
		sp_json_unsigned(out, "points", probes[i].n_points);
		sp_json_unsigned(out, "hits", probes[i].hits);
		sp_json_unsigned(out, "ns", probes[i].ns);
		sp_json_text(out, "state", state_of(&probes[i]));
		end_line(out);
	}
	free(probes);
}

static void put_losses(struct sp_buf *out, struct spilert *rt)
{
	struct account account;

	rt_take_losses(rt, &account);
	account_put_json(out, &account, rt->data, rt->transport.dropped);
	account_deinit(&account);
}

static void put_flame(struct sp_buf *out, struct spilert *rt)
{
	sp_cleanup_free bool *shown = sp_calloc(rt->bundle->n_maps + 1, sizeof(*shown));
	struct flame flame;

	flame_read(&flame, rt->bundle, rt->store, rt->symbols, shown);
	if (flame.n_maps && flame.root.total) {
		sp_json_begin(out, NULL, '{');
		sp_json_text(out, "type", "flame");
		flame_put_json(out, "root", &flame, FLAME_PARTS);
		end_line(out);
	}
	flame_deinit(&flame);
}

void rt_web_put(struct sp_buf *out, struct spilert *rt, const char *state)
{
	const struct unread variables = { .bundle = rt->bundle, .data = rt->data, .store = rt->store, .symbols = rt->symbols, .with_read = true,
					  .most = ELEMENTS };

	put_run(out, rt, state);
	put_probes(out, rt);
	put_losses(out, rt);
	if (sp_streq(state, "ended")) // the end probes may have changed the variables
		return;
	json_globals_put(out, &variables);
	put_flame(out, rt);
}
