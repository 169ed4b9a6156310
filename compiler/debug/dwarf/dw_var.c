// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_var.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_cfi.h"
#include "compiler/debug/dwarf/dw_fill.h"
#include "compiler/debug/dwarf/dw_go.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_loc.h"
#include "compiler/debug/dwarf/dw_callconv.h"
#include "compiler/debug/dwarf/dw_plt.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/dwarf/dw_trivial.h"
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/dwarf/dw_visible.h"
#include "compiler/debug/index/dw_index.h"

#include "runtime/base/hash.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 256 // of lexical blocks

static const char filled_later[] = "gets its place behind the function's entry";

struct lister {
	struct dbg_func *func;
	const struct dw_scope *scope;
	struct dw_loc_site site;
};

// Does the prologue change this register? It sets the frame pointer, which is the caller's until then, and may move the stack
// pointer.
static bool is_of_prologue(const struct lister *l, unsigned reg)
{
	const struct abi *abi = l->site.file->abi;

	if (reg == (unsigned)abi->sp_dwarf)
		return !dw_cfi_sp_is_fixed(l->site.file, l->func->low_pc, l->func->high_pc);
	return reg == (unsigned)abi->fp_dwarf;
}

// Is the function's frame base not yet right at the entry? DW_OP_call_frame_cfa, gcc's, is right everywhere; clang adds a constant to
// it in programs of 32 bits. Else clang's is a register: when the prologue leaves that alone, it is right at the entry, too.
// `above_ret`: the frame base's distance from the CFA.
static bool has_late_frame_base(const struct lister *l, Dwarf_Sword *above_ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	*above_ret = 0;
	if (!dw_attr_place(l->site.function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, l->site.pc, &ops, &n, 1) != 1)
		return false;
	if (n == 3 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_consts && ops[2].atom == DW_OP_plus) {
		*above_ret = (Dwarf_Sword)ops[1].number;
		return false;
	}
	if (n != 1 || ops[0].atom == DW_OP_call_frame_cfa)
		return n != 1;
	return ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31 || is_of_prologue(l, ops[0].atom - DW_OP_reg0);
}

// May a parameter be copied to its slot behind what clang calls the prologue's end? In code that it has optimised those are that the
// caller has passed on the stack.
static bool is_copied_late(const struct lister *l, const struct c_type *type)
{
	return !l->func->is_inline && l->site.pc == l->func->body_pc && dw_scope_is_changed_by_clang(l->func->scope) &&
	       (!l->site.file->abi->n_args || c_type_is_long_double(type));
}

// Is it a register that still has what the caller kept there? Go passes arguments in such registers.
static bool is_of_caller(const struct lister *l, unsigned reg)
{
	struct dw_scope *scope = l->func->scope;

	return l->site.at_entry && reg < 64 && l->site.file->abi->kept >> reg & 1 && !dw_go_is(&scope->unit);
}

// True at the entry when the location is one stack slot for the whole function, which the prologue fills, or one register that functions
// keep for their callers, as gcc says of clones ("f.constprop.0"): before that it holds garbage. Parameters that the caller has pushed
// are at or above the CFA, and hold their values.
static bool is_filled_by_prologue(struct lister *l, Dwarf_Die *die, const struct c_type *type)
{
	Dwarf_Attribute attr;
	Dwarf_Sword above;
	Dwarf_Op *ops;
	bool is_late;
	size_t n;

	if ((!l->site.at_entry && !is_copied_late(l, type)) || !dw_attr_place(die, DW_AT_location, &attr) || dwarf_whatform(&attr) != DW_FORM_exprloc)
		return false;
	if (dwarf_getlocation(&attr, &ops, &n) != 0 || n == 0)
		return false;
	// clang says how many bytes of a long double count; of an object that is passed by its address there is the place of that.
	if (n > 2 || (n == 2 && ops[1].atom != DW_OP_piece && ops[1].atom != DW_OP_deref))
		return false;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return is_of_caller(l, ops[0].atom - DW_OP_reg0);
	// clang -O0 loads the address of such an object to a register, which it then tells for the whole function.
	if (l->site.at_entry && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 && dw_triviality(type) == DW_NOT_TRIVIAL &&
	    !l->func->is_inline && !dw_scope_is_changed_by_clang(l->func->scope))
		return true;
	// gcc addresses the locals of a function that aligns its stack like that.
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		return is_of_prologue(l, ops[0].atom - DW_OP_breg0);
	if (ops[0].atom != DW_OP_fbreg)
		return false;
	is_late = has_late_frame_base(l, &above);
	return is_late || (Dwarf_Sword)ops[0].number + above < 0;
}

