// SPDX-License-Identifier: GPL-2.0-or-later
/** Debug information behind one interface: modules, functions, places, variables, types, tracepoints.
 *
 *  The problem. A probe needs addresses, lines, variables and types. They come from DWARF (in the file, in a separate file, on a
 *  debuginfod server), from BTF (kernels only: types and prototypes, no addresses) or from ELF symbols (names and addresses), and
 *  any of these can be missing. The DWARF of a kernel is 200 MB in 2,000 units, and a script asks for three functions of it.
 *
 *  The idea. The caller opens a module (the kernel, a kernel module, a program) and asks it for functions, places, variables and
 *  types. It does not see which source answers; dbg_module.source says which is the best one. Everything is read when it is asked
 *  for: the units that can define a name (index/), the variables of one function, the members of a structure that a path goes
 *  through (dbg_complete_type).
 *
 *  The invariants. Addresses are link-time addresses, never those of the running kernel or process. Results live as long as the
 *  struct dbg, and do not change. What cannot be had comes with the reason, in words that a diagnostic quotes: why_not,
 *  why_no_dwarf, no_probe. Nothing here knows scripts.
 *
 *  The limits. Little-endian ELF (of 32 bits for i386 alone), DWARF 2 to 5, architectures with a table in model/abi. A struct dbg belongs to one
 *  thread: a listing of a whole kernel or of a large program makes one for each thread, and gives each a share of the units
 *  (dbg_take_share). */
#ifndef SP_DEBUG_DBG_H
#define SP_DEBUG_DBG_H

#include "compiler/model/abi.h"
#include "compiler/model/loc.h"
#include "compiler/model/similar.h"
#include "compiler/model/type.h"

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"

struct dbg;

struct dbg_opts {
	const char *kernel; // release ("6.1.0-56-cloud-amd64"), path of a vmlinux, or NULL: the running kernel
	const char *sysroot; // where the files of the machine are that is compiled for: its path without links; NULL: "/"
	const char *source_dir; // where source files are; NULL: where the compiler saw them
	const char *debuginfo_path; // as elfutils has it (dbg_path.h): where separate debug files are; NULL: the usual places
	const struct sp_log *log;
	bool first_units; // of debug information the first units alone, or none, are there: what is read in a moment
};

struct dbg *dbg_create(const struct dbg_opts *opts);
void dbg_destroy(struct dbg *dbg);
/** That of the options: for what is told with -v. */
const struct sp_log *dbg_log(const struct dbg *dbg);
/** From now on, functions of the kernel and of programs are found only in one share of their units; those of programs that only
 *  symbols tell of belong to the first share. n_shares 0: in all units, as at first. What was found in the share before is given
 *  back. */
void dbg_take_share(struct dbg *dbg, unsigned share, unsigned n_shares);
/** From now on, patterns of the kernel's modules find one share of them. All modules of the kernel that were found before are closed, with
 *  what was found in them. */
void dbg_take_modules(struct dbg *dbg, unsigned share, unsigned n_shares);

/** Has a file not been read for want of memory or of descriptors, so that what was found may not be all? */
bool dbg_has_lacked(const struct dbg *dbg);

enum dbg_source { DBG_DWARF, DBG_BTF, DBG_SYMTAB };

struct dbg_module {
	const char *name; // "kernel", a kernel module's name, or the path as asked for
	const char *path; // the file that is run (executable, library, .ko, vmlinux); absolute
	const char *target_path; // that file on the machine that is compiled for: `path` without the sysroot
	const char *debug_path; // the file with the debug information; may equal path
	const char *release; // the kernel's release; NULL for programs
	enum dbg_source source; // the best one that was found
	bool is_kernel; // vmlinux or a kernel module: kernel memory
	bool is_offline; // it is not the running kernel
	bool is_pie; // addresses are relative to where it is loaded
	uint8_t build_id[32];
	unsigned build_id_len; // 0: none
	const struct abi *abi;
	uint64_t entry; // programs: link-time address of the first instruction
	uint64_t code_layout; // program: sp_code_layout() of its segments
	uint64_t text_base; // kernel: link-time address of _stext, from which the offset of KASLR is measured; else 0
	const char *only; // debug information is from the probe cache: what a message says of it; else NULL
	const char *why_no_dwarf; // when source is not DBG_DWARF: which files were tried, and which package or setting provides them
	void *impl;
};

