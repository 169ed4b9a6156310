// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen.h"

#include "runtime/base/util.h"

SP_EXPORT const struct gen_api spile_gen = {
	.version = PACKAGE_VERSION,
	.bundle = gen_bundle,
	.embed_prepare = gen_embed_prepare,
	.llvm_major = SPILE_LLVM_MAJOR,
};
