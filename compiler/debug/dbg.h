// SPDX-License-Identifier: GPL-2.0-or-later
/** Debug information: modules, functions, variables, types, tracepoints. The one interface to DWARF (libdw), BTF and
 *  symbol tables; it chooses what there is. Results live as long as the `struct dbg`. Nothing here knows scripts. */
#ifndef SP_DEBUG_DBG_H
#define SP_DEBUG_DBG_H

#include "compiler/model/abi.h"
#include "compiler/model/loc.h"
#include "compiler/model/type.h"

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"

struct dbg;

struct dbg_opts {
	const char *kernel; // release ("6.1.0-56-cloud-amd64"), path of a vmlinux, or NULL: the running kernel
	const char *sysroot; // NULL: "/"
	const char *source_dir; // where source files are; NULL: where the compiler saw them
	const char *debuginfo_path; // extra directory with vmlinux-RELEASE or .build-id trees; NULL: the usual places
	bool sees_floats; // the probes of programs read registers for floating point: the user engine's do
	const struct sp_log *log;
};

struct dbg *dbg_create(const struct dbg_opts *opts);
void dbg_destroy(struct dbg *dbg);
/** From here on only functions of that share of the kernel's units are found; n_parts 0: all. */
void dbg_take_part(struct dbg *dbg, unsigned part, unsigned n_parts);

enum dbg_source { DBG_DWARF, DBG_BTF, DBG_SYMTAB };

struct dbg_module {
	const char *name; // "kernel", a kernel module's name, or the path as asked for
	const char *path; // the file that is run (executable, library, .ko, vmlinux); absolute
	const char *debug_path; // where the debug information was read; may equal path
	const char *release; // the kernel's release; NULL for programs
	enum dbg_source source; // the best that was found
	bool is_kernel; // vmlinux or a kernel module: kernel memory
	bool is_offline; // not the running kernel
	bool is_pie; // addresses are relative to where it is loaded
	uint8_t build_id[32];
	unsigned build_id_len; // 0: none
	const struct abi *abi;
	uint64_t entry; // programs: link-time address of the first instruction
	uint64_t text_base; // kernel: link-time address of _stext (what KASLR moves); else 0
	const char *why_no_dwarf; // when source is not DBG_DWARF: what was tried, and what package or setting brings it
	void *impl;
};

/** The kernel of the options. Without DWARF it comes with BTF, or with symbols only. An error when there is nothing. */
struct sp_err *dbg_kernel(struct dbg *dbg, struct dbg_module **ret);
/** A kernel module by name ("ext4"). */
struct sp_err *dbg_kernel_module(struct dbg *dbg, const char *name, struct dbg_module **ret);
/** An executable or a shared library; a name without a slash is looked up in PATH, then as a library in the usual
 *  directories and ld.so.cache. Opened once. */
struct sp_err *dbg_program(struct dbg *dbg, const char *path, struct dbg_module **ret);

struct dbg_modules {
	struct dbg_module **v;
	unsigned n;
};

/** The programs whose paths match a pattern, in the folders of PATH when it has no slash. What is no program is left out. */
void dbg_find_programs(struct dbg *dbg, const char *pattern, struct dbg_modules *ret);
/** The kernel's modules whose names match; those without a usable file are left out. */
struct sp_err *dbg_find_kernel_modules(struct dbg *dbg, const char *pattern, struct dbg_modules *ret);
/** The libraries that the dynamic linker maps for a program and whose name or path matches; without a wildcard also one
 *  that the program may load itself, by its path or from the usual places. `names_ret`: all libraries of the program. */
void dbg_find_libraries(struct dbg *dbg, struct dbg_module *program, const char *pattern, struct dbg_modules *ret,
			const char **names_ret);

