// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts and programs that are made from seeds, in pairs that must print the same: see CONTRIBUTING.md. A child for each
// seed, forked when the code generator has been loaded, which is most of what a short script costs.
#define _GNU_SOURCE
#include "testsuite/meta/relate.h"

#include "runtime/include/spilert.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPORT_SIZE = 256 << 10, MAX_JOBS = 64, SECONDS_A_SEED = 120, SECONDS_AN_OBJECT = 60 };

// What a child leaves behind.
struct slot {
	pid_t pid;
	uint64_t seed;
	unsigned n_scripts, n_comparisons, n_refused, n_loaded[MAX_HOOKS];
	char last[LAST_SIZE], report[REPORT_SIZE];
};

static const struct relation {
	const char *name;
	bool (*run)(struct seed *seed);
} relations[] = {
	{ "points", relate_points },
	{ "language", relate_language },
	{ "hooks", relate_hooks },
};

struct options {
	uint64_t from, to;
	const char *relation; // NULL: all
	unsigned jobs;
	bool kernel, shows, rich;
	const char *release, *objects, *loads, *hook; // --compile-for, --objects, --load, --hook
	bool hooks[MAX_HOOKS];
	unsigned max_string;
	unsigned shrink_seconds; // for each failing seed
};

// Makes the program of a seed, unless it is the one that there is.
static bool prepare_target(struct target *t, uint64_t seed, const char *folder)
{
	uint64_t number = seed / SEEDS_A_PROGRAM;

	if (t->path && t->number == number)
		return true;
	target_deinit(t);
	return target_build(t, number, folder);
}

struct totals {
	unsigned long seeds, scripts, comparisons, refused, failed, loaded[MAX_HOOKS];
};

// A uprobe is one of a file: seeds that run beside each other must not meet in one. With --objects they stay, beside these.
static void own_programs(struct seed *seed)
{
	const char *folder = seed->objects ? seed->objects : sp_arena_strndup(&seed->arena, seed->prog, (size_t)(strrchr(seed->prog, '/') - seed->prog));
	const char *command;

	seed->prog = sp_arena_printf(&seed->arena, "%s/prog.%llu", folder, (unsigned long long)seed->number);
	seed->ticks = sp_arena_printf(&seed->arena, "%s/ticks.%llu", folder, (unsigned long long)seed->number);
	command = sp_arena_printf(&seed->arena, "cp '%s' '%s' && cp '%s' '%s'", seed->target->path, seed->prog, META_TICKS, seed->ticks);
	if (system(command) != 0)
		_exit(2);
}

// Of the relation "hooks", which needs no program of the seed.
static bool is_hooks(const struct options *o)
{
	return o->relation && sp_streq(o->relation, "hooks");
}

static bool run_seed(const struct options *o, struct slot *slot, const struct target *target, char *description)
{
	struct seed seed = { .number = slot->seed, .kernel = o->kernel, .shrink_seconds = o->shrink_seconds, .shows = o->shows,
			     .hooks = o->hooks, .max_string = o->max_string, .rich = o->rich,
			     .release = o->release, .objects = o->objects,
			     .target = target, .prog = target->path, .ticks = META_TICKS };
	bool good = true;

	if (o->kernel && !is_hooks(o))
		own_programs(&seed);

	seed.lab = (struct lab){ META_MODULES, META_TAPSETS, description, slot->last, 0 };
	for (size_t i = 0; i < SP_ARRAY_SIZE(relations) && good; i++)
		if (o->relation ? sp_streq(o->relation, relations[i].name) : !sp_streq(relations[i].name, "hooks"))
			good = relations[i].run(&seed);
	slot->n_scripts = seed.lab.n_scripts;
	slot->n_comparisons = seed.n_comparisons;
	slot->n_refused = seed.n_refused;
	memcpy(slot->n_loaded, seed.n_loaded, sizeof(slot->n_loaded));
	snprintf(slot->report, sizeof(slot->report), "%s", sp_buf_str(&seed.report));
	fflush(stdout);
	if (o->kernel && !is_hooks(o) && !o->objects) {
		unlink(seed.prog);
		unlink(seed.ticks);
	}
	return good;
}