/** The kernel that the options name. When its DWARF is missing, BTF or symbols take its place; only when all are missing is
 *  that an error. */
struct sp_err *dbg_kernel(struct dbg *dbg, struct dbg_module **ret);
/** A kernel module by name: "ext4"; "kvm_intel", or "kvm-intel", as its file has it. */
struct sp_err *dbg_kernel_module(struct dbg *dbg, const char *name, struct dbg_module **ret);
/** What perf and the probe cache call it: "[kernel.kallsyms]", "[ext4]", or the path of a program. */
const char *dbg_object_name(const struct dbg_module *module);
/** An executable or a shared library; a name without a slash is looked up in PATH, then as a library in ld.so.cache and the
 *  usual directories. A file that is asked for again is not opened again. */
struct sp_err *dbg_program(struct dbg *dbg, const char *path, struct dbg_module **ret);
/** Is `id`, in hexadecimal digits, the build-id of the file? */
bool dbg_has_build_id(const struct dbg_module *module, const char *id);

/** The program that a process runs, also when it is deleted, replaced or in another root folder; and the file that it has mapped at
 *  an address, with the address's offset there. SP_ERR_NOT_FOUND: there is no such process, or no file is mapped there. */
struct sp_err *dbg_process(struct dbg *dbg, int pid, struct dbg_module **ret);
struct sp_err *dbg_process_at(struct dbg *dbg, int pid, uint64_t addr, struct dbg_module **ret, uint64_t *offset_ret);
/** Does the process run or use a file that has the path for it, and is another file, or is deleted? */
bool dbg_process_differs(int pid, const char *path);
/** Does the process see a file at an absolute path? */
bool dbg_process_has(int pid, const char *path);

struct dbg_modules {
	struct dbg_module **v;
	unsigned n;
	unsigned n_without; // of the kernel: that match, too, but cannot have what was asked for
};

/** Modules of the kernel. All files of a kernel take a gigabyte to open, so those are left out that cannot have what is asked for. */
struct dbg_module_query {
	const char *pattern; // their names
	const char *section; // their files have it; NULL: any
	const char *function; // a name or pattern of functions that are looked for in them; NULL: any
};

/** The programs whose paths match a pattern; a pattern without a slash is looked for in the folders of PATH. Files that are not
 *  programs are left out. */
void dbg_find_programs(struct dbg *dbg, const char *pattern, struct dbg_modules *ret);
/** Those without a usable file are left out, too, but an error of the system ends the search. */
struct sp_err *dbg_find_kernel_modules(struct dbg *dbg, const struct dbg_module_query *query, struct dbg_modules *ret);
/** The libraries that the dynamic linker maps for a program and whose name or path matches; of the process `pid`, unless it is 0,
 *  those that it has mapped. When none matches and the pattern has no wildcard, it is taken as the path or name of a library that
 *  the program may load itself (dlopen). `names_ret`: the names of all libraries of the program, and of those that are not found, for a message. */
void dbg_find_libraries(struct dbg *dbg, struct dbg_module *program, int pid, const char *pattern, struct dbg_modules *ret,
			const char **names_ret);

/** Has the module so much debug information that a listing of all its functions is better made in shares? */
bool dbg_is_large(const struct dbg_module *module);
/** Is some of it in a language with namespaces and classes? */
bool dbg_has_scopes(const struct dbg_module *module);

/** Do its units need no others, as with link-time optimisation, type units and dwz? Then one unit alone says all of its functions. */
bool dbg_units_stand_alone(const struct dbg_module *module);
/** The link-time address of the function that an IFUNC of the module is in a process. False: not known, as before the first call where
 *  calls are bound late. */
bool dbg_ifunc_chosen(const struct dbg_module *module, const char *name, int pid, uint64_t *ret);

