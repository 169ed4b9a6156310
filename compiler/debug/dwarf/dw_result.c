// SPDX-License-Identifier: GPL-2.0-or-later
// x86 alone. A result is used when, on some way from the call, an instruction reads rax before another one sets it, or when the caller
// returns with what rax has. What is not understood counts as used.
#include "compiler/debug/dwarf/dw_result.h"

#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_code.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/index/dw_units.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/base/x86_insn.h"

#include <dwarf.h>
#include <stdlib.h>

#define CALL_SIZE 5 // of a call or a jump with a displacement of 4 bytes
#define MAX_INSNS 512 // that are looked at behind a call

// ---- what an instruction does with rax -----------------------------------------------------------------------------------

enum effect { LEAVES_RAX, READS_RAX, SETS_RAX };

// By the opcode's one byte, and by the byte behind 0F:
//	.	nothing, but for an address in memory
//	G	reads, perhaps changes, both operands
//	e	reads, perhaps changes, the operand of ModRM.rm
//	f	the same; some multiply or divide rax
//	m	copies ModRM.reg to ModRM.rm
//	l	computes ModRM.reg of ModRM.rm
//	i	sets ModRM.rm
//	L, R	sets ModRM.reg of, reads ModRM.rm for, a vector register
//	W	copies a vector register to ModRM.rm
//	c	copies ModRM.rm to ModRM.reg on a condition
//	a	reads rax
//	w, p	sets, reads the register that the opcode has, here rax
// A part of rax that is set counts as all of it: who wants the result does not set a part of it first.
static const char one_byte[] =
	"GGGGaa..GGGGaa.." "GGGGaa..GGGGaa.." // 00
	"GGGGaa..GGGGaa.." "GGGGaa..GGGGaa.." // 20
	"p.......p......." "p.......w......." // 40
	"...l.....l.l...." "................" // 60
	"eeeeGGGGmmllilei" ".aaaaaaaaa....aa" // 80
	"wwaa....aaaawwaa" "w.......w......." // A0
	"ee....ii........" "eeee...a........" // C0
	"....wwaa....wwaa" "......ff......ee"; // E0
static const char two_bytes[] =
	"eall.a.a........" "................" // 00
	"iiee......R.LL.." "awww............" // 20
	"cccccccccccccccc" "L..............." // 40
	"..............R." "..............W." // 60
	"................" "iiiiiiiiiiiiiiii" // 80
	"..aGGG.....GGG.G" "aalGlllll.eGllll" // A0
	"GG.GRL.ap......." ".......L........" // C0
	"................" "................"; // E0

_Static_assert(sizeof(one_byte) == 257 && sizeof(two_bytes) == 257, "a class for each opcode");

struct step {
	const uint8_t *code;
	struct x86_insn insn;
	uint64_t pc;
};

static uint8_t opcode_of(const struct step *step)
{
	return step->code[step->insn.opcode];
}

static bool has_prefix(const struct step *step, uint8_t prefix)
{
	for (unsigned i = 0; i < step->insn.opcode; i++)
		if (step->code[i] == prefix)
			return true;
	return false;
}

// The bits of REX; VEX and EVEX have them inverted, in the byte behind the first.
static uint8_t rex_of(const struct step *step)
{
	const uint8_t *code = step->code;
	unsigned at = 0;

	if (!step->insn.vex)
		return step->insn.rex;
	while (code[at] != 0xc4 && code[at] != 0xc5 && code[at] != 0x62)
		at++;
	return (uint8_t)~(code[at + 1] >> 5) & (code[at] == 0xc5 ? 4 : 7);
}

struct operands {
	bool reg, rm, address; // rax is that register, or part of the address in memory
};

static struct operands operands_of(const struct step *step)
{
	uint8_t rex = rex_of(step), modrm, sib;
	struct operands ret = { 0 };

	if (!step->insn.modrm)
		return ret;
	modrm = step->code[step->insn.modrm];
	sib = step->code[step->insn.modrm + 1];
	ret.reg = (modrm & 0x38) == 0 && !(rex & 4);
	if (modrm >> 6 == 3) {
		ret.rm = (modrm & 7) == 0 && !(rex & 1);
		return ret;
	}
	if ((modrm & 7) != 4)
		ret.address = (modrm & 7) == 0 && !(rex & 1);
	else
		ret.address = ((sib & 7) == 0 && !(rex & 1)) || ((sib & 0x38) == 0 && !(rex & 2));
	return ret;
}

