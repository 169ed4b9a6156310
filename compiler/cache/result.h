// SPDX-License-Identifier: GPL-2.0-or-later
/** Compiled scripts and listings that are kept: the same script, options and inputs give the same object without being compiled again.
 *
 *  The problem. Nothing may be taken that is not what would be compiled now. What a compilation depends on is only known afterwards.
 *
 *  The idea. A key is made of what is known before: the script, the options, the description of the machine, the user, this
 *  program. The file KEY.result (KEY.list) has what was known afterwards: the inputs (input.h), each with its value, then the messages of the
 *  compilation, then the object. When all inputs still have their values, the object and the messages are taken.
 *
 *  The invariants. There is one file for a key, that of the last compilation. A digest of its content tells when it was damaged.
 *  Neither LLVM nor libdw is needed to find a result. */
#ifndef SP_CACHE_RESULT_H
#define SP_CACHE_RESULT_H

#include "compiler/cache/cache.h"
#include "compiler/cache/input.h"
#include "compiler/include/spile.h"
#include "runtime/base/sha256.h"

#define RESULT_ENDING ".result" // of a compiled script
#define RESULT_LISTING ".list" // of what -l or -L has printed

struct result_key {
	char text[SP_SHA256_TEXT];
	const char *ending;
};

/** Could the compilation that the options ask for be kept? Not when it prints dumps, or stops before its end. */
bool result_is_possible(const struct spile_opts *opts);
/** `name` and `text` are the script's. */
struct result_key result_key(const struct spile_opts *opts, const char *name, const char *text, size_t len);
/** Of a listing. Its object is the text, as lines_pack() makes it smaller. */
struct result_key result_listing_key(const struct spile_opts *opts, const char *pattern, int vars);
/** Is it the name of a file with a result? */
bool result_is_name(const char *name);

/** A message of the compiler: a text for spile_opts.log with its level, or for spile_opts.diag. */
#define RESULT_DIAG 255

struct result_message {
	unsigned level; // enum spile_level, or RESULT_DIAG
	const char *text;
};

/** The parts of a result; they point into the mapped file, or to what is to be saved. */
struct result {
	const char *title; // for listings
	const uint8_t *inputs, *messages, *object;
	size_t inputs_size, messages_size, object_size;
	struct cache_mapped mapped; // when it was found
};

/** Appends a message to `messages` of a result. */
void result_add_message(struct sp_buf *messages, unsigned level, const char *text);
/** Reads the message at *at and goes on to the next; false: at the end. */
bool result_next_message(const uint8_t **at, const uint8_t *end, struct result_message *ret);

/** Sets the digest of such a file, which has at least its head. */
#define RESULT_HEAD_SIZE 72
void result_sum(uint8_t *bytes, size_t size);
/** Finds the parts of such a file; else returns what is wrong with it. */
const char *result_parse(const uint8_t *bytes, size_t size, struct result *ret);
/** Maps the file of that name. Returns false when there is none: *why_ret, to be freed, tells what is wrong with one that is there. */
bool result_read(const char *name, struct result *ret, char **why_ret);
/** Finds the result of a compilation; *why_ret, to be freed: why one that is there is not used; *is_damaged_ret: it is broken. */
bool result_find(const struct result_key *key, struct result *ret, char **why_ret, bool *is_damaged_ret);
void result_deinit(struct result *result);
struct sp_err *result_save(const struct result_key *key, const struct result *result);

#endif
