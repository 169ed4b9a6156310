// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_def.h"

#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/kernel/gen_kernel_state.h"
#include "compiler/gen/value/gen_map.h"
#include "compiler/plan/plan_map.h"

#include <linux/bpf.h>
#include <stdio.h>

// A variable in section .maps, whose type says what map it is.
static LLVMValueRef define(struct gen *g, const struct gen_debug_map *map)
{
	unsigned members = gen_debug_map_members(map);
	LLVMTypeRef type = LLVMArrayType(g->ptr, members);
	LLVMValueRef global = LLVMAddGlobal(g->mod, type, map->name);

	LLVMSetInitializer(global, LLVMConstNull(type));
	LLVMSetAlignment(global, 8);
	LLVMSetSection(global, ".maps");
	gen_debug_map(g->debug, global, map);
	return global;
}

static LLVMValueRef define_once(struct gen *g, LLVMValueRef *known, const struct gen_debug_map *map)
{
	if (!*known)
		*known = define(g, map);
	return *known;
}

static unsigned map_type(const struct ir_map *map)
{
	if (map->kind == SP_MAP_STAT && !map->n_keys)
		return BPF_MAP_TYPE_PERCPU_ARRAY;
	if (map->kind == SP_MAP_STAT)
		return BPF_MAP_TYPE_PERCPU_HASH;
	return map->forgets ? BPF_MAP_TYPE_LRU_HASH : BPF_MAP_TYPE_HASH;
}

static unsigned flags_of(const struct gen *g, uint32_t index)
{
	return g->plan->maps[index].is_filled_late ? BPF_F_NO_PREALLOC : 0;
}

LLVMValueRef gen_kernel_def_array(struct gen *g, uint32_t index)
{
	const struct ir_map *map = &g->unit->maps.v[index];
	const struct gen_debug_map members = {
		.name = map->name,
		.type = map_type(map),
		.max_entries = map->max_entries,
		.key_size = map->n_keys ? g->plan->maps[index].kernel_key_size : sizeof(uint32_t),
		.value_size = map->value_size,
		.flags = flags_of(g, index),
	};
	LLVMValueRef ref = define(g, &members);

	if (g->plan->maps[index].is_apart)
		gen_kernel_def_own(g, index);
	return ref;
}

static LLVMValueRef define_numbered(struct gen *g, const char *name, uint32_t index, struct gen_debug_map map)
{
	char unique[32];
	LLVMValueRef known;

	snprintf(unique, sizeof(unique), name, index);
	map.name = unique;
	known = LLVMGetNamedGlobal(g->mod, unique);
	return known ? known : define(g, &map);
}

LLVMValueRef gen_kernel_def_short(struct gen *g, uint32_t index)
{
	const struct ir_map *map = &g->unit->maps.v[index];

	return define_numbered(g, SP_MAP_SHORT, index, (struct gen_debug_map){
		.type = map_type(map), .max_entries = map->max_entries, .key_size = plan_short_key_size(map),
		.value_size = map->value_size, .flags = flags_of(g, index),
	});
}

LLVMValueRef gen_kernel_def_beside(struct gen *g, const char *name, uint32_t index, unsigned type, uint32_t max_entries,
			    uint32_t key_size, uint32_t value_size)
{
	return define_numbered(g, name, index, (struct gen_debug_map){ .type = type, .max_entries = max_entries,
								       .key_size = key_size, .value_size = value_size });
}

LLVMValueRef gen_kernel_def_threads(struct gen *g, uint32_t index)
{
	return define_numbered(g, SP_MAP_THREADS, index, (struct gen_debug_map){
		.type = BPF_MAP_TYPE_TASK_STORAGE, .key_size = sizeof(uint32_t), .value_size = sizeof(struct sp_direct),
		.flags = BPF_F_NO_PREALLOC, .is_typed = true,
	});
}

LLVMValueRef gen_kernel_def_own(struct gen *g, uint32_t index)
{
	const struct ir_map *map = &g->unit->maps.v[index];

	return gen_kernel_def_beside(g, SP_MAP_OWN, index, BPF_MAP_TYPE_HASH, map->max_entries,
				      g->plan->maps[index].kernel_key_size, map->value_size);
}

