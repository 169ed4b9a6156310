// SPDX-License-Identifier: GPL-2.0-or-later
// The VM: instructions, memory, calls, and what ends a handler. The instructions' meaning is also compared with the
// kernel's by test_vm_kernel.
#define _GNU_SOURCE
#include "runtime/vm/vm.h"

#include "expect.h"
#include "vm_make.h"

#include <errno.h>
#include <time.h>

static const uint64_t regs[4] = { 0x8000000000000005, 7, 0, 9 };
static struct vm_made made; // of the last RUN

static int64_t run(const struct bpf_insn *code, size_t n, const struct vm_task *task, int line)
{
	int64_t result;

	vm_made_deinit(&made);
	if (!vm_made_init(&made, code, n, 100000)) {
		printf("%s:%d: %s\n", __FILE__, line, made.error);
		expect_failures++;
		return 0;
	}
	result = vm_made_run(&made, task, regs, sizeof(regs));
	return result;
}

#define CODE_(...) (const struct bpf_insn[]){ __VA_ARGS__ }
#define RUN_AS(task, ...) run(CODE_(__VA_ARGS__), sizeof(CODE_(__VA_ARGS__)) / sizeof(struct bpf_insn), task, __LINE__)
#define RUN(...) RUN_AS(NULL, __VA_ARGS__)
/** The code returns `want` without an error. */
#define IS(want, ...)                                                                              \
	do {                                                                                       \
		EXPECT_NUM(RUN(__VA_ARGS__), (int64_t)(want));                                     \
		if (made.error)                                                                    \
			EXPECT_STR(made.error, "no error");                                        \
	} while (0)
#define FAULTS(part, ...)                                                                          \
	do {                                                                                       \
		RUN(__VA_ARGS__);                                                                  \
		EXPECT_HAS(made.error, part);                                                      \
	} while (0)
#define ALU(class, op, src, d, s, o, i) INSN(BPF_##class | BPF_##op | BPF_##src, d, s, o, i)

static void test_alu(void)
{
	IS(3, MOV_I(0, 1), ALU64_I(ADD, 0, 2), EXIT());
	IS(-1, MOV_I(0, -1), EXIT());
	IS(0xffffffff, ALU32_I(MOV, 0, -1), EXIT());
	IS(0, ALU32_I(MOV, 0, -1), ALU32_I(ADD, 0, 1), EXIT());
	IS(0x100000000, ALU32_I(MOV, 0, -1), ALU64_I(ADD, 0, 1), EXIT());
	IS(0x1234567890abcdef, LD_NUM(0, 0x1234567890abcdef), EXIT());
	IS(5, MOV_I(0, 17), ALU64_I(DIV, 0, 3), EXIT());
	IS(0, MOV_I(0, 17), MOV_I(1, 0), ALU64_R(DIV, 0, 1), EXIT());
	IS(17, MOV_I(0, 17), MOV_I(1, 0), ALU64_R(MOD, 0, 1), EXIT());
	IS(0x7fffffffffffffff, MOV_I(0, -1), ALU64_I(DIV, 0, 2), EXIT()); // unsigned
	IS(-5, MOV_I(0, -17), ALU(ALU64, DIV, K, 0, 0, 1, 3), EXIT()); // signed
	IS(-2, MOV_I(0, -17), ALU(ALU64, MOD, K, 0, 0, 1, 3), EXIT());
	IS(INT64_MIN, LD_NUM(0, INT64_MIN), ALU(ALU64, DIV, K, 0, 0, 1, -1), EXIT());
	IS(0, LD_NUM(0, INT64_MIN), ALU(ALU64, MOD, K, 0, 0, 1, -1), EXIT());
	IS(0x80000000, ALU32_I(MOV, 0, INT32_MIN), ALU(ALU, DIV, K, 0, 0, 1, -1), EXIT());
	IS(-1, MOV_I(0, -4), ALU64_I(ARSH, 0, 2), EXIT());
	IS(0x3fffffff, ALU32_I(MOV, 0, -4), ALU32_I(RSH, 0, 2), EXIT());
	IS(2, MOV_I(0, 1), MOV_I(1, 65), ALU64_R(LSH, 0, 1), EXIT()); // only the low bits count
	IS(-128, MOV_I(1, 0x80), ALU(ALU64, MOV, X, 0, 1, 8, 0), EXIT());
	IS(0xffffff80, MOV_I(1, 0x80), ALU(ALU, MOV, X, 0, 1, 8, 0), EXIT());
	IS(-32768, LD_NUM(1, 0xffff8000), ALU(ALU64, MOV, X, 0, 1, 16, 0), EXIT());
	IS(INT32_MIN, LD_NUM(1, 0x80000000), ALU(ALU64, MOV, X, 0, 1, 32, 0), EXIT());
	IS(-7, MOV_I(0, 7), ALU(ALU64, NEG, K, 0, 0, 0, 0), EXIT());
	IS(0xfffffff9, MOV_I(0, 7), ALU(ALU, NEG, K, 0, 0, 0, 0), EXIT());
	IS(0x2211, LD_NUM(0, 0x8877665544331122), ALU(ALU, END, X, 0, 0, 0, 16), EXIT());
	IS(0x44332211, LD_NUM(0, 0x8877665511223344), ALU(ALU, END, X, 0, 0, 0, 32), EXIT());
	IS(0x8877665544332211, LD_NUM(0, 0x1122334455667788), ALU(ALU64, END, K, 0, 0, 0, 64), EXIT());
	IS(0x7788, LD_NUM(0, 0x1122334455667788), ALU(ALU, END, K, 0, 0, 0, 16), EXIT()); // to little-endian
}