static char class_of(const struct step *step)
{
	const struct x86_insn *insn = &step->insn;
	char class = insn->map == 0 ? one_byte[opcode_of(step)] : insn->map == 1 ? two_bytes[opcode_of(step)] : 'G';

	if (insn->vex && class != '.' && class != 'L' && class != 'R' && class != 'W')
		class = 'G';
	if (class == 'W' && has_prefix(step, 0xf3)) // movq between vector registers
		class = '.';
	if (class == 'f')
		class = (step->code[insn->modrm] >> 3 & 7) >= 4 ? 'a' : 'e';
	if ((class == 'w' || class == 'p') && step->insn.rex & 1)
		class = '.';
	return class;
}

static enum effect effect_of(const struct step *step)
{
	struct operands on = operands_of(step);
	uint8_t opcode = opcode_of(step);
	bool is_same = on.reg && on.rm;

	if (on.address)
		return READS_RAX;
	switch (class_of(step)) {
	case 'G':
		if (is_same && !step->insn.vex && step->insn.map == 0 && (opcode == 0x29 || opcode == 0x2b || opcode == 0x31 || opcode == 0x33))
			return SETS_RAX; // to 0
		return on.reg || on.rm ? READS_RAX : LEAVES_RAX;
	case 'e': case 'R': case 'c': return on.rm ? READS_RAX : LEAVES_RAX;
	case 'm': return on.reg ? READS_RAX : on.rm ? SETS_RAX : LEAVES_RAX;
	case 'l': return on.rm ? READS_RAX : on.reg ? SETS_RAX : LEAVES_RAX;
	case 'L': return on.reg ? SETS_RAX : LEAVES_RAX;
	case 'i': case 'W': return on.rm ? SETS_RAX : LEAVES_RAX;
	case 'a': case 'p': return READS_RAX;
	case 'w': return SETS_RAX;
	default: return LEAVES_RAX;
	}
}

// ---- behind a call -------------------------------------------------------------------------------------------------------

struct walk {
	struct dw_file *file;
	SP_VEC(uint64_t) todo;
	struct sp_hash seen;
	unsigned n_insns;
};

static bool decode_at(const struct dw_file *file, uint64_t pc, struct step *ret)
{
	size_t size = X86_INSN_MAX;

	while (size && !(ret->code = dw_file_bytes(file, pc, size)))
		size--;
	ret->pc = pc;
	return size && x86_insn_decode(ret->code, size, file->abi->word_size * 8, &ret->insn);
}

static uint64_t target_of(const struct step *step, unsigned size)
{
	const uint8_t *end = step->code + step->insn.length;
	uint64_t next = step->pc + step->insn.length;
	int32_t displacement;

	if (size == 1)
		return next + (uint64_t)(int8_t)end[-1];
	memcpy(&displacement, end - sizeof(displacement), sizeof(displacement));
	return next + (uint64_t)displacement;
}

static void go_on_at(struct walk *w, uint64_t pc)
{
	void **place = sp_hash_insert(&w->seen, &pc, sizeof(pc));

	if (*place)
		return;
	*place = w;
	sp_vec_push(&w->todo, pc);
}

// Does the function that has this instruction return what rax has?
static bool returns_a_value(struct dw_file *file, uint64_t pc)
{
	Dwarf_Die unit, function;
	Dwarf_Attribute attr;
	size_t index;

	if (!dw_units_at_pc(file, pc, &index))
		return true;
	dw_units_die(file, index, &unit);
	return !dw_code_function(file, &unit, pc, &function) || dwarf_attr_integrate(&function, DW_AT_type, &attr);
}

// A jump within the function goes on; one to another function is a call, but for what kernels have in place of `ret`. Returns whether
// the result is used.
static bool follow_jump(struct walk *w, uint64_t pc, uint64_t target)
{
	struct dw_sym sym;

	if (!dw_sym_at(w->file, target, NULL, &sym))
		return true;
	if (strstr(sym.name, "return_thunk"))
		return returns_a_value(w->file, pc);
	if (sym.addr != target || strstr(sym.name, ".cold"))
		go_on_at(w, target);
	return false;
}

// A jump of a module of the kernel to another section, or to what kernels have in place of `ret`, leads to nowhere as yet.
static bool is_relocated(const struct step *step)
{
	return target_of(step, 4) == step->pc + step->insn.length;
}

