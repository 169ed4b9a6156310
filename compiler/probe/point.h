// SPDX-License-Identifier: GPL-2.0-or-later
/** From probe points to sites, the places that handlers run at.
 *
 *  The problem: `kernel.function("vfs_*")`, `process("/bin/ls").mark("m")` and `timer.s(1)` have nothing in common but that
 *  a handler runs there. Some are searched in debug information, some in notes of a file or in tracefs, some nowhere. And
 *  one place can have several hooks: a kernel function has fentry, which is fast, or a kprobe, which sees all registers.
 *
 *  The idea: each kind of point is a family (struct point_family), which is one file pt_*.c and one row of families[] in point.c.
 *  It knows the patterns of its points, finds their sites, says what `$name` means there, and chooses the hook. The rest of
 *  the compiler asks the family. needs_kernel says that a family's hooks depend on what the target's kernel can do; the
 *  kernel is examined when the first such point is resolved.
 *
 *  The invariant: choose_hook alone decides the hook of a site, after the names that the handler reads there are known.
 *  `$name` then means what that hook can read. A point without a site is a diagnostic, unless it is optional.
 *
 *  The limits: aliases are unknown here, sema/bind expands them. A family finds where a variable is; whether a handler can
 *  read it is decided by sema/access.c. Points of SystemTap that no family has are rows of unsupported.def. */
#ifndef SP_PROBE_POINT_H
#define SP_PROBE_POINT_H

#include "compiler/debug/dbg.h"
#include "compiler/front/ast.h"
#include "compiler/front/diag.h"
#include "compiler/model/similar.h"
#include "compiler/model/target.h"
#include "runtime/abi/bundle.h"

struct point_family;
struct point_global;

/** What resolving sees. One a compilation; results live in `arena` and in `dbg`. */
struct point_env {
	struct dbg *dbg;
	const struct target *target;
	struct diag_ctx *dc;
	struct sp_arena *arena;
	const char *command; // -c: names the program of `process` without a path; NULL
	int pid; // -x; 0
	bool is_elsewhere; // the script is compiled for another machine, whose processes are not those of this one
	bool user_engine_only; // --engine=user
	bool (*is_listed)(void *ctx, const char *point); // more sites of that point are of no use; NULL: all are
	void *list_ctx;
	// -L lists the variables that all sites of a point have. For list_vars: what is left of them after the sites so far, so that
	// no other variable need be looked at; NULL: this is the first site.
	const char *known_vars;
	bool is_probed; // handlers are made for the sites: there are limits that a listing does not have
	bool only_named; // sites are named, no more: of several with the same name one is enough
	// Debug information of header files ("<sys/stat.h>").
	struct sp_err *(*header_module)(void *ctx, const char *headers, struct dbg_module **ret);
	void *header_ctx;
	// Finds out what the target's kernel can do, when the first point needs it. False: it failed, and bind ends with that. NULL:
	// it is known.
	bool (*find_features)(void *ctx);
	void *features_ctx;
	struct point_global *globals; // pt_func.c: which names are global variables at all; starts as NULL
};

/** A test of who has called the function of a site, made at its entry: (test && outer) || other. */
struct site_caller {
	const struct loc *test; // 1: `func` returns to behind one of the calls that are meant; else 0
	const struct dbg_func *func; // that of the site, or one that has called it
	const struct site_caller *outer; // the same of the function that has called `func`; NULL: that one does not matter
	const struct site_caller *other; // NULL: no other way
};

/** Which of the events at a site the handler is for. */
enum site_guard {
	GUARD_NONE, // all
	GUARD_NEW_PROCESS, // a system call returns in a process that it has made
	GUARD_NEW_THREAD, // ... in a thread that is not its process's first
	GUARD_PROCESS, // it is a process's first thread
	GUARD_THREAD, // another
	GUARD_OBJECT, // an iterator has an object: the last call is without
};

