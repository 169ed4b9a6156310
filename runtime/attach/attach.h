// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of hooks: from a site of the bundle to a handler that runs.
 *
 *  The problem. Each kind of hook has its own system call, its own needs (a privilege, a kernel version, a function
 *  that can be traced) and its own unclear errno; and attaching one site at a time takes minutes for a wildcard of
 *  thousands, because the kernel waits for all processors each time a link is made or closed.
 *
 *  The idea. attach_multi.c attaches first what one link can serve: the functions that one program probes in the kernel
 *  or in one file; and where many programs probe the kernel's, one for all of them. What is left gets a link of its own
 *  (attach_kernel.c, attach_user.c), and that one explains its failure in words. attach_report.c tells what was attached by
 *  which hook, and decides which failures end the script.
 *
 *  The invariant. A link is a file descriptor of this process, and nothing is pinned: when the process ends, even by SIGKILL, the
 *  kernel detaches all. After attach_detach() no handler runs any more. Only for .maxactive(N) is something written to tracefs: an
 *  event that does nothing when its link is closed (attach_active.c).
 *
 *  The limits. Handlers in user space are not here: timers are timerfds (attach_time.c), and what ptrace(2) probes is
 *  the room ptrace/. */
#ifndef SP_RUNTIME_ATTACH_H
#define SP_RUNTIME_ATTACH_H

#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/load/layout.h"
#include "runtime/load/load.h"

#include <sys/types.h>

struct attach_link {
	unsigned site; // or the first of several
	bool is_shared; // by handlers of several programs
	unsigned cpu; // of an event that each processor has: its number + 1; else 0
	int fd;
};

// Handlers of system calls at one of the two tracepoints (attach_syscall.c).
struct attach_calls {
	bool is_return;
	enum sp_prog_kind kind; // of the handlers
	const char *tracepoint;
	int array; // of programs by number; also in `others`
	int measured; // of the handlers that are measured, by program; also in `others`
	int table; // bytes, by number: the usual program that it has; also in `others`
	int *first; // by number: 1 + the program of its first handler; 0: it has none
	SP_VEC(struct attach_call {
		uint32_t entry;
		int program;
	}) more; // of numbers that have a handler already
};

struct attach {
	const struct bundle *bundle;
	struct load *load;
	const struct sp_log *log;
	pid_t pid; // probes of programs fire in this process only; 0: in all
	pid_t target; // of -c or -x; 0: none
	bool is_confined; // process() handlers are the target's and its children's
	bool target_waits; // it has not its program yet
	SP_VEC(struct attach_watch {
		unsigned site;
		int program;
		uint64_t cookie;
	}) watches; // that are for then
	int tracefs; // -1 until a site needs it
	uint32_t kprobe_type, uprobe_type; // of perf events; 0 until a site needs it
	bool asked_text;
	uint64_t text; // the kernel's _stext, when addresses are known and the kernel is the one that was compiled for; else 0
	int *refused; // by site: the errno value by which the kernel has refused it as one of many, or
		      // that of attach_user_protect(); 0: neither has
	bool *suspect; // by site: its instruction is of a kind that the kernel most often refuses; of the kernel's functions, it has
		       // refused this one as one of many
	struct attach_shared {
		int array; // of programs, by number; also in `others`
		int program; // goes on to the one that the upper half of the attach cookie numbers; 0: there is none
	} shared;
	struct attach_file {
		int fd; // -1: it is not open
		const char *path; // `link`, or where that is not there the bundle's
		char link[32]; // names what is open, whatever has taken its place
		void *at; // NULL: it is not mapped
		size_t size;
	} *files; // by object: attach_user_open()
	const char **hooks; // by site: the kind of hook that it is attached by, "kprobe.multi"; NULL: it is not attached
	SP_VEC(struct attach_link) links;
	SP_VEC(struct attach_calls) calls;
	SP_VEC(int) ways; // the programs at their tracepoints
	struct attach_measured {
		bool is_wanted;
		struct attach_time {
			uint64_t hits, ns;
		} *times; // of the handlers of system calls, by program, which the kernel does not measure; NULL: there are none
		int map; // of the same
		int *programs; // in the place of handlers, by program; 0: none
	} measured;
	struct layout layout; // of what is asked before, too, until sites are attached
	SP_VEC(struct attach_active {
		unsigned number;
		unsigned site;
	}) active; // events that attach_active() has made in tracefs
	unsigned n_active; // how many up to now
	struct {
		bool is_prepared, is_impossible; // zeroed: neither has been tried
		uint64_t utask, depth; // offsets of members
		int map; // of counts by program; -1: none
	} depth; // attach_depth.h
	SP_VEC(int) others; // more descriptors of events: closing them is as slow, and is done together with the links
};

/** To be called before loading: a process may open 1,024 files on most systems, and the programs and sites of a wildcard need more. If the limit
 *  cannot be raised, loading or attaching fails and says so. */
void attach_want_files(const struct bundle *bundle);
void attach_init(struct attach *attach, const struct bundle *bundle, struct load *load, const struct sp_log *log,
		 pid_t pid);
/** Detaches all. */
void attach_deinit(struct attach *attach);

/** Makes an array of `n` programs, for one that goes on to another (bpf_tail_call). It is closed with the links. */
struct sp_err *attach_program_array(struct attach *attach, unsigned n, int *ret);

/** Attaches one site, unless attach_multi() has. The error says which probe point, which hook, why, and what would
 *  help. */
struct sp_err *attach_site(struct attach *attach, unsigned site);
/** To be called when all sites are attached. */
void attach_settle(struct attach *attach);
/** When it returns, no handler runs any more. That may take long: `wait` is called each second, and told how many are left. */
void attach_detach(struct attach *attach, void (*wait)(void *ctx, size_t n_left), void *ctx);

/** Sites of one program, in one object; SP_NONE: of any. */
struct attach_part {
	uint32_t prog, object;
};
bool attach_is_in(const struct attach *attach, const struct attach_part *part, unsigned site);
/** Detaches these. attach_site() and attach_multi() can attach them again. */
void attach_detach_part(struct attach *attach, const struct attach_part *part);
/** Is a site of the kernel's an event that each processor has of its own? */
bool attach_is_per_cpu(const struct bundle *bundle, const struct sp_site *site);
/** Attaches an attached site of that sort to a processor that has come online; does nothing for others. */
struct sp_err *attach_cpu(struct attach *attach, unsigned site, unsigned cpu);
/** Tells before anything runs what is certain to fail, such as a kprobe in a kernel without kprobes. Not for optional sites. */
struct sp_err *attach_check_site(const struct bundle *bundle, unsigned site);

#endif
