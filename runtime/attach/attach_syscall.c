// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_syscall.h"

#include "runtime/abi/syscall.h"
#include "runtime/base/btf_head.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/insn.h"
#include "runtime/machine/privilege.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A bit of the thread tells the kind of its call. Where BTF does not say where that is, the mode that the thread was in tells,
// which is wrong for a 64-bit program that makes a 32-bit call (int $0x80).
#if defined(__x86_64__)
#define OWN(name) SP_X86_64_##name
#define REGS_MODE 136 // cs
#define MODE_MASK 0xffff
#define MODE_COMPAT 0x23 // __USER32_CS
#elif defined(__aarch64__)
#define OWN(name) SP_AARCH64_##name
#define REGS_MODE 264 // pstate
#define MODE_MASK 0x10
#define MODE_COMPAT 0x10 // PSR_MODE32_BIT
#else
#error "where is the number of a system call?"
#endif

#define KIND_BIT (1 << OWN(COMPAT_BIT))

#define ENTRIES (2 * SP_SYSCALLS) // calls of 32-bit programs come behind the others
#define MAX_WAYS 30 // the kernel lets an event go on 33 times
// The programs that most numbers have: at entries that are constants, to which the kernel jumps as to a label. To go to an entry
// that is known at run time is an indirect jump, which takes several times as long where processors must not guess it.
#define N_USUAL 4
#define NUMBER BPF_REG_7
#define KIND BPF_REG_8

// Copies part of the registers, which the context in register 6 begins with a pointer to, to the frame.
#define READ_REG(to, size, offset)                                                                                       \
	FRAME(BPF_REG_1, to), MOV(BPF_REG_2, size), LOAD(BPF_DW, BPF_REG_3, BPF_REG_6, 0), ADD(BPF_REG_3, offset),       \
		CALL(BPF_FUNC_probe_read_kernel)
struct arrays {
	SP_VEC(int) v;
};

static unsigned entry_of(const struct sp_site *site)
{
	return site->args.syscall.number + (site->args.syscall.flags & SP_SYSCALL_COMPAT ? SP_SYSCALLS : 0);
}

static bool is_return(const struct sp_site *site)
{
	return site->args.syscall.flags & SP_SYSCALL_RETURN;
}

// Registers 1 and 2 are the context and the number: the program of that number, if there is one, takes the place of this function.
#define GO_TO(array_fd) MOV_REG(BPF_REG_3, BPF_REG_2), MAP_FD(BPF_REG_2, array_fd), CALL(BPF_FUNC_tail_call), MOV(BPF_REG_0, 0), EXIT
#define N_GO_TO 6

struct program {
	SP_VEC(struct bpf_insn) v;
};

static void put(struct program *program, const struct bpf_insn *insns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sp_vec_push(&program->v, insns[i]);
}

#define PUT(program, ...)                                                                                                \
	do {                                                                                                             \
		const struct bpf_insn insns[] = { __VA_ARGS__ };                                                         \
		put(program, insns, SP_ARRAY_SIZE(insns));                                                               \
	} while (0)

// Goes to one of the usual programs if the table says so.
static void put_usual(struct program *program, const struct attach_calls *calls)
{
	PUT(program, IF_MORE(NUMBER, ENTRIES - 1, 4 + N_USUAL * 6), MAP_MEMORY(BPF_REG_1, calls->table), ADD_REG(BPF_REG_1, NUMBER),
	    LOAD(BPF_B, KIND, BPF_REG_1, 0));
	for (int i = 0; i < N_USUAL; i++)
		PUT(program, IF_NOT(KIND, i + 1, 5), MOV_REG(BPF_REG_1, BPF_REG_6), MAP_FD(BPF_REG_2, calls->array),
		    MOV(BPF_REG_3, ENTRIES + i), CALL(BPF_FUNC_tail_call));
}

// Calls a function for each array, so that all handlers of the number run in turn. One array: goes to its program.
static void put_ways(struct program *program, const int *arrays, unsigned n)
{
	for (unsigned i = 0; i < n && n > 1; i++) {
		unsigned left = 3 * (n - 1 - i) + 2; // instructions between the call and the functions

		PUT(program, MOV_REG(BPF_REG_1, BPF_REG_6), MOV_REG(BPF_REG_2, NUMBER),
		    { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (int)(left + i * N_GO_TO) });
	}
	if (n > 1)
		PUT(program, MOV(BPF_REG_0, 0), EXIT);
	else
		PUT(program, MOV_REG(BPF_REG_1, BPF_REG_6), MOV_REG(BPF_REG_2, NUMBER));
	for (unsigned i = 0; i < n; i++)
		PUT(program, GO_TO(arrays[i]));
}

