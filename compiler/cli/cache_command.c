// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/cache_command.h"

#include "compiler/cache/archive.h"
#include "compiler/cache/cache.h"
#include "compiler/cache/elf_id.h"
#include "compiler/cache/probe_file.h"
#include "compiler/cache/result.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/probes.h"
#include "compiler/cli/probes_again.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
	"Usage: spile cache add [-r RELEASE] 'POINT $VARIABLE...'\n"
	"                                   keep what the probe needs, for machines without debug information and for perf probe\n"
	"   or: spile cache add [-r RELEASE] --all-functions kernel|PROGRAM\n"
	"                                   keep what entries and returns of all functions need\n"	"   or: spile cache add [-r RELEASE] --lines FILE kernel|PROGRAM\n"
	"                                   keep all that is in a source file\n"
	"   or: spile cache export FILE.tar [BUILD-ID...]\n"
	"                                   write what was added to an archive, for other machines\n"
	"   or: spile cache import FILE.tar read such an archive\n"
	"   or: spile cache import-perf     add the probes that perf probe --cache has\n"
	"   or: spile cache list            what is kept: its name, size, when it was last used, what it is\n"
	"   or: spile cache show NAME       what a compiled script or a listing depends on, and what has changed since\n"
	"   or: spile cache verify          look for damaged files, and remove them; resolve again what is of an older build\n"
	"   or: spile cache prune           remove what is beyond the limits\n"
	"   or: spile cache clear           remove all\n"
	"The beginning of a NAME is enough. The folder is $XDG_CACHE_HOME/spile, or ~/.cache/spile.\n";

static void print_age(uint64_t used)
{
	uint64_t now = (uint64_t)time(NULL), then = used / 1000000000, age = now > then ? now - then : 0;

	if (age < 120)
		printf("%6llu s ", (unsigned long long)age);
	else if (age < 2 * 3600)
		printf("%6llu min", (unsigned long long)age / 60);
	else if (age < 2 * 86400)
		printf("%6llu h ", (unsigned long long)age / 3600);
	else
		printf("%6llu days", (unsigned long long)age / 86400);
}

static bool is_of_probes(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (unsigned sort = 0; dot && sort < PROBE_FILE_N_SORTS; sort++)
		if (sp_streq(dot + 1, probe_file_endings[sort]))
			return true;
	return false;
}

// What is wrong with the file; NULL: nothing.
static char *check_probes(const char *name)
{
	struct cache_mapped file;
	struct sp_err *err = cache_map(name, &file);
	const char *why = !err && file.bytes ? probe_file_check(file.bytes, file.size) : NULL;
	char *text = err ? sp_err_text(err) : why ? sp_strdup(why) : NULL;

	sp_err_free(err);
	cache_unmap(&file);
	return text;
}

// "BUILD-ID probes of OBJECT: DEFINITION", a line for each definition.
static void print_file(const char *name, const struct probe_file_head *head)
{
	struct probe_file_line object = { "", 0 }, line;
	char now[ELF_ID_TEXT];
	bool is_updated = probes_again_build(head, now);
	const char *at = NULL;

	probe_file_next(&at, head, "object", &object);
	for (at = NULL; probe_file_next(&at, head, "definition", &line);) {
		bool is_old = is_updated && !probes_again_has(now, (enum probe_file_sort)head->sort, &line);

		printf("%.*s probes of %.*s%s%s: %.*s%s%s%s\n", (int)strcspn(name, "."), name, (int)object.len, object.text,
		       *head->release ? " " : "", head->release, (int)line.len, line.text, is_old ? "    (it is now of the build " : "",
		       is_old ? now : "", is_old ? ")" : "");
	}
}

static void print_definitions(const char *name)
{
	struct cache_mapped file = { 0 };

	sp_err_free(cache_map(name, &file));
	if (file.bytes && !probe_file_check(file.bytes, file.size))
		print_file(name, (const struct probe_file_head *)file.bytes);
	cache_unmap(&file);
}

