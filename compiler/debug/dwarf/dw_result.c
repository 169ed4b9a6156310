// SPDX-License-Identifier: GPL-2.0-or-later
// x86 alone. A result is used when, on some way from the call, an instruction reads rax (of a floating point number: xmm0) before another
// one sets it. What is not understood is unknown, and so is what is behind a caller that returns with what is there, or behind the address
// of a function that is taken.
#include "compiler/debug/dwarf/dw_result.h"

#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_code.h"
#include "compiler/debug/dwarf/dw_effect.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/index/dw_units.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

#define CALL_SIZE 5 // of a call or a jump with a displacement of 4 bytes
#define MAX_INSNS 512 // that are looked at behind a call

// ---- behind a call -------------------------------------------------------------------------------------------------------

struct walk {
	struct dw_file *file;
	bool is_float;
	SP_VEC(uint64_t) todo;
	struct sp_hash seen;
	unsigned n_insns;
};

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

// Where the caller returns, its own callers decide.
static enum dw_result_use at_return(struct dw_file *file, uint64_t pc)
{
	return returns_a_value(file, pc) ? DW_RESULT_UNKNOWN : DW_RESULT_UNUSED;
}

// The next call gives rax another value; what is in xmm0 may be its argument.
static enum dw_result_use at_call(const struct walk *w)
{
	return w->is_float ? DW_RESULT_UNKNOWN : DW_RESULT_UNUSED;
}

// A jump within the function goes on; one to another function is a call, but for what kernels have in place of `ret`.
static enum dw_result_use follow_jump(struct walk *w, const struct dw_step *step)
{
	uint64_t target = dw_step_target(step);
	struct dw_sym sym;

	if (!dw_sym_at(w->file, target, NULL, &sym))
		return DW_RESULT_UNKNOWN;
	if (strstr(sym.name, "return_thunk"))
		return at_return(w->file, step->pc);
	if (sym.addr == target && !strstr(sym.name, ".cold"))
		return at_call(w);
	go_on_at(w, target);
	return DW_RESULT_UNUSED;
}

// A jump of a module of the kernel to another section, or to what kernels have in place of `ret`, leads to nowhere as yet.
static bool is_relocated(const struct walk *w, const struct dw_step *step)
{
	return w->file->ehdr.e_type == ET_REL && dw_step_target(step) == dw_step_next(step);
}

// Looks at one instruction. UNUSED: not by it.
static enum dw_result_use take_step(struct walk *w, const struct dw_step *step)
{
	enum dw_effect effect = dw_effect_of(step, w->is_float);

	if (effect != DW_LEAVES)
		return effect == DW_READS ? DW_RESULT_USED : effect == DW_SETS ? DW_RESULT_UNUSED : DW_RESULT_UNKNOWN;
	switch (dw_step_flow(step)) {
	case DW_RETURNS:
		return at_return(w->file, step->pc);
	case DW_CALLS: case DW_CALLS_ANYWHERE:
		return at_call(w);
	case DW_JUMPS:
		return is_relocated(w, step) ? at_return(w->file, step->pc) : follow_jump(w, step);
	case DW_JUMPS_ANYWHERE:
		return DW_RESULT_UNKNOWN;
	case DW_STOPS:
		return DW_RESULT_UNUSED;
	case DW_BRANCHES:
		if (is_relocated(w, step))
			return DW_RESULT_UNKNOWN;
		go_on_at(w, dw_step_target(step));
		break;
	case DW_GOES_ON:
		break;
	}
	go_on_at(w, dw_step_next(step));
	return DW_RESULT_UNUSED;
}

static enum dw_result_use use_behind(struct dw_file *file, uint64_t pc, bool is_float)
{
	struct walk w = { .file = file, .is_float = is_float };
	enum dw_result_use ret = DW_RESULT_UNUSED, step_use;
	struct dw_step step;

	go_on_at(&w, pc);
	while (ret != DW_RESULT_USED && w.todo.n) {
		pc = w.todo.v[--w.todo.n];
		step_use = ++w.n_insns <= MAX_INSNS && dw_step_at(file, pc, &step) ? take_step(&w, &step) : DW_RESULT_UNKNOWN;
		if (step_use != DW_RESULT_UNUSED)
			ret = step_use;
		if (w.n_insns > MAX_INSNS)
			break;
	}
	sp_vec_deinit(&w.todo);
	sp_hash_deinit(&w.seen);
	return ret;
}

