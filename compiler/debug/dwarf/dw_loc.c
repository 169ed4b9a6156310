// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_loc.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_expr.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/dwarf/dw_type.h"

#include "runtime/base/buf.h"
#include "runtime/base/x86_insn.h"

#include <dwarf.h>

#define MAX_RANGES 4 // that a message shows

// "lives in 0x10-0x18, 0x20-0x2c only".
static const char *describe_ranges(const struct dw_loc_site *site, Dwarf_Attribute *attr)
{
	struct {
		Dwarf_Addr start, end;
	} ranges[MAX_RANGES];
	unsigned n = 0;
	bool more = false;
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t n_ops;

	if (site->no_reasons)
		return "lives elsewhere";
	for (ptrdiff_t off = 0; (off = dwarf_getlocations(attr, off, &base, &start, &end, &ops, &n_ops)) > 0;) {
		if (start >= end || n_ops == 0)
			continue;
		if (n && ranges[n - 1].end == start) {
			ranges[n - 1].end = end;
			continue;
		}
		if ((more = n == MAX_RANGES))
			break;
		ranges[n].start = start;
		ranges[n++].end = end;
	}
	if (n == 0)
		return "optimised out";
	struct sp_buf text = { 0 };
	sp_buf_puts(&text, "lives in ");
	for (unsigned i = 0; i < n; i++)
		sp_buf_printf(&text, "%s0x%llx-0x%llx", i ? ", " : "", (unsigned long long)ranges[i].start,
			      (unsigned long long)ranges[i].end);
	sp_buf_puts(&text, more ? " and other places only" : " only");
	const char *result = sp_arena_strdup(site->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return result;
}

const struct loc *dw_loc_make(struct sp_arena *arena, const struct loc_piece *pieces, size_t n)
{
	struct loc *loc = sp_arena_new(arena, struct loc);

	loc->pieces = sp_arena_memdup(arena, pieces, n * sizeof(*pieces));
	loc->n_pieces = n;
	return loc;
}

// A number. That of DW_FORM_data1, 2 or 4 has no sign of its own, and is written with as few bytes as it needs: 0x9e is 158 as a short,
// and -98 as a signed char.
static bool number_of(struct dw_file *file, Dwarf_Die *var, Dwarf_Attribute *attr, Dwarf_Sword *ret)
{
	const struct c_type *type;
	Dwarf_Word word;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
		break;
	default:
		return dwarf_formsdata(attr, ret) == 0;
	}
	if (dwarf_formudata(attr, &word) != 0)
		return false;
	type = c_type_strip(dw_type_ref(file, var));
	*ret = (Dwarf_Sword)word;
	if (type && type->is_signed && type->size && type->size < sizeof(word)) {
		unsigned unused = 64 - (unsigned)type->size * 8;
		*ret = (Dwarf_Sword)(word << unused) >> unused;
	}
	return true;
}

static const struct loc *constant(const struct dw_loc_site *site, Dwarf_Die *var, Dwarf_Attribute *attr, const char **why_ret)
{
	struct sp_arena *arena = site->arena;
	struct loc_piece piece = { .where = LOC_IS_BYTES };
	Dwarf_Sword value;
	Dwarf_Block block;
	const char *string;

	if (dwarf_formblock(attr, &block) == 0) {
		piece.bytes = sp_arena_memdup(arena, block.data, block.length);
		piece.n_bytes = block.length;
	} else if ((string = dwarf_formstring(attr))) {
		piece.bytes = (const uint8_t *)string;
		piece.n_bytes = strlen(string) + 1;
	} else if (number_of(site->file, var, attr, &value)) {
		piece.where = LOC_IS_VALUE;
		piece.ops = sp_arena_new(arena, struct loc_op);
		piece.ops[0] = (struct loc_op){ .kind = LOC_CONST, .a = value };
		piece.n_ops = 1;
	} else {
		*why_ret = "its constant value cannot be read (broken debug information)";
		return NULL;
	}
	return dw_loc_make(arena, &piece, 1);
}

