// SPDX-License-Identifier: GPL-2.0-or-later
/** How deep functions nest is known before machine code is made of them, which takes most of the time. */
#ifndef SP_GEN_GEN_FRAMES_H
#define SP_GEN_GEN_FRAMES_H

#include "compiler/gen/core/gen_engine.h"

/** Takes handlers that have GEN_FRAMES out of g->mod, whose passes are done, with what they alone call, and notes it in `excess`, by
 *  program: they are made anew in another way. */
void gen_frames_drop(struct gen *g, uint32_t first, uint32_t end, uint8_t *excess);

#endif
