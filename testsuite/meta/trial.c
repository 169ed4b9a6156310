// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "testsuite/meta/trial.h"

#include "compiler/include/spile.h"
#include "runtime/base/cleanup.h"
#include "runtime/include/spilert.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- running --------------------------------------------------------------------------------------------------------

struct session {
	struct lab *lab;
	struct outcome *outcome;
};

static void keep_diag(void *ctx, const char *text)
{
	struct session *s = ctx;
	const char *tag = strstr(text, " [E");

	s->outcome->is_late |= strstr(text, " [W640]") != NULL;
	if (sp_starts_with(text, "WARNING: "))
		return;
	if (tag && !s->outcome->tag[0])
		snprintf(s->outcome->tag, sizeof(s->outcome->tag), "%.4s", tag + 2);
	sp_buf_puts(&s->outcome->err, text);
}

static void keep_compile_log(void *ctx, enum spile_level level, const char *text)
{
	struct session *s = ctx;

	sp_buf_printf(&s->outcome->err, "%s%s\n", level == SPILE_ERROR ? "ERROR: " : "WARNING: ", text);
}

static void keep_run_log(void *ctx, enum spilert_level level, const char *text)
{
	struct session *s = ctx;

	sp_buf_printf(&s->outcome->err, "%s%s\n", level == SPILERT_ERROR ? "ERROR: " : "WARNING: ", text);
}

static const char *describe(void *ctx, int kernel)
{
	struct session *s = ctx;

	(void)kernel;
	return s->lab->description;
}

static void read_output(int fd, struct sp_buf *out)
{
	char chunk[16384];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		sp_buf_add(out, chunk, (size_t)n);
}

static void keep_object(const char *path, const void *bundle, size_t size)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(bundle, 1, size, f) != size || fclose(f) != 0) {
		perror(path);
		_exit(2);
	}
}

static struct spilert_opts runtime_opts(struct session *s, enum spilert_engine engine)
{
	struct spilert_opts opts = SPILERT_OPTS_INIT;

	opts.log = keep_run_log;
	opts.log_ctx = s;
	opts.handle_signals = 0;
	opts.engine = engine;
	return opts;
}

// How deep the nesting may be, and how large a statement, is known last, by the code generator, which has no diagnostics.
static bool is_over_limit(const struct outcome *o)
{
	const char *text = sp_buf_str(&o->err);

	return strstr(text, "can be had for all: lower -D") || strstr(text, "can be had): write it in several statements");
}

// Behind opening it, whose status the outcome has.
static void load(struct session *s, struct spilert *rt)
{
	struct outcome *o = s->outcome;

	o->status = o->status ? o->status : spilert_prepare(rt);
	o->status = o->status ? o->status : spilert_load(rt);
	if (is_over_limit(o) || strstr(sp_buf_str(&o->err), "this kernel is locked down"))
		o->kind = OUTCOME_REFUSED;
	else if (o->status || strstr(sp_buf_str(&o->err), "internal error"))
		o->kind = OUTCOME_BROKEN;
	spilert_close(rt);
}

void trial_load_file(const char *path, struct outcome *ret)
{
	struct session s = { NULL, ret };
	struct spilert_opts opts = runtime_opts(&s, SPILERT_ENGINE_KERNEL);
	struct spilert *rt = NULL;

	*ret = (struct outcome){ .kind = OUTCOME_RAN };
	ret->status = spilert_open_file(path, &opts, &rt);
	load(&s, rt);
}

static void load_bundle(struct session *s, const struct trial *t, const void *bundle, size_t size)
{
	struct spilert_opts opts = runtime_opts(s, SPILERT_ENGINE_KERNEL);
	struct spilert *rt = NULL;

	if (t->object)
		keep_object(t->object, bundle, size);
	if (t->release)
		return;
	s->outcome->status = spilert_open_memory(bundle, size, &opts, &rt);
	load(s, rt);
}

// `bundle` NULL: what the file of `t` has.
static void run_bundle(struct session *s, const struct trial *t, const void *bundle, size_t size)
{
	struct spilert_opts opts = runtime_opts(s, t->engine == ENGINE_KERNEL ? SPILERT_ENGINE_KERNEL : SPILERT_ENGINE_USER);
	struct spilert *rt = NULL;
	struct outcome *o = s->outcome;

	opts.command = t->command;
	opts.out_fd = memfd_create("output", MFD_CLOEXEC);
	o->status = bundle ? spilert_open_memory(bundle, size, &opts, &rt) : spilert_open_file(t->object, &opts, &rt);
	o->status = o->status ? o->status : spilert_prepare(rt);
	o->status = o->status ? o->status : spilert_load(rt);
	o->status = o->status ? o->status : spilert_attach(rt);
	o->status = o->status ? o->status : spilert_run(rt);
	spilert_close(rt);
	read_output(opts.out_fd, &o->out);
	close(opts.out_fd);
	// Status 1 is also that of a script that a run-time error ended; what is worse is nobody's plan.
	if (o->status > 1 || strstr(sp_buf_str(&o->err), "internal error"))
		o->kind = OUTCOME_BROKEN;
	else if ((!t->max_action && (strstr(sp_buf_str(&o->err), "MAXACTION exceeded") || strstr(sp_buf_str(&o->out), "MAXACTION exceeded"))) ||
		 strstr(sp_buf_str(&o->err), "the ring buffer was full")) // that is told
		o->kind = OUTCOME_BUDGET;
}