static void test_jumps(void)
{
	IS(1, MOV_I(0, 1), JA(1), MOV_I(0, 2), EXIT());
	IS(1, MOV_I(0, 1), INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, 1), MOV_I(0, 2), EXIT());
	IS(1, MOV_I(0, 1), MOV_I(1, -1), JMP_I(JGT, 1, 5, 1), MOV_I(0, 2), EXIT()); // unsigned
	IS(2, MOV_I(0, 1), MOV_I(1, -1), JMP_I(JSGT, 1, 5, 1), MOV_I(0, 2), EXIT());
	IS(1, MOV_I(0, 1), LD_NUM(1, 0x500000000), INSN(BPF_JMP32 | BPF_JEQ | BPF_K, 1, 0, 1, 0), MOV_I(0, 2), EXIT());
	IS(1, MOV_I(0, 1), MOV_I(1, 6), JMP_I(JSET, 1, 2, 1), MOV_I(0, 2), EXIT());
	IS(55, MOV_I(0, 0), MOV_I(1, 10), ALU64_R(ADD, 0, 1), ALU64_I(SUB, 1, 1), JMP_I(JNE, 1, 0, -3), EXIT());
}

#define LDS(size, d, s, o) INSN(BPF_LDX | 0x80 | BPF_##size, d, s, o, 0)
#define DATA(d) LD_AREA(d, SP_VM_AREA_DATA, 64) // the drop counter: room for one number

static void test_memory(void)
{
	IS(0x8000000000000005, LDX(DW, 0, 1, 0), EXIT());
	IS(9, LDX(DW, 0, 1, 24), EXIT());
	IS(0x88, LD_NUM(2, 0x1122334455667788), STX(DW, 10, 2, -8), LDX(B, 0, 10, -8), EXIT());
	IS(0x3344, LD_NUM(2, 0x1122334455667788), STX(DW, 10, 2, -8), LDX(H, 0, 10, -4), EXIT());
	IS(0x55667788, LD_NUM(2, 0x1122334455667788), STX(DW, 10, 2, -8), LDX(W, 0, 10, -8), EXIT());
	IS(-5, ST(B, 10, -1, 0xfb), LDS(B, 0, 10, -1), EXIT());
	IS(-2, ST(H, 10, -2, 0xfffe), LDS(H, 0, 10, -2), EXIT());
	IS(INT32_MIN, ST(W, 10, -4, INT32_MIN), LDS(W, 0, 10, -4), EXIT());
	IS(-1, ST(DW, 10, -512, -1), LDX(DW, 0, 10, -512), EXIT());
	IS(0, LDX(DW, 0, 10, -256), EXIT()); // a fresh frame is clear
	IS(77, DATA(2), ST(DW, 2, 0, 77), LD_AREA(3, SP_VM_AREA_DATA, 60), LDX(DW, 0, 3, 4), EXIT());
	IS(0x1122334455667788, LD_AREA(2, SP_VM_AREA_SLOTS, 0), LDX(DW, 0, 2, 0), EXIT());
	IS('d', LD_AREA(2, SP_VM_AREA_UDATA, 0), LDX(B, 0, 2, strlen("constants of the han")), EXIT());
	FAULTS("a read at 0x0 is outside its memory", MOV_I(1, 0), LDX(DW, 0, 1, 0), EXIT());
	FAULTS("user instruction 5: a read at", LDX(DW, 0, 1, 25), EXIT());
	FAULTS("a read at", LDX(B, 0, 1, -1), EXIT());
	FAULTS("a read at", LDX(B, 0, 10, 0), EXIT());
	FAULTS("a read at", LD_AREA(2, SP_VM_AREA_UDATA, sizeof(VM_CONSTANTS)), LDX(B, 0, 2, 0), EXIT());
	FAULTS("a read at", LD_AREA(2, SP_VM_AREA_DATA, VM_RESULT + 1), LDX(DW, 0, 2, 0), EXIT());
	FAULTS("a read at", MOV_R(2, 10), ALU64_I(SUB, 2, 1024), LDX(B, 0, 2, -1), EXIT()); // below the first frame
	FAULTS("a read at", LD_NUM(1, -1), LDX(DW, 0, 1, 0), EXIT());
	FAULTS("a write at", STX(DW, 1, 0, 0), EXIT()); // the context
	FAULTS("a write at", LD_AREA(2, SP_VM_AREA_SLOTS, 0), ST(B, 2, 0, 0), EXIT());
	FAULTS("a write at", LD_AREA(2, SP_VM_AREA_UDATA, 0), ST(B, 2, 0, 0), EXIT());
	FAULTS("a read at 0x535100", LD_MAP(2, 0), LDX(B, 0, 2, 0), EXIT()); // an array is no memory
}

