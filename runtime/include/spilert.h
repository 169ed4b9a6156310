/* SPDX-License-Identifier: GPL-2.0-or-later */
/** libspilert: loads and runs a compiled script (.spo). Phases are separate calls, so that each can be tested and
 *  reported alone: open, prepare, load, attach, run, close. A session is used by one thread at a time; several sessions
 *  are independent. Functions return 0, or the exit status that the tool would end with (1 script error, 2 usage,
 *  3 missing privilege or kernel feature, 4 target mismatch, 5 internal); the reason has been given to `log`. */
#ifndef SPILERT_H
#define SPILERT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct spilert;

enum spilert_level { SPILERT_ERROR, SPILERT_WARN, SPILERT_INFO, SPILERT_DEBUG };

/** Where handlers of process() probes run. */
enum spilert_engine {
	SPILERT_ENGINE_AUTO, /* in the kernel where it lets us, else by ptrace, with one warning */
	SPILERT_ENGINE_KERNEL,
	SPILERT_ENGINE_USER
};

/** An address that the script prints: in a file that a program has mapped, or in the kernel. */
struct spilert_place {
	const char *path; /* the file; NULL: the kernel */
	const char *module, *symbol; /* of the kernel: "kernel" or the name of a module, and a symbol before the address */
	unsigned long long offset; /* in the file, or from that symbol */
};

/** A function at an address, and the line of its source. */
struct spilert_frame {
	const char *function, *file; /* NULL: not known */
	unsigned line;
};

/** A session that is watched while it runs: from spilert_run() on, `look` is called once a period, and when `fd` can be read. It may
 *  call the functions under "watching", and must not block. */
struct spilert_watch {
	unsigned period_ms;
	int fd; /* -1: none */
	void (*look)(void *ctx, struct spilert *rt);
	void *ctx;
};

/** What takes much room, and is named only by who offers it, so that other programs are linked without: the page of opts.web, what
 *  writes opts.perf_data and opts.plot, what reads the files of perf.data probes, and what says why nothing was seen. */
extern const struct spilert_page spilert_page;
extern const struct spilert_perf_writer spilert_perf_writer;
extern const struct spilert_plotter spilert_plotter;
extern const struct spilert_sampler spilert_sampler;
extern const struct spilert_unseen spilert_unseen;

