// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_callconv.h"

#include "compiler/debug/dwarf/dw_go.h"
#include "compiler/debug/dwarf/dw_loc.h"
#include "compiler/debug/dwarf/dw_result.h"
#include "compiler/debug/dwarf/dw_rust.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_trivial.h"
#include "compiler/debug/dwarf/dw_type.h"

#include <dwarf.h>

#define MAX_DEPTH 256 // of structures in structures

enum value_class { IN_REGISTERS, BY_REFERENCE, ELSEWHERE };

// How a value is passed and returned. IN_REGISTERS: each of its two "eightbytes", as the ABI calls them, is in a register of its
// own, but EIGHTBYTE_FLOAT_END, which is in the upper half of the register of the first.
struct passing {
	enum value_class class;
	enum { EIGHTBYTE_NONE, EIGHTBYTE_FLOAT, EIGHTBYTE_FLOAT_END, EIGHTBYTE_INTEGER } eightbytes[2];
	uint64_t float_size; // of the floating point numbers in it; 0: none
	bool floats_differ; // it has floating point numbers of several sizes
	bool is_empty[2]; // an eightbyte: an empty class is all that is there
	const char *untold; // why debug information does not tell it; NULL: it does
};

static enum value_class classify_at(struct passing *p, const struct c_type *type, uint64_t off, int depth);

static enum value_class classify_number(struct passing *p, const struct c_type *type, uint64_t off)
{
	bool is_float = type->kind == C_FLOAT;

	if (is_float && type->size != 4 && type->size != 8)
		return ELSEWHERE;
	if (!type->size || off % SP_MIN(type->size, 8u))
		return BY_REFERENCE;
	for (uint64_t at = off; at < off + type->size && at < 16; at += 8)
		p->eightbytes[at / 8] = is_float && p->eightbytes[at / 8] != EIGHTBYTE_INTEGER ? EIGHTBYTE_FLOAT : EIGHTBYTE_INTEGER;
	if (is_float) {
		p->floats_differ |= p->float_size && p->float_size != type->size;
		p->float_size = type->size;
	}
	return IN_REGISTERS;
}

static enum value_class classify_vector(struct passing *p, const struct c_type *type, uint64_t off)
{
	if ((type->size != 8 && type->size != 16) || off + type->size > 16 || off % type->size)
		return ELSEWHERE;
	p->eightbytes[off / 8] = p->eightbytes[off / 8] == EIGHTBYTE_INTEGER ? EIGHTBYTE_INTEGER : EIGHTBYTE_FLOAT;
	if (type->size == 16)
		p->eightbytes[1] = p->eightbytes[1] == EIGHTBYTE_INTEGER ? EIGHTBYTE_INTEGER : EIGHTBYTE_FLOAT_END;
	return IN_REGISTERS;
}

static enum value_class classify_members(struct passing *p, const struct c_type *type, uint64_t off, int depth)
{
	const struct c_type *whole = dbg_complete_type(type);

	if (whole && !whole->n_members && off % 8 == 0)
		for (uint64_t at = off; at + 8 <= off + type->size && at < 16; at += 8)
			p->is_empty[at / 8] = true;
	for (unsigned i = 0; whole && i < whole->n_members; i++) {
		const struct c_member *member = &whole->members[i];
		uint64_t at = off + member->bit_off / 8;
		enum value_class class;

		if (member->bit_size) {
			p->eightbytes[at / 8 % 2] = EIGHTBYTE_INTEGER;
			continue;
		}
		class = classify_at(p, member->type, at, depth + 1);
		if (class != IN_REGISTERS)
			return class;
	}
	return whole ? IN_REGISTERS : ELSEWHERE;
}

// System V ABI for AMD64, section 3.2.3, and AAPCS64 section 6.8. Recursive over members; `off` in bytes.
static enum value_class classify_at(struct passing *p, const struct c_type *type, uint64_t off, int depth)
{
	enum value_class class = ELSEWHERE;

