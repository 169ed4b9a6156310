// SPDX-License-Identifier: GPL-2.0-or-later
/** What embedded C asks of the kernel's configuration. */
#ifndef SPILE_EMBED_CONFIG_H
#define SPILE_EMBED_CONFIG_H

#include "compiler/driver/session.h"

/** Defines what the kernel's headers would, as far as `code` names it: CONFIG_..., HZ, PAGE_SHIFT. A warning when the configuration
 *  is not at hand: then nothing is defined. */
void embed_config(struct spile *spile, const struct sp_buf *code, struct span where, struct sp_buf *ret);

#endif