struct spilert_opts {
	size_t size; /* of this struct, as the caller knows it */
	/** `text` is one line without newline. NULL: silent. */
	void (*log)(void *ctx, enum spilert_level level, const char *text);
	void *log_ctx;
	enum spilert_level max_level;
	int out_fd; /* what the script prints; -1: standard output */
	enum spilert_engine engine;
	const char *command; /* -c: run by /bin/sh -c when it needs a shell; the script ends when it ends. NULL: none */
	pid_t pid; /* -x: the target; 0: none. The script ends when it ends */
	double seconds; /* -T: end after this time; 0: never */
	const char *const *globals; /* -G: "name=value", NULL-terminated; or NULL */
	int no_warnings; /* -w */
	int handle_signals; /* SIGINT, SIGTERM, SIGHUP, SIGQUIT end the run (the end probes run) */
	int suppress_handler_errors; /* run-time errors are warnings and do not end the script */
	int timing; /* -t: how often each handler ran and how long is printed at the end */
	/** Attaching or detaching takes long: `text` says how far it is, instead of what it said before; "" when it is done.
	 *  NULL: silent. */
	void (*progress)(void *ctx, const char *text);
	/** At the end, arrays whose keys are stacks are printed as lines "main;outer;leaf 42", and drawn into a file, FILE.svg or
	 *  FILE.html (NULL: none). */
	int folded;
	const char *flamegraph;
	/** The functions at an address: those that are inlined there, from the inside out, and at last the one whose code it is.
	 *  Returns how many. NULL: symfileline() and the like print addresses only. */
	int (*frames)(void *ctx, const struct spilert_place *place, struct spilert_frame *ret, int max);
	void *frames_ctx;
	/** What people call the run: where it has files (procfs probes), their folder. NULL: as the script. */
	const char *name;
	/** The script's variables are served as metrics, on this port of 127.0.0.1, at /metrics, while the script runs. 0: not at all;
	 *  < 0: on a free port, which `log` gets to know. */
	int prometheus;
	/** A page for browsers shows the run while it lasts: its probes, variables and output; probes can be switched there, and the run be
	 *  ended. It is served on this port of 127.0.0.1, as above, to whoever has its whole address, which `served` gets once, with
	 *  `log_ctx`. 0: it is not. */
	int web;
	const struct spilert_page *page; /* &spilert_page; NULL: there is no --web */
	const char *title; /* what the page calls the run; NULL: `name` */
	void (*served)(void *ctx, const char *address);
	/** A public key of minisign, or a file of such keys: spilert_open_file opens only what one of them has signed, by FILE.minisig
	 *  beside it. NULL: any file, unless /etc/spile/require-signature names keys, which always hold. */
	const char *require_signature;
	/** When all is attached, the process gives up, for good, the privileges and system calls that the session does not need. */
	int sandbox;
	/** Shares of all CPUs that handlers may take, above 0 and up to 1; 0: as much as they like. Above the first one, handlers of
	 *  events do nothing but count for a while, so that they take no more on the average; the script is compiled for that. When they
	 *  take more than the second one for `overload_seconds` (0: 1), the script ends with an error that names them. */
	double max_overhead, overload, overload_seconds;
	const struct spilert_watch *watch; /* NULL: none */
	/** What the script prints, its variables at the end, and every message and loss are JSON, an object a line, on `out_fd`. `log` gets
	 *  messages and losses as ever. A script that was not compiled for that tells less: not who printed, nor names of values. */
	int json;
	/** What the script prints goes to FILE.0, FILE.1 and so on, not to `out_fd`: each has at most so many bytes, whole lines unless one is
	 *  longer; of more than `rotate_keep` files (0: of any number) the oldest is removed. %Y and the like in the name are replaced
	 *  as by strftime(3). With handle_signals, SIGUSR2 begins the next one. NULL: `out_fd`. */
	const char *rotate_file;
	uint64_t rotate_size;
	unsigned rotate_keep;
	/** What handlers of events print is also written into this file, which perf(1) reads, as samples with typed fields. A script that was
	 *  not compiled for JSON has none. NULL: no file. */
	const char *perf_data;
	const struct spilert_perf_writer *perf_writer; /* &spilert_perf_writer; NULL: there is no --perf-data */
	/** At the end, arrays that have a number among their keys are drawn into this file, FILE.svg. NULL: none. */
	const char *plot;
	const struct spilert_plotter *plotter; /* &spilert_plotter; NULL: there is no --plot */
	const struct spilert_sampler *sampler; /* &spilert_sampler; NULL: scripts with perf.data probes do not run */
	const struct spilert_unseen *unseen; /* &spilert_unseen; NULL: a session that has seen nothing does not say why */
};

/** The defaults: out_fd -1, handle_signals 1, the rest 0. */
#define SPILERT_OPTS_INIT { .size = sizeof(struct spilert_opts), .out_fd = -1, .handle_signals = 1, .max_level = SPILERT_WARN }

/** Reads and validates a bundle; the bytes are copied, and a signature is one of these bytes. *ret is set on success only. */
int spilert_open_file(const char *path, const struct spilert_opts *opts, struct spilert **ret);
int spilert_open_memory(const void *bytes, size_t size, const struct spilert_opts *opts, struct spilert **ret);
/** Checks the target, starts the command stopped, computes the fixups. */
int spilert_prepare(struct spilert *rt);
/** For a session that may probe a running process (opts.pid) by ptrace: whatever becomes of this process, the other one
 *  must be let go in order. So a child of this one goes on with the session, as the caller does when this returns 0 (which
 *  it does without a child when none is needed). 1: this process has passed its signals on and waited for the child; the
 *  session's exit status is in *status_ret, 128 + N when signal N ended it, and all that is left is to close. Between
 *  prepare and load, with no other thread in the process; it flushes stdio. */
