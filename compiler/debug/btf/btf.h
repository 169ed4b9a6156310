// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions and types from BTF alone: kernels with no debug information at hand, tracepoints, and what fentry can hook. */
#ifndef SP_DEBUG_BTF_H
#define SP_DEBUG_BTF_H

#include "compiler/debug/dbg.h"

struct btf;
struct btf_file;

/** BTF of a kernel: the bytes of a .BTF section (copied), or a file such as /sys/kernel/btf/vmlinux. */
struct sp_err *btf_file_new(const void *data, size_t size, struct btf_file **ret);
struct sp_err *btf_file_open(const char *path, struct btf_file **ret);
/** NULL is fine. */
void btf_file_close(struct btf_file *file);

struct btf *btf_file_raw(const struct btf_file *file);
struct sp_arena *btf_file_arena(struct btf_file *file);

/** As dbg_find_funcs; entry_pc is 0 and file NULL, which BTF does not know. */
void btf_func_find(struct btf_file *file, struct dbg_module *module, const struct dbg_func_query *query,
		   struct dbg_funcs *ret);
void btf_func_names(struct btf_file *file, void (*fn)(void *ctx, const char *name), void *ctx);
void btf_func_params(const struct dbg_func *func, const struct dbg_var_query *query, struct dbg_vars *ret);
void btf_func_result(const struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret);
bool btf_func_is_unique(struct btf_file *file, const char *name);
/** As dbg_btf_has_func. */
bool btf_func_is_known(struct btf_file *file, const struct abi *abi, const char *name, unsigned *n_params_ret);

/** The type with that id; NULL: void. */
const struct c_type *btf_type_of(struct btf_file *file, uint32_t id);
/** C_TYPEDEF stands for typedefs and base types. NULL: there is none. */
const struct c_type *btf_type_find(struct btf_file *file, enum c_kind kind, const char *name);
/** The enumeration that has an enumerator. NULL: there is none. */
const struct c_type *btf_enum_find(struct btf_file *file, const char *name);

#endif