/** The file offset of a link-time address (for uprobes); false when no loaded segment holds it. */
bool dbg_file_offset(const struct dbg_module *module, uint64_t addr, uint64_t *ret);
/** May the program write to what is at a link-time address? The kernel sets no uprobes there. */
bool dbg_is_writable(const struct dbg_module *module, uint64_t addr);
/** Is a link-time address in a restartable sequence (rseq(2)), which a probe would take its thread out of? */
bool dbg_is_restartable(const struct dbg_module *module, uint64_t addr);
/** The link-time address of a file offset. */
bool dbg_offset_address(const struct dbg_module *module, uint64_t file_offset, uint64_t *ret);
/** The name and the start of the section that holds a link-time address; "" and 0: none does. (Kernel modules need it: the
 *  kernel loads each section of a module to an address of its own.) */
const char *dbg_section_at(const struct dbg_module *module, uint64_t addr, uint64_t *start_ret);
/** The link-time address of a symbol; false: there is none, or there are several at different addresses. */
bool dbg_symbol_address(const struct dbg_module *module, const char *name, uint64_t *ret);
/** Line-table position of an address: file as `dbg_func.file` gives it, and line; false when there is none. */
bool dbg_line_of(struct dbg_module *module, uint64_t addr, const char **file_ret, unsigned *line_ret);
/** A function at an address, and where in its source the code of this address comes from. */
struct dbg_frame {
	const char *name; // NULL: not known
	const char *file;
	unsigned line;
};

/** The functions at an address: those that are inlined there, from the inside out, and at last the one whose code it is. Returns how
 *  many; 0: debug information knows nothing of it. */
unsigned dbg_frames_at(struct dbg_module *module, uint64_t addr, struct dbg_frame *ret, unsigned max);
/** The start of the statement that holds an address; false when no line table covers it. */
bool dbg_statement_at(struct dbg_module *module, uint64_t addr, uint64_t *start_ret);
/** The start of the instruction that holds an address, as the code from `from` on says, where one begins; false when the code is
 *  not at hand, or is none that is understood. */
bool dbg_insn_at(const struct dbg_module *module, uint64_t from, uint64_t addr, uint64_t *start_ret);

struct dbg_func {
	struct dbg_module *module;
	const char *name; // source name
	const char *full_name; // with the namespaces and classes around it: "outer::Box::grow"; NULL: as name
	const char *linkage_name; // mangled or symbol name; equals name in C
	const char *file; // decl file; kernels: below the sources, "fs/read_write.c"; programs: as the compiler named it
	unsigned line; // of the declaration
	uint64_t entry_pc; // link-time address of the first instruction; 0: not known (BTF only)
	uint64_t low_pc, high_pc; // of the range that holds entry_pc
	unsigned check_size; // of the instructions at the entry that may run several times in one call: Go's, which get it a larger stack
	uint64_t body_pc; // after the prologue, where parameters of unoptimised code are in place; behind that check when optimised
	const char *section; // the ELF section of entry_pc (code of ".init.text" is gone after boot); NULL: not known
	const char *symbol; // ELF symbol that holds entry_pc; NULL: none
	uint64_t symbol_off; // entry_pc - symbol's value
	const char *no_probe; // kernels: why the function cannot be probed ("it is ..."); NULL: nothing forbids it
	bool never_runs; // that is because nothing calls it while scripts run
	bool is_inline; // an inlined instance; `caller` is the function that it was inlined into
	bool is_copy; // of an inlined instance: its code is there more than once, and the DIE tells of another entry
	bool is_external;
	bool is_hidden; // not static, but all symbols at its entry are local: a library keeps it to itself
	bool is_strong; // the symbol at its entry is its own, and global: the program has one definition alone
	const char *no_result; // set by dbg_return_at(): why nothing tells where the result is ("returned in ..."); NULL: something may
	const char *caller; // inlined instances only
	const char *ifunc; // the function was found by the name of this IFUNC, which can choose it; NULL: by its own
	bool is_resolver; // ... and is its resolver, as what that chooses from is not known
	void *scope; // debug/ only: the DIE or the BTF id; NULL: the function is known by its symbol alone, without variables
};

