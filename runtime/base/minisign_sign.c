// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/minisign_sign.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/sodium.h"

// minisign asks for 2^25 operations and 1 GB; a file that asks for much more would never end.
#define MAX_OPERATIONS (UINT64_C(1) << 28)
#define MAX_MEMORY (UINT64_C(4) << 30)

_Static_assert(sizeof(struct sp_minisign_secret) == 158, "as minisign writes it");

struct sp_err *sp_minisign_secret_parse(const char *name, const char *text, size_t len, struct sp_minisign_secret *ret)
{
	const char *at = text, *line = NULL;
	size_t line_len = 0;
	struct sp_minisign_secret secret;

	for (int i = 0; i < 2; i++)
		if (!sp_minisign_line(&at, text + len, &line, &line_len))
			return sp_err_new(SP_ERR_FORMAT, "%s is not a secret key of minisign: that has two lines", name);
	if (!sp_minisign_decode(line, line_len, (uint8_t *)&secret, sizeof(secret)))
		return sp_err_new(SP_ERR_FORMAT, "%s: line 2 is not a secret key of minisign", name);
	if (memcmp(secret.algorithm, "Ed", 2) || memcmp(secret.checksum_algorithm, "B2", 2) ||
	    (memcmp(secret.derivation, "Sc", 2) && memcmp(secret.derivation, "\0\0", 2)))
		return sp_err_new(SP_ERR_FORMAT, "%s: its algorithms are not known", name);
	*ret = secret;
	return NULL;
}

bool sp_minisign_secret_is_encrypted(const struct sp_minisign_secret *secret)
{
	return secret->derivation[0];
}

static uint64_t number(const uint8_t bytes[8])
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

static struct sp_err *decrypt(const struct sp_sodium_sign *sodium, struct sp_minisign_secret *secret, const char *password)
{
	uint64_t operations = number(secret->operations), memory = number(secret->memory);
	uint8_t stream[sizeof(secret->part)], *part = (uint8_t *)&secret->part;

	if (operations > MAX_OPERATIONS || memory > MAX_MEMORY)
		return sp_err_new(SP_ERR_FORMAT, "the secret key asks for %llu operations and %llu MB of memory to decrypt it",
				  (unsigned long long)operations, (unsigned long long)memory >> 20);
	if (sodium->crypto_pwhash_scryptsalsa208sha256(stream, sizeof(stream), password, strlen(password), secret->salt, operations,
						       (size_t)memory))
		return sp_err_new(SP_ERR_SYSTEM, "there is not enough memory to decrypt the secret key: %llu MB",
				  (unsigned long long)memory >> 20);
	for (size_t i = 0; i < sizeof(stream); i++)
		part[i] ^= stream[i];
	sodium->sodium_memzero(stream, sizeof(stream));
	return NULL;
}

struct sp_err *sp_minisign_secret_open(struct sp_minisign_secret *secret, const char *password)
{
	uint8_t bytes[sizeof(secret->algorithm) + sizeof(secret->part.id) + sizeof(secret->part.bytes)], sum[32];
	struct sp_sodium_sign sodium;

	// Of a key that is not encrypted, minisign leaves the checksum 0: sp_minisign_sign tells whether it is damaged.
	if (!sp_minisign_secret_is_encrypted(secret))
		return NULL;
	SP_TRY(sp_sodium_open_sign(&sodium));
	SP_TRY(decrypt(&sodium, secret, password));
	memcpy(bytes, secret->algorithm, sizeof(secret->algorithm));
	memcpy(bytes + sizeof(secret->algorithm), &secret->part, sizeof(bytes) - sizeof(secret->algorithm));
	sodium.verify.crypto_generichash(sum, sizeof(sum), bytes, sizeof(bytes), NULL, 0);
	sodium.sodium_memzero(bytes, sizeof(bytes));
	if (memcmp(sum, secret->part.checksum, sizeof(sum)))
		return sp_err_new(SP_ERR_FORMAT, "wrong password for that secret key");
	return NULL;
}

void sp_minisign_secret_deinit(struct sp_minisign_secret *secret)
{
	explicit_bzero(secret, sizeof(*secret));
}

struct sp_err *sp_minisign_sign(const struct sp_minisign_secret *secret, const void *bytes, size_t size, const char *untrusted,
				const char *trusted, struct sp_buf *ret)
{
	uint8_t hash[64], signature[74] = "ED", global[64];
	sp_cleanup(sp_buf_deinit) struct sp_buf both = { 0 };
	struct sp_sodium_sign sodium;

	SP_TRY(sp_sodium_open_sign(&sodium));
	sodium.verify.crypto_generichash(hash, sizeof(hash), bytes, size, NULL, 0);
	memcpy(signature + 2, secret->part.id, sizeof(secret->part.id));
	sodium.crypto_sign_detached(signature + 10, NULL, hash, sizeof(hash), secret->part.bytes);
	if (sodium.verify.crypto_sign_verify_detached(signature + 10, hash, sizeof(hash), secret->part.bytes + 32)) // its public half
		return sp_err_new(SP_ERR_FORMAT, "the secret key is damaged");
	sp_buf_add(&both, signature + 10, sizeof(global));
	sp_buf_puts(&both, trusted);
	sodium.crypto_sign_detached(global, NULL, (const uint8_t *)both.data, both.len, secret->part.bytes);
	sp_buf_printf(ret, "untrusted comment: %s\n", untrusted);
	sp_minisign_encode(ret, signature, sizeof(signature));
	sp_buf_printf(ret, "\ntrusted comment: %s\n", trusted);
	sp_minisign_encode(ret, global, sizeof(global));
	sp_buf_putc(ret, '\n');
	return NULL;
}
