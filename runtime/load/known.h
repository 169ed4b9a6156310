// SPDX-License-Identifier: GPL-2.0-or-later
/** Keys as the kernel's maps have them: a text that the compiler knew is a number there (SP_FIELD_KNOWN), of 8 bytes. */
#ifndef SP_RUNTIME_KNOWN_H
#define SP_RUNTIME_KNOWN_H

#include "runtime/load/bundle.h"

/** Of a key in the kernel's map: key_size, when no part is a number. */
uint32_t known_key_size(const struct bundle *bundle, const struct sp_map *map);

/** Makes a key of the kernel's of a script's, and the other way round. False: a text, or a number, is not one of them. */
bool known_pack(const struct bundle *bundle, const struct sp_map *map, const void *key, void *kernel_key_ret);
bool known_unpack(const struct bundle *bundle, const struct sp_map *map, const void *kernel_key, void *key_ret);

#endif