/** The file offset of a link-time address (for uprobes); false when no loaded segment holds it. */
bool dbg_file_offset(const struct dbg_module *module, uint64_t addr, uint64_t *ret);
/** The other way round. */
bool dbg_offset_address(const struct dbg_module *module, uint64_t file_offset, uint64_t *ret);
/** The section that holds a link-time address ("" and 0: none): those of a kernel module are loaded one by one. */
const char *dbg_section_at(const struct dbg_module *module, uint64_t addr, uint64_t *start_ret);
/** Line-table position of an address: file as `dbg_func.file` gives it, and line; false when there is none. */
bool dbg_line_of(struct dbg_module *module, uint64_t addr, const char **file_ret, unsigned *line_ret);
/** Where the statement begins that holds an address; false when no line table covers it. */
bool dbg_statement_at(struct dbg_module *module, uint64_t addr, uint64_t *start_ret);

struct dbg_func {
	struct dbg_module *module;
	const char *name; // source name
	const char *full_name; // with the namespaces and classes around it: "outer::Box::grow"; NULL: as name
	const char *linkage_name; // mangled or symbol name; equals name in C
	const char *file; // decl file; kernels: below the sources, "fs/read_write.c"; programs: as the compiler named it
	unsigned line; // of the declaration
	uint64_t entry_pc; // link-time address of the first instruction; 0: not known (BTF only)
	uint64_t low_pc, high_pc; // of the range that holds entry_pc
	uint64_t body_pc; // after the prologue, where parameters of unoptimised code are in place; entry_pc when optimised
	const char *section; // of the file, that holds entry_pc: ".init.text" is gone after boot; NULL: not known
	const char *symbol; // ELF symbol that holds entry_pc; NULL: none
	uint64_t symbol_off; // entry_pc - symbol's value
	const char *no_probe; // kernels: why it cannot be probed ("it is ..."); NULL: nothing is known that forbids it
	bool is_inline; // an inlined instance; `caller` is the function that it was inlined into
	bool is_external;
	const char *caller; // inlined instances only
	void *scope; // debug/: the DIE (or BTF id); NULL: only its symbol is known, no variables
};

struct dbg_func_query {
	const char *name; // wildcards allowed
	const char *file; // "read_write.c", "fs/*.c": matched against the end of the path at a '/'; NULL: any
	unsigned line; // 0: any; else the function's declaration line, or the function that holds this line
	bool calls; // real functions
	bool inlines; // inlined instances
	// Is more of such an inlined function of no use to the caller? Its name, file and line are filled in. NULL: all is.
	bool (*skips)(void *ctx, const struct dbg_func *func);
	void *skips_ctx;
	bool once; // of a function and its instances one that can be probed, as far as that saves time
};

struct dbg_funcs {
	struct dbg_func **v; // by entry_pc
	unsigned n;
};

/** No match is success with n == 0. A name without wildcards reads only the units that can define it. */
struct sp_err *dbg_find_funcs(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret);
/** With what is around it, when that is known: "outer::Box::grow". */
const char *dbg_func_name(const struct dbg_func *func);
/** Has no second function of the module the symbol of this one? */
bool dbg_symbol_is_unique(const struct dbg_func *func);
/** Up to `max` existing names near to `name`, best first, for "did you mean". Returns how many. */
unsigned dbg_similar_funcs(struct dbg_module *module, const char *name, const char **ret, unsigned max);

/** A place in a function: the first instruction of a line, or a label. */
struct dbg_place {
	struct dbg_func *func; // the innermost that the place is in: what is inlined there is a function of its own
	uint64_t pc; // link-time
	const char *symbol; // ELF symbol that holds pc ("f.cold" for a part that was moved away); NULL: none
	uint64_t symbol_off;
	const char *file; // as dbg_func.file
	unsigned line; // labels: of the declaration
	const char *label; // NULL: a line
};

struct dbg_places {
	struct dbg_place *v; // by pc
	unsigned n;
};

struct dbg_lines {
	unsigned first, last; // both are in it
};

struct dbg_line_query {
	const char *func, *file; // as dbg_func_query
	bool is_relative; // lines count from the function's declaration: 0 is that
	const struct dbg_lines *lines; // none: every line
	unsigned n_lines;
};

/** The lines of functions where a probe can be set: where the code of a line begins, once a function or inlined instance.
 *  No match is success with n == 0; needs DWARF. */
