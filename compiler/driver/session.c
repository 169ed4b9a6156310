// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // strverscmp

#include "compiler/driver/session.h"

#include "compiler/bpftrace/bpftrace.h"
#include "compiler/driver/complete.h"
#include "compiler/driver/ftrace.h"
#include "compiler/driver/library.h"
#include "compiler/driver/list.h"
#include "compiler/driver/passes.h"
#include "compiler/driver/probe_cache.h"
#include "compiler/driver/show.h"
#include "compiler/front/diag_color.h"
#include "runtime/abi/uservm.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_FILES 65536
#define OTHER_FILES 64 // of a session besides the programs

static void log_write(void *ctx, enum sp_log_level level, const char *text)
{
	struct spile *spile = ctx;

	keep_message(spile, (unsigned)level, text);
	if (spile->opts.log && (enum spile_level)level <= spile->opts.max_level)
		spile->opts.log(spile->opts.ctx, (enum spile_level)level, text);
}

SP_EXPORT struct spile *spile_create(const struct spile_opts *opts)
{
	struct spile *spile;

	if (opts->size < sizeof(size_t) || opts->size > sizeof(*opts))
		return NULL;
	spile = sp_calloc(1, sizeof(*spile));
	memcpy(&spile->opts, opts, opts->size);
	spile->log = (struct sp_log){ log_write, spile, (enum sp_log_level)opts->max_level };
	spile->limits = (struct session_limits){ .max_string = 512, .max_action = 1000, .max_user_action = -1, .max_trylock = 1000, .trylock_delay = 10,
						   .max_map_entries = 2048, .hist_elision = 2 };
	source_map_init(&spile->sources);
	diag_ctx_init(&spile->dc, &spile->sources);
	spile->dc.no_warnings = opts->no_warnings;
	spile->dc.warnings_are_errors = opts->warnings_are_errors;
	if (opts->diag_colors && diag_color_is_valid(opts->diag_colors))
		spile->dc.colors = opts->diag_colors;
	else if (opts->diag_colors)
		spile->opts.diag_color = 0;
	return spile;
}

SP_EXPORT void spile_destroy(struct spile *spile)
{
	if (!spile)
		return;
	dbg_destroy(spile->dbg);
	sp_hash_deinit(&spile->places);
	sp_hash_deinit(&spile->headers);
	sp_hash_deinit(&spile->kernel_config);
	sp_buf_deinit(&spile->bundle);
	diag_ctx_deinit(&spile->dc);
	source_map_deinit(&spile->sources);
	sp_arena_deinit(&spile->arena);
	free(spile);
}

uint32_t session_max_user_action(const struct spile *spile)
{
	const struct session_limits *limits = &spile->limits;

	if (limits->max_user_action >= 0)
		return (uint32_t)limits->max_user_action;
	return (uint32_t)SP_MIN(limits->max_action * 10, (int64_t)INT32_MAX);
}

void session_flush_diags(struct spile *spile)
{
	for (size_t i = spile->n_diags_given; i < spile->dc.diags.n; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

		if (spile->opts.diag_json)
			diag_render_json(&spile->dc, spile->dc.diags.v[i], &text);
		else
			diag_render_text(&spile->dc, spile->dc.diags.v[i], spile->opts.diag_color, &text);
		keep_message(spile, RESULT_DIAG, sp_buf_str(&text));
		if (spile->opts.diag)
			spile->opts.diag(spile->opts.ctx, sp_buf_str(&text));
	}
	spile->n_diags_given = spile->dc.diags.n;
}

int session_fail(struct spile *spile, struct sp_err *err)
{
	sp_cleanup_free char *text = sp_err_text(err);
	int status = sp_err_exit_status(err);

	sp_log(&spile->log, SP_LOG_ERROR, "%s", text);
	sp_err_free(err);
	if (!spile->status)
		spile->status = status;
	return status;
}

void session_output(struct spile *spile, const struct sp_buf *text)
{
	if (spile->opts.output && text->len)
		spile->opts.output(spile->opts.ctx, text->data, text->len);
}

SP_EXPORT int spile_script_file(struct spile *spile, const char *path)
{
	struct sp_err *err = source_read(&spile->sources, path, SOURCE_USER, &spile->script);

	return err ? session_fail(spile, err) : 0;
}

// What has no translation is a comment in the script.
static void translate(struct spile *spile, const char *name, const char *text, const char *where, struct sp_buf *script)
{
	unsigned n = bpftrace_translate(text, script);

	if (n)
		sp_log(&spile->log, SP_LOG_WARN, "%u piece%s of %s %s no translation: comments in the script say why%s", n, n == 1 ? "" : "s",
		       name, n == 1 ? "has" : "have", where);
}

