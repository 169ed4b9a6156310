// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/code_link.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/bundle_check.h"

#define MAX_INSNS (1u << 20) // the kernel takes a million

struct linking {
	const struct code *code;
	const int *map_fds;
	struct code_program *out;
	uint32_t *places; // by function: where it begins in the program; UINT32_MAX: it is not in it
	SP_VEC(uint32_t) parts; // functions, in the order of the program
	SP_VEC(struct code_reference) calls; // .insn: in the program
};

static struct sp_err *bad_insn(const struct linking *l, const struct code_function *f, uint32_t i)
{
	return bundle_broken("instruction %u of section %s is not one of a script", f->first + i, l->code->sections[f->section].name);
}

// ---- instructions ---------------------------------------------------------------------------------------------------

static struct sp_err *add_part(struct linking *l, uint32_t function)
{
	const struct code_function *f = &l->code->functions[function];

	if (l->places[function] != UINT32_MAX)
		return NULL;
	if (l->out->insns.n + f->n > MAX_INSNS)
		return bundle_broken("the program %s has more than %u instructions", l->code->functions[l->parts.v[0]].name, MAX_INSNS);
	l->places[function] = (uint32_t)l->out->insns.n;
	sp_vec_push(&l->parts, function);
	sp_vec_reserve(&l->out->insns, l->out->insns.n + f->n);
	memcpy(l->out->insns.v + l->out->insns.n, l->code->sections[f->section].insns + f->first, f->n * sizeof(struct bpf_insn));
	l->out->insns.n += f->n;
	return NULL;
}

static struct sp_err *add_call(struct linking *l, uint32_t at, uint32_t function)
{
	sp_vec_push(&l->calls, (struct code_reference){ at, CODE_FUNCTION, function, 0 });
	return add_part(l, function);
}

static struct sp_err *put_reference(struct linking *l, uint32_t at, const struct code_reference *reference)
{
	struct bpf_insn *insn = &l->out->insns.v[at];

	if (reference->target == CODE_FUNCTION)
		return add_call(l, at, reference->index);
	insn->src_reg = reference->target == CODE_AREA ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
	insn->imm = l->map_fds[reference->index];
	insn[1].imm = (int32_t)reference->offset;
	return NULL;
}

// The first that is not before the instruction.
static const struct code_reference *first_reference(const struct code_section *section, uint32_t insn)
{
	return section->references + sp_bisect(section->n_references, i, section->references[i].insn >= insn);
}

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

// A number that only we may fill in, such as the descriptor of a map, is in the file when somebody else has put it there.
static struct sp_err *put_instruction(struct linking *l, const struct code_function *f, uint32_t i, const struct code_reference *reference)
{
	const struct bpf_insn *insn = &l->code->sections[f->section].insns[f->first + i];
	uint32_t at = l->places[f - l->code->functions] + i, callee;

	if (is_wide(insn) && i + 1 >= f->n)
		return bad_insn(l, f, i);
	if (reference)
		return put_reference(l, at, reference);
	if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) {
		callee = code_function_at(l->code, f->section, (uint64_t)f->first + i + (uint64_t)(int64_t)insn->imm + 1);
		return callee == UINT32_MAX ? bad_insn(l, f, i) : add_call(l, at, callee);
	}
	if ((is_wide(insn) || insn->code == (BPF_JMP | BPF_CALL)) && insn->src_reg)
		return bad_insn(l, f, i);
	return NULL;
}

static struct sp_err *put_part(struct linking *l, uint32_t function)
{
	const struct code_function *f = &l->code->functions[function];
	const struct code_section *section = &l->code->sections[f->section];
	const struct code_reference *next = first_reference(section, f->first), *end = section->references + section->n_references;

	for (uint32_t i = 0; i < f->n; i++) {
		bool refers = next < end && next->insn == f->first + i;

		SP_TRY(put_instruction(l, f, i, refers ? next : NULL));
		next += refers;
		i += is_wide(&section->insns[f->first + i]);
	}
	return NULL;
}

static void put_calls(struct linking *l)
{
	sp_vec_each(call, &l->calls) {
		struct bpf_insn *insn = &l->out->insns.v[call->insn];

		insn->src_reg = is_wide(insn) ? BPF_PSEUDO_FUNC : BPF_PSEUDO_CALL;
		insn->imm = (int32_t)(l->places[call->index] - call->insn - 1);
		if (is_wide(insn))
			insn[1].imm = 0;
	}
}

// ---- records --------------------------------------------------------------------------------------------------------

static uint32_t record_at(const struct code_records *records, uint32_t size, uint32_t index)
{
	uint32_t at;

	memcpy(&at, records->bytes + (size_t)index * size, sizeof(at));
	return at / sizeof(struct bpf_insn);
}

static void put_records(struct linking *l, uint32_t function, enum code_record kind)
{
	const struct code_function *f = &l->code->functions[function];
	const struct code_records *records = &l->code->sections[f->section].records[kind];
	uint32_t size = code_record_sizes[kind];
	size_t first = sp_bisect(records->n, i, record_at(records, size, i) >= f->first);

	for (size_t i = first; i < records->n && record_at(records, size, i) - f->first < f->n; i++) {
		struct sp_buf *out = &l->out->records[kind];
		uint32_t at = record_at(records, size, i) - f->first + l->places[function];

		if (kind == CODE_CORE_RELO)
			at *= sizeof(struct bpf_insn);
		sp_buf_add(out, records->bytes + i * size, size);
		memcpy(out->data + out->len - size, &at, sizeof(at));
	}
}

struct sp_err *code_link(const struct code *code, uint32_t function, const int *map_fds, struct code_program *ret)
{
	sp_cleanup_free uint32_t *places = sp_malloc(code->n_functions * sizeof(*places));
	struct linking l = { .code = code, .map_fds = map_fds, .out = ret, .places = places };
	struct sp_err *err;

	*ret = (struct code_program){ .code = code };
	memset(places, 0xff, code->n_functions * sizeof(*places));
	err = add_part(&l, function);
	for (size_t i = 0; i < l.parts.n && !err; i++) // it grows
		err = put_part(&l, l.parts.v[i]);
	put_calls(&l);
	for (size_t i = 0; i < l.parts.n && !err; i++)
		for (unsigned kind = 0; kind < CODE_RECORDS; kind++)
			put_records(&l, l.parts.v[i], (enum code_record)kind);
	sp_vec_deinit(&l.parts);
	sp_vec_deinit(&l.calls);
	if (err)
		code_program_deinit(ret);
	return err;
}

bool code_calls(const struct code_program *program, int helper)
{
	sp_vec_each(insn, &program->insns)
		if (insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == helper)
			return true;
	return false;
}

void code_program_deinit(struct code_program *program)
{
	sp_vec_deinit(&program->insns);
	for (unsigned i = 0; i < CODE_RECORDS; i++)
		sp_buf_deinit(&program->records[i]);
}
