// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions and types from BTF.
 *
 *  The problem. A kernel's DWARF is a package of hundreds of megabytes that is seldom installed; its BTF (some 5 MB) is in every
 *  running kernel under /sys/kernel/btf, and the verifier believes BTF alone.
 *
 *  The idea. libbpf parses the bytes; this makes struct dbg_func and struct c_type of them, the same that dwarf/ makes. It serves
 *  kernels without DWARF, and even with DWARF the two questions that only BTF answers: which tracepoints there are, and which
 *  functions fentry can hook.
 *
 *  The invariant. A type is made when it is first asked for, its members when dbg_complete_type() asks. A type that broken
 *  BTF makes part of itself gives void (NULL), never an endless loop.
 *
 *  The limits. BTF knows prototypes: no addresses, files, lines, locals or inlined instances. Where a parameter is follows from the
 *  calling convention, for parameters in registers only. */
#ifndef SP_DEBUG_BTF_H
#define SP_DEBUG_BTF_H

#include "compiler/debug/dbg.h"

struct btf;
struct btf_file;

/** The BTF of a kernel from the bytes of a .BTF section, which are copied. */
struct sp_err *btf_file_new(const void *data, size_t size, struct btf_file **ret);
/** From a file such as /sys/kernel/btf/vmlinux or an ELF file. A module's holds only what its kernel has not: `base` is the kernel's,
 *  which must stay open as long; NULL for a kernel. */
struct sp_err *btf_file_open(const char *path, struct btf_file *base, struct btf_file **ret);
/** That which the running kernel has under a number. */
struct sp_err *btf_file_of_kernel(uint32_t id, struct btf_file **ret);
/** NULL is fine. */
void btf_file_close(struct btf_file *file);

struct btf *btf_file_raw(const struct btf_file *file);
/** The first id that is not of the kernel that a module belongs to. */
uint32_t btf_file_first(const struct btf_file *file);
/** The next of its own types, functions, ... that have this name; `id` 0 at first. 0: there is no more. */
uint32_t btf_file_next_named(struct btf_file *file, const char *name, uint32_t id);
/** The text at `off`; "" when that is not in the BTF, which libbpf does not check. */
const char *btf_file_text(const struct btf *btf, uint32_t off);
struct sp_arena *btf_file_arena(struct btf_file *file);

/** As dbg_find_funcs(); entry_pc is 0 and file is NULL. */
void btf_func_find(struct btf_file *file, struct dbg_module *module, const struct dbg_func_query *query,
		   struct dbg_funcs *ret);
/** The function with that id; NULL: it is none. */
struct dbg_func *btf_func_at(struct btf_file *file, struct dbg_module *module, uint32_t id);
/** As dw_named(). */
void btf_named(struct btf_file *file, enum dbg_named what, void (*fn)(void *ctx, const char *name), void *ctx);
void btf_func_params(const struct dbg_func *func, const struct dbg_var_query *query, struct dbg_vars *ret);
void btf_func_result(const struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret);
bool btf_func_is_unique(struct btf_file *file, const char *name);
/** As dbg_btf_has_func. */
bool btf_func_is_known(struct btf_file *file, const struct abi *abi, const char *name, unsigned *n_params_ret);

/** The type with that id; NULL: void. */
const struct c_type *btf_type_of(struct btf_file *file, uint32_t id);
/** The type of that kind and name; C_TYPEDEF stands for typedefs and base types. NULL: there is none. */
const struct c_type *btf_type_find(struct btf_file *file, enum c_kind kind, const char *name);
/** The enumeration with an enumerator of that name. NULL: there is none. */
const struct c_type *btf_enum_find(struct btf_file *file, const char *name);

#endif
