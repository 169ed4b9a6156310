// SPDX-License-Identifier: GPL-2.0-or-later
// What handlers in the kernel leave in the data area: the end of the script, errors, lost records, handlers not run.
#define _GNU_SOURCE
#include "gen_make.h"
#include "gen_run.h"

struct loaded {
	struct bpf_object *object;
	struct gen_run run;
	struct ring_buffer *ring;
	const uint64_t *data;
	int prog;
};

static bool load(struct loaded *l, struct gen_made *made)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "unit");
	struct bpf_map *map;

	*l = (struct loaded){ 0 };
	if (!made_end(made)) {
		EXPECT_STR(made->error, "no error");
		return false;
	}
	if (!run_open(&l->run, made)) {
		EXPECT_STR(l->run.error, "no error");
		return false;
	}
	l->object = bpf_object__open_mem(made->spo.data, made->spo.len, &opts);
	if (!l->object || bpf_object__load(l->object) < 0) {
		EXPECT_STR("refused", "loaded");
		return false;
	}
	l->prog = bpf_program__fd(bpf_object__next_program(l->object, NULL));
	map = bpf_object__find_map_by_name(l->object, SP_MAP_EVENTS);
	if (map)
		l->ring = ring_buffer__new(bpf_map__fd(map), run_record, &l->run, NULL);
	bpf_object__for_each_map (map, l->object)
		if (strstr(bpf_map__name(map), SP_DATA_SECTION))
			l->data = mmap(NULL, bpf_map__value_size(map), PROT_READ, MAP_SHARED,
				       bpf_map__fd(map), 0);
	EXPECT(l->data && l->data != MAP_FAILED);
	return l->data && l->data != MAP_FAILED;
}

static void unload(struct loaded *l)
{
	if (l->data && l->data != MAP_FAILED)
		munmap((void *)(uintptr_t)l->data, l->run.bundle->head->data_size);
	ring_buffer__free(l->ring);
	bpf_object__close(l->object);
	run_deinit(&l->run);
}

static void fire(struct loaded *l)
{
	static const uint64_t ctx[RUN_CTX_SIZE / 8];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ctx, .ctx_size_in = sizeof(ctx));

	EXPECT_NUM(bpf_prog_test_run_opts(l->prog, &opts), 0);
}

static const char *output(struct loaded *l)
{
	ring_buffer__consume(l->ring);
	free(l->run.output);
	run_take_output(&l->run);
	return l->run.output;
}

static uint64_t word(const struct loaded *l, uint64_t offset)
{
	return __atomic_load_n(&l->data[offset / 8], __ATOMIC_SEQ_CST);
}

static void test_exit(void)
{
	struct gen_made made = made_begin();
	struct ir_prog *p = add_raw_tp(made.unit, "sys_enter");
	struct loaded l;

	p->body = list_of(exit_of(made.unit), print_of(made.unit, "once\n", 0), NULL);
	if (load(&l, &made)) {
		EXPECT_NUM(word(&l, offsetof(struct sp_control, exiting)), 0);
		fire(&l);
		EXPECT_NUM(word(&l, offsetof(struct sp_control, exiting)), SP_EXITING | SP_EXITED);
		fire(&l);
		EXPECT_STR(output(&l), "once\n");
		EXPECT(l.run.transport.exiting);
	}
	unload(&l);
	made_deinit(&made);
}

// The second error is one too many.
static void test_errors(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_raw_tp(u, "sys_enter");
	uint32_t zero = add_global(u, "zero", IR_LONG, 0);
	struct loaded l;

	u->max_errors = 1;
	p->body = list_of(print_of(u, "tried\n", 0),
			  eval_of(u, two(u, IR_DIV, num(u, 1), global_of(u, zero))), NULL);
	if (load(&l, &made)) {
		for (int i = 0; i < 3; i++)
			fire(&l);
		EXPECT_NUM(word(&l, offsetof(struct sp_control, n_errors)), 2);
		EXPECT_NUM(word(&l, offsetof(struct sp_control, exiting)), SP_EXITING | SP_EXITED);
		EXPECT_STR(output(&l), "tried\ntried\n");
		EXPECT_NUM(l.run.transport.n_errors, 2);
	}
	unload(&l);
	made_deinit(&made);
}

static void test_drops(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_raw_tp(u, "sys_enter");
	uint64_t drops;
	struct loaded l;

	u->ring_size = 4096;
	p->body = print_of(u, "%s\n", 1, sprint_of(u, 128, "%d", 1, num(u, 5)));
	if (load(&l, &made)) {
		for (int i = 0; i < 100; i++)
			fire(&l);
		drops = word(&l, made.plan->losses_offset);
		EXPECT(drops > 50 && drops < 90);
		EXPECT_NUM(strlen(output(&l)), (int64_t)(100 - drops) * 2);
	}
	unload(&l);
	made_deinit(&made);
}

