// SPDX-License-Identifier: GPL-2.0-or-later
/** Whether a handler can read a target variable, by its location and the way that the script takes through it, or what a
 *  builtin reads in registers. */
#ifndef SP_SEMA_ACCESS_H
#define SP_SEMA_ACCESS_H

#include "compiler/sema/context.h"

#define ACCESS_MAX_INDEXES 3 // of an array in registers, `m[i][j][k]`
#define ACCESS_MAX_ELEMENTS 64 // among which they choose

/** An index that is known when the script runs. */
struct access_index {
	int64_t stride; // bytes
	uint64_t count; // elements
};

/** False: reported. What is one of $$vars is never reported: it is marked as absent. */
bool access_check(const struct scene *scene, struct site_value *v, struct span span);

/** The same for what the script assigns to it. */
bool access_check_write(const struct scene *scene, struct site_value *v, struct span span);

/** The same for an expression that may be register("rax") or the like. */
bool access_check_call(const struct scene *scene, const struct ast_expr *e);

/** Is it a value of which only the address is a number? */
bool access_is_aggregate(const struct c_type *type);
/** Bytes of a number of that stripped type (NULL: a pointer). */
unsigned access_size(const struct c_type *bare);
/** Bytes of a pointer that is read on the way to the value. */
unsigned access_pointer_size(const struct site_value *v);
/** 1, 2, 4 or 8. */
bool access_is_size(unsigned size);

#endif
