// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_scope.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_go.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include <dwarf.h>

#define MAX_DEPTH 64 // of blocks in each other

// Was the function at `pc` discarded by the linker? Its address is then 0, -1 or -2.
static bool is_discarded(const struct dw_file *file, uint64_t pc)
{
	if (pc >= UINT64_MAX - 1)
		return true;
	return pc == 0 && !dw_file_section_at(file, pc, NULL);
}

// gcc calls itself by the language, "GNU C17", and by link-time optimisation "GNU GIMPLE".
static bool is_gcc(const char *producer)
{
	return producer && sp_starts_with(producer, "GNU ") && !sp_starts_with(producer, "GNU AS");
}

static enum dw_optimised read_optimised(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	// gcc records its options, and without -O there is -O0. clang records none.
	if (is_gcc(producer) && strstr(producer, " -")) {
		const char *level = NULL;
		for (const char *at = producer; (at = strstr(at, " -O")); at += 3)
			level = at + 3;
		return level && *level != '0' ? DW_IS_OPTIMISED : DW_NOT_OPTIMISED;
	}
	// Assemblers: there is no prologue to skip.
	return producer && !sp_starts_with(producer, "GNU AS") ? DW_NOT_SAID : DW_IS_OPTIMISED;
}

static enum dw_optimised is_optimised(struct dw_describer *d)
{
	if (d->optimised == DW_NOT_YET_READ)
		d->optimised = read_optimised(&d->unit);
	return d->optimised;
}

// Is it in the frame? Free Pascal has no frame base, and tells of the frame pointer.
static bool is_in_frame(const struct dw_file *file, const Dwarf_Op *op)
{
	return op->atom == DW_OP_fbreg || (op->atom == DW_OP_breg0 + file->abi->fp_dwarf && (int64_t)op->number < 0);
}

// Does a parameter, or its address, have one stack slot for the whole function, as in code that is not optimised? Then the prologue stores it there.
static bool has_stack_slot(const struct dw_file *file, Dwarf_Die *function)
{
	Dwarf_Die child;

	for (int status = dwarf_child(function, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Op *ops;
		size_t n;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || !dw_attr_place(&child, DW_AT_location, &attr))
			continue;
		if (dwarf_whatform(&attr) == DW_FORM_exprloc && dwarf_getlocation(&attr, &ops, &n) == 0 &&
		    (n == 1 || (n == 2 && ops[1].atom == DW_OP_deref)) && is_in_frame(file, &ops[0]))
			return true;
	}
	return false;
}

// Does the function say that its calls are described? clang says that when it optimises only.
static bool lists_calls(Dwarf_Die *function)
{
	return dwarf_hasattr(function, DW_AT_call_all_calls) || dwarf_hasattr(function, DW_AT_GNU_all_call_sites);
}

// Are the function's variables found by the frame pointer? clang does that in code that is not optimised.
static bool has_frame_pointer(const struct dw_file *file, Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	return dw_attr_place(function, DW_AT_frame_base, &attr) && dwarf_getlocation(&attr, &ops, &n) == 0 && n == 1 &&
	       ops[0].atom == DW_OP_reg0 + file->abi->fp_dwarf;
}

bool dw_scope_is_of_gcc(struct dw_scope *scope)
{
	Dwarf_Attribute attr;

	return is_gcc(dwarf_formstring(dwarf_attr(&scope->unit, DW_AT_producer, &attr)));
}

bool dw_scope_is_changed_by_clang(struct dw_scope *scope)
{
	return read_optimised(&scope->unit) == DW_NOT_SAID && lists_calls(&scope->function);
}

bool dw_scope_is_optimised(struct dw_scope *scope)
{
	enum dw_optimised optimised = read_optimised(&scope->unit);

	return optimised == DW_IS_OPTIMISED || dw_scope_is_changed_by_clang(scope) || (optimised == DW_NOT_SAID && !has_stack_slot(scope->file, &scope->function) &&
						 !has_frame_pointer(scope->file, &scope->function));
}

static bool has_place_at(Dwarf_Attribute *attr, uint64_t pc)
{
	Dwarf_Op *ops;
	size_t n;

	return dwarf_getlocation_addr(attr, pc, &ops, &n, 1) == 1;
}