// A diagnostic that is not about ourselves, or one of the limits that are known last.
static bool is_refusal(const struct outcome *o)
{
	return o->status == 1 && ((o->tag[0] && o->tag[1] != '9') || strstr(sp_buf_str(&o->err), "of which the kernel has 512") ||
				   strstr(sp_buf_str(&o->err), "functions that call each other, and the kernel allows"));
}

// -G of the globals that are there for it.
static const char *const *first_values(const char *script, const char **values)
{
	unsigned n = 0;

	if (strstr(script, "global gG "))
		values[n++] = "gG=41";
	if (strstr(script, "global gH "))
		values[n++] = "gH=a text";
	values[n] = NULL;
	return values;
}

static void compile_and_run(struct session *s, const struct trial *t)
{
	struct spile_opts opts = SPILE_OPTS_INIT;
	struct outcome *o = s->outcome;
	const void *bundle = NULL;
	char room[40], errors[40], rounds[40];
	const char *values[3], *defines[] = { rounds, "MAXACTION_INTERRUPTIBLE=20000", errors, t->max_string ? room : NULL, NULL };
	bool loads = t->engine == ENGINE_LOAD, in_kernel = loads || t->engine == ENGINE_KERNEL;
	struct spile *spile;
	size_t size = 0;

	snprintf(room, sizeof(room), "MAXSTRINGLEN=%u", t->max_string);
	snprintf(errors, sizeof(errors), "MAXERRORS=%u", t->max_errors);
	snprintf(rounds, sizeof(rounds), "MAXACTION=%u", t->max_action ? t->max_action : 20000);
	opts.ctx = s;
	opts.log = keep_compile_log;
	opts.diag = keep_diag;
	opts.describe = describe;
	opts.module_dir = s->lab->modules;
	opts.tapset_dirs = (const char *const[]){ s->lab->tapsets, META_MADE_TAPSETS, NULL };
	opts.defines = loads ? defines + 3 : defines;
	opts.args = (const char *const[]){ "-7", "a b,c", t->command ? t->command : "none", NULL };
	opts.globals = first_values(t->script, values);
	opts.command = t->command;
	opts.kernel = t->release;
	opts.no_warnings = t->engine != ENGINE_KERNEL;
	opts.no_optimization = t->no_optimization;
	opts.user_engine = in_kernel ? 0 : 2;
	opts.verify = 1;
	opts.guru = loads || strstr(t->script, "%{") || strstr(t->script, "@const");
	opts.runs = !t->release && !t->object;
	spile = spile_create(&opts);
	o->status = spile_script_text(spile, "script", t->script, strlen(t->script));
	o->status = o->status ? o->status : spile_compile(spile);
	if (!o->status)
		bundle = spile_bundle(spile, &size);
	if (bundle && t->release && !loads)
		keep_object(t->object, bundle, size);
	else if (bundle && loads)
		load_bundle(s, t, bundle, size);
	else if (bundle)
		run_bundle(s, t, bundle, size);
	else
		o->kind = is_refusal(o) || is_over_limit(o) ? OUTCOME_REFUSED : OUTCOME_BROKEN;
	spile_destroy(spile);
}

void trial_run(struct lab *lab, const struct trial *t, struct outcome *ret)
{
	struct session s = { lab, ret };

	*ret = (struct outcome){ .kind = OUTCOME_RAN };
	if (lab->last)
		snprintf(lab->last, LAST_SIZE, "--- %s\n%s", t->label, t->script);
	lab->n_scripts++;
	compile_and_run(&s, t);
}

static void keep_listing(void *ctx, const char *text, size_t len)
{
	struct session *s = ctx;

	sp_buf_add(&s->outcome->out, text, len);
}

