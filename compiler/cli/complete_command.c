// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/complete_command.h"

#include "compiler/cli/cli.h"
#include "runtime/base/cleanup.h"

#include <stdio.h>

static const char usage[] = "Usage: spile complete options       print the options of spile\n"
			    "   or: spile complete script TEXT   print a script with what its last word can become\n"
			    "For the completion of shells, one a line.\n";

// What of `text` is before the word that `word` completes: the longest end of it that the word begins with is that.
static size_t before_word(const char *text, const char *word, size_t len)
{
	const char *at = text;

	while (strlen(at) > len || memcmp(at, word, strlen(at)))
		at++;
	return (size_t)(at - text);
}

static void print_completed(const char *text, const char *words)
{
	for (const char *end; (end = strchr(words, '\n')); words = end + 1)
		printf("%.*s%.*s\n", (int)before_word(text, words, (size_t)(end - words)), text, (int)(end - words), words);
}

// With the words that are known; nothing is said of what is wrong with the text so far.
static int complete_script(char *text)
{
	char program[] = "spile", option[] = "-e", *argv[] = { program, option, text, NULL };
	sp_cleanup(sp_buf_deinit) struct sp_buf words = { 0 };
	struct cli cli = { .captured = &words };
	struct spile *spile;
	int status = options_parse(3, argv, &cli.options);

	if (status)
		return SP_MAX(status, 0);
	cli_init(&cli);
	cli.options.compile.log = NULL;
	cli.options.compile.diag = NULL;
	spile = spile_create(&cli.options.compile);
	spile_complete(spile, text, strlen(text));
	spile_destroy(spile);
	cli_deinit(&cli);
	print_completed(text, sp_buf_str(&words));
	return 0;
}

int complete_command(int argc, char **argv)
{
	if (argc == 2 && sp_streq(argv[1], "options")) {
		options_print_words();
		return 0;
	}
	if (argc == 3 && sp_streq(argv[1], "script"))
		return complete_script(argv[2]);
	fputs(usage, stderr);
	return 2;
}
