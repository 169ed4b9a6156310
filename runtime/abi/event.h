// SPDX-License-Identifier: GPL-2.0-or-later
/** Records that handlers send: through the ring buffer from the kernel, by a VM call from user-side handlers. */
#ifndef SP_ABI_EVENT_H
#define SP_ABI_EVENT_H

#include <stdint.h>

enum sp_event_kind {
	SP_EVENT_FORMAT, // id: format; its arguments follow at the format's field offsets
	SP_EVENT_EXIT, // exit() was called: from here on nothing is printed but what goes on
	SP_EVENT_ERROR, // struct sp_event_error; the handler was ended
	SP_EVENT_HIST, // struct sp_event_hist; id: map
	SP_EVENT_DEFERRED, // struct sp_deferred; id: the index of the site within the program's
	SP_EVENT_KIND_COUNT
};

/** Added to the kind of what a handler sends behind its own exit(), or, in the kernel, behind its first record: what it has begun to
 *  print is printed whole, also when another one ends the script meanwhile. */
#define SP_EVENT_GOES_ON 0x8000u

struct sp_event_head {
	uint16_t kind;
	uint16_t prog;
	uint32_t id;
};
_Static_assert(sizeof(struct sp_event_head) == 8, "abi");

/** SP_RT_DIVISION and so on. */
enum sp_error_code {
#define SP_ERROR(code, value, text) SP_RT_##code,
#include "runtime/abi/error.def"
#undef SP_ERROR
	SP_RT_CODE_COUNT
};

/** What a record of an error has beside the code. */
enum sp_error_value {
	SP_ERROR_NONE, // `value` means nothing
	SP_ERROR_MESSAGE, // `message`
	SP_ERROR_ADDRESS, // value: the address
	SP_ERROR_MAP, // value: index of the map
};

#define SP_EVENT_CALLS 6

/** Fixed size: the message is cut at its capacity. */
struct sp_event_error {
	struct sp_event_head head; // id: place, or SP_NONE
	uint32_t code;
	uint32_t site; // index within the program's sites
	uint64_t value;
	uint32_t calls[SP_EVENT_CALLS]; // places + 1 of the calls that led there, innermost first; 0 behind the last
	char message[]; // SP_RT_USER only: NUL-terminated, within the record
};
_Static_assert(sizeof(struct sp_event_error) == 48, "abi");

/** The text that the runtime makes of an address, or of each in a stack. Of what is not known the address itself is told. */
enum sp_symbol_text {
	SP_SYMBOL_NAME, // name
	SP_SYMBOL_DATA, // name+0xOFFSET/0xSIZE [MODULE]
	SP_SYMBOL_CALLER, // the same of an address that a call returns to
	SP_SYMBOL_MODULE, // MODULE
	SP_SYMBOL_FILE, // the source file
	SP_SYMBOL_LINE, // the line in it
	SP_SYMBOL_FILE_LINE, // file:line
	SP_SYMBOL_HEX, // "0xADDRESS "
	SP_SYMBOL_BRIEF, // a line: name+0xOFFSET
	SP_SYMBOL_SIMPLE, // a line: name+0xOFFSET [MODULE without folders]
	SP_SYMBOL_FULL, // a line: 0xADDRESS : name+0xOFFSET/0xSIZE [MODULE]
	SP_SYMBOL_FULLER, // the same with the source file and line
	SP_SYMBOL_TEXT_COUNT
};

#define SP_SYMBOLS_MAX 127 // addresses of a stack, as the kernel keeps for perf
#define SP_SYMBOLS_PLACES (SP_SYMBOLS_MAX + 1)
#define SP_TRACER_MAX 12 // among so many are the frames of tracing itself

/** What has called a handler in the kernel, and stands in front of the stack that it reads. */
enum sp_tracer {
	SP_TRACER_NONE, // the stack begins at the probed place
	SP_TRACER_CALLS, // bpf_trace_runN() and what calls it, bpf_iter_run_prog(), nf_hook_run_bpf()
	SP_TRACER_TRAMPOLINE, // bpf_trampoline_N, which has a name late or never
};

/** An argument of a record that is printed as text of addresses. */
struct sp_symbols {
	uint32_t pid; // whose addresses they are
	uint16_t text; // enum sp_symbol_text
	uint8_t is_user; // 0: of the kernel
	uint8_t tracer; // enum sp_tracer: the frames of tracing itself that the stack begins with, which are not shown
	int64_t size; // bytes of the addresses; less than 8: there are none
	uint64_t addresses[]; // of a stack: a 0 at the front is none, a later one the end
};
_Static_assert(sizeof(struct sp_symbols) == 16, "abi");

/** Who hit a probe and when, for the rest of the handler. The values that it read follow, where the rest's code knows. */
struct sp_deferred {
	struct sp_event_head head;
	uint64_t pid, tid, uid, gid, cpu;
	uint64_t time; // ns of CLOCK_MONOTONIC
	uint64_t task; // address of the task_struct
	char comm[16];
};
_Static_assert(sizeof(struct sp_deferred) == 80, "abi");

/** Who printed, and when: the end of the records of a format that has SP_FORMAT_TELLS_WHO. */
struct sp_event_who {
	uint64_t site; // index within the program's sites
	uint64_t time; // ns of CLOCK_MONOTONIC
	uint64_t cpu, pid, tid;
	char comm[16];
};
_Static_assert(sizeof(struct sp_event_who) == 56, "abi");

/** A histogram to be printed. */
struct sp_event_hist {
	struct sp_event_head head;
	uint64_t what; // SP_STAT_LOG or SP_STAT_LINEAR
	uint64_t buckets[]; // merged
};
_Static_assert(sizeof(struct sp_event_hist) == 16, "abi");

#endif
