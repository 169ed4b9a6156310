// SPDX-License-Identifier: GPL-2.0-or-later
// What the goldens of lex/, macro/ and parse/ cannot show: conditions for other machines, rendering, the library's index, clones.
#include "expect.h"

#include "compiler/front/macro.h"
#include "compiler/front/tapset.h"
#include "compiler/sema/tree.h"

#include "runtime/base/cleanup.h"

#include <stdlib.h>
#include <sys/stat.h>

struct world {
	struct source_map sources;
	struct diag_ctx dc;
	struct parse_env env;
};

static const char *config(void *ctx, const char *name)
{
	(void)ctx;
	return sp_streq(name, "CONFIG_SMP") ? "y" : sp_streq(name, "CONFIG_XFS_FS") ? "m" :
	       sp_streq(name, "CONFIG_HZ") ? "250" : "";
}

static void world_init(struct world *w)
{
	source_map_init(&w->sources);
	diag_ctx_init(&w->dc, &w->sources);
	w->env = (struct parse_env){ .kernel_release = "6.12.38-1-amd64", .arch = "x86_64", .compat = "5.6", .config = config };
}

static void world_deinit(struct world *w)
{
	diag_ctx_deinit(&w->dc);
	source_map_deinit(&w->sources);
}

static uint32_t add(struct world *w, const char *text)
{
	return source_add(&w->sources, "<input>", text, strlen(text), SOURCE_USER);
}

static struct unit *parse(struct world *w, const char *text)
{
	return parse_file(&w->sources, add(w, text), &w->env, &w->dc);
}

// ---- conditions ----

// 1, 0, or -1 when it is refused.
static int holds(struct world *w, const char *condition)
{
	sp_cleanup_free char *text = NULL;
	struct sp_buf script = { 0 };
	struct unit *unit;
	int truth;

	diag_rewind(&w->dc, 0);
	sp_buf_printf(&script, "%%( %s %%? probe yes { } %%: probe no { } %%)", condition);
	text = sp_buf_take(&script);
	unit = parse(w, text);
	truth = w->dc.n_errors || unit->n_probes != 1 ? -1 :
		sp_streq(unit->probes[0]->points.v[0]->parts[0].name, "yes");
	unit_destroy(unit);
	return truth;
}

static void test_conditions(void)
{
	struct world w;

	world_init(&w);
	EXPECT_NUM(holds(&w, "kernel_v >= \"6.12\""), 1);
	EXPECT_NUM(holds(&w, "kernel_v == \"6.12.38\""), 1);
	EXPECT_NUM(holds(&w, "kernel_v < \"6.9\""), 0); // by number, not by text
	EXPECT_NUM(holds(&w, "kernel_v > \"6.12.4\""), 1);
	EXPECT_NUM(holds(&w, "kernel_v == \"6.1*\""), 1);
	EXPECT_NUM(holds(&w, "kernel_v != \"5.*\""), 1);
	EXPECT_NUM(holds(&w, "kernel_vr == \"6.12.38\""), 0);
	EXPECT_NUM(holds(&w, "kernel_vr == \"*-amd64\""), 1);
	EXPECT_NUM(holds(&w, "kernel_vr > \"6.12.38\""), 1);
	EXPECT_NUM(holds(&w, "arch == \"x86_64\""), 1);
	EXPECT_NUM(holds(&w, "arch == \"x86*\""), 1);
	EXPECT_NUM(holds(&w, "arch != \"arm64\""), 1);
	EXPECT_NUM(holds(&w, "CONFIG_SMP == \"y\""), 1);
	EXPECT_NUM(holds(&w, "CONFIG_XFS_FS == \"[ym]\""), 1);
	EXPECT_NUM(holds(&w, "CONFIG_NONE == \"\""), 1);
	EXPECT_NUM(holds(&w, "CONFIG_NONE != \"y\""), 1);
	EXPECT_NUM(holds(&w, "CONFIG_HZ == 250"), 1);
	EXPECT_NUM(holds(&w, "CONFIG_HZ >= 1000"), 0);
	EXPECT_NUM(holds(&w, "CONFIG_HZ > CONFIG_NONE"), 1);
	EXPECT_NUM(holds(&w, "systemtap_v == \"5.6\""), 1);
	EXPECT_NUM(holds(&w, "kernel_v >= \"7\" || arch == \"x86_64\" && CONFIG_SMP == \"y\""), 1);
	EXPECT_NUM(holds(&w, "arch > \"x\""), -1);
	EXPECT_NUM(holds(&w, "kernel_v >= 6"), -1);
	w.env.compat = "1.8";
	EXPECT_NUM(holds(&w, "systemtap_v <= \"1.8\""), 1);
	w.env.guru = true;
	EXPECT_NUM(holds(&w, "guru_mode == 1"), 1);
	EXPECT_NUM(w.dc.n_warnings, 0);
	w.env.config = NULL;
	EXPECT_NUM(holds(&w, "CONFIG_SMP == \"\""), 1);
	EXPECT_NUM(w.dc.n_warnings, 1);
	EXPECT_STR(diag_info(w.dc.diags.v[0]->id)->tag, "W102");
	w.env.kernel_release = NULL;
	EXPECT_NUM(holds(&w, "kernel_v > \"1\""), -1);
	EXPECT_STR(diag_info(w.dc.diags.v[0]->id)->tag, "E121");
	world_deinit(&w);
}

