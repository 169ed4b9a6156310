// SPDX-License-Identifier: GPL-2.0-or-later
/** A .spo, read and validated: after bundle_open every index, offset and size in it can be trusted. */
#ifndef SP_RUNTIME_BUNDLE_H
#define SP_RUNTIME_BUNDLE_H

#include "runtime/abi/bundle.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/load/code.h"

#include <linux/bpf.h>

struct bundle {
	const uint8_t *bytes; // the whole ELF file; owned
	size_t size;
	const struct sp_bundle_head *head;
	const char *strings;
	size_t strings_size;
	const struct sp_prog *progs;
	const struct sp_site *sites;
	const struct sp_map *maps;
	const struct sp_global *globals;
	const struct sp_field *fields;
	const struct sp_format *formats;
	const struct sp_name *names;
	const struct sp_place *places;
	const struct sp_fixup *fixups;
	const struct sp_object *objects;
	unsigned n_progs, n_sites, n_maps, n_globals, n_fields, n_formats, n_names, n_places, n_fixups, n_objects;
	const struct bpf_insn *user;
	unsigned n_user;
	const uint8_t *udata;
	size_t udata_size;
	struct code code; // of the kernel
	const uint8_t *data_init; // initial spile_data, head->data_size bytes
};

/** Copies `bytes`. Errors: SP_ERR_FORMAT (truncated, wrong magic, broken index), SP_ERR_TARGET (newer version,
 *  features that we do not know). */
struct sp_err *bundle_open(const void *bytes, size_t size, struct bundle **ret);
/** SP_ERR_TARGET when it was made for another architecture than this machine's. */
struct sp_err *bundle_check_arch(const struct bundle *bundle);
void bundle_close(struct bundle *bundle);

const char *bundle_text(const struct bundle *bundle, uint32_t offset);
/** What the script calls a part of the array's key: *len_ret bytes; none: it has no name for it. */
const char *bundle_key_name(const struct bundle *bundle, const struct sp_map *map, unsigned part, size_t *len_ret);
/** Is it of the script, or of the library and known to people: not made by the compiler, nor what the library calls its own, "__x"? */
bool bundle_shows_global(const struct bundle *bundle, const struct sp_global *global);
bool bundle_shows_map(const struct bundle *bundle, const struct sp_map *map);
/** A program's probe points in a few words: the first, and how many others there are. n_progs: those that share a link. */
void bundle_put_points(const struct bundle *bundle, unsigned prog, struct sp_buf *out);

#endif
