// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_go.h"

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_gosym.h"
#include "compiler/debug/dwarf/dw_step.h"

#include <dwarf.h>
#include <string.h>

bool dw_go_is(Dwarf_Die *unit)
{
	return dwarf_srclang(unit) == DW_LANG_Go;
}

bool dw_go_has_registers(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer && strstr(producer, "regabi");
}

// ---- the check of the stack --------------------------------------------------------------------------------------------

#define MAX_CHECK 7 // instructions
#define JB 2 // conditions of a branch
#define JBE 6
#define STACK_LIMIT 0x10 // where a goroutine's limit is in what its register points to; the system's own stacks have theirs 8 bytes further

// cmp 0x10(%r14),%rsp; jbe. Functions with large frames compare a copy of rsp from which they have subtracted, as those do that are to be
// called from assembler with what %fs leads to.
static unsigned check_of_x86(const struct dw_file *file, uint64_t entry)
{
	bool is_compared = false;
	uint64_t pc = entry;
	struct dw_step step;

	for (unsigned i = 0; i < MAX_CHECK && dw_step_at(file, pc, &step) && !step.insn.vex; i++) {
		const uint8_t *modrm = step.code + step.insn.modrm;
		uint8_t opcode = dw_step_opcode(&step), condition = dw_step_flow(&step) == DW_BRANCHES ? opcode & 0xf : 0;

		pc = dw_step_next(&step);
		if (is_compared)
			return condition == JBE ? (unsigned)(pc - entry) : 0;
		is_compared = step.insn.map == 0 && opcode == 0x3b && *modrm >> 6 == 1 && (modrm[1] & ~8) == STACK_LIMIT;
		if (!is_compared && condition != JB && !(step.insn.map == 0 && memchr("\x89\x8b\x8d\x81\x83", opcode, 5)))
			return 0;
	}
	return 0;
}

// ldr x16, [x28, #16]; cmp; b.ls.
static unsigned check_of_arm64(const struct dw_file *file, uint64_t entry)
{
	const uint8_t *code;
	uint32_t word;

	for (unsigned at = 0; at < MAX_CHECK * sizeof(word) && (code = dw_file_bytes(file, entry + at, sizeof(word))); at += sizeof(word)) {
		memcpy(&word, code, sizeof(word));
		if (at == 0 && word != 0xf9400b90 && word != 0xf9400f90)
			return 0;
		if ((word & 0xff00001f) == 0x54000009)
			return at + sizeof(word);
	}
	return 0;
}

unsigned dw_go_check_size(const struct dw_file *file, uint64_t entry)
{
	unsigned ret = file->abi->elf_machine == EM_X86_64 ? check_of_x86(file, entry) :
		       file->abi->elf_machine == EM_AARCH64 ? check_of_arm64(file, entry) : 0;

	return ret && dw_gosym_is_go(file) ? ret : 0;
}

// ---- values in parts ---------------------------------------------------------------------------------------------------

#define MAX_SCALARS 32
#define MAX_DEPTH 16
#define N_INTEGERS 9
#define N_FLOATS 15

struct scalar {
	uint64_t off, size;
	bool is_float;
};

struct scalars {
	struct scalar v[MAX_SCALARS];
	unsigned n;
	bool fail;
};

// The numbers that a value is made of. Fails for what Go keeps in memory whole: arrays of several elements.
static void add_scalars(struct scalars *s, const struct c_type *type, uint64_t off, int depth)
{
	const struct c_type *whole;

	type = c_type_strip(type);
	s->fail |= !type || depth > MAX_DEPTH;
	if (s->fail || !type->size)
		return;
	if (type->kind == C_INT || type->kind == C_ENUM || type->kind == C_POINTER || type->kind == C_FLOAT) {
		if (s->n < MAX_SCALARS && type->size <= 8)
			s->v[s->n++] = (struct scalar){ off, type->size, type->kind == C_FLOAT };
		else
			s->fail = true;
	} else if (type->kind == C_ARRAY) {
		s->fail |= type->count != 1;
		add_scalars(s, type->target, off, depth + 1);
	} else {
		whole = type->kind == C_STRUCT ? dbg_complete_type(type) : NULL;
		s->fail |= !whole;
		for (unsigned i = 0; !s->fail && i < whole->n_members; i++)
			add_scalars(s, whole->members[i].type, off + whole->members[i].bit_off / 8, depth + 1);
	}
}

