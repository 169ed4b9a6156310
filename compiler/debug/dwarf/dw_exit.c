// SPDX-License-Identifier: GPL-2.0-or-later
// x86 alone. A jump out of the function's code is a tail call. Of a jump through a register or memory the code does not tell where it
// leads: it is one of a table (a switch) or a tail call. At a tail call the stack is as it was at the entry.
#include "compiler/debug/dwarf/dw_exit.h"

#include "compiler/debug/dwarf/dw_entry.h"
#include "compiler/debug/dwarf/dw_loc.h"
#include "compiler/debug/dwarf/dw_step.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/dwarf/dw_unwind.h"

#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_RANGES 16
#define MAX_DEPTH 64 // of blocks
#define NOTRACK 0x3e // the prefix of jumps by tables in code that is protected by endbr64

struct range {
	uint64_t low, high;
};

struct scan {
	struct dw_file *file;
	const struct dbg_func *func;
	struct dw_scope *scope; // NULL: no DWARF
	struct range ranges[MAX_RANGES];
	unsigned n_ranges;
	bool adds; // the instruction before has added up an address
	SP_VEC(struct dbg_exit) found;
	const char *why; // NULL: all that was read is understood
};

// ---- where its code is -----------------------------------------------------------------------------------------------

static void add_range(struct scan *s, uint64_t low, uint64_t high)
{
	if (s->n_ranges == MAX_RANGES)
		s->why = "its code is in too many pieces";
	else if (low < high)
		s->ranges[s->n_ranges++] = (struct range){ low, high };
}

// The compiler has put what is seldom run elsewhere.
static void add_cold_symbol(struct scan *s)
{
	const char *name = sp_arena_printf(&s->file->arena, "%s.cold", s->func->symbol ? s->func->symbol : s->func->name);
	struct dw_sym sym;

	if (dw_sym_find(s->file, name, &sym))
		add_range(s, sym.addr, sym.addr + sym.size);
}

static void find_ranges(struct scan *s)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (s->scope)
		while ((at = dwarf_ranges(&s->scope->function, at, &base, &low, &high)) > 0)
			add_range(s, low, high);
	if (s->n_ranges)
		return;
	add_range(s, s->func->low_pc, s->func->high_pc);
	add_cold_symbol(s);
}

static bool is_inside(const struct scan *s, uint64_t pc)
{
	for (unsigned i = 0; i < s->n_ranges; i++)
		if (pc >= s->ranges[i].low && pc < s->ranges[i].high)
			return true;
	return false;
}

// ---- jumps through registers and memory --------------------------------------------------------------------------------

static bool is_tail_call_at(Dwarf_Die *call, uint64_t pc, uint64_t next)
{
	Dwarf_Attribute attr;
	Dwarf_Addr at;

	if (!dwarf_hasattr(call, DW_AT_call_tail_call) && !dwarf_hasattr(call, DW_AT_GNU_tail_call))
		return false;
	if (dwarf_attr(call, DW_AT_call_pc, &attr) && !dwarf_formaddr(&attr, &at))
		return at == pc;
	if (dwarf_attr(call, DW_AT_call_return_pc, &attr) ? dwarf_formaddr(&attr, &at) : dwarf_lowpc(call, &at))
		return false;
	return at == next;
}

static bool has_tail_call(Dwarf_Die *scope, uint64_t pc, uint64_t next, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child))
		switch (dwarf_tag(&child)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			if (is_tail_call_at(&child, pc, next))
				return true;
			break;
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (depth < MAX_DEPTH && has_tail_call(&child, pc, next, depth + 1))
				return true;
			break;
		default:
			break;
		}
	return false;
}

// Is the stack not what it was at the entry?
static bool has_frame(const struct scan *s, uint64_t pc)
{
	struct dbg_func func = *s->func;
	const struct loc *frame, *bare;
	const char *why;

	if (!s->scope)
		return false;
	frame = dw_entry_frame(&func, pc, &why);
	bare = dw_entry_frame(&func, func.entry_pc, &why);
	return frame && bare && !loc_equal(frame, bare);
}

// An element of a table is addressed by an index of words, or has been added up.
static bool is_by_table(const struct scan *s, const struct dw_step *step)
{
	const uint8_t *modrm = step->code + step->insn.modrm;
	uint8_t mod = *modrm >> 6, rm = *modrm & 7, sib;

	if (mod == 3)
		return s->adds;
	sib = modrm[1];
	return rm == 4 && sib >> 6 >= 2 && ((sib >> 3 & 7) != 4 || step->insn.rex & 2);
}

static bool is_indirect_tail_call(const struct scan *s, const struct dw_step *step)
{
	if (dw_step_has_prefix(step, NOTRACK))
		return false;
	if (s->scope && has_tail_call(&s->scope->function, step->pc, dw_step_next(step), 0))
		return true;
	return !has_frame(s, step->pc) && !is_by_table(s, step);
}

// ---- the code --------------------------------------------------------------------------------------------------------

static void add(struct scan *s, uint64_t pc, bool is_jump)
{
	sp_vec_push(&s->found, ((struct dbg_exit){ pc, is_jump }));
}

