// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/minisign.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/sodium.h"

#include <errno.h>

#define UNTRUSTED "untrusted comment:"
#define TRUSTED "trusted comment: "

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// How the bytes behind the base64 lie (minisign(1), "Public key format" and "Signature format").
struct key_bytes {
	char algorithm[2]; // "Ed"
	uint8_t id[8], bytes[32];
};
struct signature_bytes {
	char algorithm[2]; // "ED": of the hash; "Ed": of the file itself, as minisign before 0.10 did
	uint8_t id[8], bytes[64];
};

_Static_assert(sizeof(struct key_bytes) == 42 && sizeof(struct signature_bytes) == 74, "as minisign writes them");

// ---- texts -----------------------------------------------------------------------------------------------------------

static int digit_value(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool sp_minisign_decode(const char *text, size_t len, uint8_t *ret, size_t size)
{
	uint32_t bits = 0;
	unsigned n_bits = 0;
	size_t n = 0, n_digits = (size * 8 + 5) / 6;

	if (len != (size + 2) / 3 * 4)
		return false;
	for (size_t i = 0; i < n_digits; i++) {
		int value = digit_value(text[i]);

		if (value < 0)
			return false;
		bits = bits << 6 | (unsigned)value;
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			ret[n++] = (uint8_t)(bits >> n_bits);
		}
	}
	for (size_t i = n_digits; i < len; i++)
		if (text[i] != '=')
			return false;
	return !(bits & ((1u << n_bits) - 1)); // two texts would be the same bytes
}

void sp_minisign_encode(struct sp_buf *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)bytes[i] << 16;

		bits |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
		bits |= i + 2 < size ? bytes[i + 2] : 0;
		sp_buf_putc(out, digits[bits >> 18]);
		sp_buf_putc(out, digits[bits >> 12 & 63]);
		sp_buf_putc(out, i + 1 < size ? digits[bits >> 6 & 63] : '=');
		sp_buf_putc(out, i + 2 < size ? digits[bits & 63] : '=');
	}
}

bool sp_minisign_line(const char **at, const char *end, const char **line_ret, size_t *len_ret)
{
	const char *newline;

	if (*at == end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	*line_ret = *at;
	*at = newline ? newline + 1 : end;
	*len_ret = (size_t)((newline ? newline : end) - *line_ret);
	if (*len_ret && (*line_ret)[*len_ret - 1] == '\r')
		--*len_ret;
	return true;
}

static bool begins(const char *line, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(line, with, strlen(with));
}

void sp_minisign_put_id(struct sp_buf *out, const uint8_t id[8])
{
	for (int i = 7; i >= 0; i--) // a number whose lowest byte comes first
		sp_buf_printf(out, "%02X", id[i]);
}

static struct sp_err *read_text(const char *path, struct sp_buf *ret)
{
	struct sp_err *err = sp_file_read(path, SP_MINISIGN_MAX_TEXT, ret);

	// SP_ERR_PRIVILEGE would tell the user that probes need privileges; here only the file cannot be read.
	if (err && err->code == SP_ERR_PRIVILEGE)
		err->code = SP_ERR_SYSTEM;
	return err;
}

// ---- keys ------------------------------------------------------------------------------------------------------------

void sp_minisign_keys_deinit(struct sp_minisign_keys *keys)
{
	sp_vec_deinit(&keys->v);
}

static bool parse_key(const char *text, size_t len, struct sp_minisign_key *ret)
{
	struct key_bytes bytes;

	if (!sp_minisign_decode(text, len, (uint8_t *)&bytes, sizeof(bytes)) || memcmp(bytes.algorithm, "Ed", 2))
		return false;
	memcpy(ret->id, bytes.id, sizeof(ret->id));
	memcpy(ret->bytes, bytes.bytes, sizeof(ret->bytes));
	return true;
}

struct sp_err *sp_minisign_keys_parse(const char *name, const char *text, size_t len, struct sp_minisign_keys *keys)
{
	const char *at = text, *line;
	size_t line_len;
	bool has_one = false;

	for (unsigned n = 1; sp_minisign_line(&at, text + len, &line, &line_len); n++) {
		struct sp_minisign_key key;

		if (!line_len || *line == '#' || begins(line, line_len, UNTRUSTED))
			continue;
		if (!parse_key(line, line_len, &key))
			return sp_err_new(SP_ERR_FORMAT, "%s: line %u is not a public key of minisign", name, n);
		sp_vec_push(&keys->v, key);
		has_one = true;
	}
	return has_one ? NULL : sp_err_new(SP_ERR_FORMAT, "%s: there is no public key in it", name);
}

struct sp_err *sp_minisign_keys_of(const char *text, struct sp_minisign_keys *keys)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf file = { 0 };
	struct sp_minisign_key key;

	if (parse_key(text, strlen(text), &key)) {
		sp_vec_push(&keys->v, key);
		return NULL;
	}
	SP_TRY(read_text(text, &file));
	return sp_minisign_keys_parse(text, sp_buf_str(&file), file.len, keys);
}

// ---- signatures ------------------------------------------------------------------------------------------------------

void sp_minisign_signature_deinit(struct sp_minisign_signature *signature)
{
	free(signature->comment);
	signature->comment = NULL;
}