LLVMValueRef gen_kernel_def_events(struct gen *g)
{
	const struct gen_debug_map members = {
		.name = SP_MAP_EVENTS,
		.type = BPF_MAP_TYPE_RINGBUF,
		.max_entries = g->unit->ring_size,
	};

	return define_once(g, &g->kernel->events, &members);
}

LLVMValueRef gen_kernel_def_scratch(struct gen *g)
{
	if (!g->kernel->scratch) // until its size is known
		g->kernel->scratch = LLVMAddGlobal(g->mod, g->i64, "");
	return g->kernel->scratch;
}

// The kernel's per-CPU arrays have small elements; their frames need no CPU's number.
void gen_kernel_def_scratch_done(struct gen *g)
{
	bool is_large = g->scratch_size > SP_SCRATCH_PERCPU;
	const struct gen_debug_map members = {
		.name = SP_MAP_SCRATCH,
		.type = is_large ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_PERCPU_ARRAY,
		.max_entries = g->plan->scratch_levels,
		.key_size = sizeof(uint32_t),
		.value_size = (unsigned)g->scratch_size,
	};

	for (size_t i = 0; i < g->kernel->cpu_calls.n && !is_large; i++) {
		LLVMReplaceAllUsesWith(g->kernel->cpu_calls.v[i], gen_i64(g, 0));
		LLVMInstructionEraseFromParent(g->kernel->cpu_calls.v[i]);
	}
	sp_vec_deinit(&g->kernel->cpu_calls);
	if (!g->kernel->scratch)
		return;
	LLVMReplaceAllUsesWith(g->kernel->scratch, define(g, &members));
	LLVMDeleteGlobal(g->kernel->scratch);
	g->kernel->scratch = NULL;
}

LLVMValueRef gen_kernel_def_family(struct gen *g)
{
	const struct gen_debug_map members = {
		.name = SP_MAP_FAMILY,
		.type = BPF_MAP_TYPE_HASH,
		.max_entries = 1, // the runtime's concern
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint64_t),
	};

	return define_once(g, &g->kernel->family, &members);
}

LLVMValueRef gen_kernel_def_counters(struct gen *g)
{
	const struct gen_debug_map members = {
		.name = SP_MAP_COUNTERS,
		.type = BPF_MAP_TYPE_PERF_EVENT_ARRAY,
		.max_entries = 1, // the runtime's concern
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint32_t),
	};

	return define_once(g, &g->kernel->counters, &members);
}

LLVMValueRef gen_kernel_def_since(struct gen *g)
{
	const struct gen_debug_map members = {
		.name = SP_MAP_SINCE,
		.type = BPF_MAP_TYPE_ARRAY,
		.max_entries = 1, // the runtime's concern
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint64_t),
	};

	return define_once(g, &g->kernel->since, &members);
}

LLVMValueRef gen_kernel_def_counts(struct gen *g)
{
	const struct gen_debug_map members = {
		.name = SP_MAP_COUNTS,
		.type = BPF_MAP_TYPE_HASH,
		.max_entries = 1, // the runtime's concern
		.key_size = sizeof(uint64_t),
		.value_size = sizeof(uint64_t),
	};

	return define_once(g, &g->kernel->counts, &members);
}

// The key may be the element's own, so that goes last.
void gen_kernel_def_forget(struct gen *g, uint32_t map, LLVMValueRef key)
{
	if (g->plan->maps[map].is_apart)
		gen_call(g, GEN_MAP_DELETE, 2, gen_kernel_def_own(g, map), key);
	gen_call(g, GEN_MAP_DELETE, 2, gen_map_ref(g, map), key);
}

bool gen_kernel_def_is_old(const struct gen *g)
{
	const struct target *target = &g->unit->target;

	return target_has(target, SP_FEATURE_BPF) && !target_has(target, SP_FEATURE_ATOMICS);
}
