// SPDX-License-Identifier: GPL-2.0-or-later
/** What depends on the running machine, written into a bundle's slots and data before it is loaded. */
#ifndef SP_RUNTIME_FIXUP_H
#define SP_RUNTIME_FIXUP_H

#include "runtime/load/bundle.h"

#include <sys/types.h>

struct layout;

struct fixup_input {
	const struct bundle *bundle;
	pid_t target; // target(); 0: none
	bool confined; // process() handlers in the kernel are the target's and its children's
	int out_fd; // what the script prints goes there
	const char *const *globals; // -G: "name=value", NULL-terminated; or NULL
	struct layout *layout;
};

/** Fills `slots` (head->n_slots, zeroed) and puts the values of -G into `data` (head->data_size, initialized). */
struct sp_err *fixup_apply(const struct fixup_input *input, uint64_t *slots, void *data);

/** Nanoseconds to add to CLOCK_MONOTONIC for the time of day that it is now. */
int64_t fixup_wall_offset(void);

/** The bits that a process must have in SP_MAP_FAMILY for a process() handler: of the target, and of the program that the handler is for
 *  (SP_NONE: of any). 0: none. */
static inline uint64_t fixup_family(bool confined, uint32_t program)
{
	return (confined ? SP_FAMILY_TARGET : 0) | (program < SP_FAMILY_PROGRAMS ? SP_FAMILY_PROGRAM(program) : 0);
}

/** Is the bundle made for this kernel and for the programs that are here? SP_ERR_TARGET names both ids. */
struct sp_err *fixup_check_target(const struct bundle *bundle);
/** The same of one of its objects. */
struct sp_err *fixup_check_object(const struct bundle *bundle, uint32_t object);
/** The same of a program, whose file stays open: its path may name another file any time. */
struct sp_err *fixup_open_program(const struct bundle *bundle, uint32_t object, int *fd_ret);
/** Has the running kernel what a portable bundle looks up in its BTF? SP_ERR_TARGET names what is missing. */
struct sp_err *fixup_check_layout(const struct bundle *bundle, struct layout *layout);
/** Is the running kernel the one of the object? A portable bundle is for others, too. */
bool fixup_is_same_kernel(const struct bundle *bundle, const struct sp_object *object);

#endif
