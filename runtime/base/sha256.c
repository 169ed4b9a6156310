// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/sha256.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 64

const uint32_t sp_sha256_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t big_endian(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t w[64];

	for (unsigned i = 0; i < 16; i++)
		w[i] = big_endian(block + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];
		w[i] = w[i - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[i - 7] + (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
	}
	for (unsigned i = 0; i < 64; i++) {
		uint32_t first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + sp_sha256_constants[i] + w[i];
		uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
	}
	state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

__attribute__((always_inline)) static inline void sum(sp_sha256_fn *add, const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE])
{
	uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint8_t last[2 * BLOCK] = { 0 };
	const uint8_t *at = bytes;
	size_t rest = size % BLOCK, last_size = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;

	for (size_t i = 0; i + BLOCK <= size; i += BLOCK)
		add(state, at + i);
	if (rest)
		memcpy(last, at + size - rest, rest);
	last[rest] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[last_size - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
	for (size_t i = 0; i < last_size; i += BLOCK)
		add(state, last + i);
	for (unsigned i = 0; i < SP_SHA256_SIZE; i++)
		ret[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void sp_sha256(const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE])
{
	sum(add_block, bytes, size, ret);
}

void sp_sha256_by(sp_sha256_fn *add, const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE])
{
	sum(add, bytes, size, ret);
}

void sp_sha256_text(const void *bytes, size_t size, char ret[SP_SHA256_TEXT])
{
	uint8_t digest[SP_SHA256_SIZE];

	sp_sha256(bytes, size, digest);
	for (unsigned i = 0; i < SP_SHA256_SIZE; i++)
		snprintf(ret + 2 * i, 3, "%02x", digest[i]);
}
