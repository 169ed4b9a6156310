// SPDX-License-Identifier: GPL-2.0-or-later
// --folded and --flamegraph: at the end, arrays that are keyed by stacks are shown as those.
#include "runtime/base/file.h"
#include "runtime/print/flame.h"
#include "runtime/print/flamegraph.h"
#include "runtime/session/rt.h"

struct sp_err *rt_flame_open(struct spilert *rt)
{
	const char *path = rt->opts.flamegraph;

	if (!path)
		return NULL;
	if (!sp_ends_with(path, ".svg") && !sp_ends_with(path, ".html"))
		return sp_err_new(SP_ERR_USAGE, "--flamegraph writes FILE.svg or FILE.html, not \"%s\"", path);
	return sp_file_open_output(path, &rt->flame_fd);
}

static struct sp_err *write_graph(struct spilert *rt, const struct flame *flame)
{
	const char *path = rt->opts.flamegraph;
	struct sp_buf out = { 0 };
	struct sp_err *err;

	flamegraph_put(&out, flame, sp_ends_with(path, ".html"), rt->opts.command ? rt->opts.command : "Flame graph");
	err = sp_file_write(rt->flame_fd, path, out.data, out.len);
	sp_buf_deinit(&out);
	return err;
}

void rt_flame_read(struct spilert *rt, struct flame *ret, bool *shown)
{
	*ret = (struct flame){ 0 };
	if (!rt->opts.folded && !rt->opts.flamegraph)
		return;
	flame_read(ret, rt->bundle, rt->store, rt->symbols, shown);
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