static void test_atomics(void)
{
#define WITH(first, ...) DATA(1), ST(DW, 1, 0, first), __VA_ARGS__, EXIT()
	IS(12, WITH(10, MOV_I(2, 2), ATOMIC(DW, BPF_ADD, 1, 2, 0), LDX(DW, 0, 1, 0)));
	IS(10, WITH(10, MOV_I(2, 2), ATOMIC(DW, BPF_ADD | BPF_FETCH, 1, 2, 0), MOV_R(0, 2)));
	IS(8, WITH(12, MOV_I(2, 10), ATOMIC(DW, BPF_AND, 1, 2, 0), LDX(DW, 0, 1, 0)));
	IS(14, WITH(12, MOV_I(2, 10), ATOMIC(DW, BPF_OR, 1, 2, 0), LDX(DW, 0, 1, 0)));
	IS(6, WITH(12, MOV_I(2, 10), ATOMIC(DW, BPF_XOR, 1, 2, 0), LDX(DW, 0, 1, 0)));
	IS(12, WITH(12, MOV_I(2, 10), ATOMIC(DW, BPF_XCHG, 1, 2, 0), MOV_R(0, 2)));
	IS(10, WITH(12, MOV_I(2, 10), ATOMIC(DW, BPF_XCHG, 1, 2, 0), LDX(DW, 0, 1, 0)));
	IS(99, WITH(12, MOV_I(0, 12), MOV_I(2, 99), ATOMIC(DW, BPF_CMPXCHG, 1, 2, 0), LDX(DW, 0, 1, 0)));
	IS(12, WITH(12, MOV_I(0, 13), MOV_I(2, 99), ATOMIC(DW, BPF_CMPXCHG, 1, 2, 0), MOV_R(3, 0), LDX(DW, 0, 1, 0)));
	IS(12, WITH(12, MOV_I(0, 13), MOV_I(2, 99), ATOMIC(DW, BPF_CMPXCHG, 1, 2, 0)));
	IS(0xffffffff, WITH(-1, MOV_I(2, 1), ATOMIC(W, BPF_ADD | BPF_FETCH, 1, 2, 0), MOV_R(0, 2)));
	IS(0xffffffff00000000, WITH(-1, MOV_I(2, 1), ATOMIC(W, BPF_ADD, 1, 2, 0), LDX(DW, 0, 1, 0)));
	FAULTS("an atomic access at", WITH(0, ATOMIC(DW, BPF_ADD, 1, 2, 4)));
	FAULTS("an atomic access at", LD_AREA(1, SP_VM_AREA_SLOTS, 0), ATOMIC(DW, BPF_ADD, 1, 2, 0), EXIT());
#undef WITH
}

