// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/load/counters.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"
#include "runtime/load/layout.h"
#include "runtime/machine/insn.h"
#include "runtime/machine/privilege.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t n_cpus(void)
{
	return (uint64_t)SP_MAX(libbpf_num_possible_cpus(), 1);
}

unsigned counters_number(const struct bundle *bundle)
{
	unsigned n = 0;

	for (unsigned i = 0; i < bundle->n_fixups; i++)
		n += bundle->fixups[i].kind == SP_FIX_COUNTER;
	return n;
}

uint64_t counters_first(const struct bundle *bundle, const struct sp_fixup *fixup)
{
	uint64_t n = 0;

	for (const struct sp_fixup *at = bundle->fixups; at < fixup; at++)
		n += at->kind == SP_FIX_COUNTER;
	return n * n_cpus();
}

// ---- the programs ----------------------------------------------------------------------------------------------------

// What is put in for one counter: maps, its first event, and where a task_struct has its number.
enum value { EVENTS, SINCE, COUNTS, FIRST, PID, N_VALUES };

// They are raw: those at the records of tracepoints are left out while another program runs on the processor.
//
// Pieces that they share. The frame: -24 what the processor has counted, -32 the thread's key, -36 the processor's, -48 a value. Jumps
// over a piece count its instructions.
#define OWN_PLACE /* the element of SP_MAP_SINCE to register 0 */                                                         \
	CALL(BPF_FUNC_get_smp_processor_id), ADD_VALUE(BPF_REG_0, FIRST), STORE(BPF_W, BPF_REG_10, -36, BPF_REG_0),  \
		MAP_FD(BPF_REG_1, SINCE), FRAME(BPF_REG_2, -36), CALL(BPF_FUNC_map_lookup_elem) // 8
#define READ_CPU /* to register 7 */                                                                                  \
	LOAD(BPF_W, BPF_REG_2, BPF_REG_10, -36), MAP_FD(BPF_REG_1, EVENTS), FRAME(BPF_REG_3, -24),               \
		MOV(BPF_REG_4, 24), CALL(BPF_FUNC_perf_event_read_value), LOAD(BPF_DW, BPF_REG_7, BPF_REG_10, -24) // 8
#define KEY /* of the thread in register 8 */                                                                         \
	SHIFT_LEFT(BPF_REG_8, 32), OR_VALUE(BPF_REG_8, FIRST), STORE(BPF_DW, BPF_REG_10, -32, BPF_REG_8) // 3
#define OWN_NUMBER CALL(BPF_FUNC_get_current_pid_tgid), MOV_REG(BPF_REG_8, BPF_REG_0) // 2
#define PUT /* register 7 */                                                                                          \
	STORE(BPF_DW, BPF_REG_10, -48, BPF_REG_7), MAP_FD(BPF_REG_1, COUNTS), FRAME(BPF_REG_2, -32),             \
		FRAME(BPF_REG_3, -48), MOV(BPF_REG_4, BPF_ANY), CALL(BPF_FUNC_map_update_elem) // 9
#define RETURN_0 MOV(BPF_REG_0, 0), EXIT

// A thread leaves the processor: what has been counted since the switch before is its own.
static const struct bpf_insn switch_insns[] = {
	OWN_PLACE,
	IF_ZERO(BPF_REG_0, 36), // to the end
	MOV_REG(BPF_REG_6, BPF_REG_0),
	READ_CPU,
	IF_NOT(BPF_REG_0, 0, 26), // to the end
	LOAD(BPF_DW, BPF_REG_1, BPF_REG_6, 0),
	STORE(BPF_DW, BPF_REG_6, 0, BPF_REG_7),
	NEGATE(BPF_REG_1),
	ADD_REG(BPF_REG_7, BPF_REG_1),
	OWN_NUMBER,
	KEY,
	MAP_FD(BPF_REG_1, COUNTS),
	FRAME(BPF_REG_2, -32),
	CALL(BPF_FUNC_map_lookup_elem),
	IF_ZERO(BPF_REG_0, 2),
	ATOMIC_ADD(BPF_DW, BPF_REG_0, 0, BPF_REG_7),
	GO(9), // over PUT
	PUT,
	RETURN_0,
};

static const struct bpf_insn exec_insns[] = {
	OWN_PLACE,
	IF_ZERO(BPF_REG_0, 26), // to the end
	MOV_REG(BPF_REG_6, BPF_REG_0),
	READ_CPU,
	IF_NOT(BPF_REG_0, 0, 16), // to the end
	STORE(BPF_DW, BPF_REG_6, 0, BPF_REG_7),
	MOV(BPF_REG_7, 0),
	OWN_NUMBER,
	KEY,
	PUT,
	RETURN_0,
};

// sched_process_free(task)
static const struct bpf_insn free_insns[] = {
	LOAD(BPF_DW, BPF_REG_3, BPF_REG_1, 0),
	ADD_VALUE(BPF_REG_3, PID),
	MOV(BPF_REG_2, 4),
	FRAME(BPF_REG_1, -48),
	CALL(BPF_FUNC_probe_read_kernel),
	LOAD(BPF_W, BPF_REG_8, BPF_REG_10, -48),
	KEY,
	MAP_FD(BPF_REG_1, COUNTS),
	FRAME(BPF_REG_2, -32),
	CALL(BPF_FUNC_map_delete_elem),
	RETURN_0,
};

