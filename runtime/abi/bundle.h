// SPDX-License-Identifier: GPL-2.0-or-later
/** The contract between compiler and runtime: one ELF file, NAME.spo. It is a standard BPF object (programs, BTF-defined
 *  maps, .BTF, .BTF.ext, license) plus the `.spile.*` sections below: arrays of fixed-width little-endian structs.
 *  Texts are offsets into `.spile.strings` (0 is the empty text). A reader validates every index, offset and size.
 *
 *    .spile.head     one struct sp_bundle_head
 *    .spile.strings  NUL-terminated texts; starts and ends with a NUL
 *    .spile.progs    struct sp_prog[]      handlers
 *    .spile.sites    struct sp_site[]      where handlers are attached
 *    .spile.maps     struct sp_map[]       the script's arrays (and `scratch` and `events`)
 *    .spile.globals  struct sp_global[]    the script's scalars, in the data area
 *    .spile.fields   struct sp_field[]     key parts and record arguments
 *    .spile.formats  struct sp_format[]    what records mean
 *    .spile.names    struct sp_name[]      names of the values of enumerations
 *    .spile.places   struct sp_place[]     script places that run-time errors name
 *    .spile.fixups   struct sp_fixup[]     what the runtime writes into the slots before load
 *    .spile.objects  struct sp_object[]    files and kernels that sites are in, with build-ids
 *    .spile.user     struct bpf_insn[]     code for the user-space VM (abi/uservm.h)
 *    .spile.udata    bytes                 constants of that code
 *
 *  The kernel programs see two areas: symbol `spile_data` in section `.data.spile` (struct sp_control, then the losses'
 *  counters, then the scalars) and symbol `spile_slots` in `.rodata.spile` (uint64_t[n_slots]).
 */
#ifndef SP_ABI_BUNDLE_H
#define SP_ABI_BUNDLE_H

#include "runtime/abi/stat.h"

#include <stdint.h>

#define SP_BUNDLE_MAGIC 0x4c495053u // "SPIL"
#define SP_BUNDLE_VERSION 12

#define SP_NONE UINT32_MAX // an index of nothing; a text of nothing is 0, the empty one

#define SP_SEC_HEAD ".spile.head"
#define SP_SEC_STRINGS ".spile.strings"
#define SP_SEC_PROGS ".spile.progs"
#define SP_SEC_SITES ".spile.sites"
#define SP_SEC_MAPS ".spile.maps"
#define SP_SEC_GLOBALS ".spile.globals"
#define SP_SEC_FIELDS ".spile.fields"
#define SP_SEC_FORMATS ".spile.formats"
#define SP_SEC_NAMES ".spile.names"
#define SP_SEC_PLACES ".spile.places"
#define SP_SEC_FIXUPS ".spile.fixups"
#define SP_SEC_OBJECTS ".spile.objects"
#define SP_SEC_USER ".spile.user"
#define SP_SEC_UDATA ".spile.udata"