static void start(const struct options *o, struct slot *slot, const struct target *target, char *description)
{
	pid_t pid;

	slot->last[0] = slot->report[0] = '\0';
	slot->n_scripts = slot->n_comparisons = slot->n_refused = 0;
	memset(slot->n_loaded, 0, sizeof(slot->n_loaded));
	pid = fork(); // the slot is shared: only this process writes it there
	if (pid > 0)
		slot->pid = pid;
	if (pid)
		return;
	setpgid(0, 0);
	alarm((o->rich ? 5 : is_hooks(o) ? 2 : 1) * SECONDS_A_SEED + 2 * o->shrink_seconds);
	_exit(run_seed(o, slot, target, description) ? 0 : 1);
}

static void finish(struct slot *slot, int status, struct totals *t)
{
	t->seeds++;
	t->scripts += slot->n_scripts;
	t->comparisons += slot->n_comparisons;
	t->refused += slot->n_refused;
	for (unsigned i = 0; i < MAX_HOOKS; i++)
		t->loaded[i] += slot->n_loaded[i];
	kill(-slot->pid, SIGKILL); // programs that are left over
	slot->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	t->failed++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		printf("%s\n", slot->report);
	else
		printf("seed %llu: the process ended with status 0x%x\n%s\n", (unsigned long long)slot->seed, status, slot->last);
	fflush(stdout);
}

static bool wait_for_one(struct slot *slots, unsigned n, struct totals *t)
{
	int status;
	pid_t pid = wait(&status);

	for (unsigned i = 0; i < n && pid > 0; i++)
		if (slots[i].pid == pid)
			finish(&slots[i], status, t);
	return pid > 0;
}

static struct slot *free_slot(struct slot *slots, unsigned n, struct totals *t)
{
	for (;;) {
		for (unsigned i = 0; i < n; i++)
			if (!slots[i].pid)
				return &slots[i];
		wait_for_one(slots, n, t);
	}
}

// Loads what each child needs.
static bool warm_up(char *description)
{
	struct lab lab = { META_MODULES, META_TAPSETS, description, NULL, 0 };
	struct trial t = { .label = "warm-up", .script = "probe begin { println(\"hello\") exit() }" };
	struct outcome o;
	bool good;

	trial_run(&lab, &t, &o);
	good = o.kind == OUTCOME_RAN && sp_streq(sp_buf_str(&o.out), "hello\n");
	if (!good)
		printf("the simplest script fails: %s\n", sp_buf_str(&o.err));
	outcome_deinit(&o);
	return good;
}

static struct totals run_all(const struct options *o, const char *folder, char *description)
{
	struct slot *slots = mmap(NULL, o->jobs * sizeof(*slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct target target = { 0 };
	struct totals t = { 0 };

	for (uint64_t seed = o->from; seed <= o->to; seed++) {
		struct slot *slot;

		if (seed % SEEDS_A_PROGRAM == 0) // nobody runs the program that is going to be replaced
			while (wait_for_one(slots, o->jobs, &t))
				;
		slot = free_slot(slots, o->jobs, &t);
		if (!is_hooks(o) && !prepare_target(&target, seed, folder)) {
			printf("seed %llu: its program cannot be made\n", (unsigned long long)seed);
			t.failed++;
			break;
		}
		slot->seed = seed;
		start(o, slot, &target, description);
	}
	while (wait_for_one(slots, o->jobs, &t))
		;
	munmap(slots, o->jobs * sizeof(*slots));
	target_deinit(&target);
	return t;
}

static void usage(void)
{
	fputs("usage: metamorph [--seeds FROM-TO] [--relation points|language] [--kernel] [--jobs N] [--shrink SECONDS] [--show]\n"
	      "   or: metamorph --kernel --compile-for RELEASE --objects FOLDER [--seeds FROM-TO] ...\n"
	      "   or: metamorph --relation hooks [--compile-for RELEASE] [--objects FOLDER] [--max-string N] [--rich] [--hook TYPE] [--seeds FROM-TO] [--jobs N] ...\n"
	      "   or: metamorph --load FOLDER\n",
	      stderr);
}

static bool parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "seeds", required_argument, NULL, 's' }, { "relation", required_argument, NULL, 'r' },
		{ "kernel", no_argument, NULL, 'k' },	   { "jobs", required_argument, NULL, 'j' },
		{ "shrink", required_argument, NULL, 'n' }, { "show", no_argument, NULL, 'v' },
		{ "compile-for", required_argument, NULL, 'c' }, { "objects", required_argument, NULL, 'o' },
		{ "rich", no_argument, NULL, 'R' },		   { "hook", required_argument, NULL, 'h' },
		{ "load", required_argument, NULL, 'l' },	   { "max-string", required_argument, NULL, 'm' },
		{ 0 },
	};
	char *end;

	for (int c; (c = getopt_long(argc, argv, "j:", longs, NULL)) != -1;) {
		switch (c) {
		case 's':
			o->from = o->to = strtoull(optarg, &end, 10);
			if (*end == '-')
				o->to = strtoull(end + 1, &end, 10);
			if (*end)
				return false;
			break;
		case 'r':
			o->relation = optarg;
			break;
		case 'k':
			o->kernel = true;
			break;
		case 'j':
			o->jobs = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			o->shrink_seconds = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'c':
			o->release = optarg;
			break;
		case 'o':
			o->objects = optarg;
			break;
		case 'l':
			o->loads = optarg;
			break;
		case 'm':
			o->max_string = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'h':
			o->hook = optarg;
			break;
		case 'R':
			o->rich = true;
			break;
		case 'v':
			o->shows = true;
			break;
		default:
			return false;
		}
	}
	if (!is_hooks(o) && (o->release || o->objects) && !(o->kernel && o->release && o->objects))
		return false;
	return optind == argc && o->from <= o->to && o->jobs >= 1 && o->jobs <= MAX_JOBS;
}

