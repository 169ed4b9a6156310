// SPDX-License-Identifier: GPL-2.0-or-later
// --prometheus: the script's variables, and what spile has to tell of the run, as metrics.
#include "runtime/print/metrics.h"
#include "runtime/session/http_server.h"
#include "runtime/session/rt.h"

#include <inttypes.h>

#define MAX_LINKS 4096 // that are asked for what they have missed: each takes a system call

static void answer(void *ctx SP_UNUSED, struct http_client *client, const struct http_request *request)
{
	if (request->method != HTTP_GET && request->method != HTTP_HEAD)
		http_refuse(client, "405 Method Not Allowed");
	else if (request->host.at && !http_request_has_local_host(request))
		http_refuse(client, "403 Forbidden");
	else if (!http_text_is(request->path, "/metrics"))
		http_refuse(client, "404 Not Found");
	else
		http_wait(client, "text/plain; version=0.0.4; charset=utf-8");
}

struct sp_err *rt_metrics_open(struct spilert *rt)
{
	const struct http_site site = { .what = "metrics", .port = (unsigned)SP_MAX(rt->opts.prometheus, 0), .sandbox = rt->opts.sandbox,
					.answer = answer };

	if (!rt->opts.prometheus)
		return NULL;
	SP_TRY(http_server_open(&site, &rt->metrics));
	sp_log(&rt->log, SP_LOG_INFO, "metrics: http://127.0.0.1:%u/metrics", http_server_port(rt->metrics));
	return NULL;
}

void rt_take_losses(struct spilert *rt, struct account *ret)
{
	account_init(ret, rt->bundle);
	if (rt->account.bundle) // of probes that are not attached any more
		account_add(ret, &rt->account);
	if (rt->load && rt->attach.links.n <= MAX_LINKS)
		account_take(ret, &rt->attach, &(struct attach_part){ SP_NONE, SP_NONE });
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

	rt_take_losses(rt, &account);
	metrics_put_head(out, "spile_losses_total", "counter", "What the handlers of a probe have lost, by the reason.");
	for (unsigned i = 0; i <= rt->bundle->n_progs; i++) {
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

		if (!timing_total(&rt->timing, &rt->attach, i, &hits, &ns))
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

	if (!http_server_take(rt->metrics))
		return;
	metrics_put_head(&out, "spile_info", "gauge", "The version of spile.");
	sp_buf_printf(&out, "spile_info{version=\"%s\"} 1\n", spilert_version());
	metrics_put_head(&out, "spile_errors_total", "counter", "Run-time errors of the script.");
	sp_buf_printf(&out, "spile_errors_total %" PRIu64 "\n", rt_count_errors(rt));
	put_losses(&out, rt);
	if (rt->opts.timing)
		put_hits(&out, rt);
	metrics_put_script(&out, rt->bundle, rt->data, rt->store);
	http_server_give(rt->metrics, &out);
}

void rt_metrics_close(struct spilert *rt)
{
	http_server_close(rt->metrics, 0);
	rt->metrics = NULL;
}
