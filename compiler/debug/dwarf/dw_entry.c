// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_entry.h"

#include "compiler/debug/dwarf/dw_expr.h"
#include "compiler/debug/dwarf/dw_func.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include <dwarf.h>

// ---- jumps back to the entry -----------------------------------------------------------------------------------------

static int32_t little_endian(const uint8_t *p, unsigned size)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint32_t)p[i] << 8 * i;
	return size == 1 ? (int8_t)value : (int32_t)value;
}

// Could an x86 jump to `target` begin at this byte? It is asked of every byte, not only of first bytes of instructions: that may
// find a jump where there is none, but misses none.
static bool is_jump_to(const uint8_t *p, size_t left, uint64_t pc, uint64_t target)
{
	bool is_short = p[0] == 0xeb || (p[0] >= 0x70 && p[0] <= 0x7f) || (p[0] >= 0xe0 && p[0] <= 0xe3);
	bool is_near = left > 1 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80;
	unsigned skip = is_near ? 2 : 1, size = is_short ? 1 : 4;

	if ((!is_short && !is_near && p[0] != 0xe9) || left < skip + size)
		return false;
	return pc + skip + size + (uint64_t)(int64_t)little_endian(p + skip, size) == target;
}

static bool is_branch_to(uint32_t word, uint64_t pc, uint64_t target)
{
	int64_t words;

	if (word >> 26 == 5) // b
		words = (int32_t)(word << 6) >> 6;
	else if (word >> 24 == 0x54 || (word >> 25 & 0x3f) == 0x1a) // b.cond, cbz and cbnz
		words = (int32_t)(word << 8) >> 13;
	else if ((word >> 25 & 0x3f) == 0x1b) // tbz and tbnz
		words = (int32_t)(word << 13) >> 18;
	else
		return false;
	return pc + (uint64_t)(words * 4) == target;
}

// Does the function jump back to its first instruction, because a loop begins there? Then that instruction runs several times in
// one call, and only the first time the registers hold what the function was entered with.
bool dw_entry_comes_back(const struct dw_file *file, uint64_t low, uint64_t high, uint64_t entry)
{
	size_t size = high - low;
	const uint8_t *code = dw_file_bytes(file, low, size);
	bool is_x86 = file->abi->elf_machine != EM_AARCH64;

	for (size_t i = 0; code && i < size; i += is_x86 ? 1 : 4) {
		uint64_t pc = low + i;

		if (is_x86 ? is_jump_to(code + i, size - i, pc, entry) :
			     size - i >= 4 && is_branch_to((uint32_t)little_endian(code + i, 4), pc, entry))
			return true;
	}
	return false;
}

// ---- the call for tracers --------------------------------------------------------------------------------------------

#define ENDBR_SIZE 4
#define CALL_SIZE 5

// The length of the instructions before a function's body that tracers use: on x86_64 "[endbr64] call __fentry__", or the nop that
// replaces the call. 0: the function has none.
static size_t tracer_call_size(struct dw_file *file, uint64_t pc)
{
	static const uint8_t endbr[ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa }, nop[CALL_SIZE] = { 0x0f, 0x1f, 0x44, 0, 0 };
	const uint8_t *code = dw_file_bytes(file, pc, ENDBR_SIZE + CALL_SIZE);
	struct dw_sym tracer;
	size_t at = 0;

	if (!code || file->abi->elf_machine != EM_X86_64)
		return 0;
	if (!memcmp(code, endbr, sizeof(endbr)))
		at = sizeof(endbr);
	if (!memcmp(code + at, nop, sizeof(nop)))
		return at + CALL_SIZE;
	if (code[at] != 0xe8 || !dw_sym_find(file, "__fentry__", &tracer))
		return 0;
	at += CALL_SIZE;
	return pc + at + (uint64_t)(int64_t)little_endian(code + at - 4, 4) == tracer.addr ? at : 0;
}

// ----------------------------------------------------------------------------------------------------------------------

// Asked for each place of a function that is probed.
static bool comes_back(const struct dbg_func *outer)
{
	struct dw_scope *scope = outer->scope;

	if (scope->comes_back == DW_NOT_ASKED)
		scope->comes_back = dw_entry_comes_back(scope->file, outer->low_pc, outer->high_pc, dw_entry_probe_pc(outer)) ? DW_YES : DW_NO;
	return scope->comes_back == DW_YES;
}

struct dbg_func *dw_entry_of(struct dbg_func *func, const char **why_ret)
{
	struct dbg_func *outer = func->is_inline ? dw_scope_outer(func) : func;

	if (!outer)
		*why_ret = "the entry of the function that it is inlined into is not known";
	else if (comes_back(outer))
		*why_ret = "it was in a register when the function was entered, and a loop jumps back to the entry";
	else
		return outer;
	return NULL;
}

uint64_t dw_entry_probe_pc(const struct dbg_func *func)
{
	const struct dw_scope *scope = func->scope;

	return func->entry_pc + (func->module->is_kernel ? tracer_call_size(scope->file, func->entry_pc) : func->check_size);
}

const struct loc *dw_entry_frame(struct dbg_func *func, uint64_t pc, const char **why_ret)
{
	const Dwarf_Op ops[] = { { .atom = DW_OP_call_frame_cfa }, { .atom = DW_OP_stack_value, .offset = 1 } };
	struct dw_scope *scope = func->scope;
	struct dw_loc_site site = { .file = scope->file, .arena = &scope->file->arena, .function = &scope->function, .pc = pc,
				    .at_entry = dw_scope_begins(scope, pc) };

	return dw_expr_compile(&site, NULL, ops, SP_ARRAY_SIZE(ops), why_ret);
}