struct dbg_func_query {
	const char *name; // wildcards allowed
	const char *file; // "read_write.c", "fs/*.c": matched against the end of the path at a '/'; NULL: any
	unsigned line; // 0: any; else the function's declaration line, or the function that holds this line
	bool calls; // find functions that have code of their own, which calls reach
	bool inlines; // find inlined instances
	// Code is looked for, not names: each copy that the compiler made of an inlined instance's code counts, which all have one DIE, and
	// functions that were folded into one count once.
	bool is_probed;
	// Asked about each inlined function, with its name, file and line: true leaves out all its instances. NULL: none is.
	bool (*skips)(void *ctx, const struct dbg_func *func);
	void *skips_ctx;
	bool once; // of a function and its instances one that can be probed is enough; more of them may be found
	bool in_all_units; // also of other shares than the one that was taken: dbg_take_share()
};

struct dbg_funcs {
	struct dbg_func **v; // sorted by entry_pc
	unsigned n;
};

/** No match is success with n == 0. A name without wildcards reads only the units that can define it. */
struct sp_err *dbg_find_funcs(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret);
/** The functions of a kernel without DWARF by their symbols alone; wildcards are allowed. None of a kernel that has DWARF: there
 *  dbg_find_funcs() finds them. */
void dbg_find_symbols(struct dbg_module *module, const char *pattern, struct dbg_funcs *ret);
/** The name with the namespaces and classes around it, when these are known: "outer::Box::grow". */
const char *dbg_func_name(const struct dbg_func *func);
/** The name of another function whose code this is, too: compilers and linkers fold functions with the same code into one. NULL: none is
 *  known. An alias of the source is no other function. */
const char *dbg_folded_with(struct dbg_func *func);
/** The symbol of a thunk of C++ with a copy of the function: who calls that by way of a base class runs the copy. NULL: none is known. */
const char *dbg_copied_by_thunk(const struct dbg_func *func);
/** What else than the function itself uses its return address. The kernel's probes of returns put another address in its place. */
enum dbg_stack_use {
	DBG_STACK_PLAIN,
	DBG_STACK_UNWOUND, // exceptions and panics: whoever throws one looks for handlers by the return addresses on the stack
	DBG_STACK_PASSED, // the same in C that is made for it (-fexceptions), as most of libc that calls back or waits
	DBG_STACK_LOOKED_UP, // OCaml: whose collector finds what the stack holds by tables of return addresses
	DBG_STACK_OTHER, // Haskell: code is jumped to, and goes on by another stack than the processor's
	DBG_STACK_READ, // by itself: setjmp() keeps it for later, dlsym() learns from it who calls
	DBG_STACK_SWITCHED, // swapcontext(): the kernel takes a call on a stack further down for one that was left by longjmp()
	DBG_STACK_MOVES, // Go: a stack that becomes too small is copied, and return addresses are looked up in tables
};

enum dbg_stack_use dbg_func_stack_use(const struct dbg_func *func);

/** An instruction at which a function is left. */
struct dbg_exit {
	uint64_t pc;
	bool is_jump; // a tail call: another function returns in its place
};

struct dbg_exits {
	struct dbg_exit *v;
	unsigned n;
};

/** All of them, none of a function that never returns. False: they cannot be told, and why. */
bool dbg_find_exits(const struct dbg_func *func, struct dbg_exits *ret, const char **why_ret);

/** What tells a call of a function in a program from those that run at the same time: values that are the same as it begins and as it
 *  ends. */
struct dbg_call {
	const struct loc *thread; // a goroutine, which threads take turns with; NULL: the thread
	const struct loc *frame;
};

enum dbg_call_at {
	DBG_CALL_BEGINS, // at the entry, or behind the prologue
	DBG_CALL_ENDS, // at one of its exits
	DBG_CALL_ENDED, // where it returns to
};

/** The values at `pc`, which is one of these. False: they are not known. */
bool dbg_call_at(struct dbg_func *func, uint64_t pc, enum dbg_call_at at, struct dbg_call *ret);
/** Is this the only function of the module with its symbol? */
bool dbg_symbol_is_unique(const struct dbg_func *func);

enum dbg_named {
	DBG_NAMED_FUNC,
	DBG_NAMED_VAR,
	DBG_NAMED_TYPE,
};

/** Tries what the module has of that sort, for "did you mean". */
void dbg_similar(struct dbg_module *module, enum dbg_named what, struct similar *similar);
/** Adds the versions that a library has of a function, if it has any: "f@V1, f@@V2". */
void dbg_func_versions(struct dbg_module *module, const char *name, struct sp_buf *ret);
/** "did you mean 'a' or 'b'?", in `arena`; NULL: nothing is spelt like `name`. */
const char *dbg_did_you_mean(struct dbg_module *module, enum dbg_named what, const char *name, struct sp_arena *arena);

