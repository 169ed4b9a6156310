// SPDX-License-Identifier: GPL-2.0-or-later
// --prometheus: the script's variables, and what spile has to tell of the run, as metrics.
#include "runtime/print/metrics.h"
#include "runtime/session/metrics_server.h"
#include "runtime/session/rt.h"

#include <inttypes.h>
#include <unistd.h>

#define MAX_LINKS 4096 // that are asked for what they have missed: each takes a system call

struct sp_err *rt_metrics_open(struct spilert *rt)
{
	if (!rt->opts.prometheus)
		return NULL;
	SP_TRY(metrics_server_open((unsigned)SP_MAX(rt->opts.prometheus, 0), rt->opts.sandbox, &rt->metrics));
	sp_log(&rt->log, SP_LOG_INFO, "metrics: http://127.0.0.1:%u/metrics", metrics_server_port(rt->metrics));
	return NULL;
}

static void put_probe(struct sp_buf *out, const struct spilert *rt, const char *name, unsigned prog)
{
	struct sp_buf points = { 0 };

	bundle_put_points(rt->bundle, prog, &points);
	sp_buf_printf(out, "%s{", name);
	metrics_put_label(out, "probe", sp_buf_str(&points), points.len);
	sp_buf_printf(out, ",handler=\"%u\"", prog);
	sp_buf_deinit(&points);
}

static void put_losses(struct sp_buf *out, struct spilert *rt)
{
	struct account account;

	account_init(&account, rt->bundle);
	if (rt->account.bundle) // of probes that are not attached any more
		account_add(&account, &rt->account);
	if (rt->load && rt->attach.links.n <= MAX_LINKS)
		account_take(&account, &rt->attach, &(struct attach_part){ SP_NONE, SP_NONE });
	metrics_put_head(out, "spile_losses_total", "counter", "What the handlers of a probe have lost, by the reason.");
	for (unsigned i = 0; i < rt->bundle->n_progs; i++) {
		for (unsigned kind = 0; account_kind(kind); kind++) {
			uint64_t count = account_count(&account, rt->data, rt->transport.dropped, i, kind);

			if (!count)
				continue;
			put_probe(out, rt, "spile_losses_total", i);
			sp_buf_printf(out, ",reason=\"%s\"} %" PRIu64 "\n", account_kind(kind), count);
		}
	}
	account_deinit(&account);
}

static void put_hits(struct sp_buf *out, const struct spilert *rt)
{
	struct sp_buf seconds = { 0 };

	metrics_put_head(out, "spile_handler_runs_total", "counter", "How often a handler ran.");
	for (unsigned i = 0; i < rt->bundle->n_progs; i++) {
		uint64_t hits, ns;

		if (!timing_total(&rt->timing, rt->load, i, &hits, &ns))
			continue;
		put_probe(out, rt, "spile_handler_runs_total", i);
		sp_buf_printf(out, "} %" PRIu64 "\n", hits);
		put_probe(&seconds, rt, "spile_handler_seconds_total", i);
		sp_buf_printf(&seconds, "} %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
	}
	metrics_put_head(out, "spile_handler_seconds_total", "counter", "How long it ran.");
	sp_buf_add(out, seconds.data, seconds.len);
	sp_buf_deinit(&seconds);
}

void rt_metrics_give(struct spilert *rt)
{
	struct sp_buf out = { 0 };
	uint64_t count;

	if (read(metrics_server_fd(rt->metrics), &count, sizeof(count)) < 0)
		return;
	metrics_put_head(&out, "spile_info", "gauge", "The version of spile.");
	sp_buf_printf(&out, "spile_info{version=\"%s\"} 1\n", spilert_version());
	metrics_put_head(&out, "spile_errors_total", "counter", "Run-time errors of the script.");
	sp_buf_printf(&out, "spile_errors_total %" PRIu64 "\n", rt_count_errors(rt));
	put_losses(&out, rt);
	if (rt->opts.timing)
		put_hits(&out, rt);
	metrics_put_script(&out, rt->bundle, rt->data, rt->store);
	metrics_server_give(rt->metrics, &out);
}

void rt_metrics_close(struct spilert *rt)
{
	metrics_server_close(rt->metrics);
	rt->metrics = NULL;
}
