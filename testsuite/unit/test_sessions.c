// SPDX-License-Identifier: GPL-2.0-or-later
// Two sessions in two threads at a time share nothing: each compiles its own script over and over, and each time the
// bundle is the same, or the diagnostic is.
#include "compiler/include/spile.h"
#include "runtime/include/spilert.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
	const char *script;
	int want_status;
	const char *want_diag; // part of it; NULL: a bundle is expected
	int bad;
	char diag[4096];
};

static void keep_diag(void *ctx, const char *text)
{
	struct work *w = ctx;

	snprintf(w->diag, sizeof(w->diag), "%s", text);
}

static const char *describe(void *ctx, int kernel)
{
	(void)ctx, (void)kernel;
	return "spile-target 1\narch x86_64\nrelease 6.1.0\ncpus 2\nhz 250\nfeatures bpf ringbuf\n";
}

static void compile_once(struct work *w, void **first, size_t *first_size)
{
	struct spile_opts opts = SPILE_OPTS_INIT;
	struct spile *spile;
	const void *bundle;
	size_t size;
	int status;

	opts.ctx = w;
	opts.diag = keep_diag;
	opts.describe = describe;
	opts.verify = 1;
	opts.module_dir = SPILE_TEST_MODULES;
	w->diag[0] = '\0';
	spile = spile_create(&opts);
	spile_script_text(spile, "<input>", w->script, strlen(w->script));
	status = spile_compile(spile);
	bundle = spile_bundle(spile, &size);
	if (status != w->want_status || (w->want_diag && !strstr(w->diag, w->want_diag))) {
		fprintf(stderr, "status %d, expected %d; diagnostic: %s\n", status, w->want_status, w->diag);
		w->bad = 1;
	} else if (!w->want_diag && !*first) {
		*first = malloc(size);
		*first_size = size;
		memcpy(*first, bundle, size);
	} else if (!w->want_diag && (size != *first_size || memcmp(bundle, *first, size))) {
		fprintf(stderr, "the bundle differs from the first one\n");
		w->bad = 1;
	}
	spile_destroy(spile);
}

static void *run(void *arg)
{
	struct work *w = arg;
	void *first = NULL;
	size_t first_size = 0;

	for (int i = 0; i < 20 && !w->bad; i++)
		compile_once(w, &first, &first_size);
	free(first);
	return NULL;
}

int main(void)
{
	struct work work[] = {
		{ .script = "global a probe begin { a[\"x\"]++; printf(\"%d\\n\", a[\"x\"]); exit() }" },
		{ .script = "probe begin { println(nosuch_function(1)) }", .want_status = 1, .want_diag = "nosuch_function" },
	};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &work[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return work[0].bad || work[1].bad;
}
