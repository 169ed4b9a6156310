// SPDX-License-Identifier: GPL-2.0-or-later
/** A machine's description: what `spile-run --describe` writes and `spile --target` reads. The compiler only ever sees
 *  such a description, also when the target is this machine. Text, one "key value" a line, '#' comments; unknown keys are
 *  ignored, a higher version is refused:
 *
 *    spile-target 1
 *    arch x86_64
 *    release 6.1.0-56-cloud-amd64
 *    build-id 8f0c...
 *    cpus 2
 *    hz 250
 *    features kprobe fentry uprobe ...
 */
#ifndef SP_ABI_TARGET_H
#define SP_ABI_TARGET_H

#include <stdint.h>

#define SP_TARGET_MAGIC "spile-target"
#define SP_TARGET_VERSION 1

// SP_FEATURE(id, name, since which mainline kernel (major * 100 + minor; 0: a release does not tell), what it is)
#define SP_FEATURES(SP_FEATURE)										\
	SP_FEATURE(BPF, "bpf", 404, "programs can be loaded")						\
	SP_FEATURE(BTF, "btf", 504, "the kernel describes its own types")				\
	SP_FEATURE(KPROBE, "kprobe", 404, "kprobes and kretprobes")					\
	SP_FEATURE(KPROBE_MULTI, "kprobe-multi", 518, "many kprobes in one call (5.18)")		\
	SP_FEATURE(FENTRY, "fentry", 512, "BPF trampolines that do not run in themselves (5.12)")	\
	SP_FEATURE(UPROBE, "uprobe", 404, "uprobes and uretprobes")					\
	SP_FEATURE(UPROBE_MULTI, "uprobe-multi", 606, "many uprobes in one call (6.6)")			\
	SP_FEATURE(RAW_TP, "raw-tracepoint", 417, "tracepoints with their prototype's arguments (4.17)")	\
	SP_FEATURE(TP, "tracepoint", 407, "tracepoints with their record")				\
	SP_FEATURE(PERF_EVENT, "perf-event", 409, "counters and clocks")				\
	SP_FEATURE(RINGBUF, "ringbuf", 508, "BPF ring buffer (5.8)")					\
	SP_FEATURE(COOKIE, "attach-cookie", 515, "bpf_get_attach_cookie on perf links (5.15)")		\
	SP_FEATURE(KERNEL_READ, "kernel-read", 404, "kernel memory can be read (not locked down)")	\
	SP_FEATURE(BOUNDED_LOOPS, "bounded-loops", 503, "the verifier takes loops (5.3)")		\
	SP_FEATURE(BPF_LOOP, "bpf-loop", 517, "bpf_loop (5.17)")					\
	SP_FEATURE(SNPRINTF, "snprintf", 513, "bpf_snprintf (5.13)")					\
	SP_FEATURE(TASK_STORAGE, "task-storage", 606, "elements that belong to a thread (6.6)")		\
	SP_FEATURE(ATOMICS, "atomics", 512, "fetching atomics (5.12)")					\
	SP_FEATURE(MAP_WALK, "map-walk", 513, "bpf_for_each_map_elem (5.13)")				\
	SP_FEATURE(PERCPU_LOOKUP, "percpu-lookup", 519, "bpf_map_lookup_percpu_elem (5.19)")		\
	SP_FEATURE(GLOBAL_DATA, "global-data", 505, "global data that user space can map (5.5)")	\
	SP_FEATURE(PTRACE, "ptrace", 0, "the user engine")						\
	SP_FEATURE(SLEEPABLE_UPROBE, "sleepable-uprobe", 0, "handlers of uprobes can wait for memory (6.0 to 6.12)")	\
	SP_FEATURE(OVERRIDE, "override", 0, "kernel functions can be replaced by numbers (CONFIG_BPF_KPROBE_OVERRIDE)")

enum sp_feature {
#define SP_FEATURE(id, name, since, what) SP_FEATURE_##id,
	SP_FEATURES(SP_FEATURE)
#undef SP_FEATURE
	SP_FEATURE_COUNT
};
_Static_assert(SP_FEATURE_COUNT <= 64, "features are bits of a uint64_t");

#endif