// ---- diagnostics ----

static char *rendered(struct world *w, size_t i)
{
	struct sp_buf out = { 0 };

	diag_render_text(&w->dc, w->dc.diags.v[i], false, &out);
	return sp_buf_take(&out);
}

static void test_render(void)
{
	sp_cleanup_free char *text = NULL, *json = NULL;
	struct sp_buf out = { 0 };
	struct world w;
	struct diag *d;
	uint32_t file;

	world_init(&w);
	file = add(&w, "first\n\tgr\xc3\xbc\xc3\x9f = \"x\";\nlast");
	d = diag(&w.dc, (struct span){ file, 14, 5 }, DIAG_FUNCTION_UNKNOWN, "unknown %s", "thing");
	diag_note(&w.dc, d, (struct span){ file, 0, 5 }, "declared here");
	diag_note(&w.dc, d, SPAN_NONE, "no place");
	diag_hint(&w.dc, d, "did you mean \"%s\"?", "that");
	text = rendered(&w, 0);
	EXPECT_STR(text, "semantic error: unknown thing [E202]\n"
			 "    at <input>:2:9\n"
			 "        \tgr\xc3\xbc\xc3\x9f = \"x\";\n"
			 "        \t     ^~~~~\n"
			 "    note: declared here\n"
			 "        at <input>:1:1\n"
			 "            first\n"
			 "            ^~~~~\n"
			 "    note: no place\n"
			 "    hint: did you mean \"that\"?\n");
	diag_render_json(&w.dc, d, &out);
	json = sp_buf_take(&out);
	EXPECT_STR(json, "{\"tag\":\"E202\",\"name\":\"FUNCTION_UNKNOWN\",\"severity\":\"error\",\"file\":\"<input>\",\"line\":2,"
			 "\"column\":9,\"length\":5,\"text\":\"unknown thing\",\"notes\":[{\"file\":\"<input>\",\"line\":1,"
			 "\"column\":1,\"length\":5,\"text\":\"declared here\"},{\"file\":\"\",\"line\":0,\"column\":0,"
			 "\"length\":0,\"text\":\"no place\"}],\"hint\":\"did you mean \\\"that\\\"?\",\"more\":0}\n");
	world_deinit(&w);
}

static void test_long_line(void)
{
	sp_cleanup_free char *text = NULL, *wide = NULL;
	struct sp_buf line = { 0 };
	char *caret;
	struct world w;

	world_init(&w);
	sp_buf_fill(&line, 'a', 100000);
	sp_buf_puts(&line, "HERE");
	sp_buf_fill(&line, 'b', 100000);
	diag(&w.dc, (struct span){ add(&w, sp_buf_str(&line)), 100000, 4 }, DIAG_TYPE_CONFLICT, "x");
	text = rendered(&w, 0);
	EXPECT(strlen(text) < 700);
	EXPECT_HAS(text, "at <input>:1:100001\n");
	EXPECT_HAS(text, "^~~~\n");
	// The mark stands below the word.
	caret = strchr(text, '^');
	EXPECT(caret && strstr(text, "HERE"));
	if (caret) {
		char *marks = caret, *word = strstr(text, "HERE"), *begin = word;

		while (marks[-1] != '\n')
			marks--;
		while (begin[-1] != '\n')
			begin--;
		EXPECT_NUM(caret - marks, word - begin);
	}
	sp_buf_deinit(&line);
	world_deinit(&w);
}

