// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/shebang.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Are these the options of the script's first line?
static bool is_of_script(const char *options, const char *path)
{
	sp_cleanup_fclose FILE *f = fopen(path, "re");
	char line[256] = { 0 }; // the kernel reads as much of it

	if (!f || !fgets(line, sizeof(line), f) || strncmp(line, "#!", 2))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return strstr(line, options);
}

void shebang_split(int argc, char **argv, struct shebang_argv *ret)
{
	char *rest;

	*ret = (struct shebang_argv){ 0 };
	if (argc < 3 || argv[1][0] != '-' || !strpbrk(argv[1], " \t") || !is_of_script(argv[1], argv[2]))
		return;
	ret->options = sp_strdup(argv[1]);
	sp_vec_push(&ret->v, argv[0]);
	for (char *word = strtok_r(ret->options, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		sp_vec_push(&ret->v, word);
	for (int i = 2; i <= argc; i++)
		sp_vec_push(&ret->v, argv[i]);
}

void shebang_argv_deinit(struct shebang_argv *words)
{
	sp_vec_deinit(&words->v);
	free(words->options);
}
