// SPDX-License-Identifier: GPL-2.0-or-later
/** Program to IR. */
#ifndef SP_LOWER_H
#define SP_LOWER_H

#include "compiler/ir/ir.h"
#include "compiler/sema/program.h"

struct lower_opts {
	struct source_map *sources;
	struct diag_ctx *dc;
	const struct target *target;
	const char *script; // its name, for the bundle
	uint32_t max_string, max_action, max_errors, max_map_entries; // 512, 1000, 0, 2048 unless -D says otherwise
	uint32_t max_nesting; // 0: as the script needs
	uint32_t max_trylock; // of a wrapping array's lock
	uint32_t max_user_action; // 10 * max_action unless -D MAXACTION_INTERRUPTIBLE says otherwise
	bool user_engine; // process() handlers are also compiled for the VM
	bool portable; // the result may be loaded into other kernels
	bool hide_unread; // globals that nothing reads are not printed at the end
	bool faults_are_zero; // what cannot be read when the script runs is 0, and no error
	bool user_only; // --engine=user: those handlers are not compiled for the kernel
};

/** Never NULL; after errors (dc) it must not go on. Keeps nothing of `program`. */
struct ir_unit *ir_lower(const struct lower_opts *opts, const struct program *program);

#endif
