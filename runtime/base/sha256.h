// SPDX-License-Identifier: GPL-2.0-or-later
/** SHA-256 (FIPS 180-4): names of things by their content, and whether bytes are still those that were written. */
#ifndef SP_BASE_SHA256_H
#define SP_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SP_SHA256_SIZE 32
#define SP_SHA256_TEXT (2 * SP_SHA256_SIZE + 1)

void sp_sha256(const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE]);
/** The same in hexadecimal digits. */
void sp_sha256_text(const void *bytes, size_t size, char ret[SP_SHA256_TEXT]);

/** For who adds a block to a state in a faster way. */
typedef void sp_sha256_fn(uint32_t state[8], const uint8_t *block);
void sp_sha256_by(sp_sha256_fn *add, const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE]);
extern const uint32_t sp_sha256_constants[64];

#endif