// One piece for each scalar.
static const struct loc *with_gaps(struct sp_arena *arena, const struct scalars *s, const struct loc_piece *pieces, uint64_t size)
{
	struct loc_piece sized[MAX_SCALARS];
	uint64_t offs[MAX_SCALARS];

	for (unsigned i = 0; i < s->n; i++) {
		sized[i] = pieces[i];
		sized[i].bit_size = (uint32_t)s->v[i].size * 8;
		offs[i] = s->v[i].off;
	}
	return dw_loc_with_gaps(arena, sized, offs, s->n, size);
}

// Is the variable in one register somewhere else? Then what is in memory here is what was there.
static bool is_register_elsewhere(Dwarf_Die *var)
{
	Dwarf_Attribute attr;
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(var, DW_AT_location, &attr) || dwarf_whatform(&attr) == DW_FORM_exprloc)
		return false;
	for (ptrdiff_t off = 0; (off = dwarf_getlocations(&attr, off, &base, &start, &end, &ops, &n)) > 0;)
		if (n == 1 && (ops->atom == DW_OP_regx || (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)))
			return true;
	return false;
}

// Are these the scalars, one after the other?
static bool are_pieces_of(const struct scalars *s, const struct loc_piece *pieces, unsigned n)
{
	bool are = n == s->n;

	for (unsigned i = 0; are && i < n; i++)
		are = pieces[i].bit_size == s->v[i].size * 8;
	return are;
}

// Leaves out the gaps that Go tells of in code that is not optimised: it has them at wrong places. All scalars are there then.
static unsigned without_gaps(const struct loc *loc, struct loc_piece ret[MAX_SCALARS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < loc->n_pieces && n < MAX_SCALARS; i++)
		if (loc->pieces[i].where != LOC_ABSENT)
			ret[n++] = loc->pieces[i];
	return n;
}

const struct loc *dw_go_location(struct sp_arena *arena, Dwarf_Die *var, const struct c_type *type, const struct loc *loc, const char **why_ret)
{
	struct loc_piece present[MAX_SCALARS];
	struct scalars s = { 0 };
	unsigned n;

	type = c_type_strip(type);
	if (type)
		add_scalars(&s, type, 0, 0);
	if (!type || (loc->n_pieces == 1 && (s.fail || s.n == 1)))
		return loc;
	if (loc->n_pieces == 1 && loc->pieces->where == LOC_IN_MEMORY && !is_register_elsewhere(var))
		return loc;
	if (!s.fail && loc->n_pieces > 1 && are_pieces_of(&s, loc->pieces, loc->n_pieces))
		return with_gaps(arena, &s, loc->pieces, type->size);
	if (!s.fail && loc->n_pieces > 1 && (n = without_gaps(loc, present)) && are_pieces_of(&s, present, n))
		return with_gaps(arena, &s, present, type->size);
	*why_ret = "is described in part, and Go does not say in which";
	return NULL;
}

const struct loc *dw_go_result(const struct dw_file *file, struct sp_arena *arena, const struct c_type *type)
{
	static const int integers[N_INTEGERS] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 }; // rax, rbx, rcx, rdi, rsi, r8 to r11
	struct loc_piece pieces[MAX_SCALARS];
	unsigned n_integers = 0, n_floats = 0;
	struct scalars s = { 0 };

	add_scalars(&s, type, 0, 0);
	for (unsigned i = 0; !s.fail && i < s.n; i++) {
		if (s.v[i].is_float ? n_floats == N_FLOATS : n_integers == N_INTEGERS)
			return NULL;
		int reg = s.v[i].is_float ? file->abi->banks[0].dwarf + (int)n_floats++ : integers[n_integers++];
		pieces[i] = *dw_loc_reg(arena, reg)->pieces;
	}
	if (s.fail || !s.n)
		return NULL;
	return s.n == 1 && s.v[0].size == type->size ? dw_loc_make(arena, pieces, 1) : with_gaps(arena, &s, pieces, type->size);
}
