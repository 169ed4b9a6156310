// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers of each kind of program that a kernel function can be probed by, attached for real: contexts, pointers that
// the verifier has types for, the current task, sites told apart by their cookies, the scratch frames.
#define _GNU_SOURCE
#include "gen_make.h"
#include "gen_run.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <sys/prctl.h>

#define PATH "/proc/self/setgroups"

static struct btf *types; // of the kernel
static int n_done;

// Byte offset of a member, "a.b" inside of a struct or union; -1: there is none.
static int64_t offset_in(uint32_t type, const char *path)
{
	const struct btf_type *t = btf__type_by_id(types, type);
	size_t len = strcspn(path, ".");

	while (btf_is_mod(t) || btf_is_typedef(t))
		t = btf__type_by_id(types, t->type);
	for (int i = 0; btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *name = btf__name_by_offset(types, m->name_off), *rest = path;
		int64_t offset = btf_member_bit_offset(t, (uint32_t)i) / 8, inner;

		if (*name && (strlen(name) != len || strncmp(name, path, len)))
			continue;
		if (*name && !path[len])
			return offset;
		if (*name)
			rest = path + len + 1;
		inner = offset_in(m->type, rest);
		if (inner >= 0)
			return offset + inner;
	}
	return -1;
}

static int64_t offset_of(const char *type_name, const char *path)
{
	int64_t offset = offset_in(
		(uint32_t)btf__find_by_name_kind(types, type_name, BTF_KIND_STRUCT), path);

	if (offset < 0)
		EXPECT_STR(path, "a member");
	return offset;
}

static struct ir_expr *load(struct ir_unit *u, struct ir_expr *base, int64_t offset, uint8_t size)
{
	struct ir_expr *e = ir_expr_new(u, IR_LOAD, IR_LONG, at_line(u, 6));

	e->space = IR_SPACE_KERNEL;
	e->size = size;
	e->a = two(u, IR_ADD, base, num(u, offset));
	return e;
}

// What `struct file *` in `base` is called, when this process has opened it.
static struct ir_expr *file_name(struct ir_unit *u, struct ir_expr *base, uint32_t cap)
{
	struct ir_expr *dentry = load(u, base, offset_of("file", "f_path.dentry"), 8);
	struct ir_expr *name = ir_expr_new(u, IR_LOADSTR, IR_STR, at_line(u, 6));

	name->space = IR_SPACE_KERNEL;
	name->cap = cap;
	name->a = load(u, dentry, offset_of("dentry", "d_name.name"), 8);
	return name;
}

static struct ir_stmt *when_mine(struct ir_unit *u, struct ir_stmt *body)
{
	return if_of(u, two(u, IR_EQ, builtin_of(u, BUILTIN_PID), num(u, getpid())), body, NULL);
}

/** Loads, attaches each site, triggers, and compares what was printed; a hook that cannot be had is no failure. */
static void run(struct gen_made *made, const char *want, bool cookies)
{
	static char log[1 << 20];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "unit", .kernel_log_buf = log,
		    .kernel_log_size = sizeof(log));
	struct bpf_link *links[4] = { 0 };
	struct bpf_object *object;
	struct bpf_program *prog;
	struct ring_buffer *ring;
	struct gen_run run;
	int fd;

	if (!made_end(made)) {
		EXPECT_STR(made->error, "no error");
		return;
	}
	if (!run_open(&run, made)) {
		EXPECT_STR(run.error, "no error");
		return;
	}
	object = bpf_object__open_mem(made->spo.data, made->spo.len, &opts);
	prog = bpf_object__next_program(object, NULL);
	if (bpf_object__load(object) < 0) {
		bool absent = errno == ENOENT || errno == ESRCH || errno == EPERM ||
			      errno == ENOTSUP || errno == EBUSY;

		if (!absent)
			EXPECT_STR(log, "a program that the verifier accepts");
		else
			printf("%s: cannot be loaded here (%s)\n", bpf_program__section_name(prog),
			       strerror(errno));
		goto out;
	}
	for (unsigned i = 0; i < made->unit->sites.n; i++) {
		LIBBPF_OPTS(bpf_kprobe_opts, kopts, .bpf_cookie = i);

		if (cookies)
			links[i] = bpf_program__attach_kprobe_opts(
				prog, made->unit->sites.v[i].symbol, &kopts);
		else
			links[i] = bpf_program__attach(prog);
		if (!links[i]) {
			printf("%s: cannot be attached here (%s)\n",
			       bpf_program__section_name(prog), strerror(errno));
			goto out;
		}
	}
	prctl(PR_SET_NAME, "hooked");
	fd = open(PATH, O_RDONLY);
	EXPECT(read(fd, log, 3) == 3);
	close(fd);
	for (unsigned i = 0; i < SP_ARRAY_SIZE(links); i++)
		bpf_link__destroy(links[i]);
	memset(links, 0, sizeof(links));
	ring = ring_buffer__new(bpf_map__fd(bpf_object__find_map_by_name(object, SP_MAP_EVENTS)),
				run_record, &run, NULL);
	ring_buffer__consume(ring);
	ring_buffer__free(ring);
	run_take_output(&run);
	EXPECT_STR(run.output, want);
	EXPECT_STR(sp_buf_str(&run.logged), "");
	n_done++;
