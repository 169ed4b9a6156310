/* SPDX-License-Identifier: GPL-2.0-or-later */
/** libspile: compiles scripts in the SystemTap language to a .spo. A session compiles one script, is used by one thread
 *  at a time, and shares nothing with other sessions. Functions return 0, or the exit status that the tool `spile` ends
 *  with (1 script error, 2 usage, 3 missing privilege or kernel feature, 4 target mismatch, 5 internal). Messages about
 *  what is wrong have been given to the callbacks by then; the library itself writes to no file or terminal. */
#ifndef SPILE_H
#define SPILE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct spile;

enum spile_level { SPILE_ERROR, SPILE_WARN, SPILE_INFO, SPILE_DEBUG };

struct spile_opts {
	size_t size; /* of this struct, as the caller knows it */
	void *ctx; /* for the callbacks */
	/** A message without its last newline: what a pass has done (INFO), why something failed (ERROR). */
	void (*log)(void *ctx, enum spile_level level, const char *text);
	enum spile_level max_level;
	/** A rendered diagnostic with its newline. */
	void (*diag)(void *ctx, const char *text);
	/** Dumps and listings. */
	void (*output)(void *ctx, const char *text, size_t len);
	/** Returns the description of this machine, as `spile-run --describe` prints it; the text lives until the next call.
	 *  `kernel` 0: the features of its kernel, which take long to find out, are not needed. */
	const char *(*describe)(void *ctx, int kernel);

	/** Shows the progress of work that takes over a second: `text` is a line for a terminal, which replaces the last one; ""
	 *  when the work is done. It is called by the thread that called the library. NULL: no progress is shown. */
	void (*progress)(void *ctx, const char *text);

	/** A phase, SystemTap's number of passes, begins or ends. NULL: nobody wants to know. */
	void (*phase)(void *ctx, int phase, int is_end);

	int diag_json, diag_color;
	const char *diag_colors; /* SYSTEMTAP_COLORS: which ones; none when it is empty or not of its form; NULL: our own */
	const char *target; /* --target: path of the description of another machine; NULL: the one of describe() */
	const char *sysroot; /* --sysroot: the folder, without links in its path, where the files of the target are; NULL: "/" */
	const char *kernel; /* -r: release or path of a vmlinux; NULL: the running kernel */
	const char *const *tapset_dirs; /* NULL-terminated; or NULL: no library */
	const char *const *args; /* script arguments, NULL-terminated; or NULL */
	const char *const *defines; /* -D: "NAME=VALUE" or "NAME", NULL-terminated; or NULL */
	const char *compatible; /* --compatible: a SystemTap version; NULL: the newest */
	const char *command; /* -c; NULL */
	int pid; /* -x; 0 */
	int guru; /* -g */
	int no_warnings, warnings_are_errors; /* -w, -W */
	int no_optimization; /* -u */
	int user_engine; /* process() handlers are compiled 0: for the kernel, 1: for the kernel and the user engine, 2: for the
			    user engine only */
	int verify; /* --verify-passes: check the result of every pass */
	int cost; /* --cost: print what each probe costs */
	int list_variables; /* print what the script reads of debug information: lines "PLACE TAB TEXT TAB TYPE TAB WHERE", sorted */
	const char *stop_after; /* name of the last pass to run; NULL: run all */
	const char *const *dumps; /* names of passes whose results are printed, NULL-terminated; or NULL */
	const char *const *globals; /* -G: "NAME=VALUE", first values of the script's globals, NULL-terminated; or NULL */
	int runs; /* libspilert runs the result at once, on this machine, and reports the hooks itself */
	const char *const *more_scripts; /* -E: texts of scripts that belong to the script, NULL-terminated; or NULL */
	int list_json; /* spile_list, spile_list_library: print one JSON object a line */
	int is_part; /* the text is a piece of a script: no warnings about what it does not use, nor, with 1, about what it does not set */
	int hide_unread; /* globals that nothing reads are not printed at the end */
	int hex_unread; /* those that are print their numbers in hexadecimal, as SystemTap does (and so with `compatible`) */
	const char *source_dir; /* --source: where source files are; NULL: where the compiler saw them */
	int skip_bad_vars; /* --skip-badvars: $variables that cannot be read are 0 */
	int cache; /* the result is kept in the user's cache; who calls looks there before (compiler/cache/result.h) */
	const char *target_text; /* the description of `target` itself, which is not read from a file then; NULL */
	const char *module_dir; /* where spile-gen.so is, the code generator; NULL: where it has been installed */
	int json; /* what is printed says who prints and what the values are called: libspilert makes JSON and perf.data of it */
};

#define SPILE_OPTS_INIT { .size = sizeof(struct spile_opts), .max_level = SPILE_WARN }