static void test_functions(void)
{
	// A pointer to the caller's frame, and registers that are kept for the caller.
	IS(7 + 60, MOV_I(6, 60), MOV_R(1, 10), ALU64_I(ADD, 1, -8), CALL_LOCAL(3), LDX(DW, 0, 10, -8), ALU64_R(ADD, 0, 6),
	   EXIT(), MOV_I(6, 0), ST(DW, 1, 0, 7), EXIT());
	// 10! by recursion.
	IS(3628800, MOV_I(1, 10), CALL_LOCAL(1), EXIT(), JMP_I(JGT, 1, 1, 2), MOV_I(0, 1), EXIT(), MOV_R(6, 1),
	   ALU64_I(SUB, 1, 1), CALL_LOCAL(-6), ALU64_R(MUL, 0, 6), EXIT());
	FAULTS("a call: the stack", CALL_LOCAL(-1), EXIT());
	// Frames are as large as the largest: a callee that goes far down does not write into its caller's.
	IS(7, ST(DW, 10, -8, 7), CALL_LOCAL(2), LDX(DW, 0, 10, -8), EXIT(), ST(DW, 10, -520, 1), EXIT());
	IS(7, ST(DW, 10, -8, 7), CALL_LOCAL(2), LDX(DW, 0, 10, -8), EXIT(), MOV_R(1, 10), ALU64_I(ADD, 1, -2056), ST(DW, 1, 0, 1), EXIT());
	FAULTS("outside its memory", MOV_R(1, 10), ALU64_I(ADD, 1, -2 * SP_VM_MAX_FRAME - 8), ST(DW, 1, 0, 1), EXIT());
}

static void test_limit(void)
{
	RUN(JA(-1), EXIT());
	EXPECT(!made.error);
	EXPECT_STR(sp_buf_str(&made.logged),
		   "MAXACTION exceeded (-D MAXACTION=N allows more) at <input>:1:1 (probe process(\"./program\").function(\"f\"))");
	EXPECT_NUM((int64_t)made.transport.n_errors, 1);
	RUN(CALL_LOCAL(-6), EXIT()); // the entry again and again: calls are counted, too
	EXPECT_HAS(made.error, "the stack");
	// 100,000 steps: 33,000 rounds of 3 are within, 34,000 are not.
	IS(0, MOV_I(1, 33000), MOV_I(0, 0), ALU64_I(SUB, 1, 1), JMP_I(JNE, 1, 0, -3), EXIT());
	RUN(MOV_I(1, 34000), MOV_I(0, 0), ALU64_I(SUB, 1, 1), JMP_I(JNE, 1, 0, -3), EXIT());
	EXPECT_NUM((int64_t)made.transport.n_errors, 1);
}

// ---- calls ----------------------------------------------------------------------------------------------------------

#define TASK_BASE 0x7f0000000000u
static char task_memory[3 * 4096 / 2]; // the second page ends in the middle: what is behind is not mapped

static int task_read(void *ctx, uint64_t addr, void *dst, size_t size)
{
	(void)ctx;
	if (addr < TASK_BASE || addr - TASK_BASE > sizeof(task_memory) || size > sizeof(task_memory) - (addr - TASK_BASE))
		return -EFAULT;
	memcpy(dst, task_memory + (addr - TASK_BASE), size);
	return 0;
}

static int task_write(void *ctx, uint64_t addr, const void *src, size_t size)
{
	char probe;

	if (task_read(ctx, addr + size - 1, &probe, 1) < 0 || task_read(ctx, addr, &probe, 1) < 0)
		return -EFAULT;
	memcpy(task_memory + (addr - TASK_BASE), src, size);
	return 0;
}

static const struct vm_task task = {
	.pid = 100, .tid = 101, .ppid = 99, .uid = 1000, .gid = 2000, .euid = 1001, .egid = 2001, .cpu = 3,
	.comm = "worker", .read = task_read, .write = task_write,
};

#define IS_FOR_TASK(want, ...)                                                                     \
	do {                                                                                       \
		EXPECT_NUM(RUN_AS(&task, __VA_ARGS__), (int64_t)(want));                           \
		if (made.error)                                                                    \
			EXPECT_STR(made.error, "no error");                                        \
	} while (0)

static void test_task(void)
{
	IS_FOR_TASK((uint64_t)100 << 32 | 101, CALL(BPF_FUNC_get_current_pid_tgid), EXIT());
	IS_FOR_TASK((uint64_t)2000 << 32 | 1000, CALL(BPF_FUNC_get_current_uid_gid), EXIT());
	IS_FOR_TASK(3, CALL(BPF_FUNC_get_smp_processor_id), EXIT());
	IS_FOR_TASK(0, CALL(BPF_FUNC_get_attach_cookie), EXIT());
	IS_FOR_TASK(99, MOV_I(1, 0), CALL(SP_VM_TASK_ID), EXIT());
	IS_FOR_TASK(1001, MOV_I(1, 1), CALL(SP_VM_TASK_ID), EXIT());
	IS_FOR_TASK(2001, MOV_I(1, 2), CALL(SP_VM_TASK_ID), EXIT());
#define COMM(size) MOV_R(1, 10), ALU64_I(ADD, 1, -16), MOV_I(2, size), CALL(BPF_FUNC_get_current_comm)
	IS_FOR_TASK(0x72656b726f77, COMM(16), LDX(DW, 0, 10, -16), EXIT());
	IS_FOR_TASK(0x00726f77, COMM(4), LDX(DW, 0, 10, -16), EXIT()); // cut, with its NUL
	FAULTS("an address that cannot be written", MOV_R(1, 10), MOV_I(2, 1), CALL(BPF_FUNC_get_current_comm), EXIT());
	IS(getpid(), CALL(BPF_FUNC_get_current_pid_tgid), ALU64_I(RSH, 0, 32), EXIT());
	IS(getppid(), MOV_I(1, 0), CALL(SP_VM_TASK_ID), EXIT());
}

