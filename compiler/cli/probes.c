// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/probes.h"

#include "compiler/cache/cache.h"
#include "compiler/cache/perf_cache.h"
#include "compiler/cli/cli.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

// Makes the folders of a path.
static struct sp_err *make_folders(const char *path)
{
	sp_cleanup_free char *part = sp_strdup(path);

	for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (mkdir(part, 0755) && errno != EEXIST)
			return sp_err_errno(errno, "cannot make %s", part);
		if (!slash)
			return NULL;
		*slash = '/';
	}
}

// .build-id/XX/REST leads to the object's folder.
static struct sp_err *make_link(const char *home, const char *id, const char *object)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf folder = { 0 }, link = { 0 }, target = { 0 };

	sp_buf_printf(&folder, "%s/.debug/.build-id/%.2s", home, id);
	sp_buf_printf(&link, "%s/%s", sp_buf_str(&folder), id + 2);
	sp_buf_printf(&target, "../../%s/%s", object + (*object == '/'), id);
	SP_TRY(make_folders(sp_buf_str(&folder)));
	if (symlink(sp_buf_str(&target), sp_buf_str(&link)) && errno != EEXIST)
		return sp_err_errno(errno, "cannot make %s", sp_buf_str(&link));
	return NULL;
}

// Adds "#DEFINITION\nEVENT\n" to the probes of an object.
static struct sp_err *add_probe(const char *home, const char *id, const char *object, const char *probe, size_t len)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 }, text = { 0 };

	sp_buf_printf(&path, "%s/.debug/%s/%s", home, object + (*object == '/'), id);
	SP_TRY(make_folders(sp_buf_str(&path)));
	SP_TRY(make_link(home, id, object));
	sp_buf_puts(&path, "/probes");
	SP_TRY(perf_cache_read(sp_buf_str(&path), &text));
	perf_probes_put(&text, probe, len);
	return sp_file_replace(AT_FDCWD, sp_buf_str(&path), text.data, text.len, 0644);
}

// The lines "@BUILD-ID OBJECT", "#DEFINITION", "EVENT" of spile_print_events(), where a probe has them for each of its places.
struct place {
	const char *head, *event;
	size_t head_len, event_len;
};

struct places {
	SP_VEC(struct place) list;
};

// Without the "#", or the name of a mark's event.
static void print_definition(const char *line)
{
	bool is_mark = *line == '%';

	printf("%.*s\n", (int)strcspn(line, is_mark ? "=\n" : "\n") - !is_mark, line + !is_mark);
}

static void places_deinit(struct places *places)
{
	sp_vec_deinit(&places->list);
}

static void read_places(const char *text, struct places *ret)
{
	while (*text == '@') {
		const char *probe = strchr(text, '\n') + 1, *event = strchr(probe, '\n') + 1, *next = strchr(event, '\n') + 1;

		sp_vec_push(&ret->list, ((struct place){ text, event, (size_t)(event - text), (size_t)(next - event) }));
		text = next;
	}
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->head_len == b->head_len && !memcmp(a->head, b->head, a->head_len);
}

static struct sp_err *add_probes(const char *home, const char *text)
{
	sp_cleanup(places_deinit) struct places places = { 0 };

	read_places(text, &places);
	sp_vec_each(place, &places.list) {
		sp_cleanup_free char *head = sp_strndup(place->head, place->head_len);
		char *id = head + 1, *object = strchr(id, ' ') + 1, *definition = strchr(object, '\n') + 1;
		sp_cleanup(sp_buf_deinit) struct sp_buf probe = { 0 };
		bool is_done = false;

		sp_buf_puts(&probe, definition);
		object[-1] = definition[-1] = '\0';
		sp_vec_each(other, &places.list) {
			is_done |= other < place && is_same(other, place);
			if (is_same(other, place))
				sp_buf_add(&probe, other->event, other->event_len);
		}
		if (is_done)
			continue;
		printf("%s %s: ", id, object);
		print_definition(definition);
		SP_TRY(add_probe(home, id, object, probe.data, probe.len));
	}
	return NULL;
}

// All lines of a source file, as a probe point.
static char *lines_of(const char *file, const char *object)
{
	struct sp_buf out = { 0 };

	if (sp_streq(object, "kernel") || sp_starts_with(object, "module("))
		sp_buf_puts(&out, object);
	else
		sp_buf_printf(&out, "process(\"%s\")", object);
	sp_buf_printf(&out, ".statement(\"*@%s:*\")", file);
	return sp_buf_take(&out);
}

// What the command line asks for; then ret->definition is to be freed. The words before the last one are options.
static bool read_words(int argc, char **argv, struct spile_cache_add *ret, struct cli_options *options, int *status_ret)
{
	SP_VEC(char *) words = { 0 };
	const char *lines = NULL;
	bool ok = false;

	*ret = (struct spile_cache_add){ 0 };
	sp_vec_push(&words, (char *)"spile");
	for (int i = 1; i < argc; i++) {
		if (sp_streq(argv[i], "--all-functions"))
			ret->all_functions = "";
		else if (sp_streq(argv[i], "--lines") && i < argc - 2)
			lines = argv[++i];
		else if (i < argc - 1)
			sp_vec_push(&words, argv[i]);
		else
			ok = argv[i][0] != '-';
	}
	sp_vec_push(&words, (char *)"--kprobe-events"); // so that there is something to do
	sp_vec_push(&words, argv[argc - 1]);
	sp_vec_push(&words, NULL);
	if (ok && ret->all_functions)
		ret->all_functions = argv[argc - 1];
	else
		ret->definition = lines ? lines_of(lines, argv[argc - 1]) : sp_strdup(argv[argc - 1]);
	ok = ok && !(lines && ret->all_functions);
	*status_ret = ok ? options_parse((int)words.n - 1, words.v, options) : 2;
	if (!*status_ret && options->args.v[0]) { // else the others would be left out
		cli_report(sp_err_new(SP_ERR_USAGE, "cache add takes one probe point or program at a time"));
		options_deinit(options);
		*status_ret = 2;
	}
	sp_vec_deinit(&words);
	if (*status_ret) {
		free((char *)ret->definition);
		ret->definition = NULL;
	}
	return !*status_ret;
}