// Do lists of locations have a parameter at the prologue's end, and not yet at the entry? rustc describes those of code that is not optimised
// so, which it has by reference.
static bool begins_late(Dwarf_Die *function, uint64_t entry, uint64_t body)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;

	for (int status = dwarf_child(function, &child); status == 0; status = dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && dwarf_attr(&child, DW_AT_location, &attr) &&
		    dwarf_whatform(&attr) != DW_FORM_exprloc && !has_place_at(&attr, entry) && has_place_at(&attr, body))
			return true;
	return false;
}

static uint64_t body_pc(struct dw_describer *d, struct dbg_func *func, Dwarf_Die *die)
{
	enum dw_optimised optimised = func->is_inline ? DW_IS_OPTIMISED : is_optimised(d);
	uint64_t begin = func->entry_pc + func->check_size, body;

	if (optimised == DW_IS_OPTIMISED || func->check_size)
		return begin;
	body = dw_line_body(d->file, &d->unit, func->entry_pc, func->high_pc);
	return optimised == DW_NOT_OPTIMISED || has_stack_slot(d->file, die) || begins_late(die, begin, body) ? body : begin;
}

// A library's function may have a name for programs beside its own, as libc's have.
static bool has_global_name(struct dw_file *file, uint64_t addr)
{
	struct dw_sym names[16];
	unsigned n = dw_sym_all_at(file, addr, names, SP_ARRAY_SIZE(names));

	for (unsigned i = 0; i < n; i++)
		if (!names[i].is_local)
			return true;
	return false;
}

void dw_scope_fill_symbol(struct dw_file *file, struct dbg_func *func)
{
	struct dw_sym sym;

	func->section = dw_file_section_at(file, func->entry_pc, NULL);
	if (!dw_sym_at(file, func->entry_pc, func->linkage_name, &sym))
		return;
	func->symbol = sym.name;
	func->symbol_off = func->entry_pc - sym.addr;
	func->is_hidden = func->is_external && !func->symbol_off && sym.is_local && !has_global_name(file, func->entry_pc);
	func->is_strong = !func->symbol_off && !sym.is_local && !sym.is_weak && sp_streq(sym.name, func->linkage_name);
}

static const char *linkage_name(Dwarf_Die *die, const char *name)
{
	Dwarf_Attribute attr;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	if (!linkage)
		linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	return linkage ? linkage : name;
}

struct dbg_func dw_scope_declared(const struct dw_describer *d, Dwarf_Die *die)
{
	struct dbg_func func = { .module = d->module, .name = dw_attr_name(die), .full_name = "", .linkage_name = "" };

	dw_line_decl(d->file, die, &func.file, &func.line);
	if (!*func.name)
		return func;
	func.full_name = dw_qualify(d->file, die);
	func.linkage_name = linkage_name(die, func.name);
	func.is_external = dwarf_hasattr_integrate(die, DW_AT_external);
	return func;
}

struct dw_family *dw_scope_family(const struct dw_describer *d, Dwarf_Die *origin)
{
	struct dw_family *family = dw_family_of(d->file, origin);

	if (!family->func) {
		struct dbg_func func = dw_scope_declared(d, origin);
		family->func = sp_arena_memdup(&d->file->of_share, &func, sizeof(func));
	}
	return family;
}

// A function that gcc for aarch64 lets begin with instructions for tracers (-fpatchable-function-entry, as Linux does) is described from
// behind them on, but begins at its symbol, where others probe it, too.
static void begin_at_symbol(struct dw_file *file, Dwarf_Die *function, uint64_t *entry, uint64_t *low)
{
	const char *name = file->abi->elf_machine == EM_AARCH64 && *entry == *low ? linkage_name(function, dw_attr_name(function)) : NULL;
	struct dw_sym sym;

	if (name && *name && dw_sym_at(file, *entry, name, &sym) && sym.addr < *entry && *entry - sym.addr <= MAX_TRACER_CODE &&
	    dw_sym_is_clone(sym.name, name))
		*entry = *low = sym.addr;
}

static bool code_of(struct dw_file *file, Dwarf_Die *die, Dwarf_Die *function, uint64_t *entry, uint64_t *low, uint64_t *high)
{
	if (!dw_range_entry(die, function, entry, low, high))
		return false;
	if (die == function || die->addr == function->addr)
		begin_at_symbol(file, function, entry, low);
	return true;
}

// The end of what is inlined at an address in a function or an instance; 0: nothing is.
static uint64_t inlined_end(Dwarf_Die *scope, uint64_t pc, int depth)
{
	Dwarf_Addr low, high, end = 0;
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); !end && status == 0; status = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine && dw_range_at(&child, pc, &low, &high))
			end = high;
		if (dwarf_tag(&child) == DW_TAG_lexical_block && depth < MAX_DEPTH)
			end = inlined_end(&child, pc, depth + 1);
	}
	return end;
}

