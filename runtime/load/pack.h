// SPDX-License-Identifier: GPL-2.0-or-later
/** Packs: one file with a script that was compiled for several targets.
 *
 *  The problem. A script is bound to a build of the kernel or of a program by what it reads: locals, lines, addresses. People have
 *  many builds, and machines with neither a compiler nor debug information.
 *
 *  The idea. A pack (abi/pack.h) holds a whole compiled script for each target, so that nothing is decided twice: what is taken out
 *  of it is read by bundle_open() and compared with the machine by fixup_check_target(), as any other. Code that is the same is
 *  stored once, since an entry is stored as what differs from another one (delta.h).
 *
 *  pack.c reads the file, pack_choose.c finds the entry for this machine, pack_write.c makes packs, pack_show.c says what is in them. */
#ifndef SP_RUNTIME_PACK_H
#define SP_RUNTIME_PACK_H

#include "runtime/abi/pack.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/load/bundle.h"

#define PACK_MAX_SIZE (256u << 20) // of a pack, and of a script in it

struct layout;

struct pack {
	uint8_t *bytes; // of the file; owned
	size_t size;
	const struct sp_pack_entry *entries;
	unsigned n_entries;
};

/** Are these the first bytes of a pack? */
bool pack_is_one(const void *bytes, size_t size);
/** Copies `bytes`. Errors: SP_ERR_FORMAT (truncated, changed), SP_ERR_TARGET (a newer version). */
struct sp_err *pack_open(const void *bytes, size_t size, struct pack *ret);
void pack_deinit(struct pack *pack);
/** Adds the compiled script of an entry to `ret`. */
struct sp_err *pack_read(const struct pack *pack, unsigned entry, struct sp_buf *ret);

/** Writes the sum of a pack into its head; false: it was there already. */
bool pack_sum(uint8_t *bytes, size_t size);
/** "6.12.3-amd64" as 6012003. */
uint32_t pack_release(const char *release);

/** Opens the script that was compiled for this machine, or else one that its own build of the kernel lets do; `log` gets to know
 *  which. SP_ERR_TARGET says why each of them does not do. */
struct sp_err *pack_choose(const struct pack *pack, const struct sp_log *log, struct layout *layout, struct bundle **ret);

/** What a pack, or a compiled script, is made for and needs, for people or as an object of JSON a line for each target. */
struct sp_err *pack_show(const void *bytes, size_t size, bool json, struct sp_buf *ret);

// ---- pack_write.c

/** A pack that is being made. A zeroed one has no entries. */
struct pack_writer {
	SP_VEC(struct pack_written {
		struct sp_pack_entry entry;
		struct sp_buf bytes; // of the compiled script, when it is stored whole
	}) entries;
	struct sp_buf stored;
	uint8_t script[32]; // as sp_pack_head has it
};

/** Adds a compiled script. */
struct sp_err *pack_add(struct pack_writer *writer, const char *target, const void *bundle, size_t size);
/** Adds what another pack has, without the targets that are called as one of `but`, a list that NULL ends. SP_ERR_USAGE: it is of another
 *  script. */
struct sp_err *pack_take(struct pack_writer *writer, const struct pack *pack, const char *const *but);
/** The bytes of the file. */
void pack_write(const struct pack_writer *writer, struct sp_buf *ret);
void pack_writer_deinit(struct pack_writer *writer);

#endif
