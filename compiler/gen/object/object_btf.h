// SPDX-License-Identifier: GPL-2.0-or-later
/** .BTF and .BTF.ext of several objects become one.
 *
 *  The idea. What is wanted are functions, which .BTF.ext names, and variables, which the BTF's sections name; types are copied
 *  with them, one of those that are equal. Instructions are counted in sections, which were put behind each other: the caller
 *  knows where each begins now.
 *
 *  The limits. Types that contain themselves, and relocations of types, are of embedded C alone, which is in one object. */
#ifndef SP_GEN_OBJECT_BTF_H
#define SP_GEN_OBJECT_BTF_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

/** Bytes behind the name of a section. */
struct object_btf_part {
	uint32_t name;
	struct sp_buf bytes;
};

typedef SP_VEC(struct object_btf_part) object_btf_parts;

/** A zeroed one is empty. */
struct object_btf {
	struct sp_buf types, strings;
	struct sp_hash known_types, known_strings; // bytes -> number, offset
	uint32_t n_types;
	object_btf_parts variables, functions, lines; // struct btf_var_secinfo[]; records of .BTF.ext
	struct sp_hash known_variables;
};

void object_btf_deinit(struct object_btf *btf);

/** What is to be added: the bytes of both sections, and where a section's instructions begin in the whole. */
struct object_btf_source {
	const void *types, *ext;
	size_t types_size, ext_size;
	uint32_t (*start)(const void *ctx, const char *section);
	const void *ctx;
};

struct sp_err *object_btf_add(struct object_btf *btf, const struct object_btf_source *source);
/** Appends both sections. */
void object_btf_write(struct object_btf *btf, struct sp_buf *types_ret, struct sp_buf *ext_ret);

#endif
