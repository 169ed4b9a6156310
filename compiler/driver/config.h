// SPDX-License-Identifier: GPL-2.0-or-later
/** The configuration of the kernel that is compiled for: what %( CONFIG_X == "y" %) asks for. */
#ifndef SPILE_CONFIG_H
#define SPILE_CONFIG_H

/** `ctx`: the struct spile. "" when the configuration does not name the option; NULL: no configuration is at hand. */
const char *config_value(void *ctx, const char *name);

#endif
