// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/repl.h"

#include "compiler/cli/doc.h"
#include "compiler/cli/repl_run.h"
#include "compiler/cli/repl_state.h"
#include "compiler/cli/repl_term.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

struct repl {
	struct cli *cli;
	bool is_terminal;
	SP_VEC(char *) pieces; // declarations of the script
	SP_VEC(char *) words; // of the command line and of `set`
	struct repl_state state;
	struct sp_buf input; // lines of a declaration or statement that is not finished
	bool done;
};

// ---- the script -----------------------------------------------------------------------------------------------------

static void print_script(const struct repl *r, struct sp_buf *out)
{
	sp_vec_each(piece, &r->pieces)
		sp_buf_printf(out, "%s\n", *piece);
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

// A copy of the text without the blanks around it; NULL when nothing is left.
static char *trimmed(const char *text, size_t len)
{
	const char *from = text;

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	from = skip_blanks(text);
	return from < text + len ? sp_strndup(from, (size_t)(text + len - from)) : NULL;
}

static void add_pieces(struct repl *r, const char *text)
{
	size_t len;

	while (*text) {
		char *piece;

		len = spile_declaration(text, strlen(text));
		len = len ? len : strlen(text);
		piece = trimmed(text, len);
		if (piece)
			sp_vec_push(&r->pieces, piece);
		text += len;
	}
}

static void drop_pieces(struct repl *r, size_t from, size_t end)
{
	if (from == end)
		return;
	for (size_t i = from; i < end; i++)
		free(r->pieces.v[i]);
	memmove(r->pieces.v + from, r->pieces.v + end, (r->pieces.n - end) * sizeof(*r->pieces.v));
	r->pieces.n -= end - from;
}

// ---- lines that run -------------------------------------------------------------------------------------------------

static void run_text(struct repl *r, const char *text, bool is_part)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf variables = { 0 };

	repl_run(r->cli, text, is_part, &variables);
	if (variables.len)
		repl_state_take(&r->state, sp_buf_str(&variables), !is_part);
}

// Prints the script without its probes, which would run together with an expression; aliases (probe NAME = ...) are kept.
static void print_definitions(const struct repl *r, struct sp_buf *out)
{
	sp_vec_each(piece, &r->pieces) {
		bool is_probe = sp_starts_with(*piece, "probe") && !(isalnum((unsigned char)(*piece)[5]) || (*piece)[5] == '_');
		size_t head = strcspn(*piece, "{=");

		if (!is_probe || (*piece)[head] == '=')
			sp_buf_printf(out, "%s\n", *piece);
	}
}

// What a line sets and nobody has declared is a variable from there on.
static void make_variables(struct repl *r, const struct repl_names *set)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };

	print_definitions(r, &script);
	repl_state_put_names(&r->state, &script);
	sp_vec_each(name, &set->of) {
		size_t len = script.len;

		sp_buf_printf(&script, "global %s\n", *name);
		if (repl_is_right(r->cli, sp_buf_str(&script), false))
			repl_state_add_name(&r->state, *name);
		else
			script.len = len;
	}
}

// Says what is missing in statements that are not complete.
static void reject(struct repl *r, const char *text)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };

	sp_buf_printf(&script, "probe begin { %s", text);
	repl_is_right(r->cli, sp_buf_str(&script), true);
}

// Prints the value of an expression. Text that is no correct expression is run as a statement. A variable that would have another type
// than it had begins anew.
static void evaluate(struct repl *r, const char *text)
{
	static const char *const forms[] = { "println(sprint(%s))", "%s", "println(sprint(%s))", "%s" };
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };
	size_t definitions, made = r->state.names.n;
	const struct repl_names none = { 0 };
	struct repl_names set = { 0 };
	bool ok = false;

	repl_names_find(text, &set);
	make_variables(r, &set);
	print_definitions(r, &script);
	definitions = script.len;
	for (size_t i = 0; i < SP_ARRAY_SIZE(forms) && !ok; i++) {
		const char *at = strstr(forms[i], "%s");
		bool is_last = i + 1 == SP_ARRAY_SIZE(forms);

		script.len = definitions;
		sp_buf_printf(&script, "probe begin { %.*s%s%s\n; exit() }\n", (int)(at - forms[i]), forms[i], text, at + 2);
		repl_state_put_names(&r->state, &script);
		repl_state_put_values(&r->state, i < SP_ARRAY_SIZE(forms) / 2 ? &none : &set, &script);
		ok = repl_is_right(r->cli, sp_buf_str(&script), is_last);
	}
	if (ok)
		run_text(r, sp_buf_str(&script), true);
	else
		repl_state_drop_names(&r->state, made);
	if (ok && set.has_statistics)
		fprintf(stderr, "WARNING: statistics are not kept for the lines that follow: what reads one stands in the line of its <<<\n");
	repl_names_deinit(&set);
}