// What an inlined instance is called with may be copied to its place in memory by the first instructions of the instance, as they are put
// in another order; debug information names one place for all of it.
static bool is_filled_by_instance(const struct lister *l, Dwarf_Die *die, const struct dbg_var *var)
{
	const struct c_type *type = c_type_strip(var->type);
	Dwarf_Attribute attr;
	int64_t off;
	int reg;

	if (!var->is_param || !l->func->is_inline || l->site.pc != l->func->entry_pc || !dw_attr_place(die, DW_AT_location, &attr) ||
	    dwarf_whatform(&attr) != DW_FORM_exprloc || var->loc->n_pieces != 1 || !dw_loc_is_from_reg(var->loc->pieces, &reg, &off))
		return false;
	return dw_scope_is_optimised(l->func->scope) && dw_fill_follows(l->site.file, l->site.pc, reg, off, type ? type->size : 1);
}

// Behind the prologue that LLVM tells of, rustc and others than clang do not say whether the code is optimised: then a parameter is copied to
// its slot later, or where its address is needed.
static bool is_filled_in_body(const struct lister *l, Dwarf_Die *die, const struct dbg_var *var)
{
	const struct c_type *type = c_type_strip(var->type);
	Dwarf_Attribute attr;
	int64_t off;
	int reg;

	if (!var->is_param || l->func->is_inline || l->site.pc != l->func->body_pc || l->site.pc == l->func->entry_pc ||
	    dw_scope_is_of_gcc(l->func->scope) || !dw_attr_place(die, DW_AT_location, &attr) || dwarf_whatform(&attr) != DW_FORM_exprloc ||
	    var->loc->n_pieces != 1 || !dw_loc_is_from_reg(var->loc->pieces, &reg, &off) ||
	    dw_cfi_is_of_caller(l->site.file, l->site.pc, reg, off))
		return false;
	return !dw_fill_precedes(l->site.file, l->func->entry_pc, l->site.pc, reg, off, type && type->size ? type->size : 1);
}

// LLVM before 17 describes an object whose address the caller has pushed as if the object was there.
static bool is_address_of_object(const struct lister *l, const struct dbg_var *var)
{
	int64_t off;
	int reg;

	return var->is_param && !l->func->is_inline && var->loc->n_pieces == 1 && dw_loc_is_from_reg(var->loc->pieces, &reg, &off) &&
	       dw_triviality(var->type) == DW_NOT_TRIVIAL && dw_cfi_is_of_caller(l->site.file, l->site.pc, reg, off);
}

// Masks a bool whose location ends in "not": to gcc a bool has one bit, so it describes !b as ~b.
static const struct loc *one_bit(struct sp_arena *arena, const struct loc *loc)
{
	const struct loc_op mask[] = { { .kind = LOC_CONST, .a = 1 }, { .kind = LOC_AND } };
	struct loc_piece piece = loc->pieces[0];

	if (loc->n_pieces != 1 || piece.where != LOC_IS_VALUE || piece.ops[piece.n_ops - 1].kind != LOC_NOT)
		return loc;
	piece.ops = sp_arena_array(arena, struct loc_op, piece.n_ops + 2);
	memcpy(piece.ops, loc->pieces[0].ops, piece.n_ops * sizeof(*piece.ops));
	memcpy(piece.ops + piece.n_ops, mask, sizeof(mask));
	piece.n_ops += 2;
	return dw_loc_make(arena, &piece, 1);
}

// Does the location have the lower half of a number alone? clang describes `long long` of i386 so, by the first of its registers.
static bool is_half(const struct dw_file *file, const struct c_type *type, const struct loc *loc)
{
	bool is_wide = loc && type && type->kind == C_INT && type->size > file->abi->word_size, is_register = false;

	for (int reg = 0; reg < 8 && is_wide && file->abi->elf_machine == EM_386; reg++)
		is_register |= dw_loc_is_reg(loc, reg);
	return is_register;
}

// At its entry a function has nothing of its own on the stack: what its caller has pushed is above the return address. Of a structure in
// registers clang tells from the first instruction on where the function is going to put it.
static bool is_to_be_filled(const struct abi *abi, const struct loc_piece *piece)
{
	int64_t off;
	int reg;

	return dw_loc_is_from_reg(piece, &reg, &off) && reg == abi->sp_dwarf && off < abi->return_address_size;
}