/** One place that a handler runs at. */
struct site {
	const struct point_family *family;
	const struct ast_point *origin; // for diagnostics
	const char *point; // resolved: kernel.function("ksys_read@fs/read_write.c:602")
	const char *function; // for ppfunc(); ""
	const char *name; // for pn(): of the alias that led here; NULL: point
	enum sp_site_kind kind; // set by the family's choose_hook
	bool has_trampoline; // its hook is one of those that a function can have few of
	bool hook_is_open; // until then every hook is looked at for `$name`: a tracepoint has arguments, its event has fields
	bool is_never; // attached nowhere: the handler is only checked
	const char *counter; // of .counter("NAME"): @perf reads it, and is_never; else NULL
	enum sp_prog_kind prog_kind;
	enum site_space space;
	bool is_return;
	bool replaces; // a function's entry: its handler may give the result, and then the function is not run ...
	const char *why_not_replaced; // ... which it asks for in vain: the reason
	enum site_exit { // of a return that is probed at an instruction of the function that ends
		EXIT_NONE, // the return is seen in another way
		EXIT_RETURN,
		EXIT_JUMP, // a tail call: the result is not known yet
	} exit;
	const char *exit_why; // why it is not: "Go moves its stacks"
	struct dbg_call call; // at a program's returns and their entries: tells calls apart; frame NULL: they are told by how they nest
	bool optional;
	struct dbg_module *module; // NULL: none
	struct dbg_module *program; // the handler is for processes alone that run it; NULL: for all
	struct dbg_func *func; // NULL: none
	uint64_t pc; // link-time; 0: none
	uint64_t watched; // of process.data: link-time address of what is watched; 0: an address of the process alone is known
	const char *section; // of a kernel module: the one that pc is in, which begins at section_start; else NULL
	uint64_t section_start;
	const char *symbol; // for the attach
	uint32_t max_active; // of .maxactive(N); 0: it has none
	union sp_hook_args args; // by kind
	const struct dbg_mark *mark; // of .mark; else NULL
	const struct dbg_tracepoint *tracepoint;
	const struct c_type *context; // of an iterator: the structure that it gives for each object; else NULL
	const char *why; // why this hook, for -v
	bool is_process; // an event of processes, seen by both engines
	bool begins; // of process.begin: SP_SITE_RUNNING, or one beside which that is
	bool is_any_abi; // of a system call: beside it is the site for the call of 32-bit programs, or the other way round
	enum site_guard guard;
	const struct site_caller *callers; // the handler is for calls from there alone; NULL: from anywhere
};

struct sites {
	SP_VEC(struct site *) list;
};

/** Is the site in the kernel, and right at its symbol? */
static inline bool site_is_at_symbol(const struct site *site)
{
	switch (site->kind) {
	case SP_SITE_KPROBE:
	case SP_SITE_KRETPROBE:
	case SP_SITE_FENTRY:
	case SP_SITE_FEXIT:
		return !site->args.kernel.offset && !site->args.kernel.address;
	case SP_SITE_BEGIN:
	case SP_SITE_END:
	case SP_SITE_ERROR:
	case SP_SITE_TIMER:
	case SP_SITE_CONDITION:
	case SP_SITE_UPROBE:
	case SP_SITE_URETPROBE:
	case SP_SITE_RAW_TP:
	case SP_SITE_TP:
	case SP_SITE_SYSCALL:
	case SP_SITE_PERF:
	case SP_SITE_WATCH:
	case SP_SITE_ITER:
	case SP_SITE_LSM:
	case SP_SITE_PROCFS:
	case SP_SITE_RUNNING:
	case SP_SITE_SAMPLE:
	case SP_SITE_NETFILTER:
	case SP_SITE_BPF:
	case SP_SITE_BPF_RETURN:
	case SP_SITE_KIND_COUNT:
		break;
	}
	return false;
}

/** Is it a system call, which has $arg1 to $arg6 or $return? */
static inline bool site_is_syscall(const struct site *site)
{
	return site->kind == SP_SITE_SYSCALL ||
	       (site->is_process && site->kind == SP_SITE_TP && site->guard == GUARD_NONE && sp_starts_with(site->symbol, "raw_syscalls:"));
}