// Bytes to where the code goes on behind an instruction that changes nothing: nop, endbr64, a short jump ahead. 0: it is another one.
static size_t idle_size(const struct dw_loc_site *site, uint64_t pc)
{
	const struct abi *abi = site->file->abi;
	const uint8_t *code = abi->elf_machine == EM_AARCH64 ? NULL : dw_file_bytes(site->file, pc, X86_INSN_MAX);
	struct x86_insn insn;

	if (!code || !x86_insn_decode(code, X86_INSN_MAX, abi->word_size * 8, &insn) || insn.vex || insn.rex)
		return 0;
	if (insn.map == 0 && code[0] == 0xeb && code[1] < 0x80)
		return insn.length + code[1];
	if (insn.map == 0)
		return code[insn.opcode] == 0x90 ? insn.length : 0;
	return insn.map == 1 && (code[insn.opcode] == 0x1f || (code[0] == 0xf3 && code[insn.opcode] == 0x1e && code[insn.modrm] >> 1 == 0xfa >> 1)) ?
		       insn.length : 0;
}

// clang's locations of parameters begin behind what a function begins with that changes nothing (-fcf-protection, -fpatchable-function-entry,
// -fxray-instrument), where they are as at the entry; gcc's begin where it says that the function begins.
static uint64_t behind_idle(const struct dw_loc_site *site)
{
	uint64_t pc = site->pc, low;

	if (site->function && dwarf_lowpc(site->function, &low) == 0 && low > pc && low - pc <= MAX_TRACER_CODE)
		return low;
	for (size_t size; (size = idle_size(site, pc));)
		pc += size;
	return pc;
}

const struct loc *dw_loc_of(const struct dw_loc_site *site, Dwarf_Die *var, const char **why_ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	int found;
	size_t n;

	if (!dw_attr_place(var, DW_AT_location, &attr)) {
		if (dwarf_attr_integrate(var, DW_AT_const_value, &attr))
			return constant(site, var, &attr, why_ret);
		*why_ret = "optimised out";
		return NULL;
	}
	found = dwarf_getlocation_addr(&attr, site->pc, &ops, &n, 1);
	if (!found && site->at_entry)
		found = dwarf_getlocation_addr(&attr, behind_idle(site), &ops, &n, 1);
	switch (found) {
	case 1:
		if (n > 0)
			return dw_expr_compile(site, &attr, ops, n, why_ret);
		*why_ret = describe_ranges(site, &attr);
		return NULL;
	case 0:
		*why_ret = describe_ranges(site, &attr);
		return NULL;
	default:
		*why_ret = sp_arena_printf(site->arena, "its location cannot be read: %s", dwarf_errmsg(-1));
		return NULL;
	}
}

// A kernel module is a relocatable file: its addresses mean nothing until each section has been loaded somewhere, so the operation
// has the section and the offset in it.
struct loc_op dw_loc_address_op(struct dw_file *file, uint64_t addr)
{
	struct loc_op op = { .kind = LOC_ADDR, .a = (int64_t)addr };
	const char *section;
	uint64_t start;

	if ((file->ehdr.e_type == ET_REL || file->kernel) && (section = dw_file_section_at(file, addr, &start))) {
		op.section = sp_arena_strdup(&file->arena, section);
		op.a = (int64_t)(addr - start);
	}
	return op;
}

const struct loc *dw_loc_address(struct dw_file *file, uint64_t addr)
{
	struct loc_piece piece = { .where = LOC_IN_MEMORY, .n_ops = 1, .ops = sp_arena_new(&file->arena, struct loc_op) };

	piece.ops[0] = dw_loc_address_op(file, addr);
	return dw_loc_make(&file->arena, &piece, 1);
}

static struct loc_piece reg_piece(struct sp_arena *arena, int dwarf_reg)
{
	struct loc_piece piece = { .where = LOC_IS_VALUE, .n_ops = 1, .ops = sp_arena_new(arena, struct loc_op) };