SP_EXPORT int spile_script_text(struct spile *spile, const char *name, const char *text, size_t len)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf translated = { 0 }, title = { 0 };

	if (sp_ends_with(name, ".bt")) {
		translate(spile, name, text, " (--from-bpftrace prints it)", &translated);
		text = sp_buf_str(&translated);
		len = translated.len;
		sp_buf_printf(&title, "%s, translated", name); // lines and columns are those of the translation
		name = sp_buf_str(&title);
	}
	spile->script = source_add(&spile->sources, name, text, len, SOURCE_USER);
	return 0;
}

// Warns of a -D that spile does not have.
static void tell_ignored(struct spile *spile, const char *define, size_t len)
{
	static const struct {
		const char *name, *why;
	} without_effect[] = {
		{ "MAXSKIPPED", "handlers that did not run are counted, and end no script" },
		{ "MINSTACKSPACE", "the kernel's verifier bounds the stack" },
		{ "INTERRUPTIBLE", "BPF programs run with interrupts as the kernel has them" },
		{ "MAXUPROBES", "their number has no limit" },
		{ "KRETACTIVE", ".maxactive(N) at a return probe says how many calls it is for, and without it the kernel does" },
		{ "MAXBACKTRACE", "the kernel's limit holds: kernel.perf_event_max_stack frames" },
		{ "MAPHASHBIAS", "the kernel sizes the tables of its maps" },
		{ "STP_MAXMEMORY", "memory is bounded by MAXMAPENTRIES and the sizes of arrays" },
		{ "STP_PROCFS_BUFSIZE", "MAXSTRINGLEN is the size of texts" },
		{ "STP_BUFFER_SIZE", "-s sets the room for what was printed" },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(without_effect); i++) {
		if (!sp_is_word(define, len, without_effect[i].name))
			continue;
		sp_log(&spile->log, SP_LOG_INFO, "-D %s has no effect: %s", define, without_effect[i].why);
		return;
	}
	sp_log(&spile->log, SP_LOG_WARN, "-D %s is ignored: there is no such limit", define);
}

static bool is_name(const char *text, size_t len)
{
	return len && !isdigit((unsigned char)*text) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= len;
}

// -D NAME=VALUE.
static int apply_define(struct spile *spile, const char *define)
{
	const struct {
		const char *name;
		int64_t *value;
		int64_t min, max;
	} limits[] = {
		{ "MAXSTRINGLEN", &spile->limits.max_string, 16, 65536 },
		{ "MAXACTION", &spile->limits.max_action, 0, INT32_MAX },
		{ "MAXACTION_INTERRUPTIBLE", &spile->limits.max_user_action, 0, INT32_MAX },
		{ "MAXNESTING", &spile->limits.max_nesting, 1, SP_VM_MAX_NESTING },
		{ "MAXTRYLOCK", &spile->limits.max_trylock, 1, 8192 },
		{ "TRYLOCKDELAY", &spile->limits.trylock_delay, 1, 1000 },
		{ "MAXERRORS", &spile->limits.max_errors, 0, INT32_MAX },
		{ "MAXMAPENTRIES", &spile->limits.max_map_entries, 1, SP_MAP_MAX_ENTRIES },
		{ "HIST_ELISION", &spile->limits.hist_elision, INT32_MIN, 1024 },
		{ "SPILE_CAN_PAUSE", &spile->limits.can_pause, 0, 1 },
		{ "SPILE_RING_SIZE", &spile->limits.ring_size, SP_RING_MIN, SP_RING_MAX },
	};
	size_t len = strcspn(define, "=");

	for (size_t i = 0; i < SP_ARRAY_SIZE(limits); i++) {
		char *end = NULL;
		long long value;

		if (!sp_is_word(define, len, limits[i].name))
			continue;
		errno = 0;
		value = define[len] ? strtoll(define + len + 1, &end, 0) : 0;
		if (!end || *end || end == define + len + 1 || errno || value < limits[i].min || value > limits[i].max)
			return session_fail(spile, sp_err_new(SP_ERR_USAGE, "-D %s: %s takes a number from %lld to %lld",
							      define, limits[i].name, (long long)limits[i].min,
							      (long long)limits[i].max));
		*limits[i].value = SP_ALIGN_UP(value, limits[i].value == &spile->limits.max_string ? 8 : 1);
		return 0;
	}
	if (!is_name(define, len))
		return session_fail(spile, sp_err_new(SP_ERR_USAGE, "-D takes NAME=NUMBER, not '%s'", define));
	tell_ignored(spile, define, len);
	return 0;
}

static int check_pass(struct spile *spile, const char *name)
{
	for (const struct pass *pass = passes; pass->name; pass++)
		if (sp_streq(pass->name, name))
			return 0;
	return session_fail(spile, sp_err_new(SP_ERR_USAGE, "there is no pass '%s'; --list-passes names them", name));
}

static int prepare(struct spile *spile)
{
	int status = 0;

	for (const char *const *define = spile->opts.defines; define && *define && !status; define++)
		status = apply_define(spile, *define);
	if (!status && spile->opts.stop_after)
		status = check_pass(spile, spile->opts.stop_after);
	for (const char *const *dump = spile->opts.dumps; dump && *dump && !status; dump++)
		status = check_pass(spile, *dump);
	return status;
}