static void test_clocks(void)
{
	struct timespec t;
	int64_t before, ns;

	clock_gettime(CLOCK_MONOTONIC, &t);
	before = t.tv_sec * 1000000000 + t.tv_nsec;
	ns = RUN(CALL(BPF_FUNC_ktime_get_ns), EXIT());
	EXPECT(ns >= before && ns < before + 10000000000);
	ns = RUN(CALL(BPF_FUNC_ktime_get_boot_ns), EXIT());
	EXPECT(ns >= before);
	ns = RUN(CALL(BPF_FUNC_jiffies64), EXIT());
	EXPECT(ns > 4000000000);
	IS(1, CALL(BPF_FUNC_get_prandom_u32), MOV_R(6, 0), CALL(BPF_FUNC_get_prandom_u32), MOV_R(7, 0),
	   CALL(BPF_FUNC_get_prandom_u32), ALU64_R(XOR, 6, 7), ALU64_R(XOR, 7, 0), ALU64_R(OR, 6, 7), MOV_I(0, 1),
	   JMP_I(JNE, 6, 0, 1), MOV_I(0, 0), EXIT());
}

// Reads `size` bytes of `addr` to the frame's top, where -1 was; what is put before `then` sees the result in r0.
#define READ(helper, size, addr)                                                                   \
	ST(DW, 10, -8, -1), ST(DW, 10, -16, -1), MOV_R(1, 10), ALU64_I(ADD, 1, -16), MOV_I(2, size), LD_NUM(3, addr), \
		CALL(BPF_FUNC_##helper)

static void test_reads(void)
{
	const uint64_t end = TASK_BASE + sizeof(task_memory);

	memset(task_memory, 'x', sizeof(task_memory));
	memcpy(task_memory + 100, "a string", 9);
	memcpy(task_memory + 4092, "over pages", 11);
	IS_FOR_TASK(0, READ(probe_read_user, 8, TASK_BASE + 100), EXIT());
	IS_FOR_TASK(0x676e697274732061, READ(probe_read_user, 8, TASK_BASE + 100), LDX(DW, 0, 10, -16), EXIT());
	IS_FOR_TASK(-EFAULT, READ(probe_read_user, 8, end - 7), EXIT());
	IS_FOR_TASK(0, READ(probe_read_user, 8, end - 7), LDX(DW, 0, 10, -16), EXIT()); // cleared
	IS_FOR_TASK(-EFAULT, READ(probe_read_user, 8, 0), EXIT());
	IS_FOR_TASK(-EFAULT, READ(probe_read_kernel, 8, TASK_BASE + 100), EXIT());
	IS_FOR_TASK(0, READ(probe_read, 8, TASK_BASE + 100), EXIT());
	IS(-EFAULT, READ(probe_read_user, 8, TASK_BASE + 100), EXIT()); // a handler of no task
	IS_FOR_TASK(9, READ(probe_read_user_str, 16, TASK_BASE + 100), EXIT());
	IS_FOR_TASK(11, READ(probe_read_user_str, 16, TASK_BASE + 4092), EXIT());
	IS_FOR_TASK(4, READ(probe_read_user_str, 4, TASK_BASE + 100), EXIT()); // cut
	IS_FOR_TASK(0x00732061, READ(probe_read_user_str, 4, TASK_BASE + 100), LDX(W, 0, 10, -16), EXIT());
	IS_FOR_TASK(-EFAULT, READ(probe_read_user_str, 16, end - 5), EXIT());
	IS_FOR_TASK(0, READ(probe_read_user_str, 16, end - 5), LDX(DW, 0, 10, -16), EXIT());
	IS_FOR_TASK(-EFAULT, READ(probe_read_kernel_str, 16, TASK_BASE + 100), EXIT());
	IS_FOR_TASK(10, READ(probe_read_kernel_str, 16, 0x5350000200000000), EXIT()); // its own constants
	IS_FOR_TASK(5, READ(probe_read_kernel_str, 5, 0x5350000200000000), EXIT());
	IS_FOR_TASK(0, READ(probe_read_kernel, 16, 0x5350000200000000), EXIT());
	FAULTS("an address that cannot be written", MOV_R(1, 10), MOV_I(2, 8), CALL(BPF_FUNC_probe_read_user), EXIT());
	IS_FOR_TASK(0, LD_NUM(1, TASK_BASE), LD_AREA(2, SP_VM_AREA_UDATA, 0), MOV_I(3, 5),
		    CALL(BPF_FUNC_probe_write_user), EXIT());
	EXPECT(memcmp(task_memory, "constx", 6) == 0);
	IS_FOR_TASK(-EFAULT, MOV_I(1, 8), LD_AREA(2, SP_VM_AREA_UDATA, 0), MOV_I(3, 5), CALL(BPF_FUNC_probe_write_user),
		    EXIT());
}

#define KEY_AT_16(n) ST(DW, 10, -16, n), MOV_R(2, 10), ALU64_I(ADD, 2, -16)
#define SET(key, value) LD_MAP(1, VM_MAP_LONGS), KEY_AT_16(key), ST(DW, 10, -8, value), MOV_R(3, 10), ALU64_I(ADD, 3, -8), \
	CALL(SP_VM_MAP_SET)
#define GET(key) LD_MAP(1, VM_MAP_LONGS), KEY_AT_16(key), MOV_R(3, 10), ALU64_I(ADD, 3, -8), CALL(SP_VM_MAP_GET)
#define ADD(key, delta, old) LD_MAP(1, VM_MAP_LONGS), KEY_AT_16(key), MOV_I(3, delta), MOV_I(4, 0), \
	MOV_R(4, old), CALL(SP_VM_MAP_ADD)

static void test_arrays(void)
{
	IS(0, GET(1), EXIT());
	IS(0, ST(DW, 10, -8, 5), GET(1), LDX(DW, 0, 10, -8), EXIT()); // zeroed
	IS(1, SET(1, 5), GET(1), EXIT());
	IS(5, SET(1, 5), ST(DW, 10, -8, 0), GET(1), LDX(DW, 0, 10, -8), EXIT());
	IS(-E2BIG, SET(1, 5), SET(2, 5), SET(3, 5), SET(4, 5), SET(5, 5), EXIT());
	IS(7, MOV_I(6, 0), SET(1, 5), ADD(1, 2, 6), GET(1), LDX(DW, 0, 10, -8), EXIT());
	IS(5, MOV_R(6, 10), ALU64_I(ADD, 6, -24), SET(1, 5), ADD(1, 2, 6), LDX(DW, 0, 10, -24), EXIT());
	IS(0, SET(1, 5), LD_MAP(1, VM_MAP_LONGS), KEY_AT_16(1), CALL(SP_VM_MAP_DELETE), GET(1), EXIT());
	IS(0, SET(1, 5), LD_MAP(1, VM_MAP_LONGS), CALL(SP_VM_MAP_CLEAR), GET(1), EXIT());
	FAULTS("what is not an array", MOV_I(1, 0), CALL(SP_VM_MAP_CLEAR), EXIT());
	FAULTS("what is not an array", LD_MAP(1, VM_MAP_NAMES), ALU64_I(ADD, 1, 1), CALL(SP_VM_MAP_CLEAR), EXIT());
	FAULTS("an array of strings", LD_MAP(1, VM_MAP_NAMES), KEY_AT_16(0), MOV_I(3, 1), MOV_I(4, 0), CALL(SP_VM_MAP_ADD),
	       EXIT());
	FAULTS("cannot be read", LD_MAP(1, VM_MAP_LONGS), MOV_I(2, 0), CALL(SP_VM_MAP_DELETE), EXIT());
	FAULTS("cannot be written", LD_MAP(1, VM_MAP_LONGS), KEY_AT_16(0), LD_AREA(3, SP_VM_AREA_UDATA, 0),
	       CALL(SP_VM_MAP_GET), EXIT());
}

#define OPEN(key, direction, limit) LD_MAP(1, VM_MAP_LONGS), MOV_I(2, (key) << 2 | ((direction) + 1)), MOV_I(3, limit), \
	CALL(SP_VM_ITER_OPEN), MOV_R(6, 0)
#define NEXT() MOV_R(1, 6), MOV_R(2, 10), ALU64_I(ADD, 2, -16), MOV_R(3, 10), ALU64_I(ADD, 3, -8), CALL(SP_VM_ITER_NEXT)

static void test_iteration(void)
{
	// Keys in order of their values, as decimal digits.
	IS(231, SET(1, 30), SET(2, 10), SET(3, 20), OPEN(0, 1, -1), MOV_I(7, 0), NEXT(), JMP_I(JEQ, 0, 0, 4),
	   LDX(DW, 1, 10, -16), ALU64_I(MUL, 7, 10), ALU64_R(ADD, 7, 1), JA(-11), MOV_R(1, 6), CALL(SP_VM_ITER_CLOSE),
	   MOV_R(0, 7), EXIT());
	IS(1, SET(1, 30), SET(2, 10), OPEN(1, -1, 1), NEXT(), NEXT(), LDX(DW, 1, 10, -16), ALU64_I(SUB, 1, 1),
	   ALU64_R(ADD, 0, 1), EXIT());
	FAULTS("what is not an iterator", MOV_I(6, 0), NEXT(), EXIT());
	FAULTS("what is not an iterator", MOV_I(6, -1), NEXT(), EXIT());
	FAULTS("what is not an iterator", OPEN(0, 1, -1), MOV_R(1, 6), CALL(SP_VM_ITER_CLOSE), NEXT(), EXIT());
	FAULTS("what is not a lock", MOV_I(1, 0), MOV_I(2, 1), CALL(SP_VM_LOCK), EXIT());
	FAULTS("an unknown order", OPEN(2, 1, -1), EXIT());
	FAULTS("an unknown order", OPEN(0, 2, -1), EXIT());
	FAULTS("too many open iterators", OPEN(0, 0, -1), JA(-7), EXIT());
}

#define UDATA(d, text) LD_AREA(d, SP_VM_AREA_UDATA, text)
enum { CONSTANTS = 0, OF = sizeof("constants") };
#define FRAME(d, offset) MOV_R(d, 10), ALU64_I(ADD, d, offset)

static void test_strings(void)
{
	IS(9, UDATA(1, CONSTANTS), CALL(SP_VM_STRLEN), EXIT());
	IS(14, UDATA(1, OF), CALL(SP_VM_STRLEN), EXIT());
	IS(1, UDATA(1, CONSTANTS), UDATA(2, OF), CALL(SP_VM_STRCMP), ALU64_I(RSH, 0, 63), EXIT()); // "c" < "o"
	IS(0, UDATA(1, CONSTANTS), UDATA(2, CONSTANTS), CALL(SP_VM_STRCMP), EXIT());
	IS(9, FRAME(1, -64), MOV_I(2, 64), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY), EXIT());
	IS(0x736e6f63, FRAME(1, -64), MOV_I(2, 5), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY), LDX(DW, 0, 10, -64), EXIT());
	IS(0, ST(DW, 10, -16, -1), FRAME(1, -64), MOV_I(2, 56), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY),
	   LDX(DW, 0, 10, -16), EXIT()); // the rest is cleared
	IS(0, FRAME(1, -64), MOV_I(2, 0), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY), EXIT());
	IS(18, FRAME(1, -64), MOV_I(2, 64), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY), FRAME(1, -64), MOV_I(2, 64),
	   UDATA(3, CONSTANTS), CALL(SP_VM_STRCAT), EXIT());
	IS(18, FRAME(1, -64), MOV_I(2, 12), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY), FRAME(1, -64), MOV_I(2, 12),
	   UDATA(3, CONSTANTS), CALL(SP_VM_STRCAT), EXIT()); // cut
	FAULTS("cannot be read", MOV_I(1, 0), CALL(SP_VM_STRLEN), EXIT());
	FAULTS("a string without end", ST(DW, 10, -8, -1), FRAME(1, -8), CALL(SP_VM_STRLEN), EXIT());
	FAULTS("cannot be written", UDATA(1, 0), MOV_I(2, 8), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY), EXIT());
	IS(strlen("process(\"./program\").function(\"f\")"), FRAME(1, -64), MOV_I(2, 64), MOV_I(3, 0), CALL(SP_VM_SITE_TEXT),
	   EXIT());
	IS(0x6e6f6974636e7566, FRAME(1, -64), MOV_I(2, 64), MOV_I(3, 1), CALL(SP_VM_SITE_TEXT), LDX(DW, 0, 10, -64), EXIT());
	IS(16, FRAME(1, -64), MOV_I(2, 64), MOV_I(3, 2), CALL(SP_VM_SITE_TEXT), EXIT()); // the path
	IS(strlen("process(\"./program\").function(\"f\")"), FRAME(1, -64), MOV_I(2, 64), MOV_I(3, 3), CALL(SP_VM_SITE_TEXT),
	   EXIT()); // of no alias: the point
	FAULTS("an unknown text", FRAME(1, -64), MOV_I(2, 64), MOV_I(3, 4), CALL(SP_VM_SITE_TEXT), EXIT());
}

