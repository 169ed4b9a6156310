// SPDX-License-Identifier: GPL-2.0-or-later
/** Text and records in the kernel: strings by code, word by word, and records through the ring buffer. */
#ifndef SP_GEN_GEN_KERNEL_TEXT_H
#define SP_GEN_GEN_KERNEL_TEXT_H

#include "compiler/gen/core/gen_engine.h"

extern const struct gen_engine_text gen_kernel_text;
extern const struct gen_engine_record gen_kernel_record;

#endif