// Each program that is looked at stays open, and a wildcard may be of more than a process may have open, of which most systems allow
// 1,024.
static struct rlimit allow_files(void)
{
	struct rlimit before = { 0 }, most;

	getrlimit(RLIMIT_NOFILE, &before);
	most = (struct rlimit){ SP_MAX(before.rlim_cur, SP_MIN(before.rlim_max, (rlim_t)MAX_FILES)), before.rlim_max };
	setrlimit(RLIMIT_NOFILE, &most);
	return before;
}

// What is started later has the limit that there was, where that has room for what comes: the runtime opens each program once more.
static void forbid_files(struct rlimit *before)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	rlim_t wanted = (rlim_t)(2 * SP_MAX(fd, 0) + OTHER_FILES);
	struct rlimit limit = { SP_MAX(before->rlim_cur, SP_MIN(before->rlim_max, wanted)), before->rlim_max };

	setrlimit(RLIMIT_NOFILE, &limit);
	if (fd >= 0)
		close(fd);
}

SP_EXPORT int spile_compile(struct spile *spile)
{
	sp_cleanup(forbid_files) struct rlimit limit = allow_files();
	const char *compat = spile->opts.compatible;
	int status;

	if (compat && (*compat < '0' || *compat > '9'))
		return session_fail(spile, sp_err_new(SP_ERR_USAGE, "--compatible=%s: not a version of SystemTap, such as 1.8", compat));
	if (compat && strverscmp(compat, SPILE_SYSTEMTAP_VERSION) > 0)
		return session_fail(spile, sp_err_new(SP_ERR_USAGE, "--compatible=%s: the newest version that spile knows is "
						      SPILE_SYSTEMTAP_VERSION, compat));
	if (!spile->script)
		return session_fail(spile, sp_err_new(SP_ERR_USAGE, "no script was given"));
	keep_begin_script(spile);
	status = prepare(spile);
	status = status ? status : passes_run(spile);
	keep_end_script(spile, status);
	return status;
}

SP_EXPORT const void *spile_bundle(const struct spile *spile, size_t *size_ret)
{
	*size_ret = spile->bundle.len;
	return spile->bundle.len ? spile->bundle.data : NULL;
}

SP_EXPORT int spile_list(struct spile *spile, const char *pattern, int vars)
{
	sp_cleanup(forbid_files) struct rlimit limit = allow_files();

	return list_points(spile, pattern, vars != 0);
}

SP_EXPORT int spile_print_events(struct spile *spile, const char *what, int for_perf)
{
	return ftrace_print(spile, what, for_perf != 0);
}

SP_EXPORT int spile_cache_add(struct spile *spile, const struct spile_cache_add *what)
{
	sp_cleanup(forbid_files) struct rlimit limit = allow_files();

	return probe_cache_add(spile, what);
}

SP_EXPORT int spile_list_library(struct spile *spile, enum spile_library what)
{
	switch (what) {
	case SPILE_LIBRARY_POINTS:
		return library_list_points(spile);
	case SPILE_LIBRARY_ALIASES:
		return library_list_aliases(spile);
	case SPILE_LIBRARY_FUNCTIONS:
		return library_list_functions(spile);
	}
	return session_fail(spile, sp_err_new(SP_ERR_USAGE, "there is no such part of the library: %d", (int)what));
}

SP_EXPORT int spile_show(struct spile *spile, const struct spile_show *what)
{
	return show(spile, what);
}

SP_EXPORT int spile_explain(struct spile *spile, const char *tag)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const struct diag_info *info = diag_info_find(tag);

	if (!info)
		return session_fail(spile, sp_err_new(SP_ERR_USAGE, "there is no diagnostic '%s'", tag));
	sp_buf_printf(&text, "%s %s: %s\n\n%s\n", info->tag, info->name, info->title, info->explanation);
	session_output(spile, &text);
	return 0;
}

SP_EXPORT int spile_from_bpftrace(struct spile *spile, const char *path)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 }, script = { 0 };
	struct sp_err *err = sp_file_read(path, SP_FILE_MAX_SCRIPT, &text);

	if (err)
		return session_fail(spile, err);
	translate(spile, path, sp_buf_str(&text), "", &script);
	session_output(spile, &script);
	return 0;
}

SP_EXPORT int spile_list_passes(struct spile *spile)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	for (const struct pass *pass = passes; pass->name; pass++)
		sp_buf_printf(&text, "%d %-10s %s\n", pass->phase, pass->name, pass->what);
	session_output(spile, &text);
	return 0;
}

SP_EXPORT size_t spile_declaration(const char *text, size_t len)
{
	return complete_declaration(text, len);
}

SP_EXPORT void spile_complete(struct spile *spile, const char *text, size_t len)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };

	complete_word(spile, text, len, &out);
	session_output(spile, &out);
}

SP_EXPORT const char *spile_version(void)
{
	return SPILE_VERSION;
}