	type = c_type_strip(type);
	if (!type || depth > MAX_DEPTH)
		return ELSEWHERE;
	switch (type->kind) {
	case C_INT:
	case C_ENUM:
	case C_POINTER:
	case C_FLOAT:
		return classify_number(p, type, off);
	case C_ARRAY:
		if (type->is_vector)
			return classify_vector(p, type, off);
		for (uint64_t i = 0; i < SP_MAX(type->count, 1u) && i < 16; i++) {
			const struct c_type *element = c_type_strip(type->target);

			class = classify_at(p, element, off + (element ? i * element->size : 0), depth + 1);
			if (class != IN_REGISTERS)
				break;
		}
		return class;
	case C_STRUCT:
	case C_UNION:
		// Of a class that is trivial, with one that is not: compilers do not agree on these.
		return depth && dw_triviality(type) != DW_TRIVIAL ? ELSEWHERE : classify_members(p, type, off, depth);
	case C_VOID:
	case C_FUNC:
	case C_TYPEDEF:
	case C_CONST:
	case C_VOLATILE:
	case C_RESTRICT:
	case C_ATOMIC:
	case C_UNKNOWN:
		return ELSEWHERE;
	}
	return ELSEWHERE;
}

static bool has_convention(Dwarf_Die *die, Dwarf_Word wanted)
{
	Dwarf_Attribute attr;
	Dwarf_Word convention;

	return dwarf_attr(die, DW_AT_calling_convention, &attr) && dwarf_formudata(&attr, &convention) == 0 && convention == wanted;
}

// On arm64 up to four numbers of one floating point type have a register each; others are like integers.
static void classify_for_arm64(struct passing *p, const struct c_type *type)
{
	bool is_float = p->float_size && !p->floats_differ && type->size <= 4 * p->float_size &&
			p->eightbytes[0] == EIGHTBYTE_FLOAT && p->eightbytes[1] != EIGHTBYTE_INTEGER;

	bool is_vector = p->eightbytes[0] == EIGHTBYTE_FLOAT && !p->float_size;

	if ((is_vector || (is_float && type->kind != C_FLOAT)) && p->class == IN_REGISTERS)
		p->class = ELSEWHERE;
	for (unsigned i = 0; !is_float && i < SP_ARRAY_SIZE(p->eightbytes); i++)
		p->eightbytes[i] = EIGHTBYTE_INTEGER;
	if (type->size > 16 && p->class == IN_REGISTERS)
		p->class = BY_REFERENCE;
}

static bool is_struct(const struct c_type *type)
{
	return type->kind == C_STRUCT || type->kind == C_UNION;
}

// Is nothing known of an eightbyte? Bit-fields without a name are not in debug information: to gcc they take a register, to clang not.
static bool has_gap(const struct passing *p, unsigned eightbyte)
{
	return p->eightbytes[eightbyte] == EIGHTBYTE_NONE && !p->is_empty[eightbyte];
}

// How a value of a stripped type that is not NULL is passed and returned.
static struct passing classify(const struct abi *abi, const struct c_type *type)
{
	bool is_aggregate = is_struct(type) && !type->is_complex, is_x86 = abi->elf_machine == EM_X86_64;
	enum dw_triviality triviality = is_aggregate ? dw_triviality(type) : DW_TRIVIAL;
	struct passing p = { .class = ELSEWHERE };

	if ((is_aggregate && is_x86 && type->size > 16) || triviality == DW_NOT_TRIVIAL)
		p.class = BY_REFERENCE;
	else if (triviality == DW_TRIVIAL_OR_NOT)
		p.untold = "in registers or in memory: gcc does not tell which arguments of a constructor are default ones, and so whether it copies";
	else if (type->size && (type->size <= 16 || (is_aggregate && type->size <= 32)))
		p.class = classify_at(&p, type, 0, 0);
	else if (is_aggregate && type->size)
		p.class = BY_REFERENCE;
	if (!is_x86)
		classify_for_arm64(&p, type);
	else if (type->size > 8 && p.class == IN_REGISTERS && has_gap(&p, 0))
		p.untold = "in one register or in two: debug information does not tell what bits without a name it begins with";
	if (p.untold)
		p.class = ELSEWHERE;
	return p;
}