/** A place in a function: the first instruction of a line, or a label. */
struct dbg_place {
	struct dbg_func *func; // the innermost function or inlined instance that holds the place
	uint64_t pc; // link-time
	const char *symbol; // ELF symbol that holds pc ("f.cold" for code that the compiler moved away from f); NULL: none
	uint64_t symbol_off;
	const char *file; // as dbg_func.file
	unsigned line; // labels: of the declaration
	const char *label; // NULL: a line
};

struct dbg_places {
	struct dbg_place *v; // sorted by pc
	unsigned n;
};

struct dbg_line_range {
	unsigned first, last; // both included
};

struct dbg_line_query {
	const char *func, *file; // as dbg_func_query
	bool is_relative; // lines are counted from the function's declaration, which is line 0
	const struct dbg_line_range *lines; // n_lines 0: every line
	unsigned n_lines;
};

/** The lines where a probe can be set: the first instruction of each line, once for each function or inlined instance.
 *  No match is success with n == 0; needs DWARF. */
struct sp_err *dbg_find_lines(struct dbg_module *module, const struct dbg_line_query *query, struct dbg_places *ret);
/** The lines of one function or inlined instance, without those of what is inlined there; none without DWARF. */
void dbg_func_lines(struct dbg_func *func, struct dbg_places *ret);
/** The labels of a function whose name matches (wildcards allowed). */
void dbg_find_labels(struct dbg_func *func, const char *name, struct dbg_places *ret);
/** The function or inlined instance that holds the address; *found_ret is false when none is known. */
struct sp_err *dbg_place_at(struct dbg_module *module, uint64_t addr, struct dbg_place *ret, bool *found_ret);

/** A source file. */
struct dbg_text {
	const char *path; // the file that was read, or else the last one that was tried
	bool is_there; // it could be read
	const char *const *lines; // lines[0] is line 1
	unsigned n;
};

/** The source file that the debug information of `func` calls `file`. Each is read once. */
const struct dbg_text *dbg_text(const struct dbg_func *func, const char *file);

/** A stub: the code through which a program calls a function of another file. */
struct dbg_stub {
	const char *name; // of the function that is called
	uint64_t pc; // link-time
};

struct dbg_stubs {
	struct dbg_stub *v;
	unsigned n;
};

/** The stubs (of the procedure linkage table) for functions whose names match. */
void dbg_find_stubs(struct dbg_module *module, const char *name, struct dbg_stubs *ret);

/** A function that another one calls. */
struct dbg_callee {
	struct dbg_func *func; // the function, or its instance that is inlined into the caller
	const uint64_t *returns; // link-time addresses in the caller that these calls return to
	unsigned n_returns; // 0: it is inlined
};

struct dbg_callees {
	struct dbg_callee *v;
	unsigned n;
	unsigned n_calls; // all calls that debug information knows, whatever the callee's name
	unsigned n_indirect; // calls through pointers
	unsigned n_tail; // tail calls: jumps, after which the callee returns to the caller's caller
};

/** The functions of the same module that `func` calls directly, or that are inlined into it, and that match by name and file.
 *  Needs DWARF. */
struct sp_err *dbg_find_callees(struct dbg_func *func, const struct dbg_func_query *query, struct dbg_callees *ret);
/** A test of the call chain, as a value that is 1 or 0 at `pc` of `func`. frames[0] is the address in its caller that `func`
 *  returns to, frames[i + 1] the one that the function of frames[i] returns to. The value is 1 when the outermost of these
 *  functions returns to one of `returns`: for main -> a -> b -> func with frames {in b, in a}, whether a was called at one of these
 *  places. NULL: this cannot be tested, and why. */
const struct loc *dbg_called_from(struct dbg_func *func, uint64_t pc, const uint64_t *frames, unsigned n_frames,
				  const uint64_t *returns, unsigned n_returns, const char **why_ret);

/** The function at whose entry a probe can save the registers that LOC_ENTRY_REG in locations of `func` means: `func` itself, or
 *  the function that it is inlined into. NULL: a probe cannot, and why. */