/** Is the context of such programs made of whole words, one for each argument? */
static inline bool prog_context_is_words(enum sp_prog_kind kind)
{
	return kind == SP_PROG_FENTRY || kind == SP_PROG_FEXIT || kind == SP_PROG_RAW_TP || kind == SP_PROG_TYPED_TP ||
	       kind == SP_PROG_ITER || kind == SP_PROG_LSM || kind == SP_PROG_NETFILTER || kind == SP_PROG_REPLACE;
}

/** Is such a program loaded for one place, so that no other site can have it? */
static inline bool prog_has_one_place(enum sp_prog_kind kind)
{
	return kind == SP_PROG_FENTRY || kind == SP_PROG_FEXIT || kind == SP_PROG_ITER || kind == SP_PROG_LSM || kind == SP_PROG_REPLACE;
}

/** Where the value of a `$name` starts, before its ->steps. */
enum site_base {
	SITE_BASE_LOC, // loc: DWARF's location at site->pc
	SITE_BASE_CTX, // ctx_off, ctx_size: in the program's context
	SITE_BASE_REGS, // ctx_off, ctx_size: in the struct pt_regs that the context begins with a pointer to
	SITE_BASE_ARGS, // the word at ctx_off of a trampoline's context, read as memory: the verifier would ask what it points to
	SITE_BASE_RESULT, // the same behind all arguments: how many they are, is in the word before the context (Linux 5.17)
	SITE_BASE_RECORD, // a tracepoint's record: address of the member at ctx_off (arrays, __data_loc strings)
	SITE_BASE_EXPR, // expr: a script expression that is the value of base_type (most often a pointer, and the first
			// step is STEP_DEREF): @cast, autocast
	SITE_BASE_CONST, // number
};

/** One resolved step of an access path. */
struct site_step {
	enum site_step_kind {
		STEP_ADD, // + bytes
		STEP_DEREF, // load the pointer here and go on
		STEP_SCALE, // + index * bytes
		STEP_VIRTUAL, // + the word `bytes` before the virtual table that the pointer here leads to
	} kind;
	int64_t bytes;
	struct ast_expr *index; // STEP_SCALE
	uint64_t count; // STEP_SCALE: elements of the array; 0: not known, or a pointer was followed
	const char *in, *member; // STEP_ADD: the offset is that of a member of the kernel's "struct file", or "kuid_t"; else NULL
				 // STEP_SCALE: `in` is what has that many bytes, or NULL
	uint32_t member_size; // of a number; else 0
	uint32_t bit, n_bits; // STEP_ADD to a bit-field: its first bit in the structure, and how many; n_bits 0: none
	bool by_layout; // bytes are what structures of this very kernel have
	struct span span;
};

/** What a whole value is printed as: texts and parts of it in turn. */
struct pretty {
	struct pretty_part {
		const char *text; // what comes before
		enum pretty_kind {
			PRETTY_END, // nothing: the text ends the value
			PRETTY_NUMBER,
			PRETTY_HEX, // with 0x
			PRETTY_POINTER,
			PRETTY_CHAR,
			PRETTY_ENUM, // by name, flags by names; a number when none fits
			PRETTY_FLOAT, // of 4 or 8 bytes, or a long double
			PRETTY_CHARS, // an array of characters, in quotes; bit_size 0: up to a NUL
			PRETTY_STRING, // a pointer to characters: the text there, in quotes
			PRETTY_WHEN, // what follows up to its PRETTY_UNTIL is there when the enumeration has the name `variant`
			PRETTY_UNTIL,
		} kind;
		uint64_t bit_off, bit_size; // in the value
		bool is_signed;
		bool is_late; // the runtime makes its text, when it prints it; PRETTY_CHARS: unless they are in memory
		const struct c_type *type; // without typedefs and qualifiers
		const char *variant; // PRETTY_WHEN; NULL: when it has none of its names
		uint64_t length_off, length_size; // PRETTY_STRING: the bits that say how long it is; length_size 0: up to a NUL
	} *parts;
	unsigned n;
	unsigned n_kept; // how many parts a string of MAXSTRINGLEN bytes can have, with the texts before them
};