// ---- calls -----------------------------------------------------------------------------------------------------------------

struct call {
	uint64_t target, pc;
	enum { BY_CALL, BY_JUMP, BY_ADDRESS } how; // behind a call the caller goes on; a jump leaves it; an address may be called anywhere
};

// The calls of all functions that may have been changed so, by their targets.
struct dw_calls {
	SP_VEC(struct call) list;
};

// In a kernel gcc has marked them.
static void find_targets(struct dw_file *file, struct sp_hash *ret)
{
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		if (sym.is_func && (strstr(sym.name, ".isra.") || (sym.is_local && !file->is_kernel)))
			*sp_hash_insert(ret, &sym.addr, sizeof(sym.addr)) = file;
}

struct scan {
	struct dw_calls *calls;
	struct sp_hash targets; // uint64_t
	bool is_kernel, is_absolute; // is_absolute: an address is a number in the code and the data
};

static void add(struct scan *s, uint64_t target, uint64_t pc, int how)
{
	if (sp_hash_find(&s->targets, &target, sizeof(target)))
		sp_vec_push(&s->calls->list, ((struct call){ target, pc, how }));
}

static int32_t read_displacement(const uint8_t *at)
{
	int32_t ret;

	memcpy(&ret, at, sizeof(ret));
	return ret;
}

// Bytes that look like a call and lead to the first instruction of one of these functions are taken for one.
static void scan_code(struct scan *s, const uint8_t *code, uint64_t addr, uint64_t size)
{
	for (uint64_t i = 0; i + CALL_SIZE < size; i++) {
		bool is_condition = i && code[i - 1] == 0x0f && (code[i] & 0xf0) == 0x80;

		if ((code[i] & 0xfe) == 0xe8 || is_condition)
			add(s, addr + i + CALL_SIZE + (uint64_t)(int64_t)read_displacement(code + i + 1), addr + i - is_condition,
			    code[i] == 0xe8 ? BY_CALL : BY_JUMP);
		if (!s->is_kernel && code[i] == 0x8d && (code[i + 1] & 0xc7) == 0x05) // lea of an address by %rip
			add(s, addr + i + CALL_SIZE + 1 + (uint64_t)(int64_t)read_displacement(code + i + 2), addr + i, BY_ADDRESS);
		if (s->is_absolute)
			add(s, (uint32_t)read_displacement(code + i), addr + i, BY_ADDRESS);
	}
}

static void scan_data(struct scan *s, const uint8_t *data, uint64_t addr, uint64_t size)
{
	for (uint64_t i = 0, value; i + sizeof(value) <= size; i += sizeof(value)) {
		memcpy(&value, data + i, sizeof(value));
		add(s, value, addr + i, BY_ADDRESS);
	}
}

static int by_target(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

// In a module of the kernel, calls from one section to another are relocations. The code behind them is not looked at: it counts as one that
// uses the result. In a program that can be loaded anywhere, addresses in its data are relocations.
static void scan_relocations(struct scan *s, struct dw_file *file, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *entries = elf_rawdata(scn, NULL), *symbols = elf_getdata(elf_getscn(file->elf, shdr->sh_link), NULL);
	GElf_Shdr code, target;
	GElf_Rela entry;
	GElf_Sym sym;

	for (int i = 0; entries && file->ehdr.e_type != ET_REL && gelf_getrela(entries, i, &entry); i++)
		add(s, (uint64_t)entry.r_addend, entry.r_offset, BY_ADDRESS);
	if (file->ehdr.e_type != ET_REL || !entries || !symbols || !gelf_getshdr(elf_getscn(file->elf, shdr->sh_info), &code) ||
	    !(code.sh_flags & SHF_EXECINSTR))
		return;
	for (int i = 0; gelf_getrela(entries, i, &entry); i++)
		if (gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &sym) && gelf_getshdr(elf_getscn(file->elf, sym.st_shndx), &target))
			add(s, target.sh_addr + sym.st_value + (uint64_t)entry.r_addend + sizeof(int32_t), code.sh_addr + entry.r_offset - 1, BY_ADDRESS);
}

static struct dw_calls *find_calls(struct dw_file *file)
{
	struct scan s = { .calls = sp_calloc(1, sizeof(*s.calls)), .is_kernel = file->is_kernel };

