// SPDX-License-Identifier: GPL-2.0-or-later
// What a compiled script is made of, and what this machine's kernel makes of it.
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/explain.h"

#include <bpf/bpf.h>

// The kernel tells since Linux 5.16 how many instructions the verifier has followed, and the size of the machine code only to those
// who may see kernel addresses.
static void put_loaded(const struct spilert *rt, unsigned prog, struct sp_buf *out)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);
	int fd = -1;

	if (!load_has_prog(rt->load, prog))
		return;
	sp_err_free(load_prog(rt->load, prog, &fd)); // it was loaded already
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	bundle_put_points(rt->bundle, prog, out);
	sp_buf_printf(out, "\n  loaded: %zu instructions", info.xlated_prog_len / sizeof(struct bpf_insn));
	if (info.verified_insns)
		sp_buf_printf(out, ", %u followed by the verifier", info.verified_insns);
	if (info.jited_prog_len)
		sp_buf_printf(out, ", %u bytes of machine code", info.jited_prog_len);
	sp_buf_putc(out, '\n');
}

SP_EXPORT char *spilert_explain(const struct spilert *rt, const struct spilert_script *script, int code)
{
	const struct explain_input input = { .bundle = rt->bundle, .script = script->name, .text = script->text, .size = script->size, .code = code };
	struct sp_buf text = { 0 };

	for (unsigned i = 0; rt->load && i < rt->bundle->n_progs; i++)
		put_loaded(rt, i, &text);
	explain_lines(&input, &text);
	return sp_buf_take(&text);
}
