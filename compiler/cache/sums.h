// SPDX-License-Identifier: GPL-2.0-or-later
/** SHA-256 of much: results hold megabytes of listings. */
#ifndef SP_CACHE_SUMS_H
#define SP_CACHE_SUMS_H

#include "runtime/base/sha256.h"

/** As sp_sha256(), by instructions for it where the processor has them. That is five times as fast, and is not in what the runtime is
 *  linked with, which is to be small. */
void sums_sha256(const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE]);

#endif