static void test_output(void)
{
	RUN(ST(W, 10, -32, SP_EVENT_FORMAT), ST(W, 10, -28, VM_FORMAT_PRINT), ST(DW, 10, -24, 42),
	    FRAME(1, -16), MOV_I(2, 16), UDATA(3, CONSTANTS), CALL(SP_VM_STRCPY), FRAME(1, -32), MOV_I(2, 32),
	    CALL(SP_VM_EMIT), EXIT());
	EXPECT_STR(made.output, "42 constants\n");
	IS(4, ST(DW, 10, -16, 42 << 8), ST(DW, 10, -8, 42), FRAME(1, -64), MOV_I(2, 32), MOV_I(3, VM_FORMAT_STRING),
	   FRAME(4, -16), CALL(SP_VM_SPRINTF), EXIT());
	IS(0x0032343c, ST(DW, 10, -8, 42), FRAME(1, -64), MOV_I(2, 4), MOV_I(3, VM_FORMAT_STRING), FRAME(4, -16),
	   CALL(SP_VM_SPRINTF), LDX(DW, 0, 10, -64), EXIT()); // "<42"
	FAULTS("an unknown format", FRAME(1, -64), MOV_I(2, 4), MOV_I(3, 2), FRAME(4, -16), CALL(SP_VM_SPRINTF), EXIT());
	FAULTS("cannot be read", FRAME(1, -64), MOV_I(2, 4), MOV_I(3, 1), FRAME(4, -8), CALL(SP_VM_SPRINTF), EXIT());
	FAULTS("cannot be read", FRAME(1, -8), MOV_I(2, -1), CALL(SP_VM_EMIT), EXIT());
}