// The verifier knows the types of registers and threads: they are read without helpers.
static struct sp_err *make_typed(struct attach *attach, bool at_return, struct program *ret)
{
	uint64_t info, kind;
	char member[64];

	SP_TRY(layout_member(&attach->layout, "struct task_struct.thread_info:0:0", &info));
	snprintf(member, sizeof(member), "struct thread_info.%s:%d:0", OWN(COMPAT_MEMBER), OWN(COMPAT_SIZE));
	SP_TRY(layout_member(&attach->layout, member, &kind));
	PUT(ret, MOV_REG(BPF_REG_6, BPF_REG_1), LOAD(BPF_DW, BPF_REG_2, BPF_REG_6, 0),
	    LOAD(at_return ? BPF_W : BPF_DW, NUMBER, at_return ? BPF_REG_2 : BPF_REG_6, at_return ? OWN(CALL_NUMBER) : 8),
	    CALL(BPF_FUNC_get_current_task_btf),
	    LOAD(OWN(COMPAT_SIZE) == 4 ? BPF_W : BPF_DW, KIND, BPF_REG_0, info + kind),
	    AND(KIND, KIND_BIT), IF_NOT(KIND, KIND_BIT, 1), ADD(NUMBER, SP_SYSCALLS));
	return NULL;
}

static void make_untyped(struct program *ret)
{
	static const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_6, BPF_REG_1), READ_REG(-8, sizeof(uint32_t), OWN(CALL_NUMBER)), LOAD(BPF_W, NUMBER, BPF_REG_10, -8),
		READ_REG(-8, sizeof(uint64_t), REGS_MODE), LOAD(BPF_DW, KIND, BPF_REG_10, -8), AND(KIND, MODE_MASK),
		IF_NOT(KIND, MODE_COMPAT, 1), ADD(NUMBER, SP_SYSCALLS),
	};

	put(ret, insns, SP_ARRAY_SIZE(insns));
}

// The kernel wants to know that functions with a tail call return an int: int way(int context, int number), int ways(int context).
#define NAMES "\0int\0context\0number\0way\0ways"
#define NAME_OF(name) sizeof(name)
#define TYPE(name, kind, n, of) { name, (kind) << 24 | (n), { of } }
enum { TYPE_INT = 1, TYPE_WAY_PROTOTYPE, TYPE_WAY, TYPE_WAYS_PROTOTYPE, TYPE_WAYS };

static const struct types {
	struct sp_btf_head head;
	struct btf_type number;
	uint32_t encoding;
	struct btf_type way_prototype;
	struct btf_param way_parameters[2];
	struct btf_type way, ways_prototype;
	struct btf_param ways_parameters[1];
	struct btf_type ways;
	char names[SP_ALIGN_UP(sizeof(NAMES), sizeof(uint32_t))]; // nothing may be behind them
} types = {
	{ .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct sp_btf_head),
	  .type_len = offsetof(struct types, names) - sizeof(struct sp_btf_head),
	  .str_off = offsetof(struct types, names) - sizeof(struct sp_btf_head), .str_len = sizeof(types.names) },
	TYPE(NAME_OF(""), BTF_KIND_INT, 0, sizeof(uint32_t)),
	BTF_INT_SIGNED << 24 | 32,
	TYPE(0, BTF_KIND_FUNC_PROTO, 2, TYPE_INT),
	{ { NAME_OF("\0int"), TYPE_INT }, { NAME_OF("\0int\0context"), TYPE_INT } },
	TYPE(NAME_OF("\0int\0context\0number"), BTF_KIND_FUNC, BTF_FUNC_STATIC, TYPE_WAY_PROTOTYPE),
	TYPE(0, BTF_KIND_FUNC_PROTO, 1, TYPE_INT),
	{ { NAME_OF("\0int"), TYPE_INT } },
	TYPE(NAME_OF("\0int\0context\0number\0way"), BTF_KIND_FUNC, BTF_FUNC_STATIC, TYPE_WAYS_PROTOTYPE),
	NAMES,
};

