// SPDX-License-Identifier: GPL-2.0-or-later
/** Stacks among the keys of arrays: backtrace() and ubacktrace() make strings of addresses, "0x12 0x34 ". */
#ifndef SP_RUNTIME_STACK_KEY_H
#define SP_RUNTIME_STACK_KEY_H

#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"

/** Does the script write an array that nothing reads (or, `with_read`, any), and that backtrace() or ubacktrace() is a key of? The names of
 *  the addresses will be wanted at the end. */
bool stack_key_is_expected(const struct bundle *bundle, bool with_read);
/** Is it a stack? Each of its addresses is followed by a space; one address alone without it is what has no name. */
bool stack_key_is_addresses(const char *text);
/** A part of a key that is a number. */
int64_t stack_key_number(const struct sp_field *field, const uint8_t *key);
/** Is it an address of the kernel? */
bool stack_key_is_kernel(uint64_t address);

/** Reads such a text up to where it is none. Returns how many, the innermost first. */
size_t stack_key_addresses(const char *text, uint64_t ret[SP_SYMBOLS_PLACES]);

struct stack_key {
	pid_t pid; // whose addresses of programs they are; 0: not known
	size_t n;
	uint64_t addresses[SP_SYMBOLS_PLACES]; // the innermost first
};

/** Reads a text that stack_key_is_addresses(), one of the strings of a key of `map`. */
void stack_key_read(const struct bundle *bundle, struct symbols *symbols, const struct sp_map *map, const uint8_t *key, const char *text,
		    struct stack_key *ret);
/** Tells each function, the innermost first. */
void stack_key_each(struct symbols *symbols, const struct stack_key *key, symbols_tell_fn *tell, void *ctx);

#endif
