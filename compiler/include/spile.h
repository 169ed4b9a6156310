/* SPDX-License-Identifier: GPL-2.0-or-later */
/** libspile: compiles scripts in the SystemTap language to a .spo. One session compiles one script, is used by one thread
 *  at a time, and shares nothing with other sessions. Functions return 0, or the exit status that the tool would end
 *  with (1 script error, 2 usage, 3 missing privilege or kernel feature, 4 target mismatch, 5 internal). What is wrong
 *  has then been given to the callbacks; the library itself writes nowhere. */
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
	/** Words about the work, without the last newline: pass lines (INFO), why something failed (ERROR). */
	void (*log)(void *ctx, enum spile_level level, const char *text);
	enum spile_level max_level;
	/** A rendered diagnostic with its newline. */
	void (*diag)(void *ctx, const char *text);
	/** Dumps and listings. */
	void (*output)(void *ctx, const char *text, size_t len);
	/** The machine that is compiled for (`spile-run --describe`), as text that lives until the next call. `kernel` 0:
	 *  nothing about the kernel's features is needed. */
	const char *(*describe)(void *ctx, int kernel);

	/** How far a work is that takes over a second: a line for a terminal, in place of the last one; "" when it is over.
	 *  From the thread that called. NULL: nobody waits. */
	void (*progress)(void *ctx, const char *text);

	int diag_json, diag_color;
	const char *target; /* --target: path of the description of another machine; NULL: describe() tells */
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
	int user_engine; /* 1: process() handlers also for the user engine; 2: for it alone */
	int verify; /* check every pass's result */
	int cost; /* put out what each probe costs */
	const char *stop_after; /* a pass's name; NULL: all */
	const char *const *dumps; /* names of passes whose result is put out, NULL-terminated; or NULL */
	const char *const *globals; /* -G: "NAME=VALUE", what the script's globals get when it runs, NULL-terminated; or
				       NULL. The values go to libspilert; here the names matter. */
	int runs; /* libspilert runs the result at once, and tells the hooks */
	const char *const *more_scripts; /* -E: texts of scripts that are part of the script, NULL-terminated; or NULL */
	int list_json; /* spile_list, spile_list_library: one object a line */
	int is_part; /* no warnings about what the script does not use: there is more to come */
	int hide_unread; /* globals that nothing reads are not printed at the end */
	const char *source_dir; /* --source: where source files are; NULL: where the compiler saw them */
	int skip_bad_vars; /* --skip-badvars: $variables that cannot be read are 0 */
	const char *module_dir; /* where spile-gen.so is, the code generator; NULL: where it has been installed */
};

#define SPILE_OPTS_INIT { .size = sizeof(struct spile_opts), .max_level = SPILE_WARN }

/** Copies nothing: what `opts` points to must live as long as the session. NULL: `opts` is of an unknown size. */
struct spile *spile_create(const struct spile_opts *opts);
void spile_destroy(struct spile *spile);

/** The script: a file ("-" is standard input), or text named `name`. Once a session. */
int spile_script_file(struct spile *spile, const char *path);
int spile_script_text(struct spile *spile, const char *name, const char *text, size_t len);

/** Runs the passes. */
int spile_compile(struct spile *spile);
/** After spile_compile: the bytes of the .spo, owned by the session; NULL when the passes were stopped before. */
const void *spile_bundle(const struct spile *spile, size_t *size_ret);

/** Puts out the probe points that match, one a line, sorted; `vars`: with their variables. Status 1: none. */
int spile_list(struct spile *spile, const char *pattern, int vars);
/** Puts out what a script can use, one a line, sorted: kinds of probe points, the library's aliases, functions. */
enum spile_library { SPILE_LIBRARY_POINTS, SPILE_LIBRARY_ALIASES, SPILE_LIBRARY_FUNCTIONS };
int spile_list_library(struct spile *spile, enum spile_library what);
/** Puts out what debug information knows. Status 1: nothing of that name. */
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
/** Puts out the text about a diagnostic ("E401"). Status 2: no such tag. */
int spile_explain(struct spile *spile, const char *tag);
/** Puts out the passes' names, in order, one a line with what its dump shows. */
int spile_list_passes(struct spile *spile);

/** For interactive use. Bytes of the first declaration (a probe, a function, globals, a macro, ...) of a script with the
 *  blanks and comments before it; 0: it is not finished yet. */
size_t spile_declaration(const char *text, size_t len);
/** Puts out what the last word of the script's text can become, one a line, sorted. */
void spile_complete(struct spile *spile, const char *text, size_t len);

const char *spile_version(void);

#ifdef __cplusplus
}
#endif

#endif
