// SPDX-License-Identifier: GPL-2.0-or-later
/** Bytes as what differs from other bytes (abi/pack.h has the format). */
#ifndef SP_RUNTIME_DELTA_H
#define SP_RUNTIME_DELTA_H

#include "runtime/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void delta_make(const uint8_t *base, size_t base_size, const uint8_t *bytes, size_t size, struct sp_buf *ret);
/** Adds `size` bytes to `ret`; false when the delta does not give so many. */
bool delta_apply(const uint8_t *base, size_t base_size, const uint8_t *delta, size_t delta_size, size_t size, struct sp_buf *ret);

#endif