// How many integer argument registers a parameter takes when `n_left` are free; -1: its type does not tell.
static int arg_registers(const struct abi *abi, const struct c_type *type, int n_left)
{
	struct passing p;
	int n = 0;

	type = c_type_strip(type);
	if (!type)
		return -1;
	if (type->kind == C_FLOAT)
		return 0;
	p = classify(abi, type);
	switch (p.class) {
	case IN_REGISTERS:
		if (type->size > 8 && has_gap(&p, 1))
			return -1;
		for (uint64_t i = 0; i * 8 < type->size; i++)
			n += p.eightbytes[i] == EIGHTBYTE_INTEGER;
		return n <= n_left ? n : 0;
	case BY_REFERENCE: // x86_64: the value is on the stack, unless it takes code to copy it; arm64: its address is in a register
		if (dw_triviality(type) == DW_TRIVIAL_OR_NOT)
			return -1;
		return abi->elf_machine == EM_X86_64 && dw_triviality(type) == DW_TRIVIAL ? 0 : SP_MIN(1, n_left);
	case ELSEWHERE:
		break;
	}
	return -1;
}

// May clang have changed how the function is called? It does so with static functions, and at link time with all that are not exported.
static bool is_for_clang_to_change(const struct dbg_func *func)
{
	return (!func->is_external || dw_result_may_be_left_out(func)) && dw_scope_is_changed_by_clang(func->scope);
}

// Clones ("f.isra.0", "f.part.1") have conventions of their own. clang leaves out parameters of functions without another name; it tells
// that since version 17.
static bool has_usual_convention(const struct dbg_func *func, Dwarf_Die *function)
{
	if (has_convention(function, DW_CC_nocall))
		return false;
	if (is_for_clang_to_change(func))
		return false;
	return !func->is_inline && func->symbol && !func->symbol_off && !strchr(func->symbol, '.');
}

// ---- what compilers change ---------------------------------------------------------------------------------------------

static const char perhaps_changed[] = "perhaps left out: the compiler has changed how the function is called, and does not tell in which way";

// Of a result in two registers the first one is looked at; LLVM leaves out one of them, too, and the other takes its place.
static enum dw_result_use use_of(struct dbg_func *func, const struct passing *p, uint64_t size)
{
	enum dw_result_use ret = dw_result_use(func, p->eightbytes[0] == EIGHTBYTE_FLOAT);

	return ret == DW_RESULT_USED && size > 8 && !dw_scope_is_of_gcc(func->scope) ? DW_RESULT_UNKNOWN : ret;
}

// Why nothing tells where the result of that type is; NULL: something does. clang (LLVM 17 and later) also leaves out results, of static
// functions whose callers do without, and says no more than that a debugger cannot call the function. Of a result in memory their
// callers know the address, so that the function leaves rax to other things.
static const char *unknown_result(struct dbg_func *func, const struct c_type *type)
{
	struct dw_scope *scope = func->scope;
	struct passing p = classify(scope->file->abi, type);
	bool is_gcc = dw_scope_is_of_gcc(scope), is_changed = has_convention(&scope->die, DW_CC_nocall) && !is_gcc; // gcc 15 says it of each clone
	bool is_in_register = p.class == IN_REGISTERS && !(scope->file->abi->elf_machine == EM_386 && (is_struct(type) || type->kind == C_FLOAT));
	enum dw_result_use use = DW_RESULT_USED;

	if (is_changed || dw_result_may_be_left_out(func))
		use = is_in_register ? use_of(func, &p, type->size) : DW_RESULT_UNKNOWN;
	if (use == DW_RESULT_UNUSED)
		return sp_arena_printf(&scope->file->arena, "%sleft out: no caller uses it%s%s", type->size > 8 ? "perhaps " : "",
				       is_gcc ? ", and the compiler has made the function " : "", is_gcc ? func->symbol : "");
	if (use == DW_RESULT_UNKNOWN && is_gcc && !is_in_register)
		return sp_arena_printf(&scope->file->arena, "perhaps left out: the compiler has made the function %s", func->symbol);
	if (use == DW_RESULT_UNKNOWN && is_changed)
		return perhaps_changed;
	if (p.untold && scope->file->abi->elf_machine != EM_386)
		return p.untold;
	if (p.class == BY_REFERENCE && is_for_clang_to_change(func))
		return "in memory whose address clang need not hand back for a function that others do not call";
	return NULL;
}