// A declaration becomes part of the script when the script is right with it. It may declare what a line has made.
static void declare(struct repl *r, const char *text)
{
	struct repl_names made = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };

	print_script(r, &script);
	sp_buf_puts(&script, text);
	if (!repl_is_right(r->cli, sp_buf_str(&script), true))
		return;
	add_pieces(r, text);
	sp_vec_each(name, &r->state.names)
		sp_vec_push(&made.of, sp_strdup(*name));
	repl_state_drop_names(&r->state, 0);
	make_variables(r, &made);
	repl_names_deinit(&made);
}

// ---- commands -------------------------------------------------------------------------------------------------------

struct command {
	const char *name, *args, *what;
	void (*run)(struct repl *r, const char *args);
};

static void run_list(struct repl *r, const char *args SP_UNUSED)
{
	for (size_t i = 0; i < r->pieces.n; i++) {
		const char *line = r->pieces.v[i];

		for (bool first = true; *line; first = false) {
			size_t len = strcspn(line, "\n");

			if (first)
				printf("%3zu  %.*s\n", i + 1, (int)len, line);
			else
				printf("     %.*s\n", (int)len, line);
			line += len + (line[len] == '\n');
		}
	}
}

static void run_delete(struct repl *r, const char *args)
{
	char *end;
	unsigned long from, to;

	if (!strcmp(args, "all")) {
		drop_pieces(r, 0, r->pieces.n);
		return;
	}
	from = to = strtoul(args, &end, 10);
	if (*end == '-')
		to = strtoul(end + 1, &end, 10);
	if (end == args || *end || !from || to < from || to > r->pieces.n) {
		fprintf(stderr, "ERROR: `delete` takes N, N-M or all; the script has %zu declarations\n", r->pieces.n);
		return;
	}
	drop_pieces(r, from - 1, to);
}

static bool read_file(const char *path, struct sp_buf *out)
{
	FILE *f = fopen(path, "re");
	char block[4096];
	size_t n;
	bool ok;

	while (f && (n = fread(block, 1, sizeof(block), f)) > 0)
		sp_buf_add(out, block, n);
	ok = f && !ferror(f);
	if (!ok)
		fprintf(stderr, "ERROR: cannot read \"%s\": %s\n", path, strerror(errno));
	if (f)
		fclose(f);
	return ok;
}

static bool load_file(struct repl *r, const char *path)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	if (!read_file(path, &text))
		return false;
	add_pieces(r, sp_buf_str(&text));
	return true;
}

static void run_load(struct repl *r, const char *args)
{
	load_file(r, args);
}

static void run_save(struct repl *r, const char *args)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	print_script(r, &text);
	cli_report(sp_file_replace(AT_FDCWD, args, sp_buf_str(&text), text.len, 0666));
}

static void run_edit(struct repl *r, const char *args SP_UNUSED)
{
	const char *visual = sp_env("VISUAL"), *editor = visual ? visual : sp_env("EDITOR");
	const char *dir = sp_env("TMPDIR") ? sp_env("TMPDIR") : "/tmp";
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 }, command = { 0 };
	int fd;

	if (sp_env_is_raised()) {
		fprintf(stderr, "ERROR: no editor is started, which would have more privileges than its user\n");
		return;
	}
	sp_buf_printf(&path, "%s/spile-XXXXXX.stp", dir);
	fd = mkstemps(path.data, 4);
	if (fd < 0) {
		fprintf(stderr, "ERROR: cannot make a file in %s: %s\n", dir, strerror(errno));
		return;
	}
	close(fd);
	run_save(r, sp_buf_str(&path));
	sp_buf_printf(&command, "%s \"%s\"", editor ? editor : "vi", sp_buf_str(&path));
	if (system(sp_buf_str(&command)) == 0) {
		drop_pieces(r, 0, r->pieces.n);
		load_file(r, sp_buf_str(&path));
	}
	unlink(sp_buf_str(&path));
}

static void run_run(struct repl *r, const char *args SP_UNUSED)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };

	print_script(r, &script);
	run_text(r, sp_buf_str(&script), false);
}

static void list(struct repl *r, const char *pattern, int vars)
{
	struct spile *spile = spile_create(&r->cli->options.compile);

	spile_list(spile, pattern, vars);
	spile_destroy(spile);
}

