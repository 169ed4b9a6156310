// SPDX-License-Identifier: GPL-2.0-or-later
// What a kernel of 4.19 takes, as its description says: loops that are unrolled, but no others, and 4096 instructions.
#include "compiler/include/spile.h"
#include "runtime/base/buf.h"

#include <stdio.h>
#include <string.h>

#define SAID_SIZE 8192

static void keep_diag(void *ctx, const char *text)
{
	size_t len = strlen(ctx);

	snprintf((char *)ctx + len, SAID_SIZE - len, "%s", text);
}

static void keep_log(void *ctx, enum spile_level level, const char *text)
{
	if (level == SPILE_ERROR)
		keep_diag(ctx, text);
}

static const char *describe(void *ctx, int kernel)
{
	(void)ctx, (void)kernel;
	return "spile-target 1\narch x86_64\nrelease 4.19.0\ncpus 2\nhz 250\n"
	       "features bpf kprobe uprobe raw-tracepoint tracepoint perf-event kernel-read\n";
}

// `want` NULL: it is taken.
static int compile(const char *script, const char *want)
{
	struct spile_opts opts = SPILE_OPTS_INIT;
	char said[SAID_SIZE] = "";
	struct spile *spile;
	int status, bad;

	opts.ctx = said;
	opts.log = keep_log;
	opts.diag = keep_diag;
	opts.describe = describe;
	opts.verify = 1;
	opts.module_dir = SPILE_TEST_MODULES;
	spile = spile_create(&opts);
	spile_script_text(spile, "<input>", script, strlen(script));
	status = spile_compile(spile);
	bad = (status != 0) != (want != NULL) || (want && !strstr(said, want));
	if (bad)
		fprintf(stderr, "status %d for %.60s\nsaid: %s\nwanted: %s\n", status, script, said, want ? want : "nothing");
	spile_destroy(spile);
	return bad;
}

static int compile_large(unsigned n, const char *want)
{
	struct sp_buf text = { 0 };
	int bad;

	sp_buf_puts(&text, "global t probe timer.profile {\nx = pid()\n");
	for (unsigned i = 0; i < n; i++)
		sp_buf_printf(&text, "if ((x ^ %u) > t) { t += x * %u } else { x = (x << 3) - t }\n", i, i + 7);
	sp_buf_puts(&text, "}\n");
	bad = compile(sp_buf_str(&text), want);
	sp_buf_deinit(&text);
	return bad;
}

int main(void)
{
	int bad = 0;

	bad |= compile("global n probe timer.profile { for (i = 0; i < 8; i++) n += i * pid() }", NULL);
	bad |= compile("global n probe timer.profile { while (n > 10) n /= 2 }",
		       "a loop without a constant number of rounds in a handler that runs in the kernel");
	bad |= compile("global n probe timer.profile { for (i = 0; i < 500; i++) n += i }", "a loop of many rounds");
	bad |= compile("probe timer.profile { println(pid()) }", "this needs a feature that the target's kernel does not have (ringbuf");
	bad |= compile("global n probe timer.profile { n = 10 / pid() }", "(ringbuf");
	bad |= compile_large(100, NULL);
	bad |= compile_large(3000, "instructions; the target's kernel, which is older than 5.2, takes 4096");
	return bad;
}