	s.is_absolute = !file->is_kernel && file->ehdr.e_type == ET_EXEC;
	find_targets(file, &s.targets);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		if (shdr.sh_type == SHT_RELA)
			scan_relocations(&s, file, scn, &shdr);
		else if (shdr.sh_flags & SHF_ALLOC && (shdr.sh_flags & SHF_EXECINSTR || s.is_absolute) && (data = elf_rawdata(scn, NULL)))
			(shdr.sh_flags & SHF_EXECINSTR ? scan_code : scan_data)(&s, data->d_buf, shdr.sh_addr, data->d_size);
	}
	sp_hash_deinit(&s.targets);
	if (s.calls->list.n)
		qsort(s.calls->list.v, s.calls->list.n, sizeof(*s.calls->list.v), by_target);
	return s.calls;
}

// Is that the first byte of an instruction, as far as is known, and not one in the middle of another?
static bool is_instruction(struct dw_file *file, uint64_t pc)
{
	struct dw_sym sym;
	struct dw_step step;
	uint64_t at;

	if (!dw_sym_at(file, pc, NULL, &sym))
		return true;
	for (at = sym.addr; at < pc && dw_step_at(file, at, &step); at += step.insn.length)
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
	return call->how != BY_CALL && call->pc >= func->low_pc && call->pc < func->high_pc;
}

// May the instruction lead out of the function?
static bool goes_elsewhere(const struct dw_step *step, const struct dbg_func *func)
{
	enum dw_flow flow = dw_step_flow(step);

	if (flow == DW_JUMPS || flow == DW_BRANCHES)
		return dw_step_target(step) < func->low_pc || dw_step_target(step) >= func->high_pc;
	return flow == DW_CALLS || flow == DW_CALLS_ANYWHERE || flow == DW_JUMPS_ANYWHERE;
}

// Then there is no result, and callers may keep a value of their own there. On x86_64 no argument is in rax.
static bool leaves_rax(struct dw_file *file, const struct dbg_func *func)
{
	struct dw_step step;

	for (uint64_t at = func->low_pc; at < func->high_pc; at += step.insn.length)
		if (!dw_step_at(file, at, &step) || dw_effect_of(&step, false) != DW_LEAVES || goes_elsewhere(&step, func))
			return false;
	return true;
}

bool dw_result_may_be_left_out(const struct dbg_func *func)
{
	struct dw_scope *scope = func->scope;
	struct dw_sym sym;

	if (func->is_inline || !func->symbol || func->symbol_off)
		return false;
	if (dw_scope_is_of_gcc(scope))
		return strstr(func->symbol, ".isra.");
	return scope->file->abi->elf_machine == EM_X86_64 && dw_scope_is_optimised(scope) &&
	       dw_sym_at(scope->file, func->entry_pc, func->symbol, &sym) && sym.is_local;
}

enum dw_result_use dw_result_use(struct dbg_func *func, bool is_float)
{
	struct dw_file *file = ((struct dw_scope *)func->scope)->file;
	enum dw_result_use ret = DW_RESULT_UNKNOWN, use;
	struct dw_calls *calls;

	if (file->abi->elf_machine != EM_X86_64 && file->abi->elf_machine != EM_386)
		return DW_RESULT_UNKNOWN;
	if (file->abi->elf_machine == EM_X86_64 && !is_float && leaves_rax(file, func))
		return DW_RESULT_UNUSED;
	if (!file->calls)
		file->calls = find_calls(file);
	calls = file->calls;
	for (size_t i = sp_bisect(calls->list.n, at, calls->list.v[at].target >= func->entry_pc), n = 0;
	     i < calls->list.n && calls->list.v[i].target == func->entry_pc; i++) {
		const struct call *call = &calls->list.v[i];

		if (is_own_loop(func, call))
			continue;
		use = call->how == BY_CALL ? use_behind(file, call->pc + CALL_SIZE, is_float) :
		      call->how == BY_JUMP ? at_return(file, call->pc) : DW_RESULT_UNKNOWN;
		if (use == DW_RESULT_USED)
			return use;
		ret = n++ ? SP_MIN(ret, use) : use;
	}
	return ret == DW_RESULT_UNUSED && is_jumped_to(file, func) ? DW_RESULT_UNKNOWN : ret;
}

void dw_calls_destroy(struct dw_calls *calls)
{
	if (calls)
		sp_vec_deinit(&calls->list);
	free(calls);
}