static void print_entry(const struct cache_entry *entry)
{
	sp_cleanup_free char *why = NULL;
	struct result result;

	printf("%-28.28s %10llu ", entry->name, (unsigned long long)entry->size);
	print_age(entry->used);
	printf("  %s", entry->what);
	if (result_is_name(entry->name) && result_read(entry->name, &result, &why)) {
		printf(": %s", result.title);
		result_deinit(&result);
	} else if (is_of_probes(entry->name)) {
		why = check_probes(entry->name);
	}
	printf("%s%s\n", why ? ": damaged: " : "", why ? why : "");
}

static struct sp_err *list(const char *name SP_UNUSED)
{
	struct cache_list all = { 0 };

	SP_TRY(cache_each(NULL, &all));
	for (size_t i = all.n; i > 0; i--)
		print_entry(&all.v[i - 1]);
	for (size_t i = all.n; i > 0; i--)
		if (is_of_probes(all.v[i - 1].name))
			print_definitions(all.v[i - 1].name);
	sp_vec_deinit(&all);
	probes_list();
	return NULL;
}

static struct sp_err *verify(void)
{
	struct cache_list all = { 0 };
	struct sp_err *err = NULL;
	unsigned n[2] = { 0 };

	SP_TRY(cache_each(NULL, &all));
	for (size_t i = 0; i < all.n && !err; i++) {
		sp_cleanup_free char *why = NULL;
		struct result result;

		if (!result_is_name(all.v[i].name) && !is_of_probes(all.v[i].name))
			continue;
		n[is_of_probes(all.v[i].name)]++;
		if (is_of_probes(all.v[i].name))
			why = check_probes(all.v[i].name);
		else if (result_read(all.v[i].name, &result, &why))
			result_deinit(&result);
		if (why) {
			printf("%s is removed: %s\n", all.v[i].name, why);
			err = cache_remove(all.v[i].name);
		}
	}
	sp_vec_deinit(&all);
	if (!err)
		printf("%u compiled scripts and listings and %u files of probes were looked at\n", n[0], n[1]);
	return err;
}

static struct sp_err *prune(const char *name SP_UNUSED)
{
	unsigned n;

	SP_TRY(cache_prune(&n));
	printf("%u files were removed\n", n);
	return NULL;
}

static struct sp_err *clear(const char *name SP_UNUSED)
{
	struct cache_list all = { 0 };
	struct sp_err *err = NULL;

	SP_TRY(cache_each(NULL, &all));
	for (size_t i = 0; i < all.n && !err; i++)
		err = cache_remove(all.v[i].name);
	if (!err)
		printf("%zu files were removed\n", all.n);
	sp_vec_deinit(&all);
	return err;
}

// The build-id that a file had, and the one that it has.
static void print_build_ids(const struct input *input, bool holds)
{
	char text[ELF_ID_TEXT];
	uint8_t now[SP_BUILD_ID_MAX];
	unsigned len;

	if (input->build_id)
		printf("    build-id %s", elf_id_text(input->build_id, input->build_id_len, text));
	if (holds || input->kind != INPUT_FILE)
		return;
	len = elf_id_read(input->name, now);
	if (len && (len != input->build_id_len || memcmp(now, input->build_id, len) != 0))
		printf("%s %s", input->build_id ? ", now" : "    build-id now", elf_id_text(now, len, text));
}

static void print_inputs(const struct result *result)
{
	const uint8_t *at = result->inputs, *end = at + result->inputs_size;
	struct input input;

	while (input_next(&at, end, &input)) {
		bool holds = input_holds(&input);
		bool is_state = input.kind == INPUT_KERNEL && !*input.name, leads = input.kind == INPUT_REAL || input.kind == INPUT_LINK;

		printf("  %-11s %s", input_what(&input), is_state ? "symbols, modules, tracepoints" : input.name);
		if (leads && input.size && *input.value != '-')
			printf(" -> %.*s", (int)input.size, (const char *)input.value);
		print_build_ids(&input, holds);
		puts(holds ? "" : "    (has changed)");
	}
}

// The file whose name begins with `name`.
static struct sp_err *find(const char *name, struct cache_entry *ret)
{
	struct cache_list all = { 0 };
	struct sp_err *err = NULL;
	unsigned n = 0;