int spilert_supervise(struct spilert *rt, int *status_ret);
/** Loads the kernel programs and maps. A rejection is explained by script line. */
int spilert_load(struct spilert *rt);
/** Runs the begin handlers, then attaches every site. */
int spilert_attach(struct spilert *rt);
/** Until exit(), a signal, the time, or the end of the target. Then detaches and runs the end (or error) handlers, prints
 *  unread globals and the account of what was lost. Returns 1 when run-time errors or an overload ended the script, or when the command
 *  failed (which a warning tells). */
int spilert_run(struct spilert *rt);
/** Has a signal other than SIGINT ended the run? Then what is left to be done waits for nobody for long. */
int spilert_is_hurried(const struct spilert *rt);
/** The status of the command of -c as wait(2) gives it; 0 when there was none. */
int spilert_command_status(const struct spilert *rt);
/** Detaches what is left and frees. NULL is fine. */
void spilert_close(struct spilert *rt);

/* ---- watching: for `look` of struct spilert_watch ---- */

/** The probes of a script that have one handler. */
struct spilert_probe {
	unsigned number; /* for spilert_switch_probe() */
	const char *point; /* of the first of them; until the session is closed */
	unsigned n_points;
	unsigned long long hits, ns; /* runs of the handler, and how long they took altogether */
	int is_off; /* it was switched off */
	int is_disarmed; /* its condition does not hold */
	int is_fixed; /* it cannot be switched */
};
/** Returns how many there are, and fills in at most `max`. */
unsigned spilert_probes(const struct spilert *rt, struct spilert_probe *ret, unsigned max);
/** Off: no event reaches the handler, and in the kernel nothing runs. */
void spilert_switch_probe(struct spilert *rt, unsigned number, int on);
/** All of them, until they are to go on; those that were off already stay so. */
void spilert_pause(struct spilert *rt, int on);
int spilert_is_paused(const struct spilert *rt);
/** The script's variables as text, as those that nothing reads are printed at the end. To be freed with free(3). NULL: it is not loaded. */
char *spilert_variables(const struct spilert *rt);
/** Gives each variable the value that it had before the script began; arrays are empty. */
void spilert_reset_variables(struct spilert *rt);
/** Ends the run as exit() does. */
void spilert_stop(struct spilert *rt);

/** A pack: one file with a script that was compiled for several targets, which spilert_open_file() takes as it takes a compiled
 *  script. Why a function fails is in *why_ret, to be freed with free(3); it has an exit status then. */
struct spilert_pack;
/** `script`: a digest of what is compiled, by which spilert_pack_take() knows whether two packs are of the same. */
struct spilert_pack *spilert_pack_create(const unsigned char script[32]);
/** `target` is what people call the target. The bytes are copied. */
int spilert_pack_add(struct spilert_pack *pack, const char *target, const void *bundle, size_t size, char **why_ret);
/** Adds what another pack of the same script has, given by its bytes, without targets that are called as one of `but`, which NULL ends. */
int spilert_pack_take(struct spilert_pack *pack, const void *bytes, size_t size, const char *const *but, char **why_ret);
/** The file's bytes, to be freed with free(3). */
void *spilert_pack_write(const struct spilert_pack *pack, size_t *size_ret);
void spilert_pack_destroy(struct spilert_pack *pack);
/** What a pack, or a compiled script, is made for and needs: text, or an object of JSON a line for each target, to be freed with
 *  free(3). */
int spilert_pack_show(const void *bytes, size_t size, int json, char **text_ret, char **why_ret);

/** The text of a script, and what its file is called. */
struct spilert_script {
	const char *name, *text;
	size_t size;
};
/** How many instructions each line of the script has become in the kernel's programs, and with `code` which ones; when the session is
 *  loaded, what the kernel has made of them, too. To be freed with free(3). */
char *spilert_explain(const struct spilert *rt, const struct spilert_script *script, int code);

/** This machine's description (abi/target.h) as text to be freed with free(3). Never NULL. `kernel` 0 leaves out what
 *  takes system calls with privileges to find out. */
char *spilert_describe(int kernel);
const char *spilert_version(void);

#ifdef __cplusplus
}
#endif

#endif