// Leaves out the pieces that are filled later; NULL: all are.
static const struct loc *without_unfilled(const struct lister *l, const struct loc *loc)
{
	const struct abi *abi = l->site.file->abi;
	struct loc_piece *pieces;
	unsigned n = 0;

	for (unsigned i = 0; i < loc->n_pieces; i++)
		n += is_to_be_filled(abi, &loc->pieces[i]);
	if (n == loc->n_pieces)
		return NULL;
	if (!n)
		return loc;
	pieces = sp_arena_memdup(l->site.arena, loc->pieces, loc->n_pieces * sizeof(*pieces));
	for (unsigned i = 0; i < loc->n_pieces; i++) {
		if (!is_to_be_filled(abi, &pieces[i]))
			continue;
		pieces[i].where = LOC_ABSENT;
		pieces[i].why = filled_later;
		pieces[i].n_ops = 0;
	}
	return dw_loc_make(l->site.arena, pieces, loc->n_pieces);
}

static void locate(struct lister *l, Dwarf_Die *die, struct dbg_var *var)
{
	const struct abi *abi = l->site.file->abi;
	bool is_kernel = l->func->module->is_kernel;
	const int *args = is_kernel ? abi->kernel_args : abi->user_args;

	if (is_filled_by_prologue(l, die, var->type)) {
		int arg = var->is_param && l->site.at_entry ? dw_callconv_arg(l->func, l->site.function, var->param_index) : -1;
		if (arg >= 0)
			var->loc = c_type_is_scalar(var->type) ? dw_loc_reg(l->site.arena, args[arg]) : dw_loc_at_reg(l->site.arena, args[arg]);
		else if (var->is_param && l->site.at_entry)
			var->loc = dw_callconv_stack_arg(l->func, l->site.function, var->param_index);
		if (!var->loc)
			var->why_not = filled_later;
	} else {
		const struct c_type *type = c_type_strip(var->type);

		var->loc = dw_loc_of(&l->site, die, &var->why_not);
		if (var->loc && l->site.at_entry && !l->func->is_inline && !(var->loc = without_unfilled(l, var->loc)))
			var->why_not = filled_later;
		if (var->loc && is_filled_by_instance(l, die, var)) {
			var->loc = NULL;
			var->why_not = "gets its place behind the instance's entry";
		}
		if (var->loc && is_filled_in_body(l, die, var)) {
			var->loc = NULL;
			var->why_not = "gets its place behind the prologue";
		}
		if (var->loc && is_address_of_object(l, var)) {
			var->loc = NULL;
			var->why_not = "is passed by its address, and described as if the object itself was on the stack";
		}
		if (var->loc && dw_go_is(&((struct dw_scope *)l->func->scope)->unit))
			var->loc = dw_go_location(l->site.arena, die, var->type, var->loc, &var->why_not);
		if (is_half(l->site.file, type, var->loc)) {
			var->loc = NULL;
			var->why_not = "is described in part only";
		}
		if (var->loc && type && type->is_bool)
			var->loc = one_bit(l->site.arena, var->loc);
	}
	if (var->is_param && l->site.at_entry && !l->func->is_inline && var->param_index < (int)abi->n_args && c_type_is_scalar(var->type))
		var->in_entry_args = dw_loc_is_reg(var->loc, args[var->param_index]);
}

// The address of what is declared here and defined elsewhere, by its symbol: a declaration (extern) has no location. A static variable of
// which nothing is left is not what another file has by that name.
static bool read_symbol(struct dw_file *file, Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attr;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	struct dw_sym sym;

	if (!dw_attr_flag(die, DW_AT_external) && !dw_attr_flag(die, DW_AT_declaration))
		return false;
	if (!dw_sym_find(file, linkage ? linkage : dw_attr_name(die), &sym) || sym.is_local)
		return false;
	*ret = sym.addr;
	return true;
}