static void test_scratch(void)
{
	IS(5, MOV_I(1, 4000), CALL(SP_VM_SCRATCH), MOV_R(6, 0), ST(DW, 6, 0, 5), LD_NUM(1, 1000000), CALL(SP_VM_SCRATCH),
	   MOV_R(7, 0), ST(DW, 7, 8192, 6), LDX(DW, 0, 6, 0), EXIT());
	IS(0, MOV_I(1, 64), CALL(SP_VM_SCRATCH), LDX(DW, 0, 0, 56), EXIT());
	FAULTS("a read at", MOV_I(1, 64), CALL(SP_VM_SCRATCH), LDX(DW, 0, 0, 57), EXIT());
	FAULTS("no more scratch", LD_NUM(1, SP_VM_MAX_SCRATCH), CALL(SP_VM_SCRATCH), MOV_I(1, 1), CALL(SP_VM_SCRATCH), EXIT());
	FAULTS("no more scratch", MOV_I(1, -1), CALL(SP_VM_SCRATCH), EXIT());
	// It is clear again for the next handler.
	IS(0, MOV_I(1, 64), CALL(SP_VM_SCRATCH), MOV_R(6, 0), LDX(DW, 0, 6, 0), ST(DW, 6, 0, 5), EXIT());
	EXPECT_NUM(vm_made_run(&made, NULL, NULL, 0), 0);
	EXPECT(!made.error);
}