struct sp_err *dbg_find_lines(struct dbg_module *module, const struct dbg_line_query *query, struct dbg_places *ret);
/** The lines of one function or inlined instance, without those of what is inlined there; none without DWARF. */
void dbg_func_lines(struct dbg_func *func, struct dbg_places *ret);
/** The labels of a function whose name matches (wildcards allowed). */
void dbg_find_labels(struct dbg_func *func, const char *name, struct dbg_places *ret);
/** The function or inlined instance that the address is in; found false, NULL error, when it is in none that is known. */
struct sp_err *dbg_place_at(struct dbg_module *module, uint64_t addr, struct dbg_place *ret, bool *found_ret);

/** A source file. */
struct dbg_text {
	const char *path; // the one that was read, or the last one that was tried
	bool is_there;
	const char *const *lines; // the first is line 1
	unsigned n;
};

/** The source file that the debug information of `func` calls `file`. Each is read once. */
const struct dbg_text *dbg_text(const struct dbg_func *func, const char *file);

/** Where a program calls a function of another file through. */
struct dbg_stub {
	const char *name; // of that function
	uint64_t pc; // link-time
};

struct dbg_stubs {
	struct dbg_stub *v;
	unsigned n;
};

/** The stubs (of the procedure linkage table) for functions whose names match. */
void dbg_find_stubs(struct dbg_module *module, const char *name, struct dbg_stubs *ret);

/** What a function calls. */
struct dbg_callee {
	struct dbg_func *func; // or the instance that is inlined there
	const uint64_t *returns; // link-time: where the calls of it come back to in the caller
	unsigned n_returns; // 0: it is inlined
};

struct dbg_callees {
	struct dbg_callee *v;
	unsigned n;
	unsigned n_calls; // that debug information knows of, whatever their name
	unsigned n_indirect, n_tail; // through pointers; by jumps that look like calls of the caller's caller
};

/** The functions of the module that a function calls itself, or that are inlined into it, and that match by name and file;
 *  needs DWARF. */
struct sp_err *dbg_find_callees(struct dbg_func *func, const struct dbg_func_query *query, struct dbg_callees *ret);
/** A value that is 1 at `pc` of `func` when the call chain is as wanted: frames[0] is where `func` returns to in its
 *  caller, frames[i] where that one returns to, and the frame further out than those returns to one of `returns`.
 *  NULL: it cannot be told, and why. */
const struct loc *dbg_called_from(struct dbg_func *func, uint64_t pc, const uint64_t *frames, unsigned n_frames,
				  const uint64_t *returns, unsigned n_returns, const char **why_ret);

/** The function at whose entry a probe can keep what LOC_ENTRY_REG means in locations of `func`: itself, or the one that it
 *  is inlined into. NULL: it cannot, and why. */
struct dbg_func *dbg_entry_of(struct dbg_func *func, const char **why_ret);
/** Where in that function the probe is: at the first instruction, or behind the call that the kernel's functions begin with
 *  for the sake of tracers. What hangs on that call (fexit) may run the body in another frame. */
uint64_t dbg_keep_pc(const struct dbg_func *entered);
/** The address of the frame (DWARF's CFA) at `pc`, which tells the activations of a function apart. NULL: not known, and
 *  why. */
const struct loc *dbg_frame_at(struct dbg_func *func, uint64_t pc, const char **why_ret);

struct dbg_var {
	const char *name; // NULL for a nameless parameter
	const struct c_type *type;
	bool is_param;
	int param_index; // 0-based position in the function's parameter list; -1
	unsigned line; // of the declaration
	const struct loc *loc; // NULL: not readable at this pc
	const char *why_not; // then: "optimised out", "lives in 0x..-0x.. only", "DW_OP_bra is not supported"
	bool in_entry_args; // the value at entry is the ABI's param_index-th integer argument, whole
};

struct dbg_vars {
	struct dbg_var *v; // inner scopes first; parameters before locals of the same scope
	unsigned n;
};