struct dbg_func *dbg_entry_of(struct dbg_func *func, const char **why_ret);
/** The address of that probe: the first instruction; in kernels the one behind the call to __fentry__ with which functions begin
 *  (a fexit program takes the place of that call, and may run the body in another frame). */
uint64_t dbg_entry_probe_pc(const struct dbg_func *entered);
/** The address of the frame at `pc` (DWARF's CFA): it tells the activations of a function apart. NULL: not known, and why. */
const struct loc *dbg_frame_at(struct dbg_func *func, uint64_t pc, const char **why_ret);

struct dbg_var {
	const char *name; // NULL for a nameless parameter
	const struct c_type *type;
	bool is_param;
	int param_index; // 0-based position in the function's parameter list; -1
	unsigned line; // of the declaration
	const struct loc *loc; // NULL: not readable at this pc
	const char *why_not; // then the reason: "optimised out", "lives in 0x..-0x.. only", "DW_OP_bra is not supported"
	bool in_entry_args; // the value at entry is the ABI's param_index-th integer argument, whole
	uint64_t at; // of a library's variable that another file can have in its place: the address of its own, which `loc` does not have; or 0
};

struct dbg_vars {
	struct dbg_var *v; // inner scopes first; in a scope, parameters before locals
	unsigned n;
};

/** The variables in scope at `pc`, a link-time address in `func`, most often entry_pc or body_pc. BTF knows parameters only. */
struct sp_err *dbg_vars_at(struct dbg_func *func, uint64_t pc, struct dbg_vars *ret);
/** Which variables to read. */
struct dbg_var_query {
	bool (*wants)(void *ctx, const char *name); // NULL: all
	void *ctx;
	bool no_reasons; // the caller reads neither `why_not`, which need not be exact then, nor `line`
	struct sp_arena *arena; // for the variables and where they are, but not for their types; NULL: all live as long as the module
};

/** The variables of dbg_vars_at() that are wanted. */
void dbg_vars_wanted(struct dbg_func *func, uint64_t pc, const struct dbg_var_query *query, struct dbg_vars *ret);
/** One variable of dbg_vars_at() by name; *found_ret is false when there is none. Reads the location of no other one. */
struct sp_err *dbg_var_named(struct dbg_func *func, uint64_t pc, const char *name, struct dbg_var *ret, bool *found_ret);
/** A static or global variable of any unit: "jiffies", "var@file.c". */
struct sp_err *dbg_global_var(struct dbg_module *module, const char *name, struct dbg_var *ret, bool *found_ret);

/** An enumerator ("RED", "Color::RED") as a constant of its type: one of the function's own unit; one of any unit. */
bool dbg_enumerator_near(struct dbg_func *func, const char *name, struct dbg_var *ret);
bool dbg_enumerator(struct dbg_module *module, const char *name, struct dbg_var *ret);

/** The variable outside of functions that the function's unit has by that name, where its place is known. BTF knows none. */
bool dbg_var_of_unit(struct dbg_func *func, const char *name, struct dbg_var *ret);
/** Does the name mean a variable of a function around this one? Such a variable is not found. */
bool dbg_is_of_outer(struct dbg_func *func, const char *name);
/** The static and global variables that the function's unit defines or declares, if they have a location. BTF knows none. */
void dbg_vars_of_unit(struct dbg_func *func, struct dbg_vars *ret);

/** The type of the result (NULL: void), and where it is when the function returns; loc NULL: not in registers. */
struct sp_err *dbg_return_at(struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret);

/** "struct file", "union u", "enum e", "size_t", "unsigned long", with trailing "*"; NULL: no such type. A declaration
 *  is replaced by the definition of another unit. */
const struct c_type *dbg_find_type(struct dbg_module *module, const char *name);
/** The same, where the function's own unit comes before the others of its module. */
const struct c_type *dbg_find_type_near(struct dbg_func *func, const char *name);
/** Loads the members of a structure, those of its anonymous members included, or the enumerators of an enumeration; follows a
 *  declaration to its definition. Returns the complete type without qualifiers and typedefs; NULL when the module has only the
 *  declaration. */
const struct c_type *dbg_complete_type(const struct c_type *type);