// The lowest address at which nothing is inlined; 0: there is none.
static uint64_t own_pc(Dwarf_Die *die)
{
	Dwarf_Addr base, low, high, end;

	for (ptrdiff_t off = 0; (off = dwarf_ranges(die, off, &base, &low, &high)) > 0;) {
		while (low < high && (end = inlined_end(die, low, 0)))
			low = end;
		if (low < high)
			return low;
	}
	return 0;
}

// The compiler has made it, of nothing that the source has. What gcc calls so in a lambda is its body.
static bool is_made(const struct dbg_func *func, Dwarf_Die *die)
{
	return dwarf_hasattr_integrate(die, DW_AT_artificial) && !sp_streq(func->name, "operator()");
}

// Is it not told where the function is declared? Free Pascal and assemblers do not, gcc does not of lambdas; Go before 1.21 tells the file
// alone, or nothing.
static bool lacks_place(const struct dbg_func *func, Dwarf_Die *unit, Dwarf_Die *die)
{
	return (!func->file && !is_made(func, die)) || (!func->line && dw_go_is(unit));
}

// A function begins at its line, and what is inlined somewhere in its file.
static void tell_place(const struct dw_describer *d, Dwarf_Die *die, bool is_function, struct dbg_func *func)
{
	uint64_t pc = is_function ? func->entry_pc : own_pc(die);
	Dwarf_Die unit = d->unit;
	const char *path;
	unsigned line;

	if (!pc || !dw_line_at(d->file, &unit, pc, &path, &line))
		return;
	func->file = func->file ? func->file : path;
	func->line = is_function ? line : 0;
}

bool dw_scope_code(const struct dw_describer *d, Dwarf_Die *die, Dwarf_Die *function, struct dbg_func *func)
{
	Dwarf_Die unit = d->unit;

	if (!code_of(d->file, die, function, &func->entry_pc, &func->low_pc, &func->high_pc) || is_discarded(d->file, func->entry_pc))
		return false;
	if (lacks_place(func, &unit, die))
		tell_place(d, die, die->addr == function->addr, func);
	return true;
}

struct dbg_func *dw_scope_make(struct dw_describer *d, Dwarf_Die *die, Dwarf_Die *function, struct dbg_func *func)
{
	struct dw_scope *scope = sp_arena_new(d->arena, struct dw_scope);

	dw_scope_fill_symbol(d->file, func);
	func->check_size = func->is_inline || !dw_go_is(&d->unit) ? 0 : dw_go_check_size(d->file, func->entry_pc);
	func->body_pc = body_pc(d, func, die);
	*scope = (struct dw_scope){ .file = d->file, .die = *die, .function = *function, .unit = d->unit };
	func->scope = scope;
	return sp_arena_memdup(d->arena, func, sizeof(*func));
}

// Describes another DIE of the concrete function that `near` is in: that function itself (`caller` NULL), or an instance that is
// inlined into `caller`. NULL: the DIE has no name, or no code.
static struct dbg_func *func_of_die(struct dbg_func *near, Dwarf_Die *die, const char *caller)
{
	struct dw_scope *scope = near->scope;
	struct dw_describer d = { .file = scope->file, .arena = &scope->file->arena, .module = near->module, .unit = scope->unit };
	struct dbg_func func;
	Dwarf_Die origin;

	func = caller && dw_family_origin(die, &origin) ? *dw_scope_family(&d, &origin)->func : dw_scope_declared(&d, die);
	func.caller = caller;
	func.is_inline = caller;
	if (!func.name || !dw_scope_code(&d, die, &scope->function, &func))
		return NULL;
	return dw_scope_make(&d, die, &scope->function, &func);
}

struct dbg_func *dw_scope_instance(struct dbg_func *outer, Dwarf_Die *die)
{
	return func_of_die(outer, die, outer->name);
}

struct dbg_func *dw_scope_outer(struct dbg_func *instance)
{
	struct dw_scope *scope = instance->scope;

	if (!scope->outer)
		scope->outer = func_of_die(instance, &scope->function, NULL);
	return scope->outer;
}

bool dw_scope_begins(struct dw_scope *scope, uint64_t pc)
{
	uint64_t entry, low, high;

	return code_of(scope->file, &scope->function, &scope->function, &entry, &low, &high) && entry == pc;
}