const char *trial_functions(struct lab *lab, struct sp_arena *arena)
{
	struct outcome o = { 0 };
	struct session s = { lab, &o };
	struct spile_opts opts = SPILE_OPTS_INIT;
	struct spile *spile;
	const char *list;

	opts.ctx = &s;
	opts.output = keep_listing;
	opts.describe = describe;
	opts.module_dir = lab->modules;
	opts.tapset_dirs = (const char *const[]){ lab->tapsets, META_MADE_TAPSETS, NULL };
	spile = spile_create(&opts);
	spile_list_library(spile, SPILE_LIBRARY_FUNCTIONS);
	spile_destroy(spile);
	list = sp_arena_strdup(arena, sp_buf_str(&o.out));
	outcome_deinit(&o);
	return list;
}

void outcome_deinit(struct outcome *o)
{
	sp_buf_deinit(&o->out);
	sp_buf_deinit(&o->err);
}

// ---- comparing ------------------------------------------------------------------------------------------------------

static const char *skip_number(const char *s)
{
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

// Behind " at script:LINE:COLUMN"; NULL: that is not one.
static const char *behind_place(const char *s)
{
	static const char prefix[] = " at script:";
	const char *line, *column;

	if (!sp_starts_with(s, prefix))
		return NULL;
	line = s + sizeof(prefix) - 1;
	column = skip_number(line);
	if (column == line || *column != ':')
		return NULL;
	return skip_number(column + 1);
}

// The probe's name differs from engine to engine; the calls on the way do not.
static const char *behind_probe(const char *s, bool keeps_calls)
{
	const char *end, *calls;

	if (!sp_starts_with(s, " (probe "))
		return NULL;
	end = s + strcspn(s, "\n");
	calls = strstr(s, ", calls ");
	return keeps_calls && calls && calls < end ? calls : end;
}

// WARNING: 2 strings of NAME were cut ...: 2, 0: that is not such a line.
static unsigned long cut_strings(const char *line)
{
	static const char prefix[] = "WARNING: ";
	const char *of;
	char *end;
	unsigned long n;

	if (!sp_starts_with(line, prefix))
		return 0;
	n = strtoul(line + sizeof(prefix) - 1, &end, 10);
	of = end;
	if (!sp_starts_with(of, " string"))
		return 0;
	of = strstr(of, " cut (-D MAXSTRINGLEN");
	return of && of < line + strcspn(line, "\n") ? n : 0;
}

static void normalize(struct sp_buf *out, const char *text, unsigned compare)
{
	unsigned long cuts = 0, n;
	const char *behind;

	for (const char *s = text; *s;) {
		if (s == text || s[-1] == '\n') {
			n = cut_strings(s);
			if (n) {
				cuts += n;
				s += strcspn(s, "\n");
				s += *s == '\n';
				continue;
			}
		}
		behind = compare & COMPARE_PLACES ? NULL : behind_place(s);
		behind = behind ? behind : behind_probe(s, compare & COMPARE_PLACES);
		if (behind)
			s = behind;
		else
			sp_buf_putc(out, *s++);
	}
	if (cuts && compare & COMPARE_CUTS)
		sp_buf_printf(out, "cut: %lu\n", cuts);
}

static bool has_cuts(const struct outcome *o)
{
	const char *s = sp_buf_str(&o->err);

	while (*s && !cut_strings(s)) {
		s += strcspn(s, "\n");
		s += *s == '\n';
	}
	return *s;
}

bool outcomes_agree(const struct outcome *a, const struct outcome *b, unsigned compare)
{
	struct sp_buf x = { 0 }, y = { 0 };
	bool agree;

	if (a->kind == OUTCOME_BROKEN || b->kind == OUTCOME_BROKEN)
		return false;
	if (a->kind == OUTCOME_BUDGET || b->kind == OUTCOME_BUDGET || a->is_late || b->is_late)
		return true;
	if (compare & COMPARE_UNCUT && (has_cuts(a) || has_cuts(b)))
		return true;
	if (a->kind != b->kind)
		return false;
	if (a->kind == OUTCOME_REFUSED)
		return sp_streq(a->tag, b->tag);
	normalize(&x, sp_buf_str(&a->out), compare);
	normalize(&y, sp_buf_str(&b->out), compare);
	sp_buf_puts(&x, "--- stderr\n");
	sp_buf_puts(&y, "--- stderr\n");
	normalize(&x, sp_buf_str(&a->err), compare);
	normalize(&y, sp_buf_str(&b->err), compare);
	agree = a->status == b->status && sp_streq(sp_buf_str(&x), sp_buf_str(&y));
	sp_buf_deinit(&x);
	sp_buf_deinit(&y);
	return agree;
}

static void show(struct sp_buf *out, const char *name, const struct outcome *o, const char *text, size_t from)
{
	static const char *const kinds[] = { "ran", "refused", "broken", "over its budget" };
	const char *s = text + SP_MIN(from, strlen(text));
	unsigned line = 1;

	while (s > text && s[-1] != '\n')
		s--;
	for (const char *p = text; p < s; p++)
		line += *p == '\n';
	sp_buf_printf(out, "--- %s: %s, status %d, from line %u on\n", name, kinds[o->kind], o->status, line);
	for (unsigned lines = 0; *s && lines < 6; lines++) {
		size_t len = strcspn(s, "\n");

		sp_buf_add(out, s, SP_MIN(len, (size_t)400));
		sp_buf_putc(out, '\n');
		s += len + (s[len] == '\n');
	}
}

void outcomes_differ(struct sp_buf *out, const struct outcome *a, const struct outcome *b, unsigned compare)
{
	struct sp_buf x = { 0 }, y = { 0 };
	size_t same = 0;

	if (a->kind != OUTCOME_RAN || b->kind != OUTCOME_RAN) {
		show(out, "the first", a, sp_buf_str(&a->err), 0);
		show(out, "the second", b, sp_buf_str(&b->err), 0);
		return;
	}
	normalize(&x, sp_buf_str(&a->out), compare);
	normalize(&y, sp_buf_str(&b->out), compare);
	if (sp_streq(sp_buf_str(&x), sp_buf_str(&y))) {
		sp_buf_clear(&x);
		sp_buf_clear(&y);
		normalize(&x, sp_buf_str(&a->err), compare);
		normalize(&y, sp_buf_str(&b->err), compare);
	}
	while (same < x.len && same < y.len && x.data[same] == y.data[same])
		same++;
	show(out, "the first", a, sp_buf_str(&x), same);
	show(out, "the second", b, sp_buf_str(&y), same);
	sp_buf_deinit(&x);
	sp_buf_deinit(&y);
}

// ---- scripts for other kernels ----------------------------------------------------------------------------------------

static void kept_path(const char *object, struct sp_buf *path)
{
	sp_buf_printf(path, "%s.expected", object);
}

// A line of numbers, and what they are the lengths of.
void trial_keep(const struct trial *t, const struct outcome *expected, unsigned compare)
{
	struct sp_buf path = { 0 };
	FILE *f;

	kept_path(t->object, &path);
	f = fopen(sp_buf_str(&path), "we");
	if (!f || fprintf(f, "%d %d %d %u %zu %zu %zu\n", expected->kind, expected->status, expected->is_late, compare, strlen(t->command),
			  expected->out.len, expected->err.len) < 0 ||
	    fprintf(f, "%s%s%s", t->command, sp_buf_str(&expected->out), sp_buf_str(&expected->err)) < 0 || fclose(f) != 0) {
		perror(sp_buf_str(&path));
		_exit(2);
	}
	sp_buf_deinit(&path);
}

bool trial_is_kept(const char *object)
{
	struct sp_buf path = { 0 };
	bool is_kept;

	kept_path(object, &path);
	is_kept = access(sp_buf_str(&path), F_OK) == 0;
	sp_buf_deinit(&path);
	return is_kept;
}

static void read_text(FILE *f, size_t len, struct sp_buf *ret)
{
	for (int c; len-- > 0 && (c = getc(f)) != EOF;)
		sp_buf_putc(ret, (char)c);
}

bool trial_run_kept(const char *object, struct sp_buf *report)
{
	struct outcome expected = { 0 }, o = { .kind = OUTCOME_RAN };
	struct sp_buf path = { 0 }, command = { 0 };
	struct session s = { NULL, &o };
	unsigned compare = 0;
	size_t lengths[3];
	int kind, is_late;
	bool agree = false;
	FILE *f;

	kept_path(object, &path);
	f = fopen(sp_buf_str(&path), "re");
	if (f && fscanf(f, "%d %d %d %u %zu %zu %zu", &kind, &expected.status, &is_late, &compare, lengths, lengths + 1, lengths + 2) == 7 &&
	    getc(f) == '\n') {
		expected.kind = (enum outcome_kind)kind;
		expected.is_late = is_late;
		read_text(f, lengths[0], &command);
		read_text(f, lengths[1], &expected.out);
		read_text(f, lengths[2], &expected.err);
		run_bundle(&s, &(struct trial){ .engine = ENGINE_KERNEL, .command = sp_buf_str(&command), .object = object }, NULL, 0);
		agree = compare & COMPARE_HERE ? o.kind != OUTCOME_BROKEN : outcomes_agree(&expected, &o, compare);
	}
	if (f)
		fclose(f);
	if (!agree)
		outcomes_differ(report, &expected, &o, compare);
	sp_buf_deinit(&path);
	sp_buf_deinit(&command);
	outcome_deinit(&expected);
	outcome_deinit(&o);
	return agree;
}
