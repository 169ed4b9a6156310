// SPDX-License-Identifier: GPL-2.0-or-later
/** The user-space BPF machine: the instruction set of the kernel (64-bit ALU, 32-bit ALU, jumps, loads, stores, atomics,
 *  calls to own functions), no verifier, every memory access checked against the areas below. A call has as much stack as the
 *  function that goes farthest below its frame pointer, at most SP_VM_MAX_FRAME; SP_VM_MAX_CALLS calls deep.
 *
 *  64-bit immediate loads carry in src_reg what the immediate means:
 *    0                      a number
 *    SP_VM_LD_MAP           imm: map index; the value is a handle that only calls accept
 *    SP_VM_LD_AREA          imm: enum sp_vm_area; the next instruction's imm: offset in it
 *
 *  Calls with src_reg 0 are helpers. Ids of the kernel's helpers mean here what they mean there (bpf_ktime_get_ns,
 *  bpf_get_current_pid_tgid, bpf_probe_read_user(_str), ...); those below are ours. Arguments in r1-r5, result in r0;
 *  negative errno values on failure.
 */
#ifndef SP_ABI_USERVM_H
#define SP_ABI_USERVM_H

#include <stdint.h>

#define SP_VM_LD_MAP 1
#define SP_VM_LD_AREA 2
#define SP_VM_MAX_FRAME 16384
#define SP_VM_MAX_NESTING 20000 // the most that MAXNESTING may be
#define SP_VM_MAX_CALLS (3 * SP_VM_MAX_NESTING) // each with parts
#define SP_VM_MAX_SCRATCH (64u << 20) // bytes of a handler, with all functions that it calls

enum sp_vm_area {
	SP_VM_AREA_DATA, // spile_data: read, write
	SP_VM_AREA_SLOTS, // spile_slots: read
	SP_VM_AREA_UDATA, // .spile.udata: read
	SP_VM_AREA_COUNT
};

/** pp(), ppfunc(), the module, pn(). */
enum sp_site_text { SP_SITE_TEXT_POINT, SP_SITE_TEXT_FUNCTION, SP_SITE_TEXT_MODULE, SP_SITE_TEXT_NAME };

enum sp_vm_call {
	SP_VM_CALL_FIRST = 0x10000,
	/** (map, key, value_out) -> 1 found, 0 absent (value_out zeroed) */
	SP_VM_MAP_GET = SP_VM_CALL_FIRST,
	/** (map, key, value) -> 0, -E2BIG when full */
	SP_VM_MAP_SET,
	/** (map, key, delta, old_out or 0) -> 0, -E2BIG when full. Longs only; absent counts as 0 */
	SP_VM_MAP_ADD,
	/** (map, key) -> 0, also when absent */
	SP_VM_MAP_DELETE,
	/** (map) -> 0 */
	SP_VM_MAP_CLEAR,
	/** (map, sort, limit) -> iterator handle >= 0. A snapshot in order of `sort` (sp_vm_sort); limit < 0: none.
	 *  Iterators die with the handler. */
	SP_VM_ITER_OPEN,
	/** (iterator, key_out, value_out) -> 1, 0 at the end. Elements deleted meanwhile are skipped. Aggregates have no
	 *  value: nothing is written there */
	SP_VM_ITER_NEXT,
	/** (iterator) -> 0 */
	SP_VM_ITER_CLOSE,
	/** (record, length) -> 0. The record as abi/event.h has it; the machine fills in an error's site */
	SP_VM_EMIT,
	/** (dst, capacity, format, record) -> length without NUL before it was cut. Formats the record's arguments as text */
	SP_VM_SPRINTF,
	/** (size) -> address of zeroed memory that lives until the handler ends; the scratch frame */
	SP_VM_SCRATCH,
	/** (dst, capacity, enum sp_site_text) -> length. Text of the current site */
	SP_VM_SITE_TEXT,
	/** (a, b) -> memcmp-like order of two NUL-terminated strings */
	SP_VM_STRCMP,
	/** (dst, capacity, src) -> length without NUL; cuts; zero-fills the rest of dst */
	SP_VM_STRCPY,
	/** (dst, capacity, src) -> the length that both have; appends in place, cuts */
	SP_VM_STRCAT,
	/** (s) -> length */
	SP_VM_STRLEN,
	/** (what) -> number of the current task: 0 the parent process, 1 the effective user, 2 the effective group */
	SP_VM_TASK_ID,
	/** (map, key) -> 1 there, 0 absent */
	SP_VM_MAP_HAS,
	/** (map, key, value) -> 0, -E2BIG when full. Aggregates */
	SP_VM_STAT_ADD,
	/** (map, key, what, value_out) -> 1, 0 when there are no values (value_out zeroed). `what`: enum sp_stat but the
	 *  histograms, and one that the aggregate keeps */
	SP_VM_STAT_GET,
	/** (map, key, what, bucket, value_out) -> 1, 0 when there are no values, -ERANGE when there is no such bucket */
	SP_VM_STAT_BUCKET,
	/** (map, key, what) -> 1 printed, 0 when there are no values */
	SP_VM_STAT_PRINT,
	/** (dst, capacity, symbols, size) -> length without NUL before it was cut. The text of a struct sp_symbols (abi/event.h) of
	 *  `size` bytes; of addresses in hexadecimal digits, none is cut in two */
	SP_VM_SYMBOLS,
	/** (s) -> the process that the addresses in a text are of, "0x12 0x34 "; 0 when it is not known */
	SP_VM_STACK_OWNER,
	/** (dst, capacity, map, key, what) -> length without NUL before it was cut, 0 when there are no values. A histogram */
	SP_VM_STAT_TEXT,
	/** (lock, tries) -> 1 the handler has it, 0 others have it. Locks die with the handler */
	SP_VM_LOCK,
	/** (lock) -> 0 */
	SP_VM_UNLOCK,
	SP_VM_CALL_END
};

/** Third argument of SP_VM_ITER_OPEN's sort: key 0 is the value, 1.. the key parts, SP_VM_SORT_STAT + enum sp_stat what is
 *  read of an aggregate; direction +1, -1; 0: any order. */
#define SP_VM_SORT_STAT 32
static inline uint64_t sp_vm_sort(unsigned key, int direction)
{
	return (uint64_t)key << 2 | (uint64_t)(direction + 1);
}

#endif