/** A target variable with its type and location: the payload of AST_RESOLVED. */
struct site_value {
	enum site_base base;
	const struct loc *loc;
	const struct loc *frame; // the frame that values of the entry are found by, when `loc` has LOC_ENTRY_REG; else NULL
	struct site_kept { // what each of them is in the handler
		int64_t reg;
		struct ast_expr *value;
	} *kept;
	unsigned n_kept;
	uint32_t ctx_off, ctx_size;
	uint32_t compat_off, compat_size; // SITE_BASE_REGS: the same in a call of a 32-bit program; size 0: the site has no such calls
	bool is_data_loc;
	struct ast_expr *expr;
	int64_t number;
	enum site_space space;
	const struct c_type *base_type;
	struct site_step *steps;
	unsigned n_steps;
	const struct c_type *type; // of the result; NULL: void pointer's target is never read
	bool address_of; // the address itself is the value (&, arrays, structures)
	uint32_t bit_off, bit_size; // bit-field in the loaded unit; bit_size 0: none
	const struct pretty *pretty; // $x$: the text of the whole value; NULL: the value itself
	bool is_late; // of a `pretty` one: only the runtime can make its text, such as of floating point numbers
	bool is_result; // what a handler says to the kernel that asks it: to write it is to answer
	const struct abi_reg *written; // it is assigned to, and is in this register, which the user engine writes; NULL: in memory
	bool is_absent; // it cannot be read
	uint64_t absent_pieces; // of a `pretty` one: bits 1 << i of pieces that cannot be read
	bool is_listed; // one of $$vars: `?` when it cannot be read
	const struct dbg_module *module; // whose slide a LOC_ADDR needs
	const char *text; // "$p->a": what run-time errors name
	// Portable scripts, see sema/layout.h: what has to be on the machine that loads them as it is here.
	const char *prototype; // a function's parameters: "vfs_read(file,buf,count,pos)"; NULL: none
	const char *field; // a place in a record, as SP_FIX_SAME_PLACE has it; NULL: none
	bool is_bound; // the value is read in a way that holds for this kernel alone
};

/** Which variables $$vars and the like list. */
enum point_list { POINT_VARS, POINT_PARMS, POINT_LOCALS };

/** Names without `$`. */
struct point_names {
	SP_VEC(const char *) list;
};

/** What a handler uses of its site, by which the site's hook is chosen. */
struct point_use {
	const char *const *names; // "$fd", each once
	unsigned n_names;
	bool reads_registers; // by itself, as register() does
	bool sets_result; // at a function's entry it assigns to $return, and does no more with it: not one of the names
	bool is_crowded; // as many trampolines as the kernel takes are at that function already
	unsigned n_entries; // of how many of the kernel's functions, named one by one, the script probes the entry
};

struct point_family {
	const char *name; // "kernel.function"
	const char *patterns; // for "did you mean" and --dump-probe-types: "kernel.function(string)\nkernel.function(string).call"
	/** Its points are in the kernel or in programs: what the target's kernel can do decides about their hooks. */
	bool needs_kernel;
	/** Is it this family's point, by its first components? */
	bool (*matches)(const struct ast_point *point);
	/** Appends the sites; reports what is wrong (bad component, bad argument) and returns false. No match is true with
	 *  nothing appended, with *why_ret saying what was looked at and `similar` names for the hint. */
	bool (*resolve)(struct point_env *env, const struct ast_point *point, struct sites *sites_ret, const char **why_ret);
	/** Decides kind, prog_kind, why, symbol, offset, once it is known what the handler uses. NULL: resolve has decided them. */
	void (*choose_hook)(struct point_env *env, struct site *site, const struct point_use *use);
	/** The base value of `$name` (base, loc or ctx_*, base_type, space, module). False, with a diagnostic that lists
	 *  what is visible and says why. In a return site, parameters are found as they were at the entry, when the hook
	 *  can (fexit); otherwise *needs_entry_ret is set and sema reads them in a companion entry site. */
	bool (*find_var)(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			 bool *needs_entry_ret);
	/** The text that a `$$name` is at the site; false: it is none that the family knows. NULL: the family has none. */
	bool (*find_text)(const struct site *site, const char *name, const char **ret);
	/** The entry site that belongs to a return site, for @entry; of another site, where the function that it is in (not an
	 *  inlined instance) is entered, for values in a `frame`. NULL: there is none. */
	struct site *(*entry_site)(struct point_env *env, const struct site *site);
	/** Appends the names that $$vars, $$parms or $$locals stand for, in order, each once. NULL: these mean nothing here. */
	void (*list_names)(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret);
	/** Appends what -L shows after the point: " $file:struct file* $count:size_t". NULL: nothing to show. */
	void (*list_vars)(struct point_env *env, struct site *site, struct sp_buf *out);
};