#define SP_DATA_SECTION ".data.spile"
#define SP_DATA_SYMBOL "spile_data"
#define SP_SLOTS_SECTION ".rodata.spile"
#define SP_SLOTS_SYMBOL "spile_slots"
#define SP_MAP_EVENTS "spile_events" // BPF_MAP_TYPE_RINGBUF, of
#define SP_RING_MIN 4096 // bytes
#define SP_RING_MAX (1 << 28)
#define SP_MAP_SCRATCH "spile_scratch" // one entry a nesting level, see sp_scratch_head; of each CPU
#define SP_MAP_FAMILY "spile_family" // BPF_MAP_TYPE_HASH, uint32_t pid to uint64_t: bits of what it is
#define SP_FAMILY_TARGET 1u // the target, or started by it
#define SP_FAMILY_PROGRAM(object) (2ull << (object)) // it runs that program
#define SP_MAP_NODES "spile_nodes_%u" // of a wrapping array, by its index in the table of maps
#define SP_MAP_PLACES "spile_places_%u"
#define SP_MAP_OWN "spile_own_%u" // of an SP_MAP_APART
#define SP_MAP_THREADS "spile_thread_%u" // struct sp_direct, with the threads that are the keys of an array
#define SP_MAP_SHORT "spile_short_%u" // of an SP_MAP_SPLIT
#define SP_MAP_COUNTERS "spile_counters" // BPF_MAP_TYPE_PERF_EVENT_ARRAY: events of @perf, see SP_FIX_COUNTER
#define SP_MAP_SINCE "spile_since" // BPF_MAP_TYPE_ARRAY of uint64_t: what each of them had counted at the last switch of threads
/** BPF_MAP_TYPE_HASH, thread << 32 | the counter's SP_FIX_COUNTER to uint64_t: what has been counted for the thread up to then. */
#define SP_MAP_COUNTS "spile_counts"
#define SP_FAMILY_PROGRAMS 62 // objects that there are bits for

struct sp_bundle_head {
	uint32_t magic;
	uint16_t version;
	uint16_t head_size;
	uint64_t features; // bits of enum sp_feature (abi/target.h) that the kernel programs need
	char arch[16]; // uname -m name; NUL-padded
	uint32_t release; // text: the kernel it was resolved against; "" when no site is in a kernel
	uint32_t script; // text: the script's name
	uint32_t n_slots;
	uint32_t data_size; // of spile_data
	uint32_t losses_offset; // in spile_data: uint64_t[SP_LOSS_COUNT][n_progs], by enum sp_loss
	uint32_t order_offset; // in spile_data: struct sp_order; 0: none
	uint32_t scratch_size; // bytes of one scratch frame; 0: none
	uint32_t max_errors; // MAXERRORS
	uint32_t max_action; // MAXACTION; 0: none
	uint32_t ring_size; // bytes, a power of two, at least a page
	uint32_t locks_offset; // in spile_data, of which they are the end: struct sp_lock[]; 0: none
};
_Static_assert(sizeof(struct sp_bundle_head) == 80, "abi");

/** What a program can lose. */
enum sp_loss {
	SP_LOSS_DROPPED, // events that found the ring buffer full
	SP_LOSS_NESTED, // handlers that were not run because no scratch space was free
	SP_LOSS_BUSY, // handlers that were skipped, or ended, because others had a lock for too long: of globals, or of a wrapping array
	SP_LOSS_CUT, // strings that were longer than there is room for
	SP_LOSS_ABSENT, // texts of the program that are "" since they could not be read
	SP_LOSS_UNKEPT, // return handlers that were not run because the registers of the function's entry had not been kept
	SP_LOSS_PAUSED, // handlers that were not run while SP_PAUSED_GLOBAL was 1
	SP_LOSS_STACK, // stacks that had no room for a call more
	SP_LOSS_COUNT
};

#define SP_EXITING 1 // the script is about to end: no handler begins
#define SP_EXITED 2 // it has ended: of what is sent from here on only that is printed which has SP_EVENT_GOES_ON
#define SP_STARTING 4 // hooks are being attached: no handler begins before all are, so that what that needs is not seen

/** At the start of spile_data. */
struct sp_control {
	uint64_t exiting; // SP_EXITING, SP_EXITED, SP_STARTING; not 0: handlers return at once
	uint64_t n_errors;
	uint64_t max_action; // rounds of loops that a handler may do; here the verifier does not take it for a constant
	uint64_t user_place; // of the loop or call that a user-side handler entered last: an error about MAXACTION names it
	uint64_t max_user_action; // the same for handlers without a context: begin, end, timers
	uint64_t user_left; // how many of these rounds the user-side handler that runs has left
	uint64_t max_errors; // MAXERRORS: the next error ends the script
	int64_t wall_offset; // ns to add to CLOCK_MONOTONIC for the time of day, which changes when the clock is set
};
_Static_assert(sizeof(struct sp_control) == 64, "abi");