// Looks at one instruction. True: the result is used, as far as is known.
static bool take_step(struct walk *w, const struct step *step)
{
	uint8_t opcode = opcode_of(step), next_op = step->insn.modrm ? step->code[step->insn.modrm] >> 3 & 7 : 0;
	bool is_plain = step->insn.map == 0 && !step->insn.vex, is_0f = step->insn.map == 1 && !step->insn.vex;
	enum effect effect = effect_of(step);

	if (effect != LEAVES_RAX)
		return effect == READS_RAX;
	if (is_plain && (opcode == 0xc2 || opcode == 0xc3))
		return returns_a_value(w->file, step->pc);
	if (w->file->ehdr.e_type == ET_REL && ((is_plain && opcode == 0xe9) || (is_0f && (opcode & 0xf0) == 0x80)) && is_relocated(step))
		return !is_plain || returns_a_value(w->file, step->pc);
	if (is_plain && (opcode == 0xe9 || opcode == 0xeb))
		return follow_jump(w, step->pc, target_of(step, opcode == 0xeb ? 1 : 4));
	if (is_plain && (opcode == 0xe8 || (opcode == 0xff && (next_op == 2 || next_op == 3))))
		return false; // the next call gives rax another value
	if (is_plain && opcode == 0xff && (next_op == 4 || next_op == 5))
		return true; // a jump to an unknown place
	if ((is_plain && opcode == 0xcc) || (is_0f && opcode == 0x0b))
		return false;
	if (is_plain && ((opcode & 0xf0) == 0x70 || (opcode >= 0xe0 && opcode <= 0xe3)))
		go_on_at(w, target_of(step, 1));
	if (is_0f && (opcode & 0xf0) == 0x80)
		go_on_at(w, target_of(step, 4));
	go_on_at(w, step->pc + step->insn.length);
	return false;
}

static bool is_used_behind(struct dw_file *file, uint64_t pc)
{
	struct walk w = { .file = file };
	bool is_used = false;
	struct step step;

	go_on_at(&w, pc);
	while (!is_used && w.todo.n) {
		pc = w.todo.v[--w.todo.n];
		is_used = ++w.n_insns > MAX_INSNS || !decode_at(file, pc, &step) || take_step(&w, &step);
	}
	sp_vec_deinit(&w.todo);
	sp_hash_deinit(&w.seen);
	return is_used;
}

// ---- calls -----------------------------------------------------------------------------------------------------------------

struct call {
	uint64_t target, pc;
	bool is_jump; // a tail call, or a loop to the first instruction
};

// The calls of all functions that gcc has changed so, by their targets.
struct dw_calls {
	SP_VEC(struct call) list;
};

static void find_targets(struct dw_file *file, struct sp_hash *ret)
{
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		if (sym.is_func && strstr(sym.name, ".isra."))
			*sp_hash_insert(ret, &sym.addr, sizeof(sym.addr)) = file;
}

static void scan(struct dw_calls *calls, const struct sp_hash *targets, const uint8_t *code, uint64_t addr, uint64_t size)
{
	for (uint64_t i = 0; i + CALL_SIZE <= size; i++) {
		bool is_condition = i && code[i - 1] == 0x0f && (code[i] & 0xf0) == 0x80;
		int32_t displacement;
		uint64_t target;

		if ((code[i] & 0xfe) != 0xe8 && !is_condition)
			continue;
		memcpy(&displacement, code + i + 1, sizeof(displacement));
		target = addr + i + CALL_SIZE + (uint64_t)displacement;
		if (sp_hash_find(targets, &target, sizeof(target)))
			sp_vec_push(&calls->list, ((struct call){ target, addr + i - is_condition, code[i] != 0xe8 }));
	}
}

static int by_target(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

// In a module of the kernel, calls from one section to another are relocations. The code behind them is not looked at: it counts as one that
// uses the result.
static void scan_relocations(struct dw_file *file, struct dw_calls *calls, const struct sp_hash *targets, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *entries = elf_rawdata(scn, NULL), *symbols = elf_getdata(elf_getscn(file->elf, shdr->sh_link), NULL);
	GElf_Shdr code, target;
	GElf_Rela entry;
	GElf_Sym sym;

	if (!gelf_getshdr(elf_getscn(file->elf, shdr->sh_info), &code) || !(code.sh_flags & SHF_EXECINSTR) || !entries || !symbols)
		return;
	for (int i = 0; gelf_getrela(entries, i, &entry); i++) {
		uint64_t addr;

		if (!gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &sym) || !gelf_getshdr(elf_getscn(file->elf, sym.st_shndx), &target))
			continue;
		addr = target.sh_addr + sym.st_value + (uint64_t)entry.r_addend + sizeof(int32_t);
		if (sp_hash_find(targets, &addr, sizeof(addr)))
			sp_vec_push(&calls->list, ((struct call){ addr, code.sh_addr + entry.r_offset - 1, true }));
	}
}

