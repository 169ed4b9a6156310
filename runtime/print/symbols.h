// SPDX-License-Identifier: GPL-2.0-or-later
/** Names of addresses: of the kernel as /proc/kallsyms tells, of processes by what is mapped in them and the symbol
 *  tables of those files. What is read is kept, so a process that has ended is known when it was asked for before, or when
 *  the kernel has told of it (symbols_listen), and it is one of the last that have (processes.h). */
#ifndef SP_RUNTIME_SYMBOLS_H
#define SP_RUNTIME_SYMBOLS_H

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"
#include "runtime/print/processes.h"

#include <sys/types.h>

struct symbols;

/** An address: in a file, or in the kernel. */
struct symbols_place {
	const char *path; // NULL: the kernel
	const char *module, *symbol; // of the kernel
	uint64_t offset; // in the file, or from the symbol
};

/** A function at an address, and the line of its source. */
struct symbols_frame {
	const char *function, *file; // NULL: not known
	unsigned line;
};

#define SYMBOLS_FRAMES_MAX 16 // functions that are inlined at one address

/** As spilert_opts.frames, for at most SYMBOLS_FRAMES_MAX. */
typedef int symbols_source_fn(void *ctx, const struct symbols_place *place, struct symbols_frame *ret);

/** `target`: the process whose addresses are meant by handlers that run for no process (end, timers); 0: there is
 *  none. */
struct symbols *symbols_create(pid_t target);
/** Asks `source` where addresses come from; NULL: nobody knows. */
void symbols_set_source(struct symbols *symbols, symbols_source_fn *source, void *ctx);
void symbols_destroy(struct symbols *symbols);

/** Addresses are of processes that somebody has recorded, perhaps elsewhere: what they map is told to processes_events.
 *  `is_this_kernel`: the kernel's addresses are those of the one that runs. */
void symbols_set_recorded(struct symbols *symbols, bool is_this_kernel);
/** What is known of processes: the context of processes_events. */
struct processes *symbols_processes(struct symbols *symbols);
/** The kernel has got more symbols, of a module: they are read anew when the next name is wanted. No name that was given before is valid then. */
void symbols_forget_kernel(struct symbols *symbols);

/** Has the kernel tell what the target and its children (without one: all processes) map from now on. */
struct sp_err *symbols_listen(struct symbols *symbols);
/** Does it? */
bool symbols_listens(const struct symbols *symbols);
/** On a processor that has come online, too; does nothing without symbols_listen(). */
struct sp_err *symbols_listen_on(struct symbols *symbols, unsigned cpu);
/** Has an epoll object tell, as `data`, when symbols_update() should not wait; does nothing without symbols_listen(). */
struct sp_err *symbols_watch(struct symbols *symbols, int epoll_fd, uint64_t data);
/** How much of that it has not told. */
uint64_t symbols_lost(const struct symbols *symbols);
/** Why what is known of addresses is not whole, as a file could not be read; NULL: nothing is missing. Who takes it puts NULL there. */
struct sp_err **symbols_unread(struct symbols *symbols);
/** Takes what the kernel has told since the last call, before its buffer overflows. */
void symbols_update(struct symbols *symbols);
/** Reads the mappings of a running process that was not seen before. */
void symbols_see(struct symbols *symbols, pid_t pid);
/** A process has mapped other code, perhaps in the place of what is known: reads that if it was seen. */
void symbols_see_changed(struct symbols *symbols, pid_t pid);
/** Reads, once, what all processes have mapped: a stack that is kept can be of any, and nobody told of those that ran before. */
void symbols_see_running(struct symbols *symbols);
/** Is it a process whose mappings are known? All that run are read before the first answer. */
bool symbols_knows(struct symbols *symbols, pid_t pid);
/** Code that a process has mapped. */
struct symbols_code {
	uint64_t start, end, offset;
	const char *path;
};
typedef void symbols_code_fn(void *ctx, const struct symbols_code *code);
/** How much of a process has been told; zeroed: nothing. */
struct symbols_told {
	uint64_t generation;
	size_t n;
};
/** Tells what of the code of a process has not been told, all of it when another program has the pid now. */
void symbols_each_code(struct symbols *symbols, pid_t pid, struct symbols_told *told, symbols_code_fn *tell, void *ctx);
/** The process that a stack of addresses of programs is of: stack_owner(), with `pid`, or with 0 the target, as the first. */
pid_t symbols_owner(struct symbols *symbols, pid_t pid, const uint64_t *addresses, size_t n);
/** Appends the name of the function at an address of the kernel or of a process, else its module in brackets.
 *  `is_return`: a call returns there. */
void symbols_put_frame(struct sp_buf *out, struct symbols *symbols, bool is_kernel, pid_t pid, uint64_t address, bool is_return);
/** The addresses of a struct sp_symbols in `size` bytes that need not be aligned: SP_SYMBOLS_PLACES at most, the innermost first, without
 *  frames of tracing itself. Returns how many. */
size_t symbols_addresses(struct symbols *symbols, const void *record, size_t size, uint64_t *ret);
/** What is known of an address. */
struct symbols_known {
	uint64_t address;
	const char *symbol, *module, *file; // NULL: not known
	uint64_t offset; // of the address in the symbol
	unsigned line; // of the file
	bool is_inlined; // `symbol` is a function that is inlined there, which has no offset
};
typedef void symbols_tell_fn(void *ctx, const struct symbols_known *known);

/** Tells each function at the addresses of a struct sp_symbols in `size` bytes that need not be aligned, the innermost first. */
void symbols_each(struct symbols *symbols, const void *record, size_t size, symbols_tell_fn *tell, void *ctx);
/** The same for an address of the kernel or of a process. */
void symbols_each_at(struct symbols *symbols, bool is_kernel, pid_t pid, uint64_t address, bool is_return, symbols_tell_fn *tell, void *ctx);
/** Appends the text of a struct sp_symbols in `size` bytes that need not be aligned. `symbols` NULL: no names are
 *  known. */
void symbols_put(struct sp_buf *out, struct symbols *symbols, const void *record, size_t size);

#endif