#define PROGRAM(event, insns) { event, insns, SP_ARRAY_SIZE(insns) }
static const struct program {
	const char *event;
	const struct bpf_insn *insns;
	size_t n;
} programs[] = {
	PROGRAM("sched_process_free", free_insns),
	PROGRAM("sched_process_exec", exec_insns),
	PROGRAM("sched_switch", switch_insns),
};

static struct sp_err *attach(struct hooks *hooks, const int values[N_VALUES])
{
	for (unsigned i = 0; i < SP_ARRAY_SIZE(programs); i++) {
		const struct program *program = &programs[i];
		struct bpf_insn insns[SP_ARRAY_SIZE(switch_insns)];

		memcpy(insns, program->insns, program->n * sizeof(*insns));
		insn_fill(insns, program->n, values);
		SP_TRY(hooks_attach_raw(hooks, bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "spile_counter", "GPL", insns, program->n, NULL),
					program->event));
	}
	return NULL;
}

// ---- the events ------------------------------------------------------------------------------------------------------

// The event that it replaces is closed.
static void keep_event(struct counters *counters, uint32_t key, int fd)
{
	sp_vec_each(event, &counters->events)
		if (event->key == key) {
			close(event->fd);
			event->fd = fd;
			return;
		}
	sp_vec_push(&counters->events, (struct counters_event){ key, fd });
}

static struct sp_err *open_event(struct counters *counters, struct perf_event_attr *attr, uint32_t key, uint32_t cpu)
{
	static const uint64_t nothing = 0;
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	bool failed;
	int error;

	if (fd < 0 && errno == ENODEV && (cpu || n_cpus() > 1))
		return NULL; // that processor is off
	if (fd < 0)
		return privilege_explain_event(errno, attr);
	// First the event that it replaces: what that has counted must never be set beside the 0, nor the new event's count beside that.
	bpf_map_delete_elem(counters->maps.events, &key);
	failed = bpf_map_update_elem(counters->maps.since, &key, &nothing, BPF_ANY) ||
		 bpf_map_update_elem(counters->maps.events, &key, &fd, BPF_ANY);
	error = errno;
	keep_event(counters, key, fd); // behind the rest, for closing takes time
	if (failed)
		return sp_err_errno(error, "cannot give handlers a counter");
	return NULL;
}

// `cpu` -1: on all processors.
static struct sp_err *open_events(struct counters *counters, const struct bundle *bundle, const struct sp_fixup *fixup, int cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	uint32_t first = (uint32_t)counters_first(bundle, fixup);
	unsigned long long config;

	if (sscanf(bundle_text(bundle, fixup->text), "%u:%llu", &attr.type, &config) != 2)
		return sp_err_new(SP_ERR_FORMAT, "`%s` is no counter's event", bundle_text(bundle, fixup->text));
	attr.config = config;
	for (uint32_t i = 0; i < n_cpus(); i++)
		if (cpu < 0 || (uint32_t)cpu == i)
			SP_TRY(open_event(counters, &attr, first + i, i));
	return NULL;
}

static struct sp_err *start(struct counters *counters, const struct bundle *bundle, struct layout *layout)
{
	const struct counters_maps *maps = &counters->maps;
	uint64_t pid;

	SP_TRY(layout_member(layout, "struct task_struct.pid:4:0", &pid));
	for (unsigned i = 0; i < bundle->n_fixups; i++) {
		const struct sp_fixup *fixup = &bundle->fixups[i];
		const int values[N_VALUES] = { maps->events, maps->since, maps->counts, (int)counters_first(bundle, fixup), (int)pid };

		if (fixup->kind != SP_FIX_COUNTER)
			continue;
		SP_TRY(open_events(counters, bundle, fixup, -1));
		SP_TRY(attach(&counters->hooks, values));
	}
	return NULL;
}

struct sp_err *counters_start(const struct bundle *bundle, const struct counters_maps *maps, struct layout *layout, struct counters *ret)
{
	struct counters counters = { .hooks.what = "count for each thread", .maps = *maps };
	struct sp_err *err = start(&counters, bundle, layout);

	if (err)
		counters_stop(&counters);
	else
		*ret = counters;
	return err ? sp_err_wrap(err, "cannot have the counters of @perf") : NULL;
}

struct sp_err *counters_add_cpu(struct counters *counters, const struct bundle *bundle, unsigned cpu)
{
	for (unsigned i = 0; i < bundle->n_fixups; i++)
		if (bundle->fixups[i].kind == SP_FIX_COUNTER)
			SP_TRY(open_events(counters, bundle, &bundle->fixups[i], (int)cpu));
	return NULL;
}

void counters_stop(struct counters *counters)
{
	hooks_stop(&counters->hooks);
	sp_vec_each(event, &counters->events)
		close(event->fd);
	sp_vec_deinit(&counters->events);
}