// Loads a program that ends with `n` functions that go on, of N_GO_TO instructions each. -1 with errno: the kernel does not take it.
static struct sp_err *load_program(struct attach *attach, const struct attach_calls *calls, const struct program *program, unsigned n,
				   int *ret)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	struct bpf_func_info infos[MAX_WAYS + 1] = { { .type_id = TYPE_WAYS } };
	int types_fd;

	if (calls->kind == SP_PROG_TYPED_TP) {
		SP_TRY(layout_tracepoint(&attach->layout, calls->tracepoint, &opts.attach_btf_id));
		opts.expected_attach_type = BPF_TRACE_RAW_TP;
	}
	types_fd = n ? bpf_btf_load(&types, sizeof(types), NULL) : -1; // -1: the kernel does not take such types
	for (unsigned i = 1; i <= n; i++)
		infos[i] = (struct bpf_func_info){ (uint32_t)(program->v.n - (n + 1 - i) * N_GO_TO), TYPE_WAY };
	if (types_fd >= 0) {
		opts.prog_btf_fd = (uint32_t)types_fd;
		opts.func_info = infos;
		opts.func_info_cnt = n + 1;
		opts.func_info_rec_size = sizeof(*infos);
	}
	*ret = bpf_prog_load(calls->kind == SP_PROG_TYPED_TP ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_RAW_TRACEPOINT, "spile_syscall",
			     "GPL", program->v.v, program->v.n, &opts);
	if (types_fd >= 0)
		close(types_fd);
	return NULL;
}

// A program that goes on to what the arrays have for the number of the call.
static struct sp_err *load_way(struct attach *attach, const struct attach_calls *calls, const int *arrays, unsigned n, int *ret)
{
	struct program program = { 0 };
	struct sp_err *err = NULL;

	if (calls->kind == SP_PROG_TYPED_TP)
		err = make_typed(attach, calls->is_return, &program);
	else
		make_untyped(&program);
	if (n == 1 && *arrays == calls->array)
		put_usual(&program, calls);
	put_ways(&program, arrays, n);
	if (!err)
		err = load_program(attach, calls, &program, n > 1 ? n : 0, ret);
	sp_vec_deinit(&program.v);
	return err;
}

// Attaches a program that goes on to those in the array.
static struct sp_err *start(struct attach *attach, const struct attach_calls *calls, int array)
{
	int program = -1, link;

	SP_TRY(load_way(attach, calls, &array, 1, &program));
	if (program < 0)
		return sp_err_errno(errno, "cannot load the program for tracepoint %s", calls->tracepoint);
	sp_vec_push(&attach->ways, program);
	link = bpf_raw_tracepoint_open(calls->kind == SP_PROG_TYPED_TP ? NULL : calls->tracepoint, program);
	if (link >= 0)
		sp_vec_push(&attach->others, link);
	else if (errno == EPERM || errno == EACCES)
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_hint());
	else
		return sp_err_errno(errno, "tracepoint %s", calls->tracepoint);
	return NULL;
}

static struct sp_err *put_program(int array, uint32_t entry, int program)
{
	if (bpf_map_update_elem(array, &entry, &program, BPF_ANY))
		return sp_err_errno(errno, "cannot add the handler to the table of system calls");
	return NULL;
}

static struct sp_err *find_calls(struct attach *attach, const struct sp_site *site, struct attach_calls **ret)
{
	enum sp_prog_kind kind = attach->bundle->progs[site->prog].kind;
	struct attach_calls calls = { .is_return = is_return(site), .kind = kind,
				      .tracepoint = bundle_text(attach->bundle, site->symbol) };

	sp_vec_each(known, &attach->calls)
		if (known->is_return == calls.is_return && known->kind == kind) {
			*ret = known;
			return NULL;
		}
	SP_TRY(attach_program_array(attach, ENTRIES + N_USUAL, &calls.array));
	if (attach->measured.is_wanted)
		SP_TRY(attach_program_array(attach, attach->bundle->n_progs, &calls.measured));
	calls.table = bpf_map_create(BPF_MAP_TYPE_ARRAY, "spile_usual", sizeof(uint32_t), ENTRIES, 1, NULL);
	if (calls.table < 0)
		return sp_err_errno(errno, "cannot make a table");
	sp_vec_push(&attach->others, calls.table);
	SP_TRY(start(attach, &calls, calls.array)); // else the next site would take them for attached
	calls.first = sp_calloc(ENTRIES, sizeof(*calls.first));
	sp_vec_push(&attach->calls, calls);
	*ret = &sp_vec_last(&attach->calls);
	return NULL;
}