/** The types of the kernel's BTF as C declarations: those that C code with the words of `text` can name, or come to by members that it
 *  names; NULL: all. */
struct sp_err *dbg_types_as_c(struct dbg_module *kernel, const char *text, struct sp_buf *ret);

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
	struct c_member *args; // of the prototype, without the first (void *__data); bit_off is the argument's index * 64
	unsigned n_args;
	struct dbg_trace_field *fields; // of the record, without those that all records have; n_fields 0: not known
	unsigned n_fields;
	const char *record; // the structure that has these fields, if BTF has it: "struct trace_event_raw_sched_switch"; NULL: none
	bool is_event_only; // an event without a tracepoint of its own (system calls): there is a record, but no prototype
};

struct dbg_tracepoints {
	struct dbg_tracepoint **v; // by system and name
	unsigned n;
	bool lacks_events; // tracefs, which lists the events of the running kernel, cannot be read
};

/** Those of a module of that kernel; `module` NULL: its own and all of its modules'. `name` may hold wildcards; `system` NULL:
 *  any. The name "*" without a system finds tracepoints alone, not the events without a tracepoint (is_event_only), of which
 *  system calls have some 700. */
struct sp_err *dbg_find_tracepoints(struct dbg_module *kernel, struct dbg_module *module, const char *system,
				    const char *name, struct dbg_tracepoints *ret);

/** A place that a program's author has marked, with arguments: a note of sys/sdt.h. */
struct dbg_mark {
	const char *provider, *name;
	const char *args; // the note's text, where the arguments are: probe/usdt_arg.h
	uint64_t pc, semaphore; // link-time; semaphore 0: none
	bool is_hidden; // the semaphore, from the kernel in programs that start
	bool is_again; // one with its provider and name comes before
};

struct dbg_marks {
	struct dbg_mark *v; // in the order of the file
	unsigned n;
	unsigned n_names; // that differ
};

/** Those of a program or library; its file is read once. A file that cannot be read has none. */
const struct dbg_marks *dbg_marks(struct dbg_module *module);

/** What the kernel can go through, object by object: bpf_iter. */
struct dbg_iterator {
	const char *name; // "task"
	const struct c_type *context; // what a program is given for each object: struct bpf_iter__task
};

struct dbg_iterators {
	struct dbg_iterator *v; // by name
	unsigned n;
};

/** `name` may hold wildcards. */
struct sp_err *dbg_find_iterators(struct dbg_module *kernel, const char *name, struct dbg_iterators *ret);

/** A BPF program that the running kernel has loaded. */
struct dbg_bpf_program {
	uint32_t id, type; // enum bpf_prog_type
	const char *type_name; // "sched_cls"
	const char *name; // of its function; without types, the short name
	const char *short_name; // the kernel's own, of at most 15 letters
	uint64_t tag; // of its code
	struct dbg_func *func; // NULL: it was loaded without types
	const char *why_not; // why it cannot be probed ("it ..."); NULL: it can
};

struct dbg_bpf_programs {
	struct dbg_bpf_program *v; // by id
	unsigned n;
};

/** All of them, as they were when this was first asked. */
struct sp_err *dbg_bpf_programs(struct dbg *dbg, struct dbg_bpf_programs *ret);
/** What a parameter of the program leads to where it runs: for a `struct __sk_buff *`, the kernel's `struct sk_buff *`. Others are what
 *  they are. */
const struct c_type *dbg_bpf_context(struct dbg_module *kernel, const struct dbg_bpf_program *program, const struct c_type *type);

/** For fentry: does the kernel's BTF know this function (as its only one of that name)? `n_params_ret`: how many
 *  arguments it has in the context (all of them fit one register each, else false). */
bool dbg_btf_has_func(struct dbg_module *kernel, const char *symbol, unsigned *n_params_ret);

/** May a function of the kernel give a result without being run? Those may that are on its list for error injection. */
enum dbg_replaceable {
	DBG_REPLACEABLE_UNKNOWN, // only a kernel that runs has the list, and root alone can read it
	DBG_REPLACEABLE_NOT, // the function is not on the list
	DBG_REPLACEABLE_NONE, // the kernel was built without one
	DBG_REPLACEABLE,
};
enum dbg_replaceable dbg_is_replaceable(const struct dbg_func *func);

#endif
