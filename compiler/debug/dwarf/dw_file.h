// SPDX-License-Identifier: GPL-2.0-or-later
/** One program, library, kernel or kernel module on disk: its ELF image, and its DWARF.
 *
 *  The problem. The DWARF is seldom in the file itself: it is in a separate file that is found by build-id or .gnu_debuglink,
 *  partly in a file that several share (dwz's .gnu_debugaltlink), or on a debuginfod server. libdw alone would read a kernel's 200
 *  MB from end to end for one name.
 *
 *  The idea. A struct dw_file holds the images, and one table for each question, made when the question first comes: units and
 *  names (index/), symbols, lines, types, scopes of C++, families of inline functions. Each module of this folder answers one
 *  question about a struct dw_file and adds to its own table; dbg.c puts the answers together.
 *
 *  The invariants. What is handed out lives in the file's arenas. DIEs are compared by the address of their bytes (Dwarf_Die.addr).
 *  Broken DWARF ends in an error or in a reason (why), never in a loop: every recursion has a limit.
 *
 *  The limits. Those of libdw (split DWARF in .dwp files needs elfutils 0.191), and one thread for each dw_file. */
#ifndef SP_DEBUG_DW_FILE_H
#define SP_DEBUG_DW_FILE_H

#include "compiler/debug/dwarf/dw_elf.h"
#include "compiler/model/abi.h"

#include "runtime/base/arena.h"
#include "runtime/base/hash.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

struct dbg_module;

struct dw_search {
	const char *sysroot; // never NULL; "" for the root
	const char *debuginfo_path; // as elfutils has it (dbg_path.h)
	const char *release; // kernels and their modules; else NULL
	const struct sp_log *log;
	bool *servers_are_silent; // set when a debuginfod server has not answered in time: none is asked again
	bool first_units; // as in struct dbg_opts
	unsigned partial_from; // enum probe_file_sort: the first sort of reduced debug files that is looked for
};

struct partial;

struct dw_file {
	struct sp_arena arena; // what is handed out lives here,
	struct sp_arena of_share; // or here, until dw_file_end_share()
	const struct sp_log *log;
	struct dw_image run; // the file as asked for
	struct dw_image sep; // its separate debug file; elf NULL when there is none
	struct dw_image plain; // the same debug sections, decompressed (dw_plain.h); elf NULL when they need not be
	struct dw_image packed; // a copy of it with the split units of a package (dw_package.h); elf NULL when it has none
	struct dw_image alt; // the file that .gnu_debugaltlink names
	Dwfl *dwfl; // for relocatable files (kernel modules) and MiniDebugInfo; else NULL
	Dwfl_Module *mod;
	Elf *elf; // with program headers and loaded sections
	Elf *debug_elf; // with DWARF; equals elf when that has it
	Elf *sym_elf; // with .symtab or else .dynsym
	Dwarf *dwarf; // NULL: none found
	Dwarf *alt_dwarf;
	Dwarf_CFI *eh_cfi; // made by dw_cfi.c when first needed
	GElf_Ehdr ehdr;
	struct dbg_module *kernel; // of a kernel module: the kernel that it is for; else NULL
	uint64_t info_end; // of .debug_info, units up to here are there; UINT64_MAX: all
	bool is_kernel; // vmlinux or a module: C, one address space, no link-time optimisation by gcc
	const struct abi *abi; // never NULL once the file is open
	uint8_t build_id[32];
	unsigned build_id_len;
	const char *debug_path; // NULL: no DWARF
	const char *tried; // without DWARF: the files that were looked for, as a message names them
	struct dw_syms *syms;
	struct dw_units *units;
	struct dw_index *index; // of names; NULL: not yet asked for
	struct dw_lines *lines;
	struct dw_types *types;
	struct dw_qualifiers *qualifiers; // dw_qualify.c; NULL: not yet read
	struct partial *partial; // what is complete in a reduced debug file; NULL: all is
	enum dw_answer { DW_NOT_ASKED, DW_NO, DW_YES } switches_stacks, unwinds, is_haskell; // by dw_unwind.c
	unsigned n_searches; // by dw_func.c: numbers the searches for functions
	struct dw_families *families; // dw_family.c; NULL: not yet read
	struct dw_visible_memo *visible; // dw_visible.c; NULL: not yet asked for
	struct dw_code *code; // dw_code.c; NULL: not yet asked for
	struct dw_calls *calls; // dw_result.c; NULL: not yet asked for
	struct dw_thunks *thunks; // dw_thunk.c; NULL: not yet asked for
	struct dw_rseq *sequences; // dw_rseq.c; NULL: not yet read
	struct sp_hash callees; // by dw_call.c: the functions (struct dbg_funcs) of a name that calls refer to
};

/** Opens the file and looks for its DWARF; having none is no error. */
struct sp_err *dw_file_open(const char *path, const struct dw_search *search, struct dw_file **ret);
/** Opens a reduced debug file of the cache as a kernel's own file. False: there is none, or none that is to be used. */
bool dw_file_open_partial(const char *name, const struct dw_search *search, struct dw_file **ret);
/** Opens the kernel in a boot image, or a compressed module of one, and looks for its DWARF. */
struct sp_err *dw_file_open_packed(const char *path, bool is_boot, const struct dw_search *search, struct dw_file **ret);
/** NULL is fine. */
void dw_file_close(struct dw_file *file);

/** Gives back the functions that were found in a share of the units (dbg_take_share), and all families. */
void dw_file_end_share(struct dw_file *file);

/** A section of the file with the DWARF, else of the file itself; false when it is missing or has no bytes. */
bool dw_file_section(const struct dw_file *file, const char *name, struct dw_section *ret);
/** Bytes that the file holds at a link-time address; NULL when it holds fewer than `size`. */
const void *dw_file_bytes(const struct dw_file *file, uint64_t addr, size_t size);
/** The file offset of a link-time address, and the reverse; false: no loaded segment holds it. */
bool dw_file_offset(const struct dw_file *file, uint64_t addr, uint64_t *ret);
/** May the program write to what is at a link-time address? */
bool dw_file_is_writable(const struct dw_file *file, uint64_t addr);
bool dw_file_address(const struct dw_file *file, uint64_t offset, uint64_t *ret);
/** Name of the section that covers the address, and where that begins (NULL: not asked for); NULL: none. */
const char *dw_file_section_at(const struct dw_file *file, uint64_t addr, uint64_t *start_ret);

#endif