// ---- how long they take ----------------------------------------------------------------------------------------------

static struct sp_err *make_times(struct attach_measured *measured, unsigned n_progs)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t size = n_progs * sizeof(*measured->times);
	void *times;

	measured->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "spile_times", sizeof(uint32_t), (uint32_t)size, 1, &opts);
	if (measured->map < 0)
		return sp_err_errno(errno, "cannot make a table");
	times = mmap(NULL, size, PROT_READ, MAP_SHARED, measured->map, 0);
	if (times == MAP_FAILED) {
		close(measured->map);
		return sp_err_errno(errno, "cannot map a table");
	}
	measured->times = times;
	measured->programs = sp_calloc(n_progs, sizeof(*measured->programs));
	return NULL;
}

void attach_times_deinit(struct attach *attach)
{
	struct attach_measured *measured = &attach->measured;

	if (!measured->times)
		return;
	munmap(measured->times, attach->bundle->n_progs * sizeof(*measured->times));
	measured->times = NULL;
	free(measured->programs);
	close(measured->map);
}

// A program that goes on to the handler and takes the time.
static struct sp_err *load_measuring(struct attach *attach, const struct attach_calls *calls, unsigned prog, int *ret)
{
	struct program program = { 0 };
	struct sp_err *err;

	PUT(&program, MOV_REG(BPF_REG_6, BPF_REG_1), CALL(BPF_FUNC_ktime_get_ns), MOV_REG(BPF_REG_7, BPF_REG_0),
	    MOV_REG(BPF_REG_1, BPF_REG_6), MOV(BPF_REG_2, (int)prog),
	    { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 11 }, CALL(BPF_FUNC_ktime_get_ns), NEGATE(BPF_REG_7),
	    ADD_REG(BPF_REG_0, BPF_REG_7), MAP_MEMORY(BPF_REG_1, attach->measured.map),
	    ADD(BPF_REG_1, (int)(prog * sizeof(*attach->measured.times))),
	    ATOMIC_ADD(BPF_DW, BPF_REG_1, offsetof(struct attach_time, ns), BPF_REG_0), MOV(BPF_REG_2, 1),
	    ATOMIC_ADD(BPF_DW, BPF_REG_1, offsetof(struct attach_time, hits), BPF_REG_2), MOV(BPF_REG_0, 0), EXIT,
	    GO_TO(calls->measured));
	err = load_program(attach, calls, &program, 1, ret);
	sp_vec_deinit(&program.v);
	return err;
}

// With -t and the like, another program takes the handler's place. Kernels before 5.10 do not take it.
static struct sp_err *measure(struct attach *attach, const struct attach_calls *calls, unsigned prog, int *program)
{
	struct attach_measured *measured = &attach->measured;
	int measuring;

	if (!measured->is_wanted)
		return NULL;
	if (!measured->times)
		SP_TRY(make_times(measured, attach->bundle->n_progs));
	if (!measured->programs[prog]) {
		SP_TRY(load_measuring(attach, calls, prog, &measuring));
		if (measuring < 0) {
			sp_log(attach->log, SP_LOG_WARN, "handlers of system calls are not measured: this kernel does not take the program");
			measured->is_wanted = false;
			return NULL;
		}
		measured->programs[prog] = measuring;
		sp_vec_push(&attach->others, measuring);
		SP_TRY(put_program(calls->measured, prog, *program));
	}
	*program = measured->programs[prog];
	return NULL;
}

struct sp_err *attach_syscall(struct attach *attach, const struct sp_site *site, int program)
{
	uint32_t entry = entry_of(site);
	struct attach_calls *calls = NULL;

	SP_TRY(find_calls(attach, site, &calls));
	SP_TRY(measure(attach, calls, site->prog, &program));
	if (calls->first[entry]) { // for attach_syscalls_end()
		sp_vec_push(&calls->more, ((struct attach_call){ entry, program }));
		return NULL;
	}
	SP_TRY(put_program(calls->array, entry, program));
	calls->first[entry] = program + 1;
	return NULL;
}

