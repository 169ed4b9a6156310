// SPDX-License-Identifier: GPL-2.0-or-later
/** The VM's object to flat code with the markers of abi/uservm.h. */
#ifndef SP_GEN_OBJECT_USER_H
#define SP_GEN_OBJECT_USER_H

#include "compiler/gen/object/object_elf.h"

struct object_user {
	struct sp_buf code; // struct bpf_insn[]
	const void *data; // points into the object that was read
	size_t data_size;
	struct object_user_prog {
		uint32_t first, n; // instructions; n 0: has no code
	} * progs; // n_progs
};

/** Program i is section "p<i>". */
struct sp_err *object_user_read(const struct object_elf *elf, size_t n_progs,
				struct object_user *ret);
void object_user_deinit(struct object_user *user);

#endif