// It is shown on terminals.
static bool can_be_shown(const char *text, size_t len)
{
	sp_cleanup_free char *copy = sp_strndup(text, len);

	if (strlen(copy) != len)
		return false;
	for (size_t i = 0, n; i < len; i += n) {
		n = sp_utf8_len(copy + i);
		if (!n || ((unsigned char)copy[i] < ' ' && copy[i] != '\t') || copy[i] == '\x7f')
			return false;
		if (n == 2 && (unsigned char)copy[i] == 0xc2 && (unsigned char)copy[i + 1] < 0xa0)
			return false; // U+0080 to U+009F are control characters, too
	}
	return true;
}

struct sp_err *sp_minisign_signature_parse(const char *name, const char *text, size_t len, struct sp_minisign_signature *ret)
{
	const char *at = text, *lines[5];
	size_t lens[5];
	unsigned n = 0;
	struct signature_bytes bytes;
	struct sp_minisign_signature parsed;

	while (n < 5 && sp_minisign_line(&at, text + len, &lines[n], &lens[n]))
		n++;
	if (n != 4 || !begins(lines[0], lens[0], UNTRUSTED) || !begins(lines[2], lens[2], TRUSTED))
		return sp_err_new(SP_ERR_FORMAT, "%s is not a signature of minisign: that has four lines, a comment, a signature, a "
						 "trusted comment, and the signature of both",
				  name);
	if (!sp_minisign_decode(lines[1], lens[1], (uint8_t *)&bytes, sizeof(bytes)))
		return sp_err_new(SP_ERR_FORMAT, "%s: line 2 is not a signature of minisign", name);
	if (!memcmp(bytes.algorithm, "Ed", 2))
		return sp_err_new(SP_ERR_FORMAT, "%s was made without hashing the file (by minisign before 0.10, or with its option -l): "
						 "sign the file again",
				  name);
	if (memcmp(bytes.algorithm, "ED", 2))
		return sp_err_new(SP_ERR_FORMAT, "%s: its algorithm is not known", name);
	if (!sp_minisign_decode(lines[3], lens[3], parsed.global, sizeof(parsed.global)))
		return sp_err_new(SP_ERR_FORMAT, "%s: line 4 is not a signature", name);
	if (!can_be_shown(lines[2], lens[2]))
		return sp_err_new(SP_ERR_FORMAT, "%s: its trusted comment is not UTF-8, or has control characters", name);
	memcpy(parsed.id, bytes.id, sizeof(parsed.id));
	memcpy(parsed.bytes, bytes.bytes, sizeof(parsed.bytes));
	parsed.comment = sp_strndup(lines[2] + strlen(TRUSTED), lens[2] - strlen(TRUSTED));
	*ret = parsed;
	return NULL;
}

struct sp_err *sp_minisign_signature_of(const char *path, struct sp_minisign_signature *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 }, text = { 0 };
	struct sp_err *err;

	sp_buf_printf(&name, "%s" SP_MINISIGN_ENDING, path);
	err = read_text(sp_buf_str(&name), &text);
	if (err && err->errno_value == ENOENT) {
		sp_err_free(err);
		return sp_err_new(SP_ERR_NOT_FOUND, "%s is not signed: there is no %s", path, sp_buf_str(&name));
	}
	return err ? err : sp_minisign_signature_parse(sp_buf_str(&name), sp_buf_str(&text), text.len, ret);
}

static const struct sp_minisign_key *find_key(const struct sp_minisign_keys *keys, const uint8_t id[8])
{
	sp_vec_each(key, &keys->v)
		if (!memcmp(key->id, id, sizeof(key->id)))
			return key;
	return NULL;
}

static struct sp_err *other_key(const struct sp_minisign_signature *signature, const struct sp_minisign_keys *keys)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf made = { 0 }, asked = { 0 };

	sp_minisign_put_id(&made, signature->id);
	sp_vec_each(key, &keys->v) {
		sp_buf_puts(&asked, asked.len ? " or " : "");
		sp_minisign_put_id(&asked, key->id);
	}
	return sp_err_new(SP_ERR_FORMAT, "it is signed with the key %s, which is not the key %s", sp_buf_str(&made), sp_buf_str(&asked));
}

struct sp_err *sp_minisign_verify(const struct sp_minisign_signature *signature, const struct sp_minisign_keys *keys, const void *bytes,
				  size_t size)
{
	const struct sp_minisign_key *key = find_key(keys, signature->id);
	sp_cleanup(sp_buf_deinit) struct sp_buf both = { 0 };
	uint8_t hash[64];
	struct sp_sodium sodium;

	if (!key)
		return other_key(signature, keys);
	SP_TRY(sp_sodium_open(&sodium));
	sodium.crypto_generichash(hash, sizeof(hash), bytes, size, NULL, 0);
	if (sodium.crypto_sign_verify_detached(signature->bytes, hash, sizeof(hash), key->bytes))
		return sp_err_new(SP_ERR_FORMAT, "its signature is not one of this content: the file was changed behind it");
	sp_buf_add(&both, signature->bytes, sizeof(signature->bytes));
	sp_buf_puts(&both, signature->comment);
	if (sodium.crypto_sign_verify_detached(signature->global, (const uint8_t *)both.data, both.len, key->bytes))
		return sp_err_new(SP_ERR_FORMAT, "the trusted comment of its signature was changed");
	return NULL;
}