#define SP_ORDER_PROGRAM "spile_order" // puts elements into wrapping arrays for user-side handlers, and takes them away

enum sp_order_op { SP_ORDER_PUT, SP_ORDER_DROP };

enum sp_order_result {
	SP_ORDER_NEW, // done
	SP_ORDER_KNOWN, // PUT: it is there already, and was not changed; DROP: it is not there
	SP_ORDER_BUSY, // nothing was done: others were changing the array
};

/** What that program is asked, and what it answers. */
struct sp_order {
	uint64_t map; // index in the table of maps
	uint64_t op; // enum sp_order_op
	uint64_t result; // enum sp_order_result
	char bytes[]; // key, value
};
_Static_assert(sizeof(struct sp_order) == 24, "abi");

/** Of globals that several handlers touch, on a cache line of its own. */
struct sp_lock {
	uint64_t holder; // the processor's number and 1; with SP_LOCK_USER outside of the kernel; 0: nobody
	uint64_t reserved[7];
};
_Static_assert(sizeof(struct sp_lock) == 64, "abi");
#define SP_LOCK_USER (1ull << 32)

/** At the start of a scratch frame. */
struct sp_scratch_head {
	uint64_t busy; // taken by atomic exchange
	uint64_t reserved;
};
_Static_assert(sizeof(struct sp_scratch_head) == 16, "abi");
#define SP_SCRATCH_LEVELS 4 // frames a CPU: handlers interrupt each other
#define SP_SCRATCH_SLEEPERS 32 // where handlers sleep, while others run on their CPU
/** PCPU_MIN_UNIT_SIZE: the largest element of a per-CPU array. Larger frames are in an array, whose elements are those of one CPU;
 *  the runtime makes it larger. */
#define SP_SCRATCH_PERCPU 32768
#define SP_SCRATCH_MOST 262144

/** What a program's context is. Its BPF type follows from that. */
enum sp_prog_kind {
	SP_PROG_USER, // runs in the VM without a context: begin, end, error, timers
	SP_PROG_REGS, // struct pt_regs: kprobe, uprobe and their returns; also run by the VM under the user engine
	SP_PROG_FENTRY, // uint64_t args[]
	SP_PROG_FEXIT, // uint64_t args[], then the result
	SP_PROG_RAW_TP, // uint64_t args[] of the prototype
	SP_PROG_TYPED_TP, // the same; the verifier knows what pointers among them lead to, which then needs no helper to be read
	SP_PROG_TP, // the event's record
	SP_PROG_PERF, // struct bpf_perf_event_data
	SP_PROG_ITER, // struct bpf_iter__NAME: words, of which the second is the object, or 0 when there are no more
	SP_PROG_LSM, // uint64_t args[] of the security hook, then what the programs before have said
	SP_PROG_NETFILTER, // struct bpf_nf_ctx: words, the hook's state and the packet
	SP_PROG_REPLACE, // uint64_t args[]; unless it returns 0, that is the function's result, and the function is not run (fmod_ret)
	SP_PROG_KIND_COUNT
};

#define SP_PROG_IN_KERNEL 1u // has a BPF program named `name`
#define SP_PROG_IN_USER 2u // has VM code
#define SP_PROG_FLOATS 4u // its VM code reads registers for floating point
#define SP_PROG_EMBEDS 16u // C of the script is in it
#define SP_PROG_SHARES 32u // of the attach cookie it reads the lower half alone: its kprobes can share a link with those of others
#define SP_PROG_SLEEPS 8u // its BPF program may sleep: all of its sites are uprobes