	SP_TRY(cache_each(NULL, &all));
	for (size_t i = 0; i < all.n; i++) {
		if (!sp_starts_with(all.v[i].name, name))
			continue;
		*ret = all.v[i];
		n++;
	}
	if (n != 1)
		err = sp_err_new(SP_ERR_NOT_FOUND, n ? "%s: the names of %u files begin with this" : "%s: there is no such file in the cache", name, n);
	sp_vec_deinit(&all);
	return err;
}

static struct sp_err *show(const char *name)
{
	sp_cleanup_free char *why = NULL;
	struct cache_entry entry;
	struct result result;

	SP_TRY(find(name, &entry));
	if (!result_is_name(entry.name)) {
		print_entry(&entry);
		if (is_of_probes(entry.name))
			print_definitions(entry.name);
		return NULL;
	}
	if (!result_read(entry.name, &result, &why))
		return sp_err_new(SP_ERR_FORMAT, "%s: %s", entry.name, why ? why : "it is gone");
	printf("%s\n  result      %s\n  size        %zu bytes\n", entry.name, result.title, result.object_size);
	print_inputs(&result);
	result_deinit(&result);
	return NULL;
}

// ---- archives -------------------------------------------------------------------------------------------------------

static int export_probes(const char *path, const char *const *ids, size_t n_ids)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };
	unsigned n = 0;
	struct sp_err *err = archive_write(ids, n_ids, &out, &n);

	if (!err && !n)
		err = sp_err_new(SP_ERR_NOT_FOUND, "the cache has no probes%s", n_ids ? " of these build-ids" : ": 'spile cache add' adds some");
	if (!err)
		err = sp_file_replace(AT_FDCWD, path, out.data, out.len, 0600);
	if (!err)
		printf("%s: %u files, %zu bytes\n", path, n, out.len);
	return cli_report(err);
}

static struct sp_err *import_file(void *ctx SP_UNUSED, const char *name, const uint8_t *bytes, size_t size)
{
	SP_TRY(cache_save(name, bytes, size));
	printf("%s: %zu bytes\n", name, size);
	return NULL;
}

static struct sp_err *import_probes(const char *path)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	struct stat st;

	if (stat(path, &st))
		return sp_err_errno(errno, "cannot open %s", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return sp_err_new(SP_ERR_PRIVILEGE, "%s belongs to another user", path);
	SP_TRY(sp_file_read(path, PROBE_FILE_MAX, &bytes));
	return archive_read((const uint8_t *)sp_buf_str(&bytes), bytes.len, import_file, NULL);
}

static const struct {
	const char *name;
	int n_words;
	struct sp_err *(*run)(const char *word);
} commands[] = {
	{ "list", 0, list }, { "show", 1, show }, { "prune", 0, prune }, { "clear", 0, clear },
	{ "import", 1, import_probes },
};

int cache_prune_now(void)
{
	return cli_report(prune(NULL));
}

// Has the usage a line for it?
static bool is_command(const char *word)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf line = { 0 };

	sp_buf_printf(&line, ": spile cache %s ", word);
	return strstr(usage, sp_buf_str(&line)) != NULL;
}

int cache_command(int argc, char **argv)
{
	if (argc == 2 && (sp_streq(argv[1], "--help") || sp_streq(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc >= 3 && sp_streq(argv[1], "add"))
		return probes_add(argc - 1, argv + 1);
	if (argc >= 3 && sp_streq(argv[1], "export") && argv[2][0] != '-')
		return export_probes(argv[2], (const char *const *)argv + 3, (size_t)argc - 3);
	if (argc == 2 && sp_streq(argv[1], "verify")) {
		int status = cli_report(verify());

		return status ? status : probes_again();
	}
	if (argc == 2 && sp_streq(argv[1], "import-perf"))
		return probes_import();
	for (size_t i = 0; i < SP_ARRAY_SIZE(commands); i++)
		if (argc == 2 + commands[i].n_words && sp_streq(argv[1], commands[i].name))
			return cli_report(commands[i].run(argv[2]));
	if (argc > 1 && !is_command(argv[1]))
		fprintf(stderr, "spile cache: there is no command '%s'\n\n", argv[1]);
	fputs(usage, stderr);
	return 2;
}