// Why nothing tells where the result of a function of Rust is, which is at `loc` if it is as its type has it; NULL: it is.
static const char *unknown_result_of_rust(struct dbg_func *func, const struct loc *loc)
{
	struct dw_scope *scope = func->scope;
	bool is_changed = has_convention(&scope->die, DW_CC_nocall), is_in_two = loc && loc->n_pieces > 1;
	enum dw_result_use use;

	if (!loc)
		return "in registers or in memory that rustc has chosen, which debug information does not tell";
	if (!is_changed && !dw_result_may_be_left_out(func))
		return NULL;
	use = dw_result_use(func, dw_loc_is_reg(&(struct loc){ loc->pieces, 1 }, scope->file->abi->banks[0].dwarf));
	if (use == DW_RESULT_UNUSED)
		return is_in_two ? "perhaps left out: no caller uses it" : "left out: no caller uses it";
	if (is_changed ? is_in_two || use == DW_RESULT_UNKNOWN : is_in_two && !dw_rust_tells_changes(&scope->unit))
		return perhaps_changed;
	return NULL;
}

// ---- i386 -----------------------------------------------------------------------------------------------------------

// A _Complex float is in registers.
static bool is_returned_in_memory(const struct c_type *type)
{
	return is_struct(type) && (!type->is_complex || type->size > 8);
}

// Bytes that a parameter takes on the stack; 0: its type does not tell.
static uint64_t stack_size(const struct c_type *type)
{
	type = c_type_strip(type);
	if (!type || type->kind == C_ARRAY || type->kind == C_UNKNOWN)
		return 0;
	switch (dw_triviality(type)) {
	case DW_TRIVIAL:
		return SP_ALIGN_UP(type->size, 4);
	case DW_TRIVIAL_OR_NOT:
		return 0;
	case DW_NOT_TRIVIAL:
		return 4;
	}
	return 0;
}

const struct loc *dw_callconv_stack_arg(const struct dbg_func *func, Dwarf_Die *function, int param_index)
{
	struct dw_file *file = ((struct dw_scope *)func->scope)->file;
	const struct c_type *result = c_type_strip(dw_type_ref(file, function));
	uint64_t at = file->abi->return_address_size, size = 1;
	Dwarf_Die child, origin = *function;
	Dwarf_Attribute attr;
	int index = 0;

	// gcc passes arguments of static functions in registers when it optimises.
	if (file->abi->n_args || !has_usual_convention(func, function) || !func->is_external)
		return NULL;
	at += result && is_returned_in_memory(result) ? file->abi->word_size : 0;
	if (dwarf_attr(&origin, DW_AT_abstract_origin, &attr))
		dwarf_formref_die(&attr, &origin);
	for (int status = dwarf_child(&origin, &child); status == 0 && size; status = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (index++ == param_index)
			return dw_loc_above(&file->arena, file->abi->sp_dwarf, (int64_t)at);
		size = stack_size(dw_type_ref(file, &child));
		at += size;
	}
	return NULL;
}

static const struct loc *in_st0(struct dw_file *file)
{
	return dw_loc_reg(&file->arena, file->abi->banks[1].dwarf);
}

// A number of type float, double or long double in st(0) has 80 bits.
static const struct c_type *extended(struct dw_file *file, const struct c_type *declared)
{
	const struct c_type *type = c_type_strip(declared);
	struct c_type *ret;

	if (type->kind != C_FLOAT || (type->size != 4 && type->size != 8))
		return declared;
	ret = sp_arena_memdup(&file->arena, type, sizeof(*type));
	ret->x87_size = (uint8_t)type->size;
	ret->size = 12;
	return ret;
}

// Structures are in memory, whose address is in eax; numbers in eax, or in eax and edx; floating point numbers in st(0).
static const struct loc *result_of_i386(struct dw_file *file, const struct c_type *type)
{
	static const int regs[] = { 0, 2 }; // eax, edx
	bool is_number = type->kind == C_INT || type->kind == C_ENUM || type->kind == C_POINTER || type->is_complex;

	if (c_type_is_long_double(type))
		return in_st0(file);
	if (is_returned_in_memory(type))
		return dw_loc_at_reg(&file->arena, file->abi->return_dwarf);
	if (is_number && type->size && type->size <= 8)
		return dw_loc_regs(&file->arena, regs, type->size > 4 ? 2 : 1, 4, type->size);
	return NULL;
}

// Is it a long double, or a structure of one?
static bool is_one_long_double(const struct c_type *type)
{
	for (int depth = 0; depth < MAX_DEPTH && type && is_struct(type) && type->size == 16; depth++) {
		const struct c_type *whole = dbg_complete_type(type);
		if (!whole || whole->n_members != 1)
			return false;
		type = c_type_strip(whole->members[0].type);
	}
	return c_type_is_long_double(type);
}

// ----------------------------------------------------------------------------------------------------------------------