/** What is in scope at `pc` (link-time; must lie in `func`; entry_pc or body_pc usually). With BTF: the parameters. */
struct sp_err *dbg_vars_at(struct dbg_func *func, uint64_t pc, struct dbg_vars *ret);
/** Which variables a caller has use for. */
struct dbg_var_query {
	bool (*wants)(void *ctx, const char *name); // NULL: all
	void *ctx;
	bool no_reasons; // nobody reads `why_not`: it need not be exact
};

/** Those of dbg_vars_at() that are wanted. */
void dbg_vars_wanted(struct dbg_func *func, uint64_t pc, const struct dbg_var_query *query, struct dbg_vars *ret);
/** One of them by name; found false, NULL error, when there is none. Reads no other variable's location. */
struct sp_err *dbg_var_at(struct dbg_func *func, uint64_t pc, const char *name, struct dbg_var *ret, bool *found_ret);
/** A static or global of any unit that matches ("jiffies", "var@file.c"). */
struct sp_err *dbg_global_var(struct dbg_module *module, const char *name, struct dbg_var *ret, bool *found_ret);

/** An enumerator, as a constant of its type: of the function's unit, and of any unit ("Color::RED", too). */
bool dbg_enumerator_near(struct dbg_func *func, const char *name, struct dbg_var *ret);
bool dbg_enumerator(struct dbg_module *module, const char *name, struct dbg_var *ret);

/** The statics and globals that the function's unit defines or declares, as far as they are somewhere. With BTF: none. */
void dbg_vars_of_unit(struct dbg_func *func, struct dbg_vars *ret);

/** Type of the result (NULL: void) and where the ABI returns it, valid at the return; loc NULL: not by registers. */
struct sp_err *dbg_return_at(struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret);

/** "struct file", "union u", "enum e", "size_t", "unsigned long", with trailing "*"; NULL: no such type. A declaration
 *  is replaced by the definition of another unit. */
const struct c_type *dbg_find_type(struct dbg_module *module, const char *name);
/** The same, where the function's own unit comes before the others of its module. */
const struct c_type *dbg_find_type_near(struct dbg_func *func, const char *name);
/** Loads members (with those of anonymous members) or enumerators; follows a declaration to its definition.
 *  Returns the complete type, NULL when the module has only the declaration. Qualifiers and typedefs are stripped. */
const struct c_type *dbg_complete_type(const struct c_type *type);

/** All types that the kernel's BTF has, as C declarations. */
struct sp_err *dbg_types_as_c(struct dbg_module *kernel, struct sp_buf *ret);

/** Kernel tracepoints, from the BTF of the kernel (section .BTF of a vmlinux, or /sys/kernel/btf/vmlinux) with the
 *  events' names and systems from tracefs when the kernel is the running one. */
struct dbg_trace_field {
	const char *name;
	const struct c_type *type; // a `__data_loc` string: char[] of unknown count, with `is_data_loc`
	uint32_t offset; // in the record
	uint32_t size;
	bool is_data_loc;
};

struct dbg_tracepoint {
	const char *system; // "sched"; NULL: not known
	const char *name; // "sched_switch"
	struct dbg_module *module;
	struct c_member *args; // of the prototype, without the first (void *__data); bit_off is the index * 64
	unsigned n_args;
	struct dbg_trace_field *fields; // of the record, without the common ones; n_fields 0: not known
	unsigned n_fields;
	const char *record; // the structure that has these fields, if BTF has it: "struct trace_event_raw_sched_switch"; NULL: none
	bool is_event_only; // no tracepoint of its own (system calls' events): no prototype, only the record
};

struct dbg_tracepoints {
	struct dbg_tracepoint **v; // by system and name
	unsigned n;
};

/** `name` may hold wildcards; `system` NULL: any. The name "*" without a system is of tracepoints alone, without the events
 *  that have none. */
struct sp_err *dbg_find_tracepoints(struct dbg_module *kernel, const char *system, const char *name,
				    struct dbg_tracepoints *ret);

/** For fentry: does the kernel's BTF know this function (as its only one of that name)? `n_params_ret`: how many
 *  arguments it has in the context (all of them fit one register each, else false). */
bool dbg_btf_has_func(struct dbg_module *kernel, const char *symbol, unsigned *n_params_ret);

#endif
