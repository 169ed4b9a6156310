// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_unwind.h"

#include "compiler/debug/dwarf/dw_go.h"
#include "compiler/debug/dwarf/dw_gosym.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include <dwarf.h>

#define MAX_DEPTH 64 // of blocks

static bool has_exceptions(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_D:
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case DW_LANG_Rust: // a panic
	case 0x2a: // DW_LANG_C_plus_plus_17, of the list that goes on behind DWARF 5
	case 0x2b: // DW_LANG_C_plus_plus_20
		return true;
	default:
		return false;
	}
}

static bool has_calls(Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child))
		switch (dwarf_tag(&child)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			return true;
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (depth == MAX_DEPTH || has_calls(&child, depth + 1))
				return true;
			break;
		default:
			break;
		}
	return false;
}

// Does debug information list all calls of the function, and there are none?
static bool is_leaf(Dwarf_Die *function)
{
	return (dwarf_hasattr(function, DW_AT_call_all_calls) || dwarf_hasattr(function, DW_AT_GNU_all_call_sites)) &&
	       !has_calls(function, 0);
}

// gcc records its options.
static bool is_made_with(Dwarf_Die *unit, const char *option)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer && strstr(producer, option);
}

const char *dw_unwind_no_g(const struct dbg_func *func, struct dw_scope *scope)
{
	if (sp_glob_match("*.abi0", func->symbol ? func->symbol : func->name))
		return "it is in assembler, which has its goroutine in no register";
	// Without debug information Go's table tells: that of 1.18 and later is read.
	return scope && !dw_go_has_registers(&scope->unit) ? "code of Go before 1.17 has its goroutine in no register" : NULL;
}

// Does a file define a symbol or need it? What a library exports it has for others.
static bool has_symbol(struct dw_file *file, const char *name, bool *is_exported_ret)
{
	struct dw_sym sym;
	GElf_Shdr shdr;
	GElf_Sym own;

	*is_exported_ret = false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNSYM)
			continue;
		Elf_Data *data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &own); i++) {
			if (!dw_elf_is_text(file->elf, shdr.sh_link, own.st_name, name))
				continue;
			*is_exported_ret = own.st_shndx != SHN_UNDEF;
			return true;
		}
	}
	return dw_sym_find(file, name, &sym);
}

static bool uses(struct dw_file *file, const char *name)
{
	bool is_exported;

	return has_symbol(file, name, &is_exported) && !is_exported;
}

// Without debug information: is there code that handles exceptions?
static bool may_unwind(struct dw_file *file)
{
	bool is_exported;

	if (!file->unwinds)
		file->unwinds = has_symbol(file, "__gxx_personality_v0", &is_exported) ||
						has_symbol(file, "rust_eh_personality", &is_exported) ? DW_YES : DW_NO;
	return file->unwinds == DW_YES;
}

static bool switches_stacks(struct dw_file *file)
{
	if (!file->switches_stacks)
		file->switches_stacks = uses(file, "swapcontext") || uses(file, "setcontext") ? DW_YES : DW_NO;
	return file->switches_stacks == DW_YES;
}

// longjmp(3), setcontext(3) and the like go back to it when the call is over, in other libraries for coroutines, too; others look for the file of
// their caller by it, or, in 32-bit programs, for their data. Names of the C library's own, such as ___dlsym, end so, too. dlopen(3) does, as well,
// for the folders of its caller's RUNPATH alone; but it ends with a jump, before its work, and what people ask for is its time and result.
static bool uses_return(const char *name)
{
	static const char *const ends[] = { "setjmp", "getcontext", "swapcontext", "_fcontext", "coro_transfer", "coroutine_transfer",
					    "dlsym", "dlvsym", "dl_iterate_phdr", "mcount", "__morestack" };

	for (unsigned i = 0; i < SP_ARRAY_SIZE(ends); i++)
		if (sp_ends_with(name, ends[i]))
			return true;
	return sp_starts_with(name, "__x86.get_pc_thunk.");
}

// What OCaml's compiler makes of a module, camlModule__name, and what is in assembler between such code and C.
static bool is_ocaml(const char *name)
{
	static const char *const stubs[] = { "caml_alloc", "caml_apply", "caml_c_call", "caml_call", "caml_curry", "caml_program", "caml_send",
					     "caml_start_program", "caml_tuplify" };

	for (unsigned i = 0; i < SP_ARRAY_SIZE(stubs); i++)
		if (sp_starts_with(name, stubs[i]))
			return true;
	return sp_starts_with(name, "caml") && name[4] >= 'A' && name[4] <= 'Z';
}

// What GHC makes of a module, and what its runtime has of the same sort.
static bool is_haskell(struct dw_file *file, const char *name)
{
	bool is_exported;

	if (!sp_ends_with(name, "_info") && !sp_ends_with(name, "_slow") && !sp_starts_with(name, "stg_"))
		return false;
	if (!file->is_haskell)
		file->is_haskell = has_symbol(file, "stg_upd_frame_info", &is_exported) ? DW_YES : DW_NO;
	return file->is_haskell == DW_YES;
}

enum dbg_stack_use dw_unwind_stack_use(struct dw_file *file, const char *name, struct dw_scope *scope)
{
	int language = scope ? dwarf_srclang(&scope->unit) : -1;

	if (language == DW_LANG_Go || (!scope && dw_gosym_is_go(file)))
		return DBG_STACK_MOVES;
	if ((!scope || language == DW_LANG_Mips_Assembler) && is_ocaml(name))
		return DBG_STACK_LOOKED_UP;
	if (language == DW_LANG_Haskell || (!scope && is_haskell(file, name)))
		return DBG_STACK_OTHER;
	if (uses_return(name))
		return DBG_STACK_READ;
	if (sp_starts_with(name, "_Unwind_")) // the unwinder begins with its own return address
		return DBG_STACK_UNWOUND;
	if (switches_stacks(file))
		return DBG_STACK_SWITCHED;
	if (!scope)
		return may_unwind(file) ? DBG_STACK_UNWOUND : DBG_STACK_PLAIN;
	if (is_leaf(&scope->function))
		return DBG_STACK_PLAIN;
	if (!has_exceptions(language))
		return is_made_with(&scope->unit, " -fexceptions") ? DBG_STACK_PASSED : DBG_STACK_PLAIN;
	return is_made_with(&scope->unit, " -fno-exceptions") ? DBG_STACK_PLAIN : DBG_STACK_UNWOUND;
}
