// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/session/timing.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/base/vec.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

void timing_init(struct timing *timing, const struct bundle *bundle)
{
	*timing = (struct timing){ .bundle = bundle, .stats_fd = -1 };
	timing->progs = sp_calloc(bundle->n_progs, sizeof(*timing->progs));
}

void timing_deinit(struct timing *timing)
{
	if (timing->stats_fd >= 0)
		close(timing->stats_fd);
	timing->stats_fd = -1;
	free(timing->progs);
	timing->progs = NULL;
}

struct sp_err *timing_start_kernel(struct timing *timing)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd == -EPERM || fd == -EACCES)
		return sp_err_new(SP_ERR_PRIVILEGE, "handlers in the kernel are not measured (-t, --max-overhead, --overload): that takes CAP_SYS_ADMIN (root)");
	if (fd < 0)
		return sp_err_errno(-fd, "cannot have the kernel measure its handlers");
	timing->stats_fd = fd;
	return NULL;
}

void timing_add(struct timing *timing, unsigned prog, uint64_t start_ns)
{
	struct timing_prog *p = &timing->progs[prog];
	uint64_t ns = sp_now_ns() - start_ns;

	p->min = p->hits ? SP_MIN(p->min, ns) : ns;
	p->max = SP_MAX(p->max, ns);
	p->sum += ns;
	p->hits++;
}

void timing_add_kernel(int fd, uint64_t *hits, uint64_t *ns)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	*hits += info.run_cnt;
	*ns += info.run_time_ns;
}

bool timing_total(const struct timing *timing, const struct attach *attach, unsigned prog, uint64_t *hits_ret, uint64_t *ns_ret)
{
	struct timing_prog times = timing->progs[prog];

	if (!times.hits && attach->load && load_has_prog(attach->load, prog)) {
		timing_add_kernel(load_prog_fd(attach->load, prog), &times.hits, &times.sum);
		timing_add_kernel(load_prog_multi_fd(attach->load, prog), &times.hits, &times.sum);
	}
	if (attach->measured.times) {
		times.hits += attach->measured.times[prog].hits;
		times.sum += attach->measured.times[prog].ns;
	}
	*hits_ret = times.hits;
	*ns_ret = times.sum;
	return times.hits;
}

static void print_prog(struct sp_buf *out, const struct timing *timing, const struct attach *attach, unsigned index)
{
	const struct bundle *bundle = timing->bundle;
	const struct sp_prog *prog = &bundle->progs[index];
	const struct sp_place *place = &bundle->places[prog->place];
	struct timing_prog times = timing->progs[index];
	bool here = times.hits;

	if (!timing_total(timing, attach, index, &times.hits, &times.sum))
		return;
	bundle_put_points(bundle, index, out);
	sp_buf_printf(out, ", (%s:%u:%u), hits: %" PRIu64 ", time: ", bundle_text(bundle, place->file), place->line,
		      place->column, times.hits);
	if (here)
		sp_buf_printf(out, "%" PRIu64 "min/%" PRIu64 "avg/%" PRIu64 "max ns\n", times.min, times.sum / times.hits,
			      times.max);
	else
		sp_buf_printf(out, "%" PRIu64 "avg ns\n", times.sum / times.hits);
}

void timing_put_json(struct sp_buf *out, const struct timing *timing, const struct attach *attach)
{
	for (unsigned i = 0; i < timing->bundle->n_progs; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf points = { 0 };
		struct timing_prog times = timing->progs[i];
		bool here = times.hits;

		if (!timing_total(timing, attach, i, &times.hits, &times.sum))
			continue;
		bundle_put_points(timing->bundle, i, &points);
		sp_json_begin(out, NULL, '{');
		sp_json_text(out, "type", "timing");
		sp_json_text(out, "probe", sp_buf_str(&points));
		sp_json_unsigned(out, "hits", times.hits);
		sp_json_unsigned(out, "ns", times.sum);
		if (here) {
			sp_json_unsigned(out, "min_ns", times.min);
			sp_json_unsigned(out, "max_ns", times.max);
		}
		sp_json_end(out, '}');
		sp_buf_putc(out, '\n');
	}
}

void timing_print(struct sp_buf *out, const struct timing *timing, const struct attach *attach)
{
	sp_buf_puts(out, "----- probe hit report:\n");
	for (unsigned i = 0; i < timing->bundle->n_progs; i++)
		print_prog(out, timing, attach, i);
}