struct sp_prog {
	uint32_t name; // text: the BPF program's symbol
	uint16_t kind; // enum sp_prog_kind
	uint16_t flags;
	uint32_t first_site, n_sites; // the site's index (in this range) is the attach cookie when n_sites > 1
	uint32_t user_insn, n_user_insns; // VM entry, and the code's length with its functions; 0, 0: none
	uint32_t place; // of the `probe` keyword
	uint32_t rest; // index + 1 of the program that runs in the VM for each SP_EVENT_DEFERRED of this one; 0: none
	uint32_t condition; // number of the SP_SITE_CONDITION by which it is attached or not; 0: it always is
	uint32_t reserved;
};
_Static_assert(sizeof(struct sp_prog) == 40, "abi");

/** The hook that a site is attached to. It tells which member of union sp_hook_args is used. */
enum sp_site_kind {
	SP_SITE_BEGIN, SP_SITE_END, SP_SITE_ERROR, // session
	SP_SITE_TIMER, // timer
	SP_SITE_KPROBE, SP_SITE_KRETPROBE, // kernel; at `symbol` + offset, or without a symbol at address
	SP_SITE_FENTRY, SP_SITE_FEXIT, // kernel; at `symbol`: the offset is 0
	SP_SITE_UPROBE, SP_SITE_URETPROBE, // user; in the file of `object`
	SP_SITE_RAW_TP, // none; `symbol` is the tracepoint's name
	SP_SITE_TP, // event; `symbol` is "system:name"
	SP_SITE_SYSCALL, // syscall; `symbol` is the tracepoint that all calls pass: sys_enter, sys_exit
	SP_SITE_PERF, // perf
	SP_SITE_WATCH, // watch; the memory of the variable `symbol`, or without a symbol at address
	SP_SITE_ITER, // none; `symbol` is the iterator's name: "task"
	SP_SITE_LSM, // none; `symbol` is the kernel's function for BPF programs at a security hook: "bpf_lsm_file_open"
	SP_SITE_CONDITION, // condition; its handler sets the global `symbol` to 1 where the condition of a probe holds, else to 0
	SP_SITE_PROCFS, // procfs; `symbol` is the name of a file: its handler is asked what there is to read, or told what is written.
			// SP_INPUT_CHAR, SP_INPUT_LINE: it is told what comes from the standard input
	SP_SITE_NETFILTER, // netfilter
	SP_SITE_RUNNING, // none; process.begin for the processes that run already when the script starts: once for each of them
	SP_SITE_BPF, SP_SITE_BPF_RETURN, // bpf; where the BPF program that begins with the function `symbol` is entered, and left
	SP_SITE_SAMPLE, // none; `symbol` is a file of perf record: its handler runs for each sample, in the order of time
	SP_SITE_KIND_COUNT
};

/** What each kind of hook needs beside the symbol and the object. What a member does not use is 0. The compiler's sites
 *  have it from the probe point on (compiler/probe/point.h). */
