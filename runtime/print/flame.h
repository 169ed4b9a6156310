// SPDX-License-Identifier: GPL-2.0-or-later
/** Arrays that are keyed by stacks, as a tree of calls: `calls[ubacktrace()]++`, `times[execname(), backtrace()] <<< t`.
 *
 *  A stack is a string of addresses, as backtrace() and ubacktrace() make it, or of lines, as sprint_backtrace() and
 *  sprint_ubacktrace() do. A program's stack and the kernel's that are keys of one array are one stack, the kernel's inside. Other
 *  keys become the outermost frames. The weight is the number in the array, of an aggregate its count, or its sum where the script
 *  reads only that. Frames of the kernel have names that end in _[k]. */
#ifndef SP_RUNTIME_FLAME_H
#define SP_RUNTIME_FLAME_H

#include "runtime/base/arena.h"
#include "runtime/base/vec.h"
#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"
#include "runtime/vm/store.h"

struct flame_node {
	const char *name;
	uint64_t own, total; // without and with what is called from there
	SP_VEC(struct flame_node *) children; // by name
};

struct flame {
	struct sp_arena arena;
	struct flame_node root; // has no name
	unsigned n_maps; // so many arrays are keyed by stacks
	unsigned depth; // of the deepest stack
};

/** Reads the arrays, and marks them in `shown`, by map; the names of addresses are those that `symbols` knows now. */
void flame_read(struct flame *ret, const struct bundle *bundle, struct store *store, struct symbols *symbols, bool *shown);
void flame_deinit(struct flame *flame);

/** Appends a line for each stack: "main;outer;leaf 42". */
void flame_put_folded(struct sp_buf *out, const struct flame *flame);

/** Appends the tree as JSON, as a member of an object, without what is narrower than one part in `parts`: {"name": "all", "value": 42, "children": [...]}. */
void flame_put_json(struct sp_buf *out, const char *key, const struct flame *flame, unsigned parts);

#endif
