// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/probes.h"

#include "compiler/cache/cache.h"
#include "compiler/cache/elf_id.h"
#include "compiler/cache/perf_probes.h"
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

#define MAX_FILE (16u << 20)

// ~/.debug, which another user could lead anywhere: that a program runs as root does not make HOME root's.
static struct sp_err *find_folder(const char *home, struct sp_buf *ret)
{
	struct stat st, link;

	if (!home)
		return sp_err_new(SP_ERR_NOT_FOUND, "HOME is no folder of this user");
	sp_buf_printf(ret, "%s/.debug", home);
	if (lstat(sp_buf_str(ret), &link) && errno == ENOENT)
		return NULL;
	if (stat(sp_buf_str(ret), &st))
		return sp_err_errno(errno, "cannot open %s", sp_buf_str(ret));
	if (link.st_uid != geteuid() || st.st_uid != geteuid() || (S_ISDIR(st.st_mode) && st.st_mode & (S_IWGRP | S_IWOTH)))
		return sp_err_new(SP_ERR_PRIVILEGE, "%s belongs to another user, or others can write it", sp_buf_str(ret));
	return NULL;
}

// A file of probes; that there is none is no error.
static struct sp_err *read_probes(const char *path, struct sp_buf *ret)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? NULL : sp_err_errno(errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return sp_err_new(SP_ERR_PRIVILEGE, "%s is not a regular file of this user", path);
	return sp_file_read(path, MAX_FILE, ret);
}

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
	SP_TRY(read_probes(sp_buf_str(&path), &text));
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
	if (!status && !(err = find_folder(home, &folder)))
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

// What perf has of one build of an object.
struct object {
	char id[ELF_ID_TEXT];
	const char *name; // the path, or "[kernel.kallsyms]"
	const char *text, *end; // of its file
};

typedef void object_fn(void *ctx, const struct object *object);

// `first` are the first two digits of the build-id, `rest` the others.
static void read_object(const char *folder, const char *first, const char *rest, object_fn *fn, void *ctx)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 }, text = { 0 };
	struct object object = { .name = "" };
	char target[PATH_MAX], *name;
	ssize_t len;

	snprintf(object.id, sizeof(object.id), "%s%s", first, rest);
	sp_buf_printf(&path, "%s/%s/%s", folder, first, rest);
	len = readlink(sp_buf_str(&path), target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	sp_buf_puts(&path, "/probes");
	struct sp_err *err = read_probes(sp_buf_str(&path), &text);
	if (err)
		cli_report(err);
	if (!text.len)
		return;
	if (len > 6 && strrchr(target, '/') > target + 6) {
		*strrchr(target, '/') = '\0'; // the build-id
		name = target + 5; // behind "../.."
		object.name = name[1] == '[' ? name + 1 : name;
	}
	object.text = text.data;
	object.end = text.data + text.len;
	fn(ctx, &object);
}

static void each_object(object_fn *fn, void *ctx)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf folder = { 0 };
	const char *home = sp_env_home();
	struct sp_err *err = home ? find_folder(home, &folder) : NULL;
	struct dirent **firsts = NULL;
	int n;

	if (err)
		cli_report(err);
	if (!home || err)
		return;
	sp_buf_puts(&folder, "/.build-id");
	n = scandir(sp_buf_str(&folder), &firsts, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf inner = { 0 };
		struct dirent **rests = NULL;
		int n_rests;

		sp_buf_printf(&inner, "%s/%s", sp_buf_str(&folder), firsts[i]->d_name);
		n_rests = firsts[i]->d_name[0] == '.' ? 0 : scandir(sp_buf_str(&inner), &rests, NULL, alphasort);
		for (int k = 0; k < n_rests; k++) {
			if (rests[k]->d_name[0] != '.')
				read_object(sp_buf_str(&folder), firsts[i]->d_name, rests[k]->d_name, fn, ctx);
			free(rests[k]);
		}
		free(rests);
		free(firsts[i]);
	}
	free(firsts);
}

static void list_object(void *ctx SP_UNUSED, const struct object *object)
{
	struct perf_probe probe;

	for (const char *at = object->text; perf_probes_next(&at, object->end, &probe);)
		printf("%s perf's probes of %s: %s%.*s\n", object->id, object->name, probe.is_mark ? "%" : "", (int)probe.len, probe.definition);
}

void probes_list(void)
{
	each_object(list_object, NULL);
}

// ---- taking over what perf has ------------------------------------------------------------------------------------------

