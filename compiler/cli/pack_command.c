// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/pack_command.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/sign_command.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <stdio.h>

#define MAX_SIZE (256u << 20) // bytes of a file that can be a pack

static const char usage[] =
	"Usage: spile pack show [--json] NAME.spo   say what a pack, or a compiled script, is made for and needs:\n"
	"                                           kernels and programs with their build-ids, features of the\n"
	"                                           kernel, probes and their hooks, fields that are looked up\n"
	"   or: spile pack sign FILE.spo [-s SECRET.key] [-t COMMENT]\n"
	"   or: spile pack verify FILE.spo -p KEY      signatures in minisign's formats (`spile pack sign --help`)\n"
	"`spile --pack -o NAME.spo --for TARGET... SCRIPT` makes packs.\n";

static int show(const char *path, bool json)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	sp_cleanup_free char *text = NULL, *why = NULL;
	int status = cli_report(sp_file_read(path, MAX_SIZE, &bytes));

	if (status)
		return status;
	status = spilert_pack_show(sp_buf_str(&bytes), bytes.len, json, &text, &why);
	if (status)
		fprintf(stderr, "ERROR: %s: %s\n", path, why);
	else
		fputs(text, stdout);
	return status;
}

int pack_command(int argc, char **argv)
{
	if (argc == 2 && (sp_streq(argv[1], "--help") || sp_streq(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 3 && sp_streq(argv[1], "show"))
		return show(argv[2], false);
	if (argc == 4 && sp_streq(argv[1], "show") && sp_streq(argv[2], "--json"))
		return show(argv[3], true);
	if (argc >= 2 && (sp_streq(argv[1], "sign") || sp_streq(argv[1], "verify")))
		return sign_command(argc - 1, argv + 1);
	fputs(usage, stderr);
	return 2;
}