out:
	for (unsigned i = 0; i < SP_ARRAY_SIZE(links); i++)
		bpf_link__destroy(links[i]);
	bpf_object__close(object);
	run_deinit(&run);
}

// The third argument of ksys_read, and the whole path of pointers from security_file_open's.
static void test_kprobe(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_prog(u, "p", "kprobe/security_file_open", SP_PROG_REGS,
				     SP_SITE_KPROBE, "security_file_open");

	p->body = when_mine(u, print_of(u, "%s %s\n", 2, file_name(u, ctx_of(u, 112, 8, false), 64),
					builtin_of(u, BUILTIN_EXECNAME)));
	run(&made, "setgroups hooked\n", false);
	made_deinit(&made);
}

static struct ir_expr *task_member(struct ir_unit *u, const char *member, uint8_t size)
{
	struct ir_expr *e = ir_expr_new(u, IR_LOAD, IR_LONG, IR_NO_PLACE);

	e->space = IR_SPACE_TASK;
	e->size = size;
	e->offset = offset_of("task_struct", member);
	e->a = num(u, 0);
	return e;
}

static void test_fentry(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_prog(u, "p", "fentry/security_file_open", SP_PROG_FENTRY,
				     SP_SITE_FENTRY, "security_file_open");
	uint32_t name = add_local(u, p, IR_STR, 512), file = add_local(u, p, IR_LONG, 0),
		 names = add_map(u, "names", "s", 64, 8);
	struct ir_expr *ppid = builtin_of(u, BUILTIN_PPID), *pointer = ir_local(u, file, IR_LONG, 0);
	char want[128];

	ppid->n_args = 2;
	ppid->args = sp_arena_array(&u->arena, struct ir_expr *, 2);
	ppid->args[0] = num(u, offset_of("task_struct", "real_parent"));
	ppid->args[1] = num(u, offset_of("task_struct", "tgid"));
	// What a pointer is not good for unless it is a number: shifts, masks, products, keys.
	p->body = when_mine(
		u, list_of(set_of(u, file, ctx_of(u, 0, 8, false)),
			   set_of(u, name, file_name(u, pointer, 512)),
			   map_set(u, names, ir_local(u, name, IR_STR, 512), 1,
				   ir_local(u, name, IR_STR, 512)),
			   print_of(u, "%s %s %d %d %d\n", 5,
				    map_op(u, IR_MAP_GET, names, NULL, 0, 1, lit(u, "setgroups")),
				    join(u, 512, ir_local(u, name, IR_STR, 512), lit(u, "!")), ppid,
				    two(u, IR_SUB, two(u, IR_MUL, pointer, num(u, 3)),
					two(u, IR_ADD, pointer, two(u, IR_SHL, pointer, num(u, 1)))),
				    two(u, IR_EQ, task_member(u, "group_leader", 8),
					task_member(u, "group_leader", 8))),
			   NULL));
	snprintf(want, sizeof(want), "setgroups setgroups! %d 0 1\n", getppid());
	run(&made, want, false);
	made_deinit(&made);
}

static void test_fexit(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_prog(u, "p", "fexit/ksys_read", SP_PROG_FEXIT, SP_SITE_FEXIT,
				     "ksys_read");

	p->body = when_mine(u, print_of(u, "%d %d\n", 2, ctx_of(u, 16, 4, false),
					ctx_of(u, 24, 8, true)));
	run(&made, "3 3\n", false);
	made_deinit(&made);
}

static void test_sites(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_prog *p = add_prog(u, "first", "kprobe", SP_PROG_REGS, SP_SITE_KPROBE,
				     "__x64_sys_prctl");
	struct ir_site second = u->sites.v[0];
	struct ir_expr *site = ir_expr_new(u, IR_SITE, IR_STR, IR_NO_PLACE);

	site->cap = 32;
	second.point = "second";
	second.symbol = "ksys_read";
	sp_vec_push(&u->sites, second);
	p->n_sites = 2;

	p->body = when_mine(u, print_of(u, "%s\n", 1, site));
	run(&made, "first\nsecond\n", true);
	made_deinit(&made);
}

int main(void)
{
	types = btf__load_vmlinux_btf();
	if (!types || geteuid() != 0) {
		printf("needs root and a kernel with BTF\n");
		return 77;
	}
	libbpf_set_print(NULL);
	test_kprobe();
	test_fentry();
	test_fexit();
	test_sites();
	btf__free(types);
	if (!n_done && !expect_failures) {
		printf("this kernel lets nobody probe it\n");
		return 77;
	}
	return expect_status();
}