// Adds the definition to perf's cache, as far as perf can record it.
static int add_for_perf(int argc, char **argv)
{
	sp_cleanup_close int lock SP_UNUSED = cache_lock();
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 }, folder = { 0 };
	const char *home = sp_env_home();
	struct cli cli = { .captured = &text };
	struct spile_cache_add what;
	struct sp_err *err = NULL;
	struct spile *spile;
	int status;

	if (!read_words(argc, argv, &what, &cli.options, &status))
		return status;
	cli_init(&cli);
	spile = spile_create(&cli.options.compile);
	status = spile_print_events(spile, what.definition, 1);
	spile_destroy(spile);
	free((char *)what.definition);
	if (!status && !(err = perf_cache_folder(&folder)))
		err = add_probes(home, text.data);
	cli_deinit(&cli);
	return err ? cli_report(err) : status;
}

// Adds the definition to our own cache; *what_ret: what the words ask for, its definition to be freed.
static int add_for_us(int argc, char **argv, struct spile_cache_add *what_ret)
{
	sp_cleanup_close int lock SP_UNUSED = cache_lock(); // what is there of a build is written anew with what is added
	struct cli cli = { 0 };
	struct spile *spile;
	int status;

	if (!read_words(argc, argv, what_ret, &cli.options, &status))
		return status;
	cli_init(&cli);
	spile = spile_create(&cli.options.compile);
	status = spile_cache_add(spile, what_ret);
	spile_destroy(spile);
	cli_deinit(&cli);
	return status;
}

int probes_resolve(const char *option, const char *definition)
{
	char *words[] = { (char *)"add", (char *)(option ? option : definition), (char *)definition, NULL };
	struct spile_cache_add what = { 0 };
	int status = add_for_us(option ? 3 : 2, words, &what);

	free((char *)what.definition);
	return status;
}

int probes_add(int argc, char **argv)
{
	struct spile_cache_add what = { 0 };
	bool is_line = false; // of a whole file: these are no events that perf has names for
	int status;

	for (int i = 1; i < argc; i++)
		is_line |= sp_streq(argv[i], "--lines");
	status = add_for_us(argc, argv, &what);
	if (!status && what.definition && !is_line)
		status = add_for_perf(argc, argv);
	free((char *)what.definition);
	return status;
}

// ---- perf's own ---------------------------------------------------------------------------------------------------------

static void report_fault(void *ctx SP_UNUSED, struct sp_err *fault)
{
	cli_report(fault);
}

static void list_object(void *ctx SP_UNUSED, const struct perf_object *object)
{
	struct perf_probe probe;

	for (const char *at = object->text; perf_probes_next(&at, object->end, &probe);)
		printf("%s perf's probes of %s: %s%.*s\n", object->id, object->name, probe.is_mark ? "%" : "", (int)probe.len, probe.definition);
}

void probes_list(void)
{
	perf_cache_each(list_object, report_fault, NULL);
}

// ---- taking over what perf has ------------------------------------------------------------------------------------------

struct import {
	int status;
};

// Is the object here still of that build? Else a message says of which it is.
static bool is_here(const struct perf_object *object)
{
	char text[ELF_ID_TEXT];
	uint8_t id[SP_BUILD_ID_MAX];
	unsigned len;

	len = *object->name == '/' ? elf_id_read(object->name, id) : elf_id_of_notes("/sys/kernel/notes", id);
	if (len && sp_streq(elf_id_text(id, len, text), object->id))
		return true;
	fprintf(stderr, "WARNING: perf's probes of %s are left out: they are of the build %s, and %s%s\n", object->name, object->id,
		len ? "this is " : "it is not here, or has no build-id", len ? text : "");
	return false;
}

static int import_point(const struct perf_point *point)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct spile_cache_add added = { 0 };
	char *words[] = { (char *)"add", (char *)"-r", (char *)point->release, NULL, NULL }, *plain[] = { (char *)"add", NULL, NULL };
	int status;

	for (unsigned i = 0; i < point->n; i++) {
		sp_buf_printf(&text, "%s%s", i ? "." : "", point->parts[i].name);
		if (point->parts[i].arg)
			sp_buf_printf(&text, "(\"%s\")", point->parts[i].arg);
	}
	words[3] = plain[1] = text.data;
	status = point->release ? add_for_us(4, words, &added) : add_for_us(2, plain, &added);
	free((char *)added.definition);
	return status;
}

static void import_object(void *ctx, const struct perf_object *object)
{
	struct import *import = ctx;
	struct sp_arena arena;
	struct perf_probe probe;
	int is_build = -1; // not known yet

	sp_arena_init(&arena);
	for (const char *at = object->text; *object->name && perf_probes_next(&at, object->end, &probe);) {
		struct perf_point point;
		bool is_point = perf_cache_point(object, &probe, &arena, &point);

		if (is_build < 0 && !(is_build = point.release || is_here(object)))
			break;
		if (is_point)
			import->status = import_point(&point) || import->status;
		else
			fprintf(stderr, "WARNING: %s%.*s is left out: no probe point says the same\n", probe.is_mark ? "%" : "", (int)probe.len, probe.definition);
	}
	sp_arena_deinit(&arena);
}

int probes_import(void)
{
	struct import import = { 0 };

	perf_cache_each(import_object, report_fault, &import);
	return import.status;
}