int dw_callconv_arg(const struct dbg_func *func, Dwarf_Die *function, int param_index)
{
	struct dw_file *file = ((struct dw_scope *)func->scope)->file;
	const struct abi *abi = file->abi;
	const struct c_type *result = c_type_strip(dw_type_ref(file, function));
	Dwarf_Die child, origin = *function;
	Dwarf_Attribute attr;
	int next = 0, index = 0;

	if (!has_usual_convention(func, function) || dw_rust_has_convention(func))
		return -1;
	// The address for a result in memory is a hidden first argument.
	if (result && abi->elf_machine == EM_X86_64 && classify(abi, result).class == BY_REFERENCE)
		next = 1;
	if (dwarf_attr(&origin, DW_AT_abstract_origin, &attr))
		dwarf_formref_die(&attr, &origin);
	for (int status = dwarf_child(&origin, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		const struct c_type *type = dw_type_ref(file, &child);
		int n = arg_registers(abi, type, (int)abi->n_args - next);
		if (index++ == param_index)
			return n == 1 && (c_type_is_scalar(type) || dw_triviality(type) == DW_NOT_TRIVIAL) ? next : -1;
		if (n < 0)
			return -1;
		next += n;
	}
	return -1;
}

// ---- Go -------------------------------------------------------------------------------------------------------------

// Go describes results as parameters. A function may have several, of which the first is told.
static void result_of_go(struct dw_file *file, Dwarf_Die *function, const struct c_type **type_ret, const struct loc **loc_ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;
	bool is_result;

	*type_ret = NULL;
	*loc_ret = NULL;
	for (int status = dwarf_child(function, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || !dwarf_attr(&child, DW_AT_variable_parameter, &attr) ||
		    dwarf_formflag(&attr, &is_result) || !is_result)
			continue;
		*type_ret = dw_type_ref(file, &child);
		if (c_type_strip(*type_ret))
			*loc_ret = dw_go_result(file, &file->arena, c_type_strip(*type_ret));
		return;
	}
}

// ----------------------------------------------------------------------------------------------------------------------

void dw_callconv_result(struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret)
{
	struct dw_scope *scope = func->scope;
	struct dw_file *file = scope->file;
	const struct c_type *declared = dw_type_ref(file, &scope->die), *type = c_type_strip(declared);
	bool is_x86 = file->abi->elf_machine == EM_X86_64;

	if (is_x86 && dw_go_is(&scope->unit)) {
		result_of_go(file, &scope->die, type_ret, loc_ret);
		return;
	}
	*type_ret = type ? declared : NULL;
	*loc_ret = NULL;
	if (!type)
		return;
	if (dw_rust_has_convention(func)) {
		const struct loc *loc = func->is_inline ? NULL : dw_rust_result(file, &file->arena, type);
		func->no_result = unknown_result_of_rust(func, loc);
		*loc_ret = func->no_result ? NULL : loc;
		return;
	}
	func->no_result = unknown_result(func, type);
	if (func->is_inline || func->no_result)
		return;
	if (file->abi->elf_machine == EM_386) {
		*type_ret = extended(file, declared);
		*loc_ret = result_of_i386(file, c_type_strip(*type_ret));
		return;
	}
	if (is_x86 && is_one_long_double(type)) {
		*loc_ret = in_st0(file);
		return;
	}
	struct passing p = classify(file->abi, type);
	if (p.class == BY_REFERENCE && is_x86)
		*loc_ret = dw_loc_at_reg(&file->arena, file->abi->return_dwarf);
	// On arm64 the address of such a result is not in any register when the function returns.
	if (p.class != IN_REGISTERS)
		return;
	// rax and rdx; x0 and x1: both have the DWARF numbers 0 and 1.
	int regs[2], n_integers = 0, n_floats = 0;
	for (unsigned i = 0; i < 2; i++)
		regs[i] = p.eightbytes[i] == EIGHTBYTE_FLOAT_END ? regs[0] :
			  p.eightbytes[i] == EIGHTBYTE_FLOAT     ? file->abi->banks[0].dwarf + n_floats++ :
			  p.eightbytes[i] == EIGHTBYTE_INTEGER   ? n_integers++ : 1; // nothing is there
	*loc_ret = dw_loc_regs(&file->arena, regs, type->size > 8 ? 2 : 1, 8, type->size);
}