static void test_severity(void)
{
	sp_cleanup_free char *text = NULL, *error = NULL;
	struct world w;
	size_t mark;

	world_init(&w);
	diag(&w.dc, SPAN_NONE, DIAG_ESCAPE, "w1");
	diag(&w.dc, SPAN_NONE, DIAG_ESCAPE, "w1"); // kept once
	text = rendered(&w, 0);
	EXPECT_STR(text, "WARNING: w1 [W101]\n");
	EXPECT_NUM(w.dc.n_warnings, 1);
	mark = diag_mark(&w.dc);
	diag(&w.dc, SPAN_NONE, DIAG_EXPECTED, "e1");
	EXPECT_NUM(w.dc.n_errors, 1);
	diag_rewind(&w.dc, mark);
	EXPECT_NUM(w.dc.n_errors, 0);
	EXPECT_NUM(w.dc.diags.n, 1);
	mark = diag_try(&w.dc);
	EXPECT(!diag_is_kept(&w.dc, diag(&w.dc, SPAN_NONE, DIAG_EXPECTED, "e1")));
	diag_end_try(&w.dc, mark);
	EXPECT_NUM(w.dc.diags.n, 1);
	EXPECT(diag_is_kept(&w.dc, w.dc.diags.v[0]));
	EXPECT(!diag_is_kept(&w.dc, diag(&w.dc, SPAN_NONE, DIAG_ESCAPE, "w1")));
	w.dc.no_warnings = true;
	diag_hint(&w.dc, diag(&w.dc, SPAN_NONE, DIAG_ESCAPE, "w2"), "nowhere");
	EXPECT_NUM(w.dc.diags.n, 1);
	w.dc.no_warnings = false;
	w.dc.warnings_are_errors = true;
	diag(&w.dc, SPAN_NONE, DIAG_ESCAPE, "w3");
	EXPECT_NUM(w.dc.n_errors, 1);
	error = rendered(&w, 1);
	EXPECT_STR(error, "error: w3 [W101]\n");
	world_deinit(&w);
}

// What is only tried leaves nothing: no text, no memory, and nothing in what has been reported before.
static void test_trial(void)
{
	struct world w;
	size_t mark, used;
	char text[] = "e00";

	world_init(&w);
	for (; w.dc.diags.n < 20; text[2]++)
		diag(&w.dc, SPAN_NONE, DIAG_EXPECTED, "%s", text);
	used = w.dc.arena.used;
	mark = diag_try(&w.dc);
	EXPECT(!diag(&w.dc, SPAN_NONE, DIAG_EXPECTED, "%s", text)->text);
	EXPECT_NUM(w.dc.diags.n, 21);
	EXPECT_NUM(w.dc.n_errors, 21);
	diag_end_try(&w.dc, diag_try(&w.dc));
	EXPECT(w.dc.arena.used > used);
	diag_end_try(&w.dc, mark);
	EXPECT_NUM(w.dc.n_errors, 20);
	EXPECT_NUM(w.dc.diags.v[19]->n_more, 0);
	EXPECT_NUM(w.dc.arena.used, used);
	world_deinit(&w);
}

static void test_table(void)
{
	for (int i = 0; i < DIAG_COUNT; i++) {
		const struct diag_info *info = diag_info(i);

		EXPECT(diag_info_find(info->tag) == info); // tags are unique
		EXPECT(diag_info_find(info->name) == info);
		EXPECT((info->tag[0] == 'W') == (info->severity == DIAG_SEV_WARNING));
		EXPECT(strlen(info->tag) == 4 && *info->title && *info->explanation);
	}
	EXPECT(diag_info_find("e101") == diag_info(DIAG_TEXT_BAD_BYTE));
	EXPECT(diag_info_find("E000") == NULL);
}

