// SPDX-License-Identifier: GPL-2.0-or-later
// What interactive use asks of libspile: where a declaration ends, and what the last word of a text can become.
#include "compiler/include/spile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_bad;

static void expect_declaration(const char *text, const char *first)
{
	size_t len = spile_declaration(text, strlen(text));

	if (len == strlen(first) && !strncmp(text, first, len))
		return;
	fprintf(stderr, "the first declaration of <%s> is <%.*s>, expected <%s>\n", text, (int)len, text, first);
	n_bad++;
}

static char output[65536];

static void keep_output(void *ctx, const char *text, size_t len)
{
	(void)ctx;
	if (strlen(output) + len < sizeof(output))
		strncat(output, text, len);
}

static const char *describe(void *ctx, int kernel)
{
	(void)ctx, (void)kernel;
	return "spile-target 1\narch x86_64\nrelease 6.1.0\ncpus 2\nhz 250\nfeatures bpf ringbuf\n";
}

// The candidates with blanks between them.
static void expect_words(const char *text, const char *want)
{
	struct spile_opts opts = SPILE_OPTS_INIT;
	struct spile *spile;

	opts.output = keep_output;
	opts.describe = describe;
	output[0] = '\0';
	spile = spile_create(&opts);
	spile_complete(spile, text, strlen(text));
	spile_destroy(spile);
	for (char *p = output; *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : '\0';
	if (strcmp(output, want) == 0)
		return;
	fprintf(stderr, "<%s> can become <%s>, expected <%s>\n", text, output, want);
	n_bad++;
}

static void test_declarations(void)
{
	expect_declaration("global a", "global a");
	expect_declaration("probe begin {", "");
	expect_declaration("probe begin", "");
	expect_declaration("probe begin { f(1 }", "");
	expect_declaration("probe begin { } ", "probe begin { } ");
	expect_declaration("probe begin {\n}\nprobe end { }", "probe begin {\n}\n");
	expect_declaration("// one\nglobal a\nglobal b", "// one\nglobal a\n");
	expect_declaration("private global a private global b", "private global a ");
	expect_declaration("private function f() { } global b", "private function f() { } ");
	expect_declaration("probe a = begin, { } { }", "probe a = begin, { } { }");
	expect_declaration("function f:long() %{ x = \"}\" %} global b", "function f:long() %{ x = \"}\" %} ");
	expect_declaration("function f:long() %{ x", "");
	expect_declaration("@define one %( 1 %) @define two %( 2 %)", "@define one %( 1 %) ");
	expect_declaration("@define one", "");
	expect_declaration("global a /* so", "");
	expect_declaration("%{ int x; %} global a", "%{ int x; %} ");
}

static void test_words(const char *progs)
{
	char text[4096], want[4096];

	expect_words("probe timer.nosuch", "");
	expect_words("probe timer.jif", "timer.jiffies(");
	expect_words("probe begin { } probe timer.ji", "timer.jiffies(");
	expect_words("probe begin, timer.ji", "timer.jiffies(");
	expect_words("probe kernel.function(\"x\").retu", "kernel.function(\"x\").return");
	expect_words("probe begin { get_cyc", "get_cycles(");
	expect_words("probe begin { x = 1 + get_cyc", "get_cycles(");
	expect_words("probe begin { println(get_cyc", "println(get_cycles(");
	expect_words("global mine probe begin { min", "mine");
	expect_words("function mine() { return 1 } min", "mine(");
	expect_words("probe begin { println", "println(");
	expect_words("probe begin { forea", "foreach (");
	expect_words("probe begin { x[@entr", "x[@entry(");
	snprintf(text, sizeof(text), "probe process(\"%s/calls\").function(\"ad", progs);
	snprintf(want, sizeof(want), "process(\"%s/calls\").function(\"add\")", progs);
	expect_words(text, want);
	snprintf(text, sizeof(text), "probe process(\"%s/calls\").function(\"add\") { println($", progs);
	expect_words(text, "println($a println($b");
	expect_words("probe process(\"/nosuch\").function(\"add\") { println($", "");
}

int main(void)
{
	char progs[2048];

	const char *build = getenv("BUILD");

	snprintf(progs, sizeof(progs), "%s/testsuite/progs", build ? build : realpath(".", (char[4096]){ 0 }));
	test_declarations();
	test_words(progs);
	return n_bad != 0;
}