union sp_hook_args {
	uint64_t words[3]; // the first member, so that { 0 } clears all
	struct {
		int64_t order; // sites with lower numbers run first; equal ones in the script's order
	} session;
	struct {
		uint64_t number; // that sp_prog.condition has; from 1 on
	} condition;
	struct {
		int64_t period, deviation; // in ns; each period is longer or shorter by up to the deviation, at random
	} timer;
	struct {
		uint64_t linked; // link-time address of the instruction in `object`, or its place in the site's section; 0: not known
		uint32_t offset; // from the symbol
		uint32_t max_active; // SP_SITE_KRETPROBE: calls that may be in the function at a time; 0: as many as the kernel chooses
		uint64_t address; // where it is in the running kernel, when the site has no symbol; else 0
	} kernel;
	struct {
		uint64_t offset; // of the instruction in the file
		uint64_t semaphore; // offset in the file of the 16-bit number that counts who listens to a mark; 0: none
	} user;
	struct {
		uint64_t only_new; // SP_SITE_PROCESS: 1: only when a system call returns in a task that it has made
	} event;
	struct {
		uint32_t number; // of the system call, below SP_SYSCALLS
		uint32_t flags; // SP_SYSCALL_*
	} syscall;
	struct {
		uint32_t type; // of the event, as perf_event_open(2) has it
		uint32_t is_rate; // 1: `amount` is samples a second; 0: events from one sample to the next
		uint64_t config;
		uint64_t amount;
	} perf;
	struct {
		uint32_t pf, hook; // enum nf_inet_hooks
		int64_t priority; // of 32 bits
	} netfilter;
	struct {
		uint64_t tag; // of the program's code, by which its parameters are known; 0: any code will do
		uint32_t id; // of the program; 0: any
		uint32_t nth; // how many others of that name and tag come before it
	} bpf;
	struct {
		uint32_t is_write; // 1: the handler is told what is written; 0: it is asked what there is to read
		uint32_t umask; // of who may do so: 0444 or 0222 without these bits
		uint64_t most; // bytes to read; 0: as many as the handler gives
	} procfs;
	struct {
		uint64_t address; // in the running kernel, when the site has no symbol; in a process; else 0
		uint32_t size; // 1, 2, 4 or 8 bytes
		uint32_t reads; // 1: reading hits it, too; 0: only writing
		uint64_t is_relative; // 1: in processes that have the program, and from where the start of its file is mapped
	} watch;
};
_Static_assert(sizeof(union sp_hook_args) == 24, "abi");

#define SP_MAX_ACTIVE 4096 // KRETPROBE_MAXACTIVE_MAX
#define SP_PROCFS_MOST (64 << 20) // bytes that there can be to read
#define SP_VALUE_GLOBAL "$value" // the global, a string, that has what was written to an SP_SITE_PROCFS
// Names that no file of an SP_SITE_PROCFS can have: each byte of the standard input, each line of it with its newline.
#define SP_INPUT_CHAR "/char"
#define SP_INPUT_LINE "/line"

/** The global, a number, that is 1 while SP_SITE_RUNNING handlers run, and for SP_RUNNING_MS more: a process that has just begun may be met
 *  by them and by SP_SITE_BEGINS, which then leave out what the others have told. */
#define SP_RUNNING_MS 500
#define SP_RUNNING_GLOBAL "running:"

/** The global, a number, that is 1 while handlers of events are to do nothing but count (--max-overhead). A script that was not compiled for
 *  that has none. */
#define SP_PAUSED_GLOBAL "paused:"

#define SP_SYSCALLS 1024
#define SP_SYSCALL_COMPAT 1u // of 32-bit programs
#define SP_SYSCALL_RETURN 2u

#define SP_SITE_OPTIONAL 1u // `?`: failure to attach is not an error
#define SP_SITE_PROCESS 2u // SP_SITE_TP: what happens to a process, which the user engine sees, too
#define SP_SITE_INSIDE 4u // SP_SITE_UPROBE: at an instruction that is not the first of a function
#define SP_SITE_BEGINS 8u // of process.begin, in a process that has just begun: attached before SP_SITE_RUNNING handlers run

struct sp_site {
	uint16_t kind; // enum sp_site_kind
	uint16_t flags;
	uint32_t prog;
	uint32_t point; // text: the resolved probe point, what pp() says
	uint32_t function; // text: what ppfunc() says
	uint32_t name; // text: what pn() says; 0: the point
	uint32_t why; // text: why this hook, for -v
	uint32_t symbol; // text
	uint32_t object; // index into objects; SP_NONE
	uint32_t program; // index into objects: only processes that run this file hit the site; SP_NONE: all do
	uint32_t section; // text: of a kernel module, that args.kernel.linked is in; "": none
	union sp_hook_args args; // by kind
};
_Static_assert(sizeof(struct sp_site) == 64, "abi");

