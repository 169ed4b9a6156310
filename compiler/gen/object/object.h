// SPDX-License-Identifier: GPL-2.0-or-later
/** The objects of both engines and the tables of the unit become one .spo.
 *
 *  The idea. A .spo is an ELF object that bpftool and libbpf can open: the kernel's programs and maps, with BTF and the script's
 *  lines, stay as LLVM wrote them. Behind them come sections of our own (runtime/abi/bundle.h): sites, formats, fixups, places,
 *  and the user-side handlers with their relocations done (object_user.h). Equal texts are kept once.
 *
 *  The invariant. The bytes depend on the unit and its plan alone: no address of this process, no order of a hash table. So equal
 *  scripts give equal files. */
#ifndef SP_GEN_OBJECT_H
#define SP_GEN_OBJECT_H

#include "compiler/plan/plan.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"

/** `kernel` and `user` are ELF files (`user` may be empty); `scratch_size` is that of a frame. Appends to `ret`. */
struct sp_err *object_link(const struct plan *plan, uint32_t scratch_size, const struct sp_buf *kernel,
			   const struct sp_buf *user, struct sp_buf *ret);

#endif