	piece.ops[0] = (struct loc_op){ .kind = LOC_REG, .a = dwarf_reg };
	return piece;
}

const struct loc *dw_loc_reg(struct sp_arena *arena, int dwarf_reg)
{
	struct loc_piece piece = reg_piece(arena, dwarf_reg);
	return dw_loc_make(arena, &piece, 1);
}

const struct loc *dw_loc_at_reg(struct sp_arena *arena, int dwarf_reg)
{
	struct loc_piece piece = reg_piece(arena, dwarf_reg);
	piece.where = LOC_IN_MEMORY;
	return dw_loc_make(arena, &piece, 1);
}

const struct loc *dw_loc_regs(struct sp_arena *arena, const int *dwarf_regs, unsigned n, unsigned bytes, uint64_t size)
{
	struct loc_piece pieces[8];

	if (n == 1)
		return dw_loc_reg(arena, dwarf_regs[0]);
	for (unsigned i = 0; i < n; i++) {
		pieces[i] = reg_piece(arena, dwarf_regs[i]);
		pieces[i].bit_size = (uint32_t)SP_MIN(size - i * bytes, bytes) * 8;
		pieces[i].bit_off = i && dwarf_regs[i] == dwarf_regs[i - 1] ? 64 : 0;
	}
	return dw_loc_make(arena, pieces, n);
}

const struct loc *dw_loc_with_gaps(struct sp_arena *arena, const struct loc_piece *pieces, const uint64_t *offs, unsigned n, uint64_t size)
{
	struct loc_piece *all = sp_arena_array(arena, struct loc_piece, 2 * n + 1);
	uint64_t at = 0;
	unsigned n_all = 0;

	for (unsigned i = 0; i < n; i++) {
		if (offs[i] > at)
			all[n_all++] = (struct loc_piece){ .where = LOC_ABSENT, .bit_size = (uint32_t)(offs[i] - at) * 8 };
		all[n_all++] = pieces[i];
		at = offs[i] + pieces[i].bit_size / 8;
	}
	if (size > at)
		all[n_all++] = (struct loc_piece){ .where = LOC_ABSENT, .bit_size = (uint32_t)(size - at) * 8 };
	return dw_loc_make(arena, all, n_all);
}

const struct loc *dw_loc_above(struct sp_arena *arena, int dwarf_reg, int64_t offset)
{
	const struct loc_op ops[] = { { .kind = LOC_REG, .a = dwarf_reg }, { .kind = LOC_CONST, .a = offset }, { .kind = LOC_ADD } };
	struct loc_piece piece = { .where = LOC_IN_MEMORY, .n_ops = SP_ARRAY_SIZE(ops) };

	piece.ops = sp_arena_memdup(arena, ops, sizeof(ops));
	return dw_loc_make(arena, &piece, 1);
}

bool dw_loc_is_from_reg(const struct loc_piece *piece, int *dwarf_reg_ret, int64_t *offset_ret)
{
	const struct loc_op *ops = piece->ops;

	if (piece->where != LOC_IN_MEMORY || piece->n_ops % 2 == 0 || ops[0].kind != LOC_REG)
		return false;
	*dwarf_reg_ret = (int)ops[0].a;
	*offset_ret = 0;
	for (unsigned i = 1; i < piece->n_ops; i += 2) {
		if (ops[i].kind != LOC_CONST || ops[i + 1].kind != LOC_ADD)
			return false;
		*offset_ret += ops[i].a;
	}
	return true;
}

bool dw_loc_is_reg(const struct loc *loc, int dwarf_reg)
{
	return loc && loc->n_pieces == 1 && loc->pieces[0].where == LOC_IS_VALUE && loc->pieces[0].n_ops == 1 &&
	       loc->pieces[0].ops[0].kind == LOC_REG && loc->pieces[0].ops[0].a == dwarf_reg;
}
