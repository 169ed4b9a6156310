// SPDX-License-Identifier: GPL-2.0-or-later
/** The side of minisign(1) that has the secret key. */
#ifndef SP_BASE_MINISIGN_SIGN_H
#define SP_BASE_MINISIGN_SIGN_H

#include "runtime/base/minisign.h"

/** A secret key as its file has it: readable after sp_minisign_secret_open. */
struct sp_minisign_secret {
	char algorithm[2]; // "Ed"
	char derivation[2]; // "Sc": encrypted with scrypt of a password; two bytes of 0: not encrypted
	char checksum_algorithm[2]; // "B2"
	uint8_t salt[32], operations[8], memory[8]; // of scrypt; numbers with their lowest byte first
	struct sp_minisign_secret_part {
		uint8_t id[8], bytes[64];
		uint8_t checksum[32]; // BLAKE2b-256 of the algorithm, id and bytes
	} part; // what is encrypted
};

/** The text of a secret key's file. */
struct sp_err *sp_minisign_secret_parse(const char *name, const char *text, size_t len, struct sp_minisign_secret *ret);
bool sp_minisign_secret_is_encrypted(const struct sp_minisign_secret *secret);
/** Decrypts it where needed (`password` may be NULL otherwise), and checks it. */
struct sp_err *sp_minisign_secret_open(struct sp_minisign_secret *secret, const char *password);
/** Forgets it, so that it is in no core dump. */
void sp_minisign_secret_deinit(struct sp_minisign_secret *secret);
/** The text of a signature of these bytes. Comments are one line each. */
struct sp_err *sp_minisign_sign(const struct sp_minisign_secret *secret, const void *bytes, size_t size, const char *untrusted,
				const char *trusted, struct sp_buf *ret);

#endif