/** Copies nothing: what `opts` points to must live as long as the session. NULL: `opts` is of an unknown size. */
struct spile *spile_create(const struct spile_opts *opts);
void spile_destroy(struct spile *spile);

/** Sets the script of the session: a file ("-" is standard input), or text that messages call `name`. */
int spile_script_file(struct spile *spile, const char *path);
int spile_script_text(struct spile *spile, const char *name, const char *text, size_t len);

/** Compiles the script: runs the passes. */
int spile_compile(struct spile *spile);
/** After spile_compile: the bytes of the .spo, owned by the session; NULL when the passes were stopped before. */
const void *spile_bundle(const struct spile *spile, size_t *size_ret);

/** Prints the probe points that match, one a line, sorted; `vars`: with their variables. Status 1: none matches. */
int spile_list(struct spile *spile, const char *pattern, int vars);
/** Prints commands for tracefs (kprobe_events, uprobe_events), one for each place of a probe point. Behind the point stand the
 *  variables to record: "$NAME", "$params", "$vars", "$return". `for_perf`: as in perf's cache, with a line "@BUILD-ID OBJECT"
 *  and one "#DEFINITION" before each. Status 1: there is none. */
int spile_print_events(struct spile *spile, const char *what, int for_perf);
/** Keeps debug information in the user's cache, for machines that have none. Prints a line for each file that is written. */
struct spile_cache_add {
	const char *definition; /* a probe point; behind it may stand variables, which change nothing: all are kept */
	const char *all_functions; /* "kernel", or a program: entries and returns of all its functions; or NULL */
};
int spile_cache_add(struct spile *spile, const struct spile_cache_add *what);
/** Prints what a script can use, one a line, sorted: forms of probe points, the library's aliases, functions. */
enum spile_library { SPILE_LIBRARY_POINTS, SPILE_LIBRARY_ALIASES, SPILE_LIBRARY_FUNCTIONS };
int spile_list_library(struct spile *spile, enum spile_library what);
/** Prints what debug information says about a target. Status 1: there is nothing of that name. */
struct spile_show {
	enum spile_show_what { SPILE_SHOW_FUNCS, SPILE_SHOW_LINES, SPILE_SHOW_VARS, SPILE_SHOW_TYPE } what;
	const char *target; /* FUNCS: a filter ("vfs_*|!*_read"); LINES, VARS: "f" or "f@file.c"; LINES: and "f:2-5",
			       "f:2+3", "file.c", "file.c:100-120"; TYPE: "struct file" */
	const char *in; /* a program, a library, or "module:NAME"; NULL: the kernel */
	int externs; /* VARS: with the statics and globals of the function's unit */
	int ranges; /* VARS: with the lines where each can be read */
	int json; /* one object a line */
};
int spile_show(struct spile *spile, const struct spile_show *what);
/** An address that a script prints, as the runtime knows it: of a program's file, or of the kernel. */
struct spile_place {
	const char *path; /* the file; NULL: the kernel */
	const char *module, *symbol; /* of the kernel: "kernel", and "_stext" when it is known; a module, and a symbol before the address */
	unsigned long long offset; /* in the file, or from that symbol */
};

#define SPILE_FRAMES_MAX 32
struct spile_frame {
	const char *function, *file; /* NULL: not known */
	unsigned line;
};

/** The functions at an address: those that are inlined there, from the inside out, and at last the one whose code it is. Returns how
 *  many; 0: debug information knows nothing of it. The texts live as long as the session. */
int spile_frames(struct spile *spile, const struct spile_place *place, struct spile_frame *ret, int max);
/** Prints the explanation of a diagnostic ("E401"). Status 2: there is no such tag. */
int spile_explain(struct spile *spile, const char *tag);
/** Prints the script of bpftrace in `path` in our language. What has no translation is a comment there, and a warning counts it. */
int spile_from_bpftrace(struct spile *spile, const char *path);
/** Prints the names of the passes in their order, one a line, each with what its dump shows. */
int spile_list_passes(struct spile *spile);

/** For interactive use: the length of the first declaration (a probe, a function, globals, a macro, ...) of a script, or of statements,
 *  with the blanks and comments before it. 0: it is not complete yet. */
size_t spile_declaration(const char *text, size_t len);
/** Prints the words that the last word of the text is the beginning of, one a line, sorted. */
void spile_complete(struct spile *spile, const char *text, size_t len);

#define SPILE_VERSION "0.1"
const char *spile_version(void);
/** The newest version of SystemTap whose language this is. */
#define SPILE_SYSTEMTAP_VERSION "5.6"

#ifdef __cplusplus
}
#endif

#endif