/** Types of what is in a key, a value or a record. Those behind SP_STRING are in records only. */
enum sp_type {
	SP_LONG,
	SP_STRING,
	SP_SYMBOLS, // struct sp_symbols, which is printed as a string
	SP_BITS, // bit_size bits from bit_off on of a number of 1 to 8 bytes; this and the next are parts of C values
	SP_NAMED, // the same, as the run of names that begins with names[more] says; a number when none fits
	SP_FLOAT, // 4 or 8 bytes, IEEE 754, or 12 or 16, which are x86's long double; `more` 4 or 8: to be rounded to so many bytes
	SP_QUOTED, // an array of characters, in quotes
	SP_CAPTURED, // struct sp_captured of text, in quotes; when it could not be read, the address
	SP_VALUE, // formats[more], over the same record, when the struct sp_captured of bytes there could be read
	SP_WIDE, // a number of 16 bytes; more: to base 10 or 16
	SP_WHEN, // as SP_BITS: what follows up to its SP_UNTIL is printed when names[more] and those that follow it have the number
	SP_UNLESS, // ... when they have not
	SP_UNTIL, // no text; nor have SP_WHEN and SP_UNLESS one
	SP_NAME, // no text: what follows up to its SP_NAME_END is a value that is called names[more]
	SP_NAME_END, // no text
	SP_TYPE_COUNT
};

/** A copy of memory in a record; the memory may have been unreadable. */
struct sp_captured {
	uint64_t address;
	int64_t result; // of the read: below 0 when it failed; of text: its length with the NUL
	char bytes[];
};
_Static_assert(sizeof(struct sp_captured) == 16, "abi");

enum sp_map_kind {
	SP_MAP_HASH,
	SP_MAP_STAT, // aggregates, a record a CPU: a per-CPU hash; without keys one scalar, in a per-CPU array
	SP_MAP_KIND_COUNT
};
#define SP_MAP_MAX_ENTRIES (1 << 28)
#define SP_STAT_KEY_SIZE 8 // of a scalar aggregate: zeros, of which the kernel takes 4 bytes
#define SP_MAP_WRAPS 1u // a[N]%: the oldest element makes room
#define SP_MAP_FORGETS 512u // full, an old element makes room: an LRU hash in the kernel
#define SP_MAP_UNREAD 2u // written but never read by the script: printed at the end
#define SP_MAP_PRIVATE 4u // made by the compiler
#define SP_MAP_APART 16u // an aggregate of handlers in the kernel to which user-side handlers add: these do so in SP_MAP_OWN
#define SP_MAP_ORDERED 8u // wraps, and is in the kernel: only handlers there and SP_ORDER_PROGRAM change it
#define SP_MAP_SPLIT 256u // in the kernel, elements whose key ends in a short text (sp_short_text) are in SP_MAP_SHORT
#define SP_MAP_PLAIN 128u // and as SystemTap does: one element a line, stacks as addresses
#define SP_MAP_HEX 64u // its numbers are printed in hexadecimal at the end
#define SP_MAP_DIRECT 32u // numbers under one text that is known: the kernel's programs have them in spile_data, by the text's place

/** An element of an SP_MAP_DIRECT. */
struct sp_direct {
	int64_t value; // 0 when it is not there
	uint64_t is_there;
};

struct sp_map {
	uint32_t name; // text: the BPF map's name
	uint32_t label; // text: the script's name for it
	uint16_t kind;
	uint16_t flags;
	uint32_t key_size, value_size, max_entries;
	uint32_t first_key, n_keys; // fields
	uint16_t value_type; // enum sp_type
	uint16_t reserved;
	uint32_t place; // of the declaration
	uint32_t data_offset; // in spile_data: SP_MAP_DIRECT: of its struct sp_direct[]; SP_MAP_SPLIT: of the number of its elements
	uint32_t key_names; // text: what the script calls the parts of the key, with commas between; of a part without a name: nothing
	struct sp_stat_shape stat; // SP_MAP_STAT: value_size is sp_stat_size of it
};
_Static_assert(sizeof(struct sp_map) == 80, "abi");

