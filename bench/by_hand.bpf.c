// SPDX-License-Identifier: GPL-2.0-or-later
// The handlers that bench/run measures, as one would write them by hand: what a handler costs at least. METER is the
// path of the program whose functions are probed.
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define N_KEYS 2048
#define CALLS SEC("raw_tp/sys_enter")
#define ENTRY SEC("uprobe/" METER ":work")
#define RETURN SEC("uretprobe/" METER ":work")

struct sums {
	__u64 count;
	__s64 sum, min, max;
};

struct histogram {
	__u64 buckets[65];
};

struct name {
	char text[64];
};

struct event {
	__u64 pid, time;
	char name[16];
};

#define MAP(map, map_type, key_type, value_type)                                                                       \
	struct {                                                                                                       \
		__uint(type, map_type);                                                                                \
		__uint(max_entries, N_KEYS);                                                                           \
		__type(key, key_type);                                                                                 \
		__type(value, value_type);                                                                             \
	} map SEC(".maps")

MAP(counts, BPF_MAP_TYPE_HASH, __u64, __u64);
MAP(counts_of_names, BPF_MAP_TYPE_HASH, struct name, __u64);
MAP(counts_of_stacks, BPF_MAP_TYPE_HASH, __u64, __u64);
MAP(sums, BPF_MAP_TYPE_PERCPU_HASH, __u64, struct sums);
MAP(sums_of_names, BPF_MAP_TYPE_PERCPU_HASH, struct event, struct sums);
MAP(histograms, BPF_MAP_TYPE_PERCPU_HASH, __u64, struct histogram);
MAP(last, BPF_MAP_TYPE_HASH, __u64, __u64);

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, N_KEYS);
	__uint(key_size, 4);
	__uint(value_size, 8 * 127);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

__u64 n_calls;
struct histogram no_histogram, gaps;

static __u32 log2_of(__u64 v)
{
	__u32 bits = 0;

	for (__u32 step = 32; step > 0; step /= 2)
		if (v >> step) {
			v >>= step;
			bits += step;
		}
	return bits + (v != 0);
}

static int count(void *map, const void *key)
{
	__u64 *n = bpf_map_lookup_elem(map, key), one = 1;

	if (n)
		__sync_fetch_and_add(n, 1);
	else if (bpf_map_update_elem(map, key, &one, BPF_NOEXIST) && (n = bpf_map_lookup_elem(map, key)))
		__sync_fetch_and_add(n, 1);
	return 0;
}

static int sum(void *map, const void *key, __s64 value)
{
	struct sums *s = bpf_map_lookup_elem(map, key), first = { 1, value, value, value };

	if (!s)
		return (int)bpf_map_update_elem(map, key, &first, BPF_ANY);
	s->count++;
	s->sum += value;
	if (value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	return 0;
}

CALLS int empty(void *context)
{
	return 0;
}

ENTRY int empty_entry(void *context)
{
	return 0;
}

RETURN int empty_return(void *context)
{
	return 0;
}

CALLS int scalar(void *context)
{
	__sync_fetch_and_add(&n_calls, 1);
	return 0;
}

CALLS int by_pid(void *context)
{
	__u64 pid = bpf_get_current_pid_tgid() >> 32;

	return count(&counts, &pid);
}

CALLS int by_call(struct bpf_raw_tracepoint_args *context)
{
	__u64 number = context->args[1];

	return count(&counts, &number);
}

CALLS int sums_by_pid(struct bpf_raw_tracepoint_args *context)
{
	__u64 pid = bpf_get_current_pid_tgid() >> 32;

	return sum(&sums, &pid, (__s64)context->args[1]);
}

CALLS int average_by_name(struct bpf_raw_tracepoint_args *context)
{
	struct event key = { 0 };

	bpf_get_current_comm(key.name, sizeof(key.name));
	return sum(&sums_of_names, &key, (__s64)context->args[1]);
}

CALLS int histogram_by_pid(struct bpf_raw_tracepoint_args *context)
{
	__u64 pid = bpf_get_current_pid_tgid() >> 32;
	struct histogram *h = bpf_map_lookup_elem(&histograms, &pid);

	if (!h) {
		bpf_map_update_elem(&histograms, &pid, &no_histogram, BPF_NOEXIST);
		h = bpf_map_lookup_elem(&histograms, &pid);
	}
	__u32 bucket = log2_of(context->args[1]);
	if (h && bucket < 65)
		h->buckets[bucket]++;
	return 0;
}

CALLS int gap_by_thread(void *context)
{
	__u64 now = bpf_ktime_get_ns(), tid = (__u32)bpf_get_current_pid_tgid();
	__u64 *then = bpf_map_lookup_elem(&last, &tid);

	if (!then)
		return (int)bpf_map_update_elem(&last, &tid, &now, BPF_ANY);
	__u32 bucket = log2_of(now - *then);
	if (bucket < 65)
		__sync_fetch_and_add(&gaps.buckets[bucket], 1);
	*then = now;
	return 0;
}

CALLS int filter(void *context)
{
	if (bpf_get_current_pid_tgid() >> 32 == 0)
		__sync_fetch_and_add(&n_calls, 1);
	return 0;
}

CALLS int record(void *context)
{
	struct event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e)
		return 0;
	e->pid = bpf_get_current_pid_tgid() >> 32;
	e->time = bpf_ktime_get_ns();
	bpf_get_current_comm(e->name, sizeof(e->name));
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

ENTRY int by_argument(struct pt_regs *regs)
{
	__u64 argument = PT_REGS_PARM1(regs);

	return count(&counts, &argument);
}

RETURN int by_result(struct pt_regs *regs)
{
	__u64 result = PT_REGS_RC(regs);

	return count(&counts, &result);
}

ENTRY int by_string(struct pt_regs *regs)
{
	struct name name = { 0 };

	bpf_probe_read_user_str(name.text, sizeof(name.text), (void *)PT_REGS_PARM2(regs));
	return count(&counts_of_names, &name);
}

ENTRY int by_stack(struct pt_regs *regs)
{
	__u64 id = (__u64)bpf_get_stackid(regs, &stacks, BPF_F_USER_STACK);

	return count(&counts_of_stacks, &id);
}

char gpl[] SEC("license") = "GPL";
