// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // strcasestr

#include "compiler/cli/example.h"

#include "compiler/cli/options.h"
#include "compiler/cli/cli.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADER 16384 // bytes that are read of a script
#define HELP_PRINTED (-1)

static char *join(const char *a, const char *b, const char *c)
{
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%s%s%s", a, b, c);
	return sp_buf_take(&text);
}

// ---- the folder -----------------------------------------------------------------------------------------------------

static const char *examples_dir(char *path, size_t size)
{
	const char *env = sp_env("SPILE_EXAMPLES");

	return env ? env : cli_beside_program("examples", path, size) ? path : SPILE_DATADIR "/examples";
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool is_script(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, ".stp");
}

// Calls fn for each script, by area and name, until it returns true.
static bool each_script(bool (*fn)(void *ctx, const char *area, const char *name, const char *path), void *ctx)
{
	char own[4096];
	const char *dir = examples_dir(own, sizeof(own));
	struct dirent **areas = NULL, **files = NULL;
	int n_areas = scandir(dir, &areas, is_visible, alphasort);
	bool found = false;

	for (int i = 0; i < n_areas; i++) {
		sp_cleanup_free char *area = join(dir, "/", areas[i]->d_name);
		int n_files = scandir(area, &files, is_visible, alphasort);

		for (int k = 0; k < n_files; k++) {
			sp_cleanup_free char *path = join(area, "/", files[k]->d_name);

			if (!found && is_script(files[k]->d_name)) {
				sp_cleanup_free char *name = sp_strndup(files[k]->d_name, strlen(files[k]->d_name) - 4);

				found = fn(ctx, areas[i]->d_name, name, path);
			}
			free(files[k]);
		}
		if (n_files >= 0)
			free(files);
		free(areas[i]);
	}
	if (n_areas >= 0)
		free(areas);
	return found;
}

struct search {
	const char *name;
	char *path;
};

static bool is_named(void *ctx, const char *area, const char *name, const char *path)
{
	struct search *search = ctx;

	(void)area;
	if (strcmp(name, search->name) && strcmp(strrchr(path, '/') + 1, search->name))
		return false;
	search->path = sp_strdup(path);
	return true;
}

// The path of an example, to be freed; NULL: there is none of that name.
static char *find_example(const char *name)
{
	struct search search = { .name = name };

	each_script(is_named, &search);
	return search.path;
}

// ---- the comment at the top -----------------------------------------------------------------------------------------

// Reads the comment at the top of a script: its lines without "//" and without that of the license.
static void read_header(const char *path, struct sp_buf *ret)
{
	FILE *file = fopen(path, "re");
	char line[512];

	while (file && ret->len < MAX_HEADER && fgets(line, sizeof(line), file)) {
		const char *text = line + 2 + (line[2] == ' ');

		if (!strncmp(line, "#!", 2) || strstr(line, "SPDX-License-Identifier"))
			continue;
		if (strncmp(line, "//", 2))
			break;
		sp_buf_puts(ret, text);
	}
	if (file)
		fclose(file);
}

// A line of the comment that describes an option: "  -p PID  calls of that process alone [only_pid]".
struct script_option {
	char letter;
	bool has_argument;
	const char *global;
	int global_len;
};

static bool parse_option(const char *line, struct script_option *ret)
{
	const char *end = line + strcspn(line, "\n"), *open;

	line += strspn(line, " ");
	if (line[0] != '-' || !isalnum((unsigned char)line[1]) || line[2] != ' ' || end[-1] != ']')
		return false;
	for (open = end; open > line && *open != '['; open--)
		;
	ret->letter = line[1];
	ret->has_argument = isupper((unsigned char)line[3]);
	ret->global = open + 1;
	ret->global_len = (int)(end - 1 - ret->global);
	return open > line;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

static bool find_option(const char *header, char letter, struct script_option *ret)
{
	for (; *header; header = next_line(header))
		if (parse_option(header, ret) && ret->letter == letter)
			return true;
	return false;
}

// Prints the comment without the names of globals, which are for this file.
static void print_header(FILE *out, const char *header)
{
	for (; *header; header = next_line(header)) {
		struct script_option option;
		size_t len = strcspn(header, "\n");

		if (parse_option(header, &option))
			len = (size_t)(option.global - 1 - header);
		while (len && header[len - 1] == ' ')
			len--;
		fprintf(out, "%.*s\n", (int)len, header);
	}
}

// ---- the command line -----------------------------------------------------------------------------------------------

static void keep(struct example_argv *argv, char *word)
{
	sp_vec_push(&argv->words, word);
	sp_vec_push(&argv->v, word);
}

// The options of spile that an example needs: what follows "Options:" in its comment.
#define OPTIONS "Options:"

static void keep_needed(const char *header, struct example_argv *ret)
{
	for (; *header; header = next_line(header)) {
		const char *end = header + strcspn(header, "\n"), *at = header + strlen(OPTIONS);
		size_t len;

		if (strncmp(header, OPTIONS, strlen(OPTIONS)))
			continue;
		for (at += strspn(at, " "); at < end; at += len, at += strspn(at, " ")) {
			len = strcspn(at, " \n");
			keep(ret, sp_strndup(at, len));
		}
	}
}

static int refuse(const char *name, const char *header, const char *fmt, char letter)
{
	fprintf(stderr, "spile: %s ", name);
	fprintf(stderr, fmt, letter);
	fputs("\n\n", stderr);
	print_header(stderr, header);
	return 2;
}

// Turns the script's own options, the first of these words, into -G options, and copies the rest.
static int expand_options(const char *name, const char *header, int argc, char **argv, struct example_argv *ret)
{
	int i;

	for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		struct script_option option;
		struct sp_buf setting = { 0 };
		const char *value = "1";

		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			print_header(stdout, header);
			return HELP_PRINTED;
		}
		if (!find_option(header, argv[i][1], &option) || (!option.has_argument && argv[i][2]))
			return refuse(name, header, "has no option -%c", argv[i][1]);
		if (option.has_argument && argv[i][2])
			value = argv[i] + 2;
		else if (option.has_argument && !(value = argv[++i]))
			return refuse(name, header, "needs something behind -%c", option.letter);
		keep(ret, sp_strdup("-G"));
		sp_buf_printf(&setting, "%.*s=%s", option.global_len, option.global, value);
		keep(ret, sp_buf_take(&setting));
	}
	keep(ret, sp_strdup("--"));
	for (; i < argc; i++)
		sp_vec_push(&ret->v, argv[i]);
	return 0;
}