static void test_places(void)
{
	struct world w;
	uint32_t file;

	world_init(&w);
	file = add(&w, "a\r\n\nccc");
	EXPECT_NUM(source_place(&w.sources, (struct span){ file, 0, 1 }).line_len, 1);
	EXPECT_NUM(source_place(&w.sources, (struct span){ file, 3, 0 }).line, 2);
	EXPECT_NUM(source_place(&w.sources, (struct span){ file, 6, 1 }).line, 3);
	EXPECT_NUM(source_place(&w.sources, (struct span){ file, 6, 1 }).column, 3);
	EXPECT_NUM(source_place(&w.sources, (struct span){ file, 4000, 1 }).line, 3);
	EXPECT_NUM(source_place(&w.sources, SPAN_NONE).line, 0);
	EXPECT_NUM(span_join((struct span){ 1, 3, 2 }, (struct span){ 1, 8, 4 }).len, 9);
	EXPECT_NUM(span_join((struct span){ 1, 3, 2 }, (struct span){ 2, 8, 4 }).len, 2);
	EXPECT_NUM(span_join((struct span){ 1, 8, 4 }, (struct span){ 1, 3, 2 }).off, 8);
	world_deinit(&w);
}

// ---- trees ----

static const char *const expressions[] = {
	"a + b * c - (d - e)", "(a + b) . c . (d . e)", "-(-a) + - -5", "!(a == b) != (c < d)", "a ? b : c ? d : e",
	"(a ? b : c) ? d : e", "(a = b) + 1", "a = b = c", "x[1, \"two\"] <<< 3", "[a, *] in b && !([c] in d)",
	"a =~ \"x\\\"y\" || b !~ \"z\"", "$x->y[a + 1]->z$$", "&$x->y", "@cast(p, \"t\", \"m\")->a[1]", "(a + b)->c",
	"f(a, g())[3]", "@var(\"v@f.c\")->x", "@defined($x) ? @entry($y) : @perf(\"c\")", "@probewrite(v)",
	"@variance(s, 3) + @count(t[1])", "@hist_linear(h, -5, 10, 5)[2]", "sprintf(\"%d\\n\", a) . sprintd(\",\", a, b)",
	"a++ + ++b - c-- - --d", "a << b >> c >>> d", "(a | b) ^ c & (d ^ e)", "@kderef(8, p + 1)", "~(a & b)",
	"(a << b) + c", "a . (b << c)", "x[1] = y .= \"z\"", "p->q++", "(a in b) == c",
};

static void unit_text(const struct unit *unit, struct sp_buf *out)
{
	struct sp_buf all = { 0 };

	ast_dump(&all, unit, NULL);
	sp_buf_puts(out, sp_buf_str(&all));
	sp_buf_deinit(&all);
}

// Printing an expression and parsing the text again gives the same tree.
static void test_print(void)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(expressions); i++) {
		struct sp_buf script = { 0 }, printed = { 0 }, first = { 0 }, second = { 0 };
		struct unit *a, *b;
		struct world w;

		world_init(&w);
		sp_buf_printf(&script, "probe begin { %s }", expressions[i]);
		a = parse(&w, sp_buf_str(&script));
		EXPECT_NUM(w.dc.n_errors, 0);
		EXPECT_STR(ast_verify(a, &w.sources) ? ast_verify(a, &w.sources) : "", "");
		sp_buf_puts(&printed, "probe begin { ");
		ast_print_expr(&printed, a->probes[0]->body->block.v[0]->expr);
		sp_buf_puts(&printed, " }");
		b = parse(&w, sp_buf_str(&printed));
		EXPECT_NUM(w.dc.n_errors, 0);
		unit_text(a, &first);
		unit_text(b, &second);
		EXPECT_STR(sp_buf_str(&second), sp_buf_str(&first));
		unit_destroy(a);
		unit_destroy(b);
		sp_buf_deinit(&script);
		sp_buf_deinit(&printed);
		sp_buf_deinit(&first);
		sp_buf_deinit(&second);
		world_deinit(&w);
	}
}

static void count_visit(void *ctx, struct ast_expr **place)
{
	unsigned *counts = ctx;

	counts[(*place)->kind]++;
}

static void replace_names(void *ctx, struct ast_expr **place)
{
	if ((*place)->kind == AST_NAME)
		*place = ctx;
}

static const char every_stmt[] =
	"probe begin {\n"
	"  if (a) b; else { c }\n"
	"  while (d) e\n"
	"  for (f = 0; g; h++) { next }\n"
	"  foreach (i = [j, k-] in l[*, m] limit n) delete o[p]\n"
	"  foreach (q in @hist_log(r)) try { s } catch (t) { break }\n"
	"  x = $y->z[w]\n"
	"}\n";

