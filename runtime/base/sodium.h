// SPDX-License-Identifier: GPL-2.0-or-later
/** libsodium, which is loaded when something is signed or verified. A program that is linked with it whole is built with
 *  SP_SODIUM_LINKED. */
#ifndef SP_BASE_SODIUM_H
#define SP_BASE_SODIUM_H

#include "runtime/base/err.h"

/** The functions that verify, with libsodium's names and arguments. */
struct sp_sodium {
	int (*crypto_generichash)(unsigned char *ret, size_t ret_size, const unsigned char *bytes, unsigned long long size,
				  const unsigned char *key, size_t key_size);
	int (*crypto_sign_verify_detached)(const unsigned char *signature, const unsigned char *bytes, unsigned long long size,
					   const unsigned char *key);
};
/** Those that sign, besides. */
struct sp_sodium_sign {
	struct sp_sodium verify;
	int (*crypto_sign_detached)(unsigned char *ret, unsigned long long *size_ret, const unsigned char *bytes, unsigned long long size,
				    const unsigned char *key);
	int (*crypto_pwhash_scryptsalsa208sha256)(unsigned char *ret, unsigned long long ret_size, const char *password,
						  unsigned long long size, const unsigned char *salt, unsigned long long operations,
						  size_t memory);
	void (*sodium_memzero)(void *bytes, size_t size);
};

/** Errors: spile was built without libsodium, or it is not installed. The library stays loaded. */
struct sp_err *sp_sodium_open(struct sp_sodium *ret);
struct sp_err *sp_sodium_open_sign(struct sp_sodium_sign *ret);

#endif