// Turns the location of a library's variable into that of the one that counts, and that of a per-CPU variable into that of the current
// processor's copy, __per_cpu_offset[cpu] from its address. On x86_64 before 6.15 these count from 0 and do not move with the kernel.
static void find_copy(struct dw_file *file, struct dbg_var *var)
{
	const struct loc_op *op = var->loc && var->loc->n_pieces == 1 && var->loc->pieces[0].n_ops == 1 ? var->loc->pieces[0].ops : NULL;
	const char *section;
	struct dw_sym offsets;
	uint64_t start = 0;

	if (op && op->kind == LOC_ADDR && !file->is_kernel)
		dw_plt_variable(file, var);
	if (!op || op->kind != LOC_ADDR || !file->is_kernel)
		return;
	section = op->section ? op->section : dw_file_section_at(file, (uint64_t)op->a, &start);
	if (!section || !sp_starts_with(section, ".data..percpu"))
		return;
	if (op->section || !dw_sym_find(file, "__per_cpu_offset", &offsets)) {
		var->loc = NULL;
		var->why_not = op->section ? "is a per-CPU variable of a kernel module, whose copies are not to be found" :
					     "is a per-CPU variable, and the kernel has no symbol __per_cpu_offset";
		return;
	}
	struct loc_op ops[] = {
		dw_loc_address_op(file, offsets.addr), { .kind = LOC_CPU },
		{ .kind = LOC_CONST, .a = 8 },	       { .kind = LOC_MUL },
		{ .kind = LOC_ADD },		       { .kind = LOC_DEREF, .a = 8 },
		*op,				       { .kind = LOC_ADD },
	};
	struct loc_piece piece = { .where = LOC_IN_MEMORY, .n_ops = SP_ARRAY_SIZE(ops) };
	if (start == 0)
		ops[6].kind = LOC_CONST;
	piece.ops = sp_arena_memdup(&file->arena, ops, sizeof(ops));
	var->loc = dw_loc_make(&file->arena, &piece, 1);
}

static struct dbg_var describe(struct lister *l, const struct dw_visible *visible)
{
	struct dbg_var var = { .name = visible->name, .param_index = visible->param_index, .is_param = visible->param_index >= 0 };
	Dwarf_Die copy = visible->die, *die = &copy;
	Dwarf_Attribute attr;
	Dwarf_Word line;
	uint64_t addr;

	var.type = dw_type_ref(l->site.file, die);
	if (!l->site.no_reasons && dwarf_attr_integrate(die, DW_AT_decl_line, &attr) && dwarf_formudata(&attr, &line) == 0)
		var.line = line;
	bool is_declared = !dwarf_hasattr(die, DW_AT_location) && dw_attr_flag(die, DW_AT_declaration);
	if (is_declared && read_symbol(l->site.file, die, &addr)) {
		var.loc = dw_loc_address(l->site.file, addr);
		find_copy(l->site.file, &var);
	} else if (is_declared)
		var.why_not = "is only declared here";
	else if (!visible->is_concrete && !dwarf_hasattr(die, DW_AT_const_value) && !dwarf_hasattr(die, DW_AT_location))
		var.why_not = "optimised out";
	else
		locate(l, die, &var);
	return var;
}

static struct lister list_at(struct dbg_func *func, uint64_t pc, const struct dbg_var_query *query)
{
	struct dw_scope *scope = func->scope;

	return (struct lister){
		.func = func,
		.scope = scope,
		.site = { .file = scope->file, .arena = query->arena ? query->arena : &scope->file->arena, .function = &scope->function,
			  .pc = pc, .no_reasons = query->no_reasons,
			  .at_entry = func->is_inline ? dw_scope_begins(scope, pc) : pc == func->entry_pc },
	};
}

// What lives as long as the module and has its reasons is described once for all who ask at the place.
static const struct dbg_var *described(struct lister *l, struct dw_visible *visible)
{
	if (!visible->var)
		visible->var = sp_arena_memdup(l->site.arena, &(struct dbg_var[]){ describe(l, visible) }, sizeof(struct dbg_var));
	return visible->var;
}

void dw_var_list(struct dbg_func *func, uint64_t pc, const struct dbg_var_query *query, struct dbg_vars *ret)
{
	struct lister l = list_at(func, pc, query);
	struct dw_visibles *visible = dw_visible_at(func->scope, pc, pc == func->entry_pc || pc == func->body_pc);
	bool is_shared = !query->arena && !query->no_reasons;
	SP_VEC(struct dbg_var) vars = { 0 };

	sp_vec_each(v, &visible->list)
		if (!query->wants || (v->name && query->wants(query->ctx, v->name)))
			sp_vec_push(&vars, is_shared ? *described(&l, v) : describe(&l, v));
	ret->v = sp_arena_memdup(l.site.arena, vars.v, vars.n * sizeof(*vars.v));
	ret->n = vars.n;
	sp_vec_deinit(&vars);
}