static void test_clone_and_walk(void)
{
	unsigned counts[AST_ERROR + 1] = { 0 };
	struct sp_buf before = { 0 }, after = { 0 };
	struct sp_arena arena = { 0 };
	struct ast_stmt *clone;
	struct ast_expr zero = { .kind = AST_NUMBER };
	struct unit *unit;
	struct world w;

	world_init(&w);
	unit = parse(&w, every_stmt);
	EXPECT_NUM(w.dc.n_errors, 0);
	tree_walk_stmt(unit->probes[0]->body, count_visit, counts);
	// a b c d e f g h, i j k m n, p, q r s, x w
	EXPECT_NUM(counts[AST_NAME], 19);
	EXPECT_NUM(counts[AST_INDEX], 1);
	EXPECT_NUM(counts[AST_HIST], 1);
	EXPECT_NUM(counts[AST_TARGET], 1);
	unit_text(unit, &before);
	clone = ast_clone_stmt(&arena, unit->probes[0]->body);
	tree_walk_stmt(clone, replace_names, &zero);
	unit_text(unit, &after);
	EXPECT_STR(sp_buf_str(&after), sp_buf_str(&before)); // nothing is shared
	clone = ast_clone_stmt(&arena, unit->probes[0]->body);
	unit->probes[0]->body = clone;
	sp_buf_clear(&after);
	unit_text(unit, &after);
	EXPECT_STR(sp_buf_str(&after), sp_buf_str(&before));
	sp_arena_deinit(&arena);
	unit_destroy(unit);
	sp_buf_deinit(&before);
	sp_buf_deinit(&after);
	world_deinit(&w);
}

// ---- the library ----