static struct dw_calls *find_calls(struct dw_file *file)
{
	struct dw_calls *calls = sp_calloc(1, sizeof(*calls));
	sp_cleanup(sp_hash_deinit) struct sp_hash targets = { 0 };

	find_targets(file, &targets);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_RELA)
			scan_relocations(file, calls, &targets, scn, &shdr);
		else if (shdr.sh_flags & SHF_EXECINSTR && shdr.sh_type != SHT_NOBITS && (data = elf_rawdata(scn, NULL)))
			scan(calls, &targets, data->d_buf, shdr.sh_addr, data->d_size);
	}
	if (calls->list.n)
		qsort(calls->list.v, calls->list.n, sizeof(*calls->list.v), by_target);
	return calls;
}

// Is that the first byte of an instruction, as far as is known, and not one in the middle of another?
static bool is_instruction(struct dw_file *file, uint64_t pc)
{
	struct dw_sym sym;
	struct step step;
	uint64_t at;

	if (!dw_sym_at(file, pc, NULL, &sym))
		return true;
	for (at = sym.addr; at < pc && decode_at(file, at, &step); at += step.insn.length)
		;
	return at <= pc;
}

// Does a jump of two bytes lead to the function from another one, beside it?
static bool is_jumped_to(struct dw_file *file, const struct dbg_func *func)
{
	for (int distance = INT8_MIN; distance <= INT8_MAX; distance++) {
		uint64_t pc = func->entry_pc - 2 - (uint64_t)(int64_t)distance;
		const uint8_t *code = pc < func->low_pc || pc >= func->high_pc ? dw_file_bytes(file, pc, 2) : NULL;

		if (code && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70) && (int8_t)code[1] == distance && is_instruction(file, pc))
			return true;
	}
	return false;
}

static bool is_own_loop(const struct dbg_func *func, const struct call *call)
{
	return call->is_jump && call->pc >= func->low_pc && call->pc < func->high_pc;
}

// May the instruction lead out of the function?
static bool goes_elsewhere(const struct step *step, const struct dbg_func *func)
{
	uint8_t opcode = opcode_of(step);
	bool is_plain = step->insn.map == 0 && !step->insn.vex, is_long = step->insn.map == 1 && !step->insn.vex && (opcode & 0xf0) == 0x80;
	uint64_t target;

	if (is_plain && opcode == 0xff)
		return (step->code[step->insn.modrm] >> 3 & 7) >= 2 && (step->code[step->insn.modrm] >> 3 & 7) <= 5;
	if (!is_long && !(is_plain && (opcode == 0xe8 || opcode == 0xe9)))
		return false;
	target = target_of(step, 4);
	return opcode == 0xe8 || target < func->low_pc || target >= func->high_pc;
}

// Then its callers may keep a value of their own there.
static bool leaves_rax(struct dw_file *file, const struct dbg_func *func)
{
	struct step step;

	for (uint64_t at = func->low_pc; at < func->high_pc; at += step.insn.length)
		if (!decode_at(file, at, &step) || effect_of(&step) == SETS_RAX || goes_elsewhere(&step, func))
			return false;
	return true;
}

bool dw_result_may_be_left_out(const struct dbg_func *func)
{
	return !func->is_inline && func->symbol && !func->symbol_off && strstr(func->symbol, ".isra.");
}

bool dw_result_is_left_out(struct dbg_func *func)
{
	struct dw_file *file = ((struct dw_scope *)func->scope)->file;
	struct dw_calls *calls;
	unsigned n = 0;

	if (file->abi->elf_machine != EM_X86_64 && file->abi->elf_machine != EM_386)
		return false;
	if (leaves_rax(file, func))
		return true;
	if (!file->calls)
		file->calls = find_calls(file);
	calls = file->calls;
	for (size_t i = sp_bisect(calls->list.n, at, calls->list.v[at].target >= func->entry_pc);
	     i < calls->list.n && calls->list.v[i].target == func->entry_pc; i++) {
		const struct call *call = &calls->list.v[i];

		if (is_own_loop(func, call) || !is_instruction(file, call->pc))
			continue;
		if (call->is_jump || is_used_behind(file, call->pc + CALL_SIZE))
			return false;
		n++;
	}
	return n && !is_jumped_to(file, func);
}

void dw_calls_destroy(struct dw_calls *calls)
{
	if (calls)
		sp_vec_deinit(&calls->list);
	free(calls);
}