const struct dbg_var *dw_var_named(struct dbg_func *func, uint64_t pc, const char *name)
{
	struct dw_visibles *visible = dw_visible_at(func->scope, pc, pc == func->entry_pc || pc == func->body_pc);

	sp_vec_each(v, &visible->list) {
		struct lister l;

		if (!v->name || !sp_streq(v->name, name))
			continue;
		l = list_at(func, pc, &(struct dbg_var_query){ 0 });
		return described(&l, v);
	}
	return NULL;
}

static bool is_definition(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_location) || dwarf_hasattr(die, DW_AT_const_value);
}

struct global_lookup {
	struct dw_file *file;
	const char *name;
	const char *path; // NULL: any
	bool is_of_unit; // `path` is the unit's, not that of the declaration
	const char *around; // "outer::Box::grow::": the namespaces and classes of who asks; "": none
	Dwarf_Die *function; // who asks; NULL: none
	const char *pattern; // NULL, or the name with its scopes: "outer::count"
	struct dbg_var *ret;
	bool found;
	size_t rank; // of the one in `ret`: rank_of(); 0: nothing is left of it, or there is none
	bool is_foreign; // in units that do not ask: statics are none of theirs
	bool is_removed; // nothing is left of the one in `ret`; another unit may have one of that name
};

// How near to who asks for it is what is declared in these namespaces and classes? The innermost around it is nearest; 1: it is in others,
// which the code may be `using`. 0: it is not what is asked for.
static size_t rank_of(const struct global_lookup *lookup, Dwarf_Die *die)
{
	const char *prefix;

	if (lookup->pattern)
		return dw_qualify_fits(lookup->file, lookup->pattern, NULL, die) ? 2 : 0;
	prefix = dw_qualify_seen_in(lookup->file, die);
	if (sp_starts_with(lookup->around, prefix))
		return 2 + strlen(prefix);
	return lookup->function && *lookup->around ? dw_qualify_as_base(lookup->file, lookup->function, prefix) : 1;
}

static void fill_global(struct global_lookup *lookup, Dwarf_Die *die)
{
	struct dw_loc_site site = { .file = lookup->file, .arena = &lookup->file->arena };
	struct dbg_var var = { .name = dwarf_diename(die), .param_index = -1 };
	const char *path;
	uint64_t addr;

	var.type = dw_type_ref(lookup->file, die);
	dw_line_decl(lookup->file, die, &path, &var.line);
	if (is_definition(die))
		var.loc = dw_loc_of(&site, die, &var.why_not);
	else if ((lookup->path && !lookup->is_of_unit) || !read_symbol(lookup->file, die, &addr))
		var.why_not = "it was optimised out";
	else
		var.loc = dw_loc_address(lookup->file, addr);
	find_copy(lookup->file, &var);
	*lookup->ret = var;
	lookup->found = true;
}

static bool type_has_size(struct dw_file *file, Dwarf_Die *die)
{
	const struct c_type *type = dw_type_ref(file, die);
	return type && type->size;
}

// Takes a variable of the name when it is nearer than what has been found. True: none can be nearer.
static bool take_global(struct global_lookup *lookup, Dwarf_Die *die)
{
	size_t rank = rank_of(lookup, die);
	const char *path;
	unsigned line;
	uint64_t addr;
	// Of what the linker script defines ("jiffies") there are only declarations.
	bool has_symbol = !is_definition(die) && (!lookup->path || lookup->is_of_unit) && read_symbol(lookup->file, die, &addr);
	bool has_place = is_definition(die) || (has_symbol && type_has_size(lookup->file, die));

	if (rank <= lookup->rank || (!has_place && (has_symbol || lookup->found || dw_attr_flag(die, DW_AT_declaration))))
		return false;
	if (lookup->is_foreign && (!has_place || !dw_attr_flag(die, DW_AT_external)))
		return false;
	dw_line_decl(lookup->file, die, &path, &line);
	if (lookup->path && !lookup->is_of_unit && (!path || !dw_line_match(path, lookup->path)))
		return false;
	fill_global(lookup, die);
	lookup->is_removed = !has_place;
	lookup->rank = has_place ? rank : 0;
	return has_place && rank >= 2 + strlen(lookup->around);
}

static bool look_in(struct global_lookup *lookup, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);
		if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < MAX_DEPTH && look_in(lookup, &child, depth + 1))
			return true;
		if (tag == DW_TAG_variable && sp_streq(dw_attr_name(&child), lookup->name) && take_global(lookup, &child))
			return true;
	}
	return false;
}

