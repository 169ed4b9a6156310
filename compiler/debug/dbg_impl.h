// SPDX-License-Identifier: GPL-2.0-or-later
/** What is behind the handles of dbg.h, for the files of debug/ alone. */
#ifndef SP_DEBUG_DBG_IMPL_H
#define SP_DEBUG_DBG_IMPL_H

#include "compiler/debug/dbg.h"

#include "runtime/base/arena.h"
#include "runtime/base/hash.h"

#include <elfutils/libdw.h>

#define DBG_RUNNING_BTF "/sys/kernel/btf" // of the running kernel, and of the modules that are loaded

struct dw_file;
struct btf_file;
struct dbg_blacklist;

struct dbg {
	struct sp_arena arena;
	const char *kernel; // as in dbg_opts; NULL: the running one
	const char *sysroot; // "" for the root
	const char *kernel_sysroot; // where the kernel's files are: there, or "" when it has none
	const char *debuginfo_path; // never NULL
	const char *source_dir; // as in dbg_opts
	struct sp_log log;
	unsigned share, n_shares; // dbg_take_share()
	unsigned module_share, n_module_shares; // dbg_take_modules(); 0 shares: all
	bool first_units; // as in dbg_opts
	unsigned partial_from; // as in struct dw_search, for kernels
	const char *recording; // dbg_record()
	bool servers_are_silent; // as in struct dw_search
	bool lacked; // dbg_has_lacked()
	SP_VEC(struct dbg_module *) modules;
	struct dbg_module *kernel_module; // NULL: not yet opened
	struct sp_hash texts; // dbg_text() by the name of the file
	struct dbg_bpf_programs bpf_programs; // v NULL: not yet asked for
};

/** What dbg_module.impl points to. */
struct dbg_impl {
	struct dbg *dbg;
	struct dw_file *file; // NULL: no ELF file at hand
	struct dbg_module *twin; // of a partial module (dbg_partial.h): what answers other questions; NULL: not yet opened
	bool twin_tried;
	struct dbg_recorded *recorded; // NULL: nothing
	struct btf_file *btf; // NULL: not yet opened, or (btf_tried) there is none
	bool btf_tried;
	struct dbg_blacklist *blacklist; // NULL: not yet read
	bool knows_symbols; // `symbols` is filled in
	struct sp_hash symbols; // of the running kernel, by name: how many functions have it
	struct sp_hash types; // text -> type, for dbg_find_type
	struct dbg_marks *marks; // NULL: not yet read
	bool knows_tracepoints; // `tracepoints` and `events` are filled in
	struct sp_hash tracepoints; // name -> BTF id of the tracepoint's prototype
	struct sp_hash events; // of the running kernel's tracefs: name -> system
	struct sp_hash tracepoint_answers; // "MODULE SYSTEM:NAME" as was asked for -> struct dbg_tracepoints
	bool knows_event_symbols; // the two below are filled in
	struct sp_hash event_calls; // of an image: name of an event -> address of its struct trace_event_call
	struct sp_hash event_classes; // address of a struct trace_event_class -> its name
	bool knows_module_tracepoints; // `module_tracepoints` is filled in
	struct sp_hash module_tracepoints; // name -> the loaded module that has it
};

static inline struct dbg_impl *dbg_impl(const struct dbg_module *module)
{
	return module->impl;
}

/** A new module of `dbg`, in its list. */
struct dbg_module *dbg_module_new(struct dbg *dbg, const char *name);
/** Frees what it has outside of the arena of its struct dbg, in whose list it must not stay. */
void dbg_module_close(struct dbg_module *module);
/** Notes that a file was not read though it is there; gives the error again, or NULL. */
struct sp_err *dbg_note_lack(struct dbg *dbg, struct sp_err *err);
/** Its file, when that is a partial one (dbg_partial.h); NULL: it is not. */
const struct partial *dbg_partial_of(const struct dbg_module *module);
/** What answers the questions that a partial module does not; NULL: nothing does. */
struct dbg_module *dbg_twin(struct dbg_module *module);
/** The same kernel or module of it, when reduced debug files of sorts before `partial_from` are left alone; NULL: there is nothing
 *  else. */
struct dbg_module *dbg_kernel_twin(struct dbg *dbg, const struct dbg_module *module, unsigned partial_from);
/** The module of a program or library at a path that needs no search any more; opened once. */
struct sp_err *dbg_module_open(struct dbg *dbg, const char *name, const char *path, struct dbg_module **ret);
/** Fills in what the file says: path, debug_path, build-id, abi, source. */
void dbg_module_take_file(struct dbg_module *module, struct dw_file *file);
/** The unit that has the code at an address; false: none does, or there is no DWARF. */
bool dbg_unit_at(struct dbg_module *module, uint64_t addr, Dwarf_Die *ret);
/** Is it the symbol of several functions? */
bool dbg_symbol_is_repeated(struct dbg_module *module, const char *name);
/** Of functions that BTF describes, sorted by name: one for each that has the symbol. BTF may have one of a name, or several, whatever
 *  the kernel has. */
void dbg_symbol_spread(struct dbg_module *module, struct dbg_funcs *funcs);
/** The kernel's BTF, from its file or from /sys; NULL: none. Opened once. */
struct btf_file *dbg_btf(struct dbg_module *module);

#endif
