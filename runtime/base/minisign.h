// SPDX-License-Identifier: GPL-2.0-or-later
/** Detached signatures in the formats of minisign(1): Ed25519 over the BLAKE2b-512 hash of a file. The texts are read without any
 *  library and may hold any bytes; what signs and verifies is libsodium (sodium.h). */
#ifndef SP_BASE_MINISIGN_H
#define SP_BASE_MINISIGN_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/vec.h"

#define SP_MINISIGN_ENDING ".minisig" // of the name of a file's signature
#define SP_MINISIGN_MAX_TEXT 16384 // bytes of a key's or a signature's file

struct sp_minisign_key {
	uint8_t id[8]; // chosen at random when the key was made
	uint8_t bytes[32];
};
struct sp_minisign_keys {
	SP_VEC(struct sp_minisign_key) v;
};
struct sp_minisign_signature {
	uint8_t id[8]; // of its key
	uint8_t bytes[64]; // of the file's hash
	uint8_t global[64]; // of `bytes` and the trusted comment
	char *comment; // the trusted comment: UTF-8 without control characters but tabs; owned
};

void sp_minisign_keys_deinit(struct sp_minisign_keys *keys);
/** Adds the keys of a text: one a line, as minisign -G prints it or in the file that it makes. Lines that are empty, or begin with `#` or
 *  "untrusted comment:", are left out. A text without a key is an error. `name` is what errors call it. */
struct sp_err *sp_minisign_keys_parse(const char *name, const char *text, size_t len, struct sp_minisign_keys *keys);
/** The key or keys that `text` is or that the file of this name holds. */
struct sp_err *sp_minisign_keys_of(const char *text, struct sp_minisign_keys *keys);
/** The number of a key as minisign prints it. */
void sp_minisign_put_id(struct sp_buf *out, const uint8_t id[8]);

void sp_minisign_signature_deinit(struct sp_minisign_signature *signature);
struct sp_err *sp_minisign_signature_parse(const char *name, const char *text, size_t len, struct sp_minisign_signature *ret);
/** The signature beside a file: `path`.minisig. */
struct sp_err *sp_minisign_signature_of(const char *path, struct sp_minisign_signature *ret);
/** NULL: one of the keys has signed these bytes, and the trusted comment. */
struct sp_err *sp_minisign_verify(const struct sp_minisign_signature *signature, const struct sp_minisign_keys *keys, const void *bytes,
				  size_t size);

/** Strict base64 of `size` bytes (RFC 4648, section 4, with its padding): false when the text is anything else. */
bool sp_minisign_decode(const char *text, size_t len, uint8_t *ret, size_t size);
void sp_minisign_encode(struct sp_buf *out, const uint8_t *bytes, size_t size);
/** Takes the next line of a text, without its end; false when there is none. `at` and `end` are in the text. */
bool sp_minisign_line(const char **at, const char *end, const char **line_ret, size_t *len_ret);

#endif