// Puts the handlers of the numbers that have several into arrays: the first of each into the first, and so on.
static struct sp_err *fill_arrays(struct attach *attach, struct attach_calls *calls, struct arrays *ret)
{
	sp_cleanup_free unsigned *n_of = sp_calloc(ENTRIES, sizeof(*n_of));
	int array;

	sp_vec_each(call, &calls->more) {
		unsigned *n = &n_of[call->entry];

		while (ret->v.n < *n + 2) {
			SP_TRY(attach_program_array(attach, ENTRIES, &array));
			sp_vec_push(&ret->v, array);
		}
		if (!*n)
			SP_TRY(put_program(ret->v.v[0], call->entry, calls->first[call->entry] - 1));
		SP_TRY(put_program(ret->v.v[++*n], call->entry, call->program));
	}
	return NULL;
}

// A program in the place of the first handler calls all. Kernels before 5.10 do not take it: there each array but the first has a
// program at the tracepoint, and so have those that are too many for one program.
static struct sp_err *join_handlers(struct attach *attach, struct attach_calls *calls, const struct arrays *arrays)
{
	unsigned n = SP_MIN((unsigned)arrays->v.n, (unsigned)(attach->measured.times ? MAX_WAYS / 2 : MAX_WAYS));
	sp_cleanup_close int program = -1;

	SP_TRY(load_way(attach, calls, arrays->v.v, n, &program));
	if (program >= 0)
		sp_vec_each(call, &calls->more) {
			SP_TRY(put_program(calls->array, call->entry, program));
			calls->first[call->entry] = 0; // no usual program
		}
	for (size_t i = program >= 0 ? n : 1; i < arrays->v.n; i++)
		SP_TRY(start(attach, calls, arrays->v.v[i]));
	return NULL;
}

struct uses {
	SP_VEC(struct use {
		int program; // as in `first`
		unsigned n; // entries that have it
	}) v;
};

static void count_use(struct uses *uses, int program)
{
	sp_vec_each(use, &uses->v)
		if (use->program == program) {
			use->n++;
			return;
		}
	sp_vec_push(&uses->v, ((struct use){ program, 1 }));
}

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : x->program - y->program;
}

static struct sp_err *put_usual_programs(const struct attach_calls *calls, const struct uses *uses)
{
	unsigned char table[ENTRIES] = { 0 };
	uint32_t zero = 0;

	for (unsigned i = 0; i < N_USUAL && i < uses->v.n; i++) {
		SP_TRY(put_program(calls->array, ENTRIES + i, uses->v.v[i].program - 1));
		for (unsigned k = 0; k < ENTRIES; k++)
			if (calls->first[k] == uses->v.v[i].program)
				table[k] = (unsigned char)(i + 1);
	}
	if (bpf_map_update_elem(calls->table, &zero, table, BPF_ANY))
		return sp_err_errno(errno, "cannot fill the table of system calls");
	return NULL;
}

static struct sp_err *find_usual(const struct attach_calls *calls)
{
	struct uses uses = { 0 };
	struct sp_err *err;

	for (unsigned i = 0; i < ENTRIES; i++)
		if (calls->first[i])
			count_use(&uses, calls->first[i]);
	qsort(uses.v.v, uses.v.n, sizeof(*uses.v.v), compare_uses);
	err = put_usual_programs(calls, &uses);
	sp_vec_deinit(&uses.v);
	return err;
}

struct sp_err *attach_syscalls_end(struct attach *attach)
{
	sp_vec_each(calls, &attach->calls) {
		struct arrays arrays = { 0 };
		struct sp_err *err = calls->more.n ? fill_arrays(attach, calls, &arrays) : NULL;

		if (!err && calls->more.n)
			err = join_handlers(attach, calls, &arrays);
		sp_vec_deinit(&arrays.v);
		SP_TRY(err);
		SP_TRY(find_usual(calls));
	}
	return NULL;
}

void attach_syscalls_deinit(struct attach *attach)
{
	sp_vec_each(calls, &attach->calls) {
		free(calls->first);
		sp_vec_deinit(&calls->more);
	}
	sp_vec_deinit(&attach->calls);
	sp_vec_each(way, &attach->ways)
		close(*way);
	sp_vec_deinit(&attach->ways);
}
