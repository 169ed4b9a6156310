// SPDX-License-Identifier: GPL-2.0-or-later
/** The machine that is compiled for, as its description says (abi/target.h). */
#ifndef SP_MODEL_TARGET_H
#define SP_MODEL_TARGET_H

#include "runtime/abi/target.h"
#include "runtime/base/err.h"

struct target {
	char arch[16]; // uname -m
	char release[80];
	uint8_t build_id[32];
	unsigned build_id_len;
	unsigned cpus, hz;
	uint64_t features; // bits of enum sp_feature
};

/** Of a compiled script: each is a section of the object, with a second one for its relocations, and ELF numbers sections with 16 bits. */
#define TARGET_MAX_PROGRAMS 32000u

/** Reads a description: untrusted text. */
struct sp_err *target_parse(const char *text, size_t len, struct target *ret);

/** The version of Linux: 6.1 is 601; 0 when the release does not begin with one. */
unsigned target_linux(const struct target *target);

static inline bool target_has(const struct target *target, enum sp_feature feature)
{
	return target->features >> feature & 1;
}

#endif