static void run_probes(struct repl *r, const char *args)
{
	list(r, args, 0);
}

static void run_vars(struct repl *r, const char *args)
{
	list(r, args, 1);
}

static void run_explain(struct repl *r, const char *args)
{
	struct spile *spile = spile_create(&r->cli->options.compile);

	spile_explain(spile, args);
	spile_destroy(spile);
}

static void run_set(struct repl *r, const char *args);

static void run_quit(struct repl *r, const char *args SP_UNUSED)
{
	r->done = true;
}

static void run_help(struct repl *r, const char *args);

static const struct command commands[] = {
	{ "delete", "N|N-M|all", "take declarations out of the script", run_delete },
	{ "edit", "", "change the script with $VISUAL or $EDITOR", run_edit },
	{ "explain", "TAG", "more about a diagnostic", run_explain },
	{ "help", "[NAME]", "this list; what a function, probe, option, word or tag is, as --doc", run_help },
	{ "list", "", "the script, its declarations numbered", run_list },
	{ "load", "FILE", "add the declarations of a script", run_load },
	{ "probes", "POINT", "the probe points that match, as -l", run_probes },
	{ "quit", "", "leave (Ctrl-D)", run_quit },
	{ "run", "", "run the script until it exits, or Ctrl-C", run_run },
	{ "save", "FILE", "write the script", run_save },
	{ "set", "OPTIONS", "options of the command line, such as -g or -c COMMAND, for what follows", run_set },
	{ "vars", "POINT", "the probe points that match and their variables, as -L", run_vars },
};

static void run_help(struct repl *r, const char *args)
{
	if (*args) {
		doc_print(r->cli, args);
		return;
	}
	puts("A declaration (probe ..., function ..., global ...) becomes part of the script.\n"
	     "An expression or a statement is tried at once: 6 * 7, println(tz_ctime(gettimeofday_s())).\n"
	     "Variables that it sets are there in the lines that follow.\n"
	     "Commands:");
	for (size_t i = 0; i < SP_ARRAY_SIZE(commands); i++) {
		char head[32];

		snprintf(head, sizeof(head), "%s %s", commands[i].name, commands[i].args);
		printf("  %-18s %s\n", head, commands[i].what);
	}
}

// The words of a line; quotes keep blanks.
static void push_words(struct repl *r, const char *line)
{
	for (line = skip_blanks(line); *line; line = skip_blanks(line)) {
		struct sp_buf word = { 0 };
		char quote = 0;

		for (; *line && (quote || !isspace((unsigned char)*line)); line++) {
			if (quote ? *line == quote : *line == '"' || *line == '\'')
				quote = quote ? 0 : *line;
			else
				sp_buf_putc(&word, *line);
		}
		sp_vec_push(&r->words, sp_buf_take(&word));
	}
}

static int parse_words(struct repl *r)
{
	SP_VEC(char *) argv = { 0 };
	struct cli_options options;
	int status;

	for (size_t i = 0; i < r->words.n; i++)
		sp_vec_push(&argv, r->words.v[i]);
	sp_vec_push(&argv, NULL);
	status = options_parse((int)r->words.n, argv.v, &options);
	if (!status) {
		options_deinit(&r->cli->options);
		r->cli->options = options;
		cli_init(r->cli);
	}
	sp_vec_deinit(&argv);
	return status;
}

static void run_set(struct repl *r, const char *args)
{
	size_t n_before = r->words.n;

	push_words(r, args);
	if (!parse_words(r))
		return;
	while (r->words.n > n_before)
		free(r->words.v[--r->words.n]);
}

// ---- input ----------------------------------------------------------------------------------------------------------

static const struct command *find_command(const char *word, size_t len)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(commands); i++)
		if (sp_is_word(word, len, commands[i].name))
			return &commands[i];
	return NULL;
}

static bool is_declaration(const char *text)
{
	static const char *const starts[] = { "probe", "global", "function", "private", "@define", "%{" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(starts); i++) {
		size_t len = strlen(starts[i]);

		if (!strncmp(text, starts[i], len) && (strchr(" \t\n\r", text[len]) || starts[i][0] == '%'))
			return true;
	}
	return false;
}

// Runs a line that is a command: its name alone, or with arguments behind a blank. `list = 3` and `run(1)` are script text: false.
static bool run_command(struct repl *r, const char *line)
{
	size_t len = strcspn(line, " \t\r\n");
	const struct command *command = find_command(line, len);
	sp_cleanup_free char *args = NULL;

	if (!strncmp(line, "exit", len) && len == 4)
		command = find_command("quit", 4);
	if (!command)
		return false;
	args = trimmed(line + len, strlen(line + len));
	if (args && (args[0] == '=' || (command->run == run_delete && !isdigit((unsigned char)args[0]) && strcmp(args, "all"))))
		return false;
	if (*command->args && *command->args != '[' && !args)
		fprintf(stderr, "ERROR: `%s` takes %s\n", command->name, command->args);
	else
		command->run(r, args ? args : "");
	return true;
}

