// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/cache_command.h"

#include "compiler/cache/cache.h"
#include "compiler/cache/result.h"
#include "compiler/cli/probes.h"
#include "compiler/cli/run.h"
#include "runtime/base/cleanup.h"

#include <stdio.h>
#include <time.h>

static const char usage[] =
	"Usage: spile cache add [-r RELEASE] 'POINT $VARIABLE...'  add probes to perf's cache, for perf probe\n"
	"   or: spile cache list            what is kept: its name, size, when it was last used, what it is\n"
	"   or: spile cache show NAME       what a compiled script depends on, and what has changed since\n"
	"   or: spile cache verify          look for damaged files, and remove them\n"
	"   or: spile cache prune           remove what is beyond the limits\n"
	"   or: spile cache clear           remove all\n"
	"The beginning of a NAME is enough. The folder is $XDG_CACHE_HOME/spile, or ~/.cache/spile.\n";

static bool is_result(const char *name)
{
	size_t len = strlen(name), end = strlen(RESULT_ENDING);

	return len > end && sp_streq(name + len - end, RESULT_ENDING);
}

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

static void print_entry(const struct cache_entry *entry)
{
	sp_cleanup_free char *why = NULL;
	struct result result;

	printf("%-28.28s %10llu ", entry->name, (unsigned long long)entry->size);
	print_age(entry->used);
	printf("  %s", entry->what);
	if (is_result(entry->name) && result_read(entry->name, &result, &why)) {
		printf(": %s", result.title);
		result_deinit(&result);
	}
	printf("%s%s\n", why ? ": damaged: " : "", why ? why : "");
}

static struct sp_err *list(const char *name SP_UNUSED)
{
	struct cache_list all = { 0 };

	SP_TRY(cache_each(&all));
	for (size_t i = all.n; i > 0; i--)
		print_entry(&all.v[i - 1]);
	sp_vec_deinit(&all);
	probes_list();
	return NULL;
}

static struct sp_err *verify(const char *name SP_UNUSED)
{
	struct cache_list all = { 0 };
	struct sp_err *err = NULL;
	unsigned n = 0;

	SP_TRY(cache_each(&all));
	for (size_t i = 0; i < all.n && !err; i++) {
		sp_cleanup_free char *why = NULL;
		struct result result;

		if (!is_result(all.v[i].name))
			continue;
		n++;
		if (result_read(all.v[i].name, &result, &why)) {
			result_deinit(&result);
		} else if (why) {
			printf("%s is removed: %s\n", all.v[i].name, why);
			err = cache_remove(all.v[i].name);
		}
	}
	sp_vec_deinit(&all);
	if (!err)
		printf("%u compiled scripts were looked at\n", n);
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

	SP_TRY(cache_each(&all));
	for (size_t i = 0; i < all.n && !err; i++)
		err = cache_remove(all.v[i].name);
	if (!err)
		printf("%zu files were removed\n", all.n);
	sp_vec_deinit(&all);
	return err;
}

static void print_inputs(const struct result *result)
{
	const uint8_t *at = result->inputs, *end = at + result->inputs_size;
	struct input input;

	while (input_next(&at, end, &input)) {
		bool is_state = input.kind == INPUT_KERNEL && !*input.name, leads = input.kind == INPUT_REAL || input.kind == INPUT_LINK;

		printf("  %-11s %s", input_what(&input), is_state ? "symbols, modules, tracepoints" : input.name);
		if (leads && input.size && *input.value != '-')
			printf(" -> %.*s", (int)input.size, (const char *)input.value);
		puts(!input_holds(&input) ? "    (has changed)" : "");
	}
}

// The file whose name begins with `name`.
static struct sp_err *find(const char *name, struct cache_entry *ret)
{
	struct cache_list all = { 0 };
	struct sp_err *err = NULL;
	unsigned n = 0;

	SP_TRY(cache_each(&all));
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
	if (!is_result(entry.name)) {
		print_entry(&entry);
		return NULL;
	}
	if (!result_read(entry.name, &result, &why))
		return sp_err_new(SP_ERR_FORMAT, "%s: %s", entry.name, why ? why : "it is gone");
	printf("%s\n  script      %s\n  object      %zu bytes\n", entry.name, result.title, result.object_size);
	print_inputs(&result);
	result_deinit(&result);
	return NULL;
}

static const struct {
	const char *name;
	int n_words;
	struct sp_err *(*run)(const char *word);
} commands[] = {
	{ "list", 0, list }, { "show", 1, show }, { "verify", 0, verify }, { "prune", 0, prune }, { "clear", 0, clear },
};

int cache_command(int argc, char **argv)
{
	if (argc == 2 && (sp_streq(argv[1], "--help") || sp_streq(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc >= 3 && sp_streq(argv[1], "add"))
		return probes_add(argc - 1, argv + 1);
	for (size_t i = 0; i < SP_ARRAY_SIZE(commands); i++)
		if (argc == 2 + commands[i].n_words && sp_streq(argv[1], commands[i].name))
			return cli_report(commands[i].run(argv[2]));
	fputs(usage, stderr);
	return 2;
}