static void look_at(struct scan *s, const struct dw_step *step)
{
	enum dw_flow flow = dw_step_flow(step);
	uint8_t opcode = dw_step_opcode(step);
	bool leaves = (flow == DW_BRANCHES || flow == DW_JUMPS) && !is_inside(s, dw_step_target(step));

	if (flow == DW_BRANCHES && leaves)
		s->why = sp_arena_printf(&s->file->arena, "the jump with a condition at %#llx leads out of it", (unsigned long long)step->pc);
	if (flow == DW_RETURNS)
		add(s, step->pc, false);
	if ((flow == DW_JUMPS && leaves) || (flow == DW_JUMPS_ANYWHERE && is_indirect_tail_call(s, step)))
		add(s, step->pc, true);
	if (step->insn.map == 0 && !step->insn.vex)
		s->adds = opcode == 0x01 || opcode == 0x03;
}

static void read_range(struct scan *s, const struct range *range)
{
	struct dw_step step;

	if (!dw_file_bytes(s->file, range->low, range->high - range->low))
		s->why = "its code cannot be read";
	for (uint64_t pc = range->low; !s->why && pc < range->high; pc = dw_step_next(&step)) {
		if (dw_step_at(s->file, pc, &step))
			look_at(s, &step);
		else
			s->why = sp_arena_printf(&s->file->arena, "the instruction at %#llx is not known", (unsigned long long)pc);
	}
}

bool dw_exit_find(struct dw_file *file, const struct dbg_func *func, struct dbg_exits *ret, const char **why_ret)
{
	bool is_dwarf = func->module->source == DBG_DWARF;
	struct scan s = { .file = file, .func = func, .scope = is_dwarf ? func->scope : NULL };

	if (file->abi->elf_machine == EM_AARCH64)
		s.why = "code of arm64 is not read";
	else if (dw_unwind_stack_use(file, func->name, s.scope) == DBG_STACK_MOVES)
		s.why = dw_unwind_no_g(func, s.scope);
	if (!s.why)
		find_ranges(&s);
	if (!s.why && !s.n_ranges)
		s.why = "where it ends is not known";
	for (unsigned i = 0; !s.why && i < s.n_ranges; i++)
		read_range(&s, &s.ranges[i]);
	*why_ret = s.why;
	*ret = (struct dbg_exits){ .n = s.why ? 0 : (unsigned)s.found.n };
	if (ret->n)
		ret->v = sp_arena_memdup(&file->arena, s.found.v, s.found.n * sizeof(*s.found.v));
	sp_vec_deinit(&s.found);
	return !s.why;
}

// ---- what is the same --------------------------------------------------------------------------------------------------

#define GO_G 14 // r14 has the goroutine in code of Go 1.17 and later
#define GO_STACK_END 8 // in struct g: stack.hi

static const struct loc *value(struct sp_arena *arena, const struct loc_op *ops, unsigned n)
{
	struct loc_piece piece = { .where = LOC_IS_VALUE, .ops = sp_arena_memdup(arena, ops, n * sizeof(*ops)), .n_ops = n };

	return dw_loc_make(arena, &piece, 1);
}

static const struct loc *frame_of(struct dw_file *file, struct dbg_func *func, uint64_t pc, enum dbg_call_at at)
{
	const struct loc_op ops[] = {
		{ .kind = LOC_REG, .a = file->abi->sp_dwarf },
		{ .kind = LOC_CONST, .a = file->abi->return_address_size },
		{ .kind = LOC_ADD },
	};
	const char *why;

	// A function for 32 bits may take its arguments from the stack as it returns.
	if (at == DBG_CALL_ENDED && file->abi->word_size != 8)
		return NULL;
	if (at != DBG_CALL_BEGINS || pc == func->entry_pc)
		return value(&file->arena, ops, at == DBG_CALL_ENDED ? 1 : SP_ARRAY_SIZE(ops));
	return func->module->source == DBG_DWARF && func->scope ? dw_entry_frame(func, pc, &why) : NULL;
}

// How far the frame is from the end of the stack stays the same when Go moves that.
static const struct loc *distance(struct dw_file *file, const struct loc *frame)
{
	const struct loc_op end[] = { { .kind = LOC_REG, .a = GO_G }, { .kind = LOC_CONST, .a = GO_STACK_END }, { .kind = LOC_ADD },
				      { .kind = LOC_DEREF, .a = 8 } };
	const struct loc_piece *piece = frame->pieces;
	SP_VEC(struct loc_op) ops = { 0 };
	const struct loc *ret;

	for (unsigned i = 0; i < SP_ARRAY_SIZE(end); i++)
		sp_vec_push(&ops, end[i]);
	for (unsigned i = 0; i < piece->n_ops; i++)
		sp_vec_push(&ops, piece->ops[i]);
	sp_vec_push(&ops, (struct loc_op){ .kind = LOC_SUB });
	ret = value(&file->arena, ops.v, (unsigned)ops.n);
	sp_vec_deinit(&ops);
	return ret;
}

bool dw_exit_call(struct dw_file *file, struct dbg_func *func, uint64_t pc, enum dbg_call_at at, struct dbg_call *ret)
{
	const struct loc_op g[] = { { .kind = LOC_REG, .a = GO_G } };
	const struct loc *frame = frame_of(file, func, pc, at);

	if (!frame || frame->n_pieces != 1 || frame->pieces->where != LOC_IS_VALUE)
		return false;
	*ret = (struct dbg_call){ .frame = frame };
	if (dbg_func_stack_use(func) == DBG_STACK_MOVES)
		*ret = (struct dbg_call){ value(&file->arena, g, 1), distance(file, frame) };
	return true;
}
