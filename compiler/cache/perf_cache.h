// SPDX-License-Identifier: GPL-2.0-or-later
/** perf's cache of probes: ~/.debug/OBJECT/BUILD-ID/probes, which a link ~/.debug/.build-id/XX/REST leads to. What is in such a file:
 *  perf_probes.h. */
#ifndef SP_CACHE_PERF_CACHE_H
#define SP_CACHE_PERF_CACHE_H

#include "compiler/cache/elf_id.h"
#include "compiler/cache/perf_probes.h"
#include "runtime/base/arena.h"
#include "runtime/base/err.h"

/** What perf has of one build of an object. */
struct perf_object {
	char id[ELF_ID_TEXT];
	const char *name; // the path, or "[kernel.kallsyms]"; "": not known
	const char *text, *end; // of its file
};

typedef void perf_object_fn(void *ctx, const struct perf_object *object);
typedef void perf_fault_fn(void *ctx, struct sp_err *fault);

/** Calls `fn` for each build of an object, by build-id; `fault`, which frees it, for what cannot be read. */
void perf_cache_each(perf_object_fn *fn, perf_fault_fn *fault, void *ctx);
/** The folder ~/.debug, appended. Refused when another user could lead it anywhere. */
struct sp_err *perf_cache_folder(struct sp_buf *ret);
/** A file of probes; that there is none is no error. */
struct sp_err *perf_cache_read(const char *path, struct sp_buf *ret);

/** A probe point: process("/bin/x").function("f").return */
struct perf_point {
	struct perf_point_part {
		const char *name, *arg; // of "name("arg")"; NULL: no argument
	} parts[4];
	unsigned n;
	const char *release; // of a kernel module: the kernel that it is of; else NULL
};

/** The point that a definition means, its texts in the arena. Its variables are left out. False: no probe point says the same. */
bool perf_cache_point(const struct perf_object *object, const struct perf_probe *probe, struct sp_arena *arena, struct perf_point *ret);
/** Does the group of events have the name "GROUP:EVENT", which may have wildcards? */
bool perf_cache_is_named(const struct perf_probe *probe, const char *name, struct sp_arena *arena);

#endif
