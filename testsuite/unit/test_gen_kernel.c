// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers through LLVM into this kernel: each is run once, and must print what it prints in the VM.
#define _GNU_SOURCE
#include "gen_cases.h"
#include "gen_run.h"

static void run_case(const struct gen_case *c, bool verbose)
{
	struct gen_made made = made_begin();
	struct gen_run run = { 0 };
	int failures = expect_failures;

	c->build(made.unit, add_raw_tp(made.unit, "sys_enter"));
	if (made_end(&made))
		run_in_kernel(&run, &made, case_ctx);
	if (made.error || run.error) {
		EXPECT_STR(made.error ? made.error : run.error, "no error");
	} else {
		EXPECT_STR(run.output, c->output);
		if (c->logged)
			EXPECT_HAS(sp_buf_str(&run.logged), c->logged);
		else
			EXPECT_STR(sp_buf_str(&run.logged), "");
	}
	if (failures != expect_failures)
		printf("in case %s\n", c->name);
	if (verbose)
		printf("%s: %u instructions verified\n", c->name, run.verified);
	run_deinit(&run);
	made_deinit(&made);
}

int main(int argc, char **argv)
{
	if (!run_can_load()) {
		printf("programs cannot be loaded into this kernel\n");
		return 77;
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(gen_cases); i++)
		if (!(gen_cases[i].flags & CASE_VM) &&
		    (argc < 2 || sp_streq(argv[1], gen_cases[i].name)))
			run_case(&gen_cases[i], argc > 1);
	return expect_status();
}