static bool look_in_unit(void *ctx, size_t unit)
{
	struct global_lookup *lookup = ctx;
	Dwarf_Die die;

	const struct dw_unit *u = dw_units_at(lookup->file, unit);

	if (!u || u->is_type)
		return false;
	dw_units_die(lookup->file, unit, &die);
	if (lookup->is_of_unit && !dw_line_match(dw_attr_name(&die), lookup->path))
		return false;
	return look_in(lookup, &die, 0);
}

static bool is_linked(Dwarf_Die *unit)
{
	return sp_streq(dw_attr_name(unit), "<artificial>");
}

// Of what gcc optimises at link time, units of its own have the places, and refer to the units of the sources for the names.
static void look_in_linked(struct global_lookup *lookup)
{
	for (size_t i = 0, n = dw_units_count(lookup->file); i < n; i++) {
		Dwarf_Die die;

		if (!dw_units_at(lookup->file, i))
			continue;
		dw_units_die(lookup->file, i, &die);
		if (is_linked(&die) && look_in_unit(lookup, i))
			return;
	}
}

struct sp_err *dw_var_global(struct dw_file *file, const char *name, bool is_of_unit, struct dbg_var *ret, bool *found_ret)
{
	const char *at = strchr(name, '@');
	struct global_lookup lookup = { .file = file, .ret = ret, .path = at ? at + 1 : NULL, .is_of_unit = is_of_unit && at, .around = "" };

	SP_TRY(dw_units_open(file));
	lookup.name = at ? sp_arena_strndup(&file->arena, name, at - name) : name;
	if (strstr(lookup.name, "::")) {
		lookup.pattern = lookup.name;
		lookup.name = dw_qualify_last(lookup.pattern);
	}
	dw_index_with_name(file, lookup.name, DW_NAMES_VARS, look_in_unit, &lookup);
	if (lookup.is_removed && !lookup.is_of_unit)
		look_in_linked(&lookup);
	*found_ret = lookup.found;
	return NULL;
}

bool dw_var_in_unit(struct dbg_func *func, const char *name, struct dbg_var *ret)
{
	struct dw_scope *scope = func->scope;
	struct dw_file *file = scope->file;
	struct global_lookup lookup = { .file = file, .name = name, .ret = ret, .around = "", .function = &scope->die };
	const char *prefix = "";

	if (is_linked(&scope->unit)) // the linker's units have those of several files
		return false;
	// Rust has the statics of a function in a namespace of its name.
	if (!file->is_kernel && !dw_qualify_is_flat(scope->die.cu)) {
		prefix = sp_arena_strdup(&file->arena, dw_qualify_around(file, &scope->die));
		lookup.around = sp_arena_printf(&file->arena, "%s%s::", prefix, dw_attr_name(&scope->die));
	}
	look_in(&lookup, &scope->unit, 0);
	size_t own = lookup.rank;
	// clang does not describe what is defined elsewhere, and nobody the place of a class's.
	if (own >= 2 + strlen(prefix) || !*prefix)
		return own;
	lookup.rank = SP_MAX(own, (size_t)2);
	lookup.is_foreign = true;
	dw_index_with_name(file, name, DW_NAMES_VARS, look_in_unit, &lookup);
	return own || lookup.rank > 2;
}

void dw_var_of_unit(struct dbg_func *func, struct dbg_vars *ret)
{
	struct dw_scope *scope = func->scope;
	struct dw_file *file = scope->file;
	SP_VEC(struct dbg_var) vars = { 0 };
	struct sp_hash known = { 0 }; // index + 1 by name
	Dwarf_Die child;

	for (int status = dwarf_child(&scope->unit, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_tag(&child) == DW_TAG_variable ? dw_attr_name(&child) : "";
		struct dbg_var var;
		struct global_lookup lookup = { .file = file, .ret = &var };
		uint64_t addr;
		void **index;

		if (!*name)
			continue;
		if (!is_definition(&child) && !read_symbol(file, &child, &addr))
			continue;
		index = sp_hash_insert(&known, name, strlen(name));
		if (*index && !is_definition(&child))
			continue;
		fill_global(&lookup, &child);
		if (*index) {
			vars.v[(uintptr_t)*index - 1] = var;
			continue;
		}
		sp_vec_push(&vars, var);
		*index = (void *)(uintptr_t)vars.n;
	}
	ret->v = sp_arena_memdup(&file->arena, vars.v, vars.n * sizeof(*vars.v));
	ret->n = vars.n;
	sp_vec_deinit(&vars);
	sp_hash_deinit(&known);
}