static void take_text(struct repl *r, const char *text)
{
	sp_cleanup_free char *what = trimmed(text, strlen(text));

	if (is_declaration(text))
		declare(r, text);
	else if (spile_declaration(what, strlen(what)))
		evaluate(r, what);
	else
		reject(r, what);
}

static void take_line(struct repl *r, const char *line)
{
	const char *text;
	bool is_blank = !*skip_blanks(line);

	sp_buf_printf(&r->input, "%s\n", line);
	text = skip_blanks(sp_buf_str(&r->input));
	if (!*text) {
		sp_buf_clear(&r->input);
		return;
	}
	if (is_declaration(text) || !run_command(r, text)) {
		// An empty line ends what is not complete: otherwise a missing } would swallow everything.
		if (!spile_declaration(text, strlen(text)) && !is_blank)
			return;
		take_text(r, text);
	}
	sp_buf_clear(&r->input);
}

// ---- completion -----------------------------------------------------------------------------------------------------

// Appends the candidates for the word before the cursor, one a line.
static void find_candidates(struct repl *r, int end, struct sp_buf *out)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct spile_opts opts = r->cli->options.compile;
	const char *line = repl_term_line();
	size_t len = strcspn(line, " \t");
	const struct command *command = find_command(line, len);
	struct spile *spile;

	print_definitions(r, &text);
	repl_state_put_names(&r->state, &text);
	sp_buf_puts(&text, sp_buf_str(&r->input));
	if (command && (command->run == run_probes || command->run == run_vars))
		sp_buf_printf(&text, "probe %.*s", end - (int)len, line + len);
	else
		sp_buf_printf(&text, "%.*s", end, line);
	opts.log = NULL;
	opts.diag = NULL;
	r->cli->captured = out;
	spile = spile_create(&opts);
	spile_complete(spile, sp_buf_str(&text), text.len);
	spile_destroy(spile);
	r->cli->captured = NULL;
}

// For readline: what the word can become. At the beginning of a line that can also be a command.
static void complete(void *ctx, const char *word, int start, int end, struct sp_buf *out)
{
	struct repl *r = ctx;

	for (size_t i = 0; i < SP_ARRAY_SIZE(commands) && !start && !r->input.len; i++)
		if (sp_starts_with(commands[i].name, word))
			sp_buf_printf(out, "%s\n", commands[i].name);
	find_candidates(r, end, out);
}

static void drop_input(void *ctx)
{
	struct repl *r = ctx;

	sp_buf_clear(&r->input);
}

// ---- the loop -------------------------------------------------------------------------------------------------------

// One line without its newline, to be freed; NULL at the end of the input.
static char *read_line(struct repl *r)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (r->is_terminal)
		return repl_term_read(r->input.len ? "   ... " : REPL_TERM_PROMPT);
	len = getline(&line, &size, stdin);
	if (len < 0) {
		free(line);
		return NULL;
	}
	if (len && line[len - 1] == '\n')
		line[len - 1] = '\0';
	return line;
}

int repl(struct cli *cli, char *const *argv)
{
	struct repl r = { .cli = cli, .is_terminal = isatty(0) && isatty(1) };
	int status = 0;

	for (; *argv; argv++)
		sp_vec_push(&r.words, sp_strdup(*argv));
	if (cli->options.script_path && !load_file(&r, cli->options.script_path))
		status = 1;
	if (!status && r.is_terminal)
		repl_term_init(&(struct repl_term){ .complete = complete, .drop_input = drop_input, .ctx = &r });
	while (!status && !r.done) {
		sp_cleanup_free char *line = read_line(&r);

		if (!line)
			break;
		take_line(&r, line);
		fflush(stdout);
	}
	if (!status && r.input.len) // the input ended within it
		take_text(&r, skip_blanks(sp_buf_str(&r.input)));
	if (r.is_terminal && !r.done)
		putchar('\n');
	drop_pieces(&r, 0, r.pieces.n);
	sp_vec_deinit(&r.pieces);
	sp_vec_each(word, &r.words)
		free(*word);
	sp_vec_deinit(&r.words);
	sp_buf_deinit(&r.input);
	repl_state_deinit(&r.state);
	repl_term_deinit();
	return status;
}