static void remove_folder(const char *folder)
{
	static const char *const names[] = { "one.c", "two.c", "main.c", "prog", "" };
	char path[PATH_MAX];

	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
}

static int is_object(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && sp_streq(dot, ".spo");
}

static bool load_only(const char *path, const char *name)
{
	struct outcome o;

	trial_load_file(path, &o);
	if (o.kind != OUTCOME_RAN)
		printf("%s: status %d\n%s", name, o.status, sp_buf_str(&o.err));
	return o.kind == OUTCOME_RAN;
}

static bool run_and_compare(const char *path, const char *name)
{
	struct sp_buf report = { 0 };
	bool agree = trial_run_kept(path, &report);

	if (!agree)
		printf("%s: prints something else here\n%s", name, sp_buf_str(&report));
	return agree;
}

// A child, which ends by itself: it says what fails, and the verifier may take minutes for one.
static bool load_object(const char *path, const char *name, bool is_kept)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		bool good;

		alarm(SECONDS_AN_OBJECT);
		good = is_kept ? run_and_compare(path, name) : load_only(path, name);
		fflush(stdout);
		_exit(!good);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("%s: not loaded after %d seconds\n", name, SECONDS_AN_OBJECT);
	else if (!WIFEXITED(status))
		printf("%s: the process ended with status 0x%x\n", name, (unsigned)status);
	fflush(stdout); // children would write it again
	return status == 0;
}

// What --objects has left, in a guest, which is slow: it is loaded and, if it is known what it prints, run.
static int load_folder(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_object, versionsort);
	unsigned long failed = 0, loaded[MAX_HOOKS] = { 0 };
	char path[PATH_MAX];

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		bool is_kept;

		snprintf(path, sizeof(path), "%s/%s", folder, name);
		is_kept = trial_is_kept(path);
		if (!load_object(path, name, is_kept))
			failed++;
		else if (!is_kept)
			loaded[hook_of_object(name)]++;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	print_loaded(loaded);
	printf("%d objects, %lu failed\n", n, failed);
	return n <= 0 || failed;
}

int main(int argc, char **argv)
{
	struct options o = { .from = 1, .to = 200, .jobs = 1, .shrink_seconds = 60 };
	char folder[] = "/tmp/metamorph.XXXXXX";
	char *description;
	struct totals t;

	if (!parse(argc, argv, &o)) {
		usage();
		return 2;
	}
	personality(ADDR_NO_RANDOMIZE); // of the programs: their addresses are the same in each run
	if (o.loads)
		return load_folder(o.loads);
	description = spilert_describe(o.kernel || is_hooks(&o));
	if (!warm_up(description))
		return 1;
	if (is_hooks(&o))
		usable_hooks(&(struct lab){ META_MODULES, META_TAPSETS, description, NULL, 0 }, o.release, o.hook, o.hooks);
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	t = run_all(&o, folder, description);
	remove_folder(folder);
	if (!o.release)
		print_loaded(t.loaded);
	printf("%lu seeds, %lu scripts, %lu comparisons (%lu of refusals), %lu failed\n", t.seeds, t.scripts, t.comparisons, t.refused,
	       t.failed);
	free(description);
	return t.failed != 0;
}