static void put(const char *dir, const char *path, const char *text)
{
	sp_cleanup_free char *full = NULL;
	struct sp_buf name = { 0 };
	FILE *file;

	sp_buf_printf(&name, "%s/", dir);
	for (const char *c = path; *c; c++) {
		if (*c == '/')
			mkdir(sp_buf_str(&name), 0777);
		sp_buf_putc(&name, *c);
	}
	full = sp_buf_take(&name);
	file = fopen(full, "w");
	EXPECT(file != NULL);
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

static const char *first_text(struct tapset *tapset, const char *function)
{
	struct unit **units;

	if (!tapset_find_function(tapset, function, &units))
		return "(none)";
	for (unsigned i = 0; i < units[0]->n_functions; i++)
		if (sp_streq(units[0]->functions[i]->name, function))
			return units[0]->functions[i]->body->block.v[0]->expr->string.text;
	return "(lost)";
}

static void count_names(void *ctx, const char *name)
{
	(void)name;
	++*(unsigned *)ctx;
}

static void write_library(const char *dir)
{
	put(dir, "one/a.stp", "function plain() { return \"one\" }\nglobal g1, g2[5], g3 = 1\nprivate global hidden\n"
			      "private function secret() { return \"\" }\nprobe net.recv = begin { }\n");
	put(dir, "one/area/b.stp", "function f() { return \"generic\" }\n");
	put(dir, "one/6.12/area/b.stp", "function f() { return \"6.12\" }\n");
	put(dir, "one/6.12.38/area/b.stp", "function f() { return \"6.12.38\" }\n");
	put(dir, "one/6.1/area/b.stp", "function f() { return \"6.1\" }\n");
	put(dir, "one/x86_64/regs.stp", "function reg() { return \"x86_64\" }\n");
	put(dir, "one/arm64/regs.stp", "function reg() { return \"arm64\" }\n");
	put(dir, "one/cond.stp", "%( kernel_v > \"99\" %? function never() { return \"\" } %: function now() { return \"now\" } %)\n"
				 "probe net.send = end { }\n");
	put(dir, "one/macros.stpm", "@define greet %( \"hello\" %)\n@define who %( \"one\" %)\n");
	put(dir, "one/use.stp", "function uses_macro() { return @greet }\n");
	put(dir, "two/area/b.stp", "function f2() { return \"hides one's b.stp\" }\n");
	put(dir, "two/macros.stpm", "@define greet %( \"hello\" %)\n@define who %( \"two\" %)\n");
	put(dir, "two/broken.stp", "function broken( { }\n");
	put(dir, "two/README", "not a script\n");
}

static void test_tapset(void)
{
	sp_cleanup_free char *one = NULL, *two = NULL, *none = NULL;
	char dir[] = "/tmp/test_front.XXXXXX";
	struct sp_buf path = { 0 };
	const char *dirs[3];
	struct tapset *tapset = NULL;
	struct unit **units, *unit;
	unsigned n = 0;
	struct world w;

	world_init(&w);
	EXPECT(mkdtemp(dir) != NULL);
	write_library(dir);
	sp_buf_printf(&path, "%s/one", dir);
	dirs[0] = one = sp_buf_take(&path);
	sp_buf_printf(&path, "%s/nowhere", dir);
	dirs[1] = none = sp_buf_take(&path);
	sp_buf_printf(&path, "%s/two", dir);
	dirs[2] = two = sp_buf_take(&path);

	EXPECT(tapset_open(&w.sources, dirs, 1, &w.env, &w.dc, &tapset) == NULL);
	EXPECT_NUM(tapset_n_files(tapset), 5);
	EXPECT_STR(first_text(tapset, "f"), "6.12.38"); // the most specific one
	EXPECT_STR(first_text(tapset, "reg"), "x86_64");
	EXPECT_STR(first_text(tapset, "now"), "now");
	EXPECT_STR(first_text(tapset, "never"), "(none)"); // in the index, not in the unit
	EXPECT_STR(first_text(tapset, "secret"), "(none)");
	EXPECT_STR(first_text(tapset, "uses_macro"), "hello");
	EXPECT_NUM(tapset_find_global(tapset, "g2", &units), 1);
	EXPECT_NUM(tapset_find_global(tapset, "hidden", &units), 0);
	EXPECT_NUM(tapset_find_alias(tapset, "net", NULL, &units), 2);
	EXPECT_NUM(tapset_find_alias(tapset, "recv", NULL, &units), 0);
	tapset_each_function(tapset, count_names, &n);
	EXPECT_NUM(n, 6); // plain f reg never now uses_macro
	EXPECT_NUM(w.dc.n_errors, 0);
	tapset_close(tapset);

	EXPECT(tapset_open(&w.sources, dirs, 3, &w.env, &w.dc, &tapset) == NULL);
	EXPECT_STR(first_text(tapset, "f"), "(none)");
	EXPECT_STR(first_text(tapset, "f2"), "hides one's b.stp");
	EXPECT_STR(first_text(tapset, "plain"), "one");
	EXPECT_NUM(w.dc.n_errors, 0); // broken.stp has not been asked for
	EXPECT_STR(first_text(tapset, "broken"), "(none)");
	EXPECT(w.dc.n_errors > 0);
	w.env.macros = tapset_macros(tapset);
	unit = parse(&w, "global x = @who");
	EXPECT_STR(unit->globals[0]->init->string.text, "two");
	unit_destroy(unit);
	tapset_close(tapset);
	sp_buf_printf(&path, "rm -rf %s", dir);
	EXPECT_NUM(system(sp_buf_str(&path)), 0);
	sp_buf_deinit(&path);
	world_deinit(&w);
}

// ---- sizes ----

static void test_big(void)
{
	struct sp_buf text = { 0 };
	struct unit *unit;
	struct world w;

	// A line of more than a megabyte is fine.
	world_init(&w);
	sp_buf_puts(&text, "probe begin { ");
	while (text.len < 1200000)
		sp_buf_puts(&text, "x = f(1, \"two\") + y[3]; ");
	sp_buf_puts(&text, "}");
	unit = parse(&w, sp_buf_str(&text));
	EXPECT_NUM(w.dc.n_errors, 0);
	EXPECT_NUM(unit->probes[0]->body->block.n, 50000);
	unit_destroy(unit);
	sp_buf_deinit(&text);
	world_deinit(&w);
}

static void test_no_file(void)
{
	sp_cleanup_free char *text = NULL;
	struct sp_err *err;
	struct world w;
	uint32_t file = 77;

	world_init(&w);
	err = source_read(&w.sources, "/nonexistent/x.stp", SOURCE_USER, &file);
	EXPECT(err && err->code == SP_ERR_NOT_FOUND && file == 77);
	sp_err_free(err);
	err = source_read(&w.sources, "/tmp", SOURCE_USER, &file);
	EXPECT(err != NULL);
	sp_err_free(err);
	world_deinit(&w);
}

int main(void)
{
	test_conditions();
	test_render();
	test_long_line();
	test_severity();
	test_trial();
	test_table();
	test_places();
	test_print();
	test_clone_and_walk();
	test_tapset();
	test_big();
	test_no_file();
	return expect_status();
}