/** Of a text of so many bytes at the end of a key: as many of its first as keys of SP_MAP_SHORT have, the NUL of a short text among them.
 *  Texts of that much room are stacks: 16 addresses are short. */
static inline uint32_t sp_short_text(uint32_t size)
{
	return size < 1024 ? 64 : 256;
}

#define SP_GLOBAL_UNREAD 1u // printed at the end
#define SP_GLOBAL_PRIVATE 2u
#define SP_GLOBAL_HEX 4u // as SP_MAP_HEX

struct sp_global {
	uint32_t name; // text
	uint16_t type; // enum sp_type
	uint16_t flags;
	uint32_t offset; // in spile_data
	uint32_t size; // 8, or the string's capacity
};
_Static_assert(sizeof(struct sp_global) == 16, "abi");

#define SP_FIELD_SIGNED 1u // SP_BITS, SP_NAMED, SP_WIDE; SP_NAME: the number that follows
#define SP_FIELD_HEX 8u // part of a key, a number: a pointer, shown in hexadecimal at the end
#define SP_FIELD_NUMBER 4u // SP_NAME: what follows is a number, also where it is part of the text
#define SP_FIELD_KNOWN 2u // part of a key, a text: always one of names `more`.., which are sorted. The kernel's map has its place among
			  // these, as 8 bytes
#define SP_FIELD_FLAGS 16u // SP_NAMED: of names with one bit each: those of the value's bits are shown together

struct sp_field {
	uint8_t type; // enum sp_type
	uint8_t flags;
	uint8_t bit_off, bit_size; // SP_BITS, SP_NAMED, SP_WHEN, SP_UNLESS
	uint32_t offset; // in the key, or in the record (from its start, head included)
	uint32_t size; // bytes. SP_LONG: 8; SP_STRING: the capacity with its NUL, a multiple of 8
	uint32_t more; // SP_NAMED, SP_WHEN, SP_UNLESS, SP_NAME, SP_FIELD_KNOWN: names; SP_VALUE: a format of a lower number; SP_FLOAT, SP_WIDE: see there
};
_Static_assert(sizeof(struct sp_field) == 16, "abi");

/** Names of one enumeration are neighbours; so are the texts that one part of a key may be, with their places as values. */
struct sp_name {
	int64_t value;
	uint32_t text; // text
	uint32_t left; // how many of its enumeration follow
};
_Static_assert(sizeof(struct sp_name) == 16, "abi");

enum sp_format_kind {
	SP_FORMAT_PRINT, // to standard output
	SP_FORMAT_LOG, // standard output, with a newline
	SP_FORMAT_WARN, // "WARNING: ...", with a newline, on standard error
	SP_FORMAT_SYSTEM, // a command that is run
	SP_FORMAT_STRING, // sprintf: only formatted by VM calls
	SP_FORMAT_PART, // of another format (SP_VALUE)
	SP_FORMAT_DEFERRED, // not text: the record of a handler whose rest runs in the VM, struct sp_deferred
	SP_FORMAT_ITER, // the symbol of an SP_SITE_ITER, whose handlers run once more
	SP_FORMAT_VALUE_SET, // what there is to read of an SP_SITE_PROCFS
	SP_FORMAT_VALUE_ADD, // more of that
	SP_FORMAT_KERNEL_LOG, // to the kernel's log, with "<LEVEL>" in front
	SP_FORMAT_TRACE_MARKER, // to the trace buffer of the kernel
	SP_FORMAT_KIND_COUNT
};

#define SP_FORMAT_TELLS_WHO 1u // its records end with struct sp_event_who

struct sp_format {
	uint32_t text; // text: printf format; directives take the fields in order
	uint8_t kind; // enum sp_format_kind
	uint8_t flags;
	uint16_t n_args;
	uint32_t first_arg; // field
	uint32_t record_size; // of the whole record, head included
};
_Static_assert(sizeof(struct sp_format) == 16, "abi");