static void test_speed(void)
{
	// 9 instructions a round.
	const struct bpf_insn code[] = {
		LD_NUM(1, 20000000), MOV_I(0, 0), ALU64_R(ADD, 0, 1), ALU64_I(XOR, 0, 12345), ALU64_I(MUL, 0, 3),
		STX(DW, 10, 0, -8), LDX(DW, 2, 10, -8), ALU32_I(AND, 2, 255), ALU64_R(ADD, 0, 2), ALU64_I(SUB, 1, 1),
		JMP_I(JNE, 1, 0, -9), EXIT(),
	};
	struct timespec start, end;
	double seconds;

	vm_made_deinit(&made);
	EXPECT(vm_made_init(&made, code, SP_ARRAY_SIZE(code), UINT64_MAX));
	clock_gettime(CLOCK_MONOTONIC, &start);
	vm_made_run(&made, NULL, NULL, 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	printf("%.0f million instructions a second\n", 180 / seconds);
}

int main(int argc, char **argv)
{
	test_alu();
	test_jumps();
	test_memory();
	test_atomics();
	test_functions();
	test_limit();
	test_task();
	test_clocks();
	test_reads();
	test_arrays();
	test_iteration();
	test_strings();
	test_output();
	test_scratch();
	if (argc > 1 && sp_streq(argv[1], "speed"))
		test_speed();
	vm_made_deinit(&made);
	return expect_status();
}
