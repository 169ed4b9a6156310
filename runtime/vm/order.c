// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/order.h"

#include "runtime/base/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>

#define MOST_TRIES 100000 // while handlers change the array

static int run(const struct order_runner *runner, unsigned map, enum sp_order_op op)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	volatile uint64_t *result = &runner->order->result;

	runner->order->map = map;
	runner->order->op = op;
	for (unsigned i = 0; i < MOST_TRIES; i++) {
		*result = SP_ORDER_BUSY;
		if (bpf_prog_test_run_opts(runner->prog_fd, &opts))
			return -errno;
		if (*result != SP_ORDER_BUSY)
			return (int)*result;
		sched_yield();
	}
	return -EBUSY;
}

int order_put(const struct order_runner *runner, const struct bundle *bundle, unsigned map, const void *key,
	      const void *value)
{
	const struct sp_map *m = &bundle->maps[map];

	if (runner->prog_fd < 0)
		return -ENOTSUP;
	memcpy(runner->order->bytes, key, m->key_size);
	memcpy(runner->order->bytes + m->key_size, value, m->value_size);
	return run(runner, map, SP_ORDER_PUT);
}

int order_drop(const struct order_runner *runner, const struct bundle *bundle, unsigned map, const void *key)
{
	if (runner->prog_fd < 0)
		return -ENOTSUP;
	memcpy(runner->order->bytes, key, bundle->maps[map].key_size);
	return run(runner, map, SP_ORDER_DROP);
}