struct sp_place {
	uint32_t file; // text
	uint32_t line, column;
	uint32_t what; // text: "operator '/'", "identifier '$x'": what a run-time error says it is near to
};
_Static_assert(sizeof(struct sp_place) == 16, "abi");

enum sp_fixup_kind {
	SP_FIX_TARGET_PID, // target()
	SP_FIX_STAP_PID, // the runtime's own pid
	SP_FIX_WALL_OFFSET, // 0; the script asks for the time of day: sp_control's wall_offset
	SP_FIX_KERNEL_SLIDE, // run-time minus link-time addresses of vmlinux
	SP_FIX_MODULE_SECTION, // where section `text` of the kernel module in `object` was loaded
	SP_FIX_TSC_MULT, SP_FIX_TSC_SHIFT, SP_FIX_TSC_OFFSET, // cycles = offset + (ns * mult >> shift)
	SP_FIX_CONFINED, // bits that a process must have in SP_MAP_FAMILY, for process() handlers; 0: none. `object`: the program
			 // that it must run, SP_NONE: any
	SP_FIX_CPUS, // processors that there may be: records of an aggregate
	SP_FIX_TZ_OFFSET, // seconds that local time is behind UTC
	SP_FIX_TZ_NAME, // the first 7 bytes of the time zone's name, with a NUL
	SP_FIX_TERMINAL, // lines << 16 | columns of the terminal that the output goes to; 0: it goes to none
	SP_FIX_MEMBER, // where a member is in its structure, in the BTF of the kernel: `text` is "struct file.f_inode:8:32",
		       // with the bytes that a number has (0: any) and the offset in the kernel of `object`; "struct file.:0:232": the
		       // size of the structure
	SP_FIX_PROTOTYPE, // 0; `text` is "vfs_read(file,buf,count,pos)": the function must have these parameters
	SP_FIX_BITS, // where a bit-field is in its structure: `text` is "struct sock.sk_protocol:8:4224", its bits and the first
	SP_FIX_SAME_PLACE, // 0; `text` is "struct trace_event_raw_sched_switch.next_pid:4:56": as for SP_FIX_MEMBER, and the
			   // member must be at this very offset
	SP_FIX_SYMBOL, // the address of the kernel's symbol `text`; 0 where it has none
	SP_FIX_COUNTER, // the first of a perf counter's events in SP_MAP_COUNTERS, one a processor; `text` is "TYPE:CONFIG", as
			// perf_event_open(2) has them
	SP_FIX_LAYOUT, // where a member is in the kernel that runs: as SP_FIX_MEMBER, but the script is bound to none; 0 where there is none
	SP_FIX_KIND_COUNT
};

struct sp_fixup {
	uint16_t kind;
	uint16_t reserved;
	uint32_t slot;
	uint32_t object;
	uint32_t text; // text: what it names
};
_Static_assert(sizeof(struct sp_fixup) == 16, "abi");

#define SP_OBJECT_KERNEL 1u
#define SP_OBJECT_KERNEL_MODULE 2u
#define SP_OBJECT_PROGRAM 3u

#define SP_OBJECT_PORTABLE 1u // flag of a kernel: others do, too, when the fixups that look at BTF find what they want

struct sp_object {
	uint32_t name; // text: "kernel", module name, or the script's text for the program
	uint32_t path; // text: absolute path of the file; "" for the kernel
	uint16_t kind;
	uint16_t build_id_len;
	uint8_t build_id[32]; // a program without one has an id of its content (base/build_id.h)
	uint32_t flags;
	union {
		uint64_t text_base;   // kernel: link-time address of _stext
		uint64_t code_layout; // program: sp_code_layout(), 0: not known
	};
	uint32_t bound_by; // text: what of the script holds for this build of a kernel alone; "": nothing
	uint32_t bound_at; // the place of that
};
_Static_assert(sizeof(struct sp_object) == 64, "abi");

#endif