extern const struct point_family pt_data, pt_process_data, pt_kernel, pt_kprobe, pt_usdt, pt_plt, pt_life, pt_process, pt_trace, pt_syscall, pt_sample, pt_perf, pt_timer, pt_iter, pt_bpf, pt_lsm, pt_netfilter, pt_procfs, pt_cache, pt_self;

/** A variable of perf.data("FILE").sample. */
struct pt_sample_variable {
	const char *name; // "$ip"
	bool is_text;
};
/** NULL: there is none of that name. */
const struct pt_sample_variable *pt_sample_variable(const char *name);

/** Does the context of the handler tell where the file of `module` is loaded? */
static inline bool site_knows_load_address(const struct site *site, const struct dbg_module *module)
{
	bool is_told = site && (site->kind == SP_SITE_UPROBE || (site->kind == SP_SITE_WATCH && site->watched));

	return is_told && site->module == module && module->abi;
}

/** The architecture of the code that a site is in: a program may be one of 32 bits. `target`: that of the kernel. */
static inline const struct abi *site_abi(const struct site *site, const struct abi *target)
{
	bool is_program = site && site->space == SPACE_USER && site->module && site->module->abi;

	return is_program ? site->module->abi : target;
}

/** Resolves one point without aliases (sema/bind expands those). Reports POINT_NO_MATCH unless `optional`, and unknown
 *  points with "did you mean". Points of unsupported.def are refused by name, with what to use instead. True when
 *  something was found, or the point is optional. */
bool point_resolve(struct point_env *env, const struct ast_point *point, struct sites *ret);
/** Names a register that a handler at the site cannot read, and says why: "%xmm0, which the kernel's probes cannot read";
 *  NULL: it can. In which kind of program is another question, which the hook decides. */
const char *point_unreadable_reg(const struct point_env *env, const struct site *site, int64_t dwarf);
/** Do points of a family, or of unsupported.def, begin with `name`, which may hold wildcards? */
bool point_is_family(const char *name);
/** Does the point say `.named`: its alias is another name for what a second alias probes too? */
bool point_is_other_name(const struct ast_point *point);
/** Offers what these begin with to `similar`, for "did you mean". */
void point_try_names(struct sp_arena *arena, struct similar *similar);
/** Adds to `ret`, one a line, the kernel's points that the first component of `point` names: kernel.function("vfs_read") with the rest
 *  of the point, a tracepoint. */
void point_elsewhere(const struct point_env *env, const struct ast_point *point, struct sp_buf *ret);
/** A hint at the kernel's functions of similar names: "did you mean 'vfs_read'?", in the arena of `env`; NULL: there are none. */
const char *point_similar_function(const struct point_env *env, const char *name);
/** Reports that `what` asks for the result at a tail call (EXIT_JUMP). */
void point_report_no_result(struct point_env *env, const struct site *site, struct span span, const char *what);
/** Is the function name of the point a pattern? */
bool point_is_pattern(const struct ast_point *point);
/** The shortest forms of points that begin with components of these names, one a line, sorted: for `timer.*`. */
void point_print_forms(const char *names, struct sp_buf *out);
/** Every point pattern (for --dump-probe-types), one a line, sorted. */
void point_dump_types(struct sp_buf *out);

#endif