// "/lib/modules/6.1.0-56-amd64/kernel/fs/ext4/ext4.ko.xz": its release and its name.
static bool is_module(const char *path, char release[96], char name[64])
{
	const char *slash = strrchr(path, '/');
	int end = 0;

	if (sscanf(path, "%*[/usr]lib/modules/%95[^/]/%n", release, &end) != 1 || !end)
		return false;
	return sscanf(slash + 1, "%63[^.].k%n", name, &end) == 1 && sp_starts_with(strchr(slash, '.'), ".ko");
}

// The point that is "SDT_GROUP:NAME", a mark; false: it is none.
static bool mark_point(const char *definition, const char *colon, struct sp_buf *out)
{
	if (!colon || !sp_starts_with(definition, "sdt_"))
		return false;
	sp_buf_printf(out, ".provider(\"%.*s\").mark(\"%s\")", (int)(colon - definition) - 4, definition + 4, colon + 1);
	return true;
}

// perf-probe(1): "FUNC[@SRC][+OFFS|%return|:RLN]" or "SRC:ALN". False: a probe point cannot say it.
static bool function_point(char *what, struct sp_buf *out)
{
	char *place = what + strcspn(what, "+%:"), *file = memchr(what, '@', (size_t)(place - what));
	bool is_file = !file && strpbrk(what, "./") && strpbrk(what, "./") < place;
	char kind = *place, *number = place + !!kind, *end;

	*place = '\0';
	if (file)
		*file++ = '\0';
	if (kind == ':' && (!*number || (strtoul(number, &end, 10), *end)))
		return false;
	if (is_file && kind != ':')
		return false;
	if (is_file)
		sp_buf_printf(out, ".statement(\"*@%s:%s\")", what, number);
	else if (kind == ':')
		sp_buf_printf(out, ".statement(\"%s@%s:+%s\")", what, file ? file : "*", number);
	else if (kind == '+')
		sp_buf_printf(out, ".function(\"%s+%s\")", what, number);
	else if (!kind || sp_streq(number, "return"))
		sp_buf_printf(out, ".function(\"%s%s%s\")%s", what, file ? "@" : "", file ? file : "", kind ? ".return" : "");
	return out->len && !(kind == '+' && file);
}

// The probe point of a definition. Its variables are left out: all are kept.
static bool point_of(const struct perf_probe *probe, struct sp_buf *out)
{
	size_t len = probe->is_mark ? probe->len : 0;

	while (len < probe->len && probe->definition[len] != ' ')
		len++;
	sp_cleanup_free char *what = sp_strndup(probe->definition, len);
	char *equals = strchr(what, '=');
	size_t before = out->len;

	if (!len || strlen(what) != len || strpbrk(what, "\"\\;\n"))
		return false;
	return (probe->is_mark ? mark_point(what, strchr(what, ':'), out) : function_point(equals ? equals + 1 : what, out)) && out->len > before;
}

struct import {
	int status;
};

// Is the object here still of that build? Else a message says of which it is.
static bool is_here(const struct object *object)
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

static void import_object(void *ctx, const struct object *object)
{
	struct import *import = ctx;
	char release[96], module[64];
	struct perf_probe probe;
	bool of_module = is_module(object->name, release, module);

	if (!*object->name || (!of_module && !is_here(object)))
		return;
	for (const char *at = object->text; perf_probes_next(&at, object->end, &probe);) {
		sp_cleanup(sp_buf_deinit) struct sp_buf what = { 0 }, whole = { 0 };
		struct spile_cache_add added = { 0 };
		char *words[] = { (char *)"add", (char *)"-r", release, NULL }, *plain[] = { (char *)"add", NULL };
		int status;

		if (!point_of(&probe, &what)) {
			fprintf(stderr, "WARNING: %s%.*s is left out: no probe point says the same\n", probe.is_mark ? "%" : "", (int)probe.len, probe.definition);
			continue;
		}
		if (of_module)
			sp_buf_printf(&whole, "module(\"%s\")%s", module, sp_buf_str(&what));
		else if (*object->name == '[')
			sp_buf_printf(&whole, "kernel%s", sp_buf_str(&what));
		else
			sp_buf_printf(&whole, "process(\"%s\")%s", object->name, sp_buf_str(&what));
		words[3] = plain[1] = whole.data;
		status = of_module ? add_for_us(4, words, &added) : add_for_us(2, plain, &added);
		free((char *)added.definition);
		import->status = status ? status : import->status;
	}
}

int probes_import(void)
{
	struct import import = { 0 };

	each_object(import_object, &import);
	return import.status;
}