int example_expand(int argc, char **argv, struct example_argv *ret)
{
	struct options_operand operand = options_find_operand(argc, argv);
	sp_cleanup(sp_buf_deinit) struct sp_buf header = { 0 };
	bool is_file = !operand.is_example && operand.name && (strchr(operand.name, '/') || access(operand.name, F_OK) == 0);
	sp_cleanup_free char *path = operand.name && !is_file ? find_example(operand.name) : NULL;
	int status = 0;

	*ret = (struct example_argv){ 0 };
	if (operand.is_example && !path) {
		fprintf(stderr, "spile: there is no example '%s'; --examples lists them\n", operand.name);
		return 2;
	}
	if (operand.name && !path && !is_file && !strpbrk(operand.name, "./-")) {
		fprintf(stderr, "spile: there is no script '%s', and no example of that name; --examples lists them\n", operand.name);
		return 1;
	}
	if (path)
		read_header(path, &header);
	for (int i = 0; i < (path ? operand.first : argc); i++) {
		sp_vec_push(&ret->v, argv[i]);
		if (path && i == 0)
			keep_needed(sp_buf_str(&header), ret); // the user's own come later, and win
	}
	if (path) {
		keep(ret, sp_strdup(path));
		status = expand_options(operand.name, sp_buf_str(&header), argc - operand.rest, argv + operand.rest, ret);
	}
	sp_vec_push(&ret->v, NULL);
	return status;
}

void example_argv_deinit(struct example_argv *argv)
{
	sp_vec_each(word, &argv->words)
		free(*word);
	sp_vec_deinit(&argv->words);
	sp_vec_deinit(&argv->v);
}

// ---- the list -------------------------------------------------------------------------------------------------------

struct listing {
	const char *word;
	char area[64]; // the heading that was printed last
	unsigned n;
};

// The first sentence of the comment, on one line.
static void describe(const char *header, struct sp_buf *ret)
{
	for (const char *at = header; *at; at++) {
		if (at[0] == '\n' && (at[1] == '\n' || !at[1]))
			return;
		sp_buf_putc(ret, *at == '\n' ? ' ' : *at);
		if (at[0] == '.' && (at[1] == ' ' || at[1] == '\n'))
			return;
	}
}

static bool list_script(void *ctx, const char *area, const char *name, const char *path)
{
	struct listing *listing = ctx;
	sp_cleanup(sp_buf_deinit) struct sp_buf header = { 0 }, text = { 0 };

	read_header(path, &header);
	describe(sp_buf_str(&header), &text);
	if (listing->word && !strcasestr(area, listing->word) && !strcasestr(name, listing->word) &&
	    !strcasestr(sp_buf_str(&text), listing->word))
		return false;
	if (strcmp(area, listing->area))
		printf("%s%s\n", listing->n ? "\n" : "", area);
	snprintf(listing->area, sizeof(listing->area), "%s", area);
	printf("  %-20s %s\n", name, sp_buf_str(&text));
	listing->n++;
	return false;
}

struct named {
	const char *name; // what is looked for
	struct sp_buf text;
	unsigned n;
};

static bool add_named(void *ctx, const char *area SP_UNUSED, const char *name, const char *path)
{
	struct named *named = ctx;
	sp_cleanup(sp_buf_deinit) struct sp_buf header = { 0 }, text = { 0 };

	if (sp_has_glob(named->name) ? !sp_glob_match(named->name, name) : !sp_starts_with(name, named->name))
		return false;
	read_header(path, &header);
	describe(sp_buf_str(&header), &text);
	sp_buf_printf(&named->text, "%-20s %s\n", name, sp_buf_str(&text));
	named->n++;
	return false;
}

void example_list_named(const char *name, struct sp_buf *out)
{
	struct named named = { .name = name };

	each_script(add_named, &named);
	if (named.n)
		sp_buf_printf(out, "# examples: %u\n%s", named.n, sp_buf_str(&named.text));
	sp_buf_deinit(&named.text);
}

int example_list(const char *word)
{
	struct listing listing = { .word = word };

	each_script(list_script, &listing);
	if (!listing.n)
		fprintf(stderr, word ? "spile: no example is about '%s'; --examples lists them all\n" :
				       "spile: there are no examples here\n", word);
	return listing.n ? 0 : 1;
}
