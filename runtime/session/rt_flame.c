// SPDX-License-Identifier: GPL-2.0-or-later
// --folded and --flamegraph: at the end, arrays that are keyed by stacks are shown as those.
#include "runtime/base/file.h"
#include "runtime/print/flame.h"
#include "runtime/print/flamegraph.h"
#include "runtime/session/rt.h"

#include <errno.h>
#include <unistd.h>

static bool has_end(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && sp_streq(text + len - end_len, end);
}

struct sp_err *rt_flame_open(struct spilert *rt)
{
	const char *path = rt->opts.flamegraph;

	if (!path)
		return NULL;
	if (!has_end(path, ".svg") && !has_end(path, ".html"))
		return sp_err_new(SP_ERR_USAGE, "--flamegraph writes FILE.svg or FILE.html, not \"%s\"", path);
	return sp_file_open_output(path, &rt->flame_fd);
}

static struct sp_err *write_graph(struct spilert *rt, const struct flame *flame)
{
	const char *path = rt->opts.flamegraph;
	struct sp_buf out = { 0 };
	size_t done = 0;

	flamegraph_put(&out, flame, has_end(path, ".html"), rt->opts.command ? rt->opts.command : "Flame graph");
	while (done < out.len) {
		ssize_t n = write(rt->flame_fd, out.data + done, out.len - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	bool is_whole = done == out.len;
	sp_buf_deinit(&out);
	return is_whole ? NULL : sp_err_errno(errno, "cannot write \"%s\"", path);
}

void rt_flame_read(struct spilert *rt, struct flame *ret)
{
	*ret = (struct flame){ .maps = NULL };
	if (!rt->opts.folded && !rt->opts.flamegraph)
		return;
	flame_read(ret, rt->bundle, rt->store, rt->symbols);
	if (!ret->n_maps)
		sp_log(&rt->log, SP_LOG_WARN, "%s: no array of the script has stacks as keys, such as calls[ubacktrace()]++",
		       rt->opts.folded ? "--folded" : "--flamegraph");
}

struct sp_err *rt_flame_show(struct spilert *rt, const struct flame *flame)
{
	if (rt->opts.folded)
		flame_put_folded(&rt->transport.pending, flame);
	return rt->opts.flamegraph ? write_graph(rt, flame) : NULL;
}