// Each frame's first word says that it is taken.
static void set_busy(struct loaded *l, uint64_t value, uint32_t n_levels)
{
	struct bpf_map *map = bpf_object__find_map_by_name(l->object, SP_MAP_SCRATCH);
	size_t size = bpf_map__value_size(map), n = (size_t)libbpf_num_possible_cpus();
	uint64_t *frames = sp_calloc(n, size);

	for (size_t i = 0; i < n; i++)
		frames[i * size / 8] = value;
	for (uint32_t level = 0; level < n_levels; level++)
		EXPECT_NUM(bpf_map_update_elem(bpf_map__fd(map), &level, frames, BPF_ANY), 0);
	free(frames);
}

static unsigned count_busy(struct loaded *l)
{
	struct bpf_map *map = bpf_object__find_map_by_name(l->object, SP_MAP_SCRATCH);
	size_t size = bpf_map__value_size(map), n = (size_t)libbpf_num_possible_cpus();
	uint64_t *frames = sp_calloc(n, size);
	unsigned busy = 0;

	for (uint32_t level = 0; level < SP_SCRATCH_LEVELS; level++) {
		bpf_map_lookup_elem(bpf_map__fd(map), &level, frames);
		for (size_t i = 0; i < n; i++)
			busy += frames[i * size / 8] != 0;
	}
	free(frames);
	return busy;
}

static void test_skips(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_raw_tp(u, "sys_enter");
	uint32_t s = add_local(u, p, IR_STR, 512), zero = add_global(u, "zero", IR_LONG, 0);
	struct loaded l;

	u->max_errors = 100;
	p->body = list_of(set_of(u, s, lit(u, "frame")),
			  print_of(u, "%s\n", 1, ir_local(u, s, IR_STR, 512)),
			  eval_of(u, two(u, IR_DIV, num(u, 1), global_of(u, zero))), NULL);
	if (load(&l, &made)) {
		fire(&l);
		EXPECT_NUM(count_busy(&l), 0); // also after an error
		set_busy(&l, 1, SP_SCRATCH_LEVELS - 1);
		fire(&l);
		EXPECT_NUM(word(&l, made.plan->losses_offset + SP_LOSS_NESTED * (uint32_t)u->progs.n * 8), 0);
		set_busy(&l, 1, SP_SCRATCH_LEVELS);
		fire(&l);
		fire(&l);
		EXPECT_NUM(word(&l, made.plan->losses_offset + SP_LOSS_NESTED * (uint32_t)u->progs.n * 8), 2);
		EXPECT_STR(output(&l), "frame\nframe\n");
	}
	unload(&l);
	made_deinit(&made);
}

// Node 0's second word is the lock.
static void set_locked(struct loaded *l, uint64_t value)
{
	struct bpf_map *map = bpf_object__find_map_by_name(l->object, "spile_nodes_0");
	uint64_t *node = sp_calloc(1, bpf_map__value_size(map));
	uint32_t first = 0;

	EXPECT_NUM(bpf_map_lookup_elem(bpf_map__fd(map), &first, node), 0);
	node[1] = value;
	EXPECT_NUM(bpf_map_update_elem(bpf_map__fd(map), &first, node, BPF_ANY), 0);
	free(node);
}

// A handler that cannot change a wrapping array ends, and is counted.
static void test_locked(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_raw_tp(u, "sys_enter");
	uint32_t a = add_map(u, "a", "l", 0, 4);
	struct loaded l;

	u->maps.v[a].wraps = true;
	u->max_trylock = 10;
	p->body = list_of(eval_of(u, map_op(u, IR_MAP_ADD, a, num(u, 1), IR_WANT_NONE, 1, num(u, 7))),
			  print_of(u, "added\n", 0), NULL);
	if (load(&l, &made)) {
		uint64_t busy = made.plan->losses_offset + SP_LOSS_BUSY * (uint64_t)u->progs.n * 8;

		set_locked(&l, 1);
		fire(&l);
		fire(&l);
		EXPECT_NUM(word(&l, busy), 2);
		set_locked(&l, 0);
		fire(&l);
		set_locked(&l, 1);
		fire(&l); // the element is there: no lock is needed
		EXPECT_NUM(word(&l, busy), 2);
		EXPECT_STR(output(&l), "added\nadded\n");
	}
	unload(&l);
	made_deinit(&made);
}

int main(void)
{
	if (!run_can_load()) {
		printf("programs cannot be loaded into this kernel\n");
		return 77;
	}
	libbpf_set_print(run_quiet);
	test_exit();
	test_errors();
	test_drops();
	test_skips();
	test_locked();
	return expect_status();
}
