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

#endif
