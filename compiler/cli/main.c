// SPDX-License-Identifier: GPL-2.0-or-later
// spile: does what the options ask for.
#define _GNU_SOURCE // pthread_setattr_default_np
#include "compiler/cli/cache_command.h"
#include "compiler/cli/compile.h"
#include "compiler/cli/complete_command.h"
#include "compiler/cli/cut_off.h"
#include "compiler/cli/doc.h"
#include "compiler/cli/example.h"
#include "compiler/cli/pack.h"
#include "compiler/cli/pack_command.h"
#include "compiler/cli/pager.h"
#include "compiler/cli/perf_command.h"
#include "compiler/cli/rcfile.h"
#include "compiler/cli/remote.h"
#include "compiler/cli/repl.h"
#include "compiler/cli/run.h"
#include "compiler/cli/shebang.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int print_version(void)
{
	return printf("spile %s\nRuns scripts of SystemTap, up to version %s.\nLicense GPL-2.0-or-later. There is no warranty.\n",
		      SPILE_VERSION, SPILE_SYSTEMTAP_VERSION) < 0;
}

static int act(struct cli *cli, char **argv)
{
	struct cli_options *o = &cli->options;
	struct spile *spile;
	int status = 0;

	if (o->action == CLI_HELP) {
		cli->output_error = options_print_help();
		return 0;
	}
	if (o->action == CLI_VERSION)
		return print_version();
	if (o->action == CLI_CLEAN_CACHE)
		return cache_prune_now();
	if (o->action == CLI_EXAMPLES)
		return example_list(o->pattern);
	if (o->action == CLI_INTERACTIVE)
		return repl(cli, argv);
	cli->pages = o->action == CLI_LIST || o->action == CLI_LIBRARY || o->action == CLI_SHOW || o->action == CLI_DOC;
	if (o->action == CLI_DOC)
		return doc_print(cli, o->pattern);
	if (o->action == CLI_RUN)
		return options_are_remote(o) ? remote_run(cli) : cli_run(cli);
	if (o->action == CLI_PACK || o->action == CLI_CHECK)
		return pack_compile(cli);
	if (o->action == CLI_LIST)
		return cli_list(cli);
	spile = spile_create(&o->compile);
	switch (o->action) {
	case CLI_EVENTS:
		status = spile_print_events(spile, o->pattern, 0);
		break;
	case CLI_LIBRARY:
		status = spile_list_library(spile, o->library);
		break;
	case CLI_SHOW:
		status = spile_show(spile, &o->show);
		break;
	case CLI_EXPLAIN:
		status = spile_explain(spile, o->pattern);
		break;
	case CLI_FROM_BPFTRACE:
		status = spile_from_bpftrace(spile, o->pattern);
		break;
	case CLI_LIST_PASSES:
		status = spile_list_passes(spile);
		break;
	case CLI_RUN:
	case CLI_LIST:
	case CLI_PACK:
	case CLI_CHECK:
	case CLI_HELP: case CLI_VERSION: case CLI_EXAMPLES: case CLI_DOC:
	case CLI_CLEAN_CACHE:
	case CLI_INTERACTIVE:
		break;
	}
	spile_destroy(spile);
	return status;
}

// `error`: errno of an earlier time that it could not be written; 0.
static int end_output(int error, int status)
{
	if (fflush(stdout) && !error)
		error = errno;
	if ((!error && !ferror(stdout)) || status) // an earlier fflush() has failed, and nobody has its errno
		return status;
	fprintf(stderr, "ERROR: cannot write standard output%s%s\n", error ? ": " : "", error ? strerror(error) : "");
	return 1;
}

static int run(int argc, char **argv)
{
	char check_option[] = "--check";
	struct cli cli = { 0 };
	struct rcfile rc;
	struct shebang_argv shebang;
	struct example_argv words = { 0 };
	int status;

	if (!sp_file_take_standard())
		return 1;
	sp_env_take_signals();
	cut_off_watch();
	if (argc > 1 && sp_streq(argv[1], "cache"))
		return end_output(0, cache_command(argc - 1, argv + 1));
	if (argc > 1 && sp_streq(argv[1], "pack"))
		return end_output(0, pack_command(argc - 1, argv + 1));
	if (argc > 1 && sp_streq(argv[1], "perf-data"))
		return end_output(0, perf_command(argc - 1, argv + 1));
	if (argc > 1 && sp_streq(argv[1], "complete"))
		return end_output(0, complete_command(argc - 1, argv + 1));
	if (argc > 1 && sp_streq(argv[1], "check"))
		argv[1] = check_option;
	shebang_split(argc, argv, &shebang);
	status = shebang.v.n ? rcfile_read((int)shebang.v.n - 1, shebang.v.v, &rc) : rcfile_read(argc, argv, &rc);
	if (status) {
		shebang_argv_deinit(&shebang);
		return status;
	}
	status = example_expand((int)rc.argv.n - 1, rc.argv.v, &words);
	if (!status)
		status = options_parse((int)words.v.n - 1, words.v.v, &cli.options);
	if (status == 2)
		rcfile_tell(&rc);
	if (status) {
		example_argv_deinit(&words);
		rcfile_deinit(&rc);
		shebang_argv_deinit(&shebang);
		return SP_MAX(status, 0);
	}
	cli_init(&cli);
	status = act(&cli, words.v.v);
	status = end_output(cli.output_error, status);
	pager_end(cli.pager);
	cli_deinit(&cli);
	example_argv_deinit(&words);
	rcfile_deinit(&rc);
	shebang_argv_deinit(&shebang);
	return status;
}

// ---- the stack -------------------------------------------------------------------------------------------------------

#define STACK_SIZE (8u << 20) // bytes: what most systems give; libdw takes 300 kB to read lines

struct work {
	int argc;
	char **argv;
	sigset_t signals;
};

static void *do_work(void *arg)
{
	struct work *work = arg;

	pthread_sigmask(SIG_SETMASK, &work->signals, NULL);
	exit(run(work->argc, work->argv)); // in a forked process nobody waits for the thread's end
}

static bool has_stack(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_SIZE;
}

// Where the limit of the stack is small, all is done in a thread that has enough: a raised limit would be inherited by what is started.
int main(int argc, char **argv)
{
	struct work work = { .argc = argc, .argv = argv };
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all;
	int error;

	if (has_stack() || pthread_attr_init(&attr))
		return run(argc, argv);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_setattr_default_np(&attr); // for the threads of reading, too
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &work.signals); // signals are for the other thread
	error = pthread_create(&thread, &attr, do_work, &work);
	pthread_attr_destroy(&attr);
	if (error)
		do_work(&work);
	pthread_join(thread, NULL);
	return 0; // not reached
}
