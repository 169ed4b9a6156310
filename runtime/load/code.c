// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/code.h"

const uint32_t code_record_sizes[CODE_RECORDS] = { sizeof(struct bpf_func_info), sizeof(struct bpf_line_info),
						   sizeof(struct bpf_core_relo) };

uint32_t code_function_at(const struct code *code, uint32_t section, uint64_t insn)
{
	const struct code_function *f = code->functions;
	uint32_t at = sp_bisect(code->n_functions, i, f[i].section > section || (f[i].section == section && f[i].first >= insn));

	return at < code->n_functions && f[at].section == section && f[at].first == insn ? at : UINT32_MAX;
}

uint32_t code_find_map(const struct code *code, const char *name)
{
	for (uint32_t i = 0; i < code->n_maps; i++)
		if (sp_streq(code->maps[i].name, name))
			return i;
	return UINT32_MAX;
}

uint32_t code_find_function(const struct code *code, const char *name)
{
	for (uint32_t i = 0; i < code->n_functions; i++)
		if (sp_streq(code->functions[i].name, name))
			return i;
	return UINT32_MAX;
}

const char *code_text(const struct code *code, uint32_t offset)
{
	return offset < code->texts_size ? code->texts + offset : "";
}
