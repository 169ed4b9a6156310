// SPDX-License-Identifier: GPL-2.0-or-later
// The iterators (probe iter.NAME): reading one runs its handler for each object. That is done when all probes are attached, and when
// run_iter() asks for it.
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/site.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static void take_records(struct spilert *rt)
{
	if (!rt->ring)
		return;
	do {
		rt->n_taken = 0;
		ring_buffer__consume(rt->ring);
	} while (rt->n_taken);
	transport_flush(&rt->transport);
	if (writer_waiting(rt->transport.writer) > WRITER_ROOM)
		rt_drain(rt);
}

// The handler asks for the same object again while there is too little room for what it sends.
static struct sp_err *read_all(struct spilert *rt, unsigned site, int iterator)
{
	char bytes[64]; // handlers write none
	ssize_t n;

	while ((n = read(iterator, bytes, sizeof(bytes)))) {
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return sp_err_errno(errno, "cannot go through %s", bundle_text(rt->bundle, rt->bundle->sites[site].point));
		take_records(rt);
		if (rt_is_over(rt) || rt_is_interrupted(rt))
			return NULL;
	}
	take_records(rt);
	return NULL;
}

static struct sp_err *go_through(struct spilert *rt, const struct attach_link *link)
{
	sp_cleanup_close int iterator = bpf_iter_create(link->fd);

	if (iterator < 0)
		return sp_err_errno(errno, "cannot begin with %s", bundle_text(rt->bundle, rt->bundle->sites[link->site].point));
	return read_all(rt, link->site, iterator);
}

struct sp_err *rt_iterate(struct spilert *rt)
{
	sp_vec_each(link, &rt->attach.links) {
		if (rt->bundle->sites[link->site].kind != SP_SITE_ITER)
			continue;
		SP_TRY(go_through(rt, link));
		if (rt_is_over(rt))
			break;
	}
	rt->ending = rt->ending || rt_is_over(rt);
	return NULL;
}

// Handlers that run meanwhile may ask for more, which is for the next time.
struct sp_err *rt_iterate_asked(struct spilert *rt)
{
	size_t n = rt->iterations.n, left;

	for (size_t i = 0; i < n && !rt_is_over(rt); i++)
		for (size_t k = 0; k < rt->attach.links.n; k++)
			if (rt->attach.links.v[k].site == rt->iterations.v[i])
				SP_TRY(go_through(rt, &rt->attach.links.v[k]));
	left = rt->iterations.n - n;
	if (left)
		memmove(rt->iterations.v, rt->iterations.v + n, left * sizeof(*rt->iterations.v));
	rt->iterations.n = left;
	return NULL;
}
