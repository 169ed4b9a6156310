// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers through LLVM into the VM.
#define _GNU_SOURCE
#include "gen_cases.h"
#include "gen_run.h"

static void run_case(const struct gen_case *c)
{
	struct gen_made made = made_begin();
	struct gen_run run = { 0 };
	struct ir_prog *prog;
	int failures = expect_failures;

	prog = c->flags & CASE_CTX
		       ? add_prog(made.unit, "f", "kprobe/f", SP_PROG_REGS, SP_SITE_KPROBE, "f")
		       : add_begin(made.unit);
	prog->in_kernel = false;
	prog->in_user = true;
	c->build(made.unit, prog);
	if (made_end(&made))
		run_in_vm(&run, &made, c->flags & CASE_CTX ? case_ctx : NULL);
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
	run_deinit(&run);
	made_deinit(&made);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(gen_cases); i++)
		if (argc < 2 || sp_streq(argv[1], gen_cases[i].name))
			run_case(&gen_cases[i]);
	return expect_status();
}
