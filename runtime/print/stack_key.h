// SPDX-License-Identifier: GPL-2.0-or-later
/** Stacks among the keys of arrays: backtrace() and ubacktrace() make strings of addresses, "0x12 0x34 ". */
#ifndef SP_RUNTIME_STACK_KEY_H
#define SP_RUNTIME_STACK_KEY_H

#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"

/** Does the script write an array that nothing reads (or, `with_read`, any), and that backtrace() or ubacktrace() is a key of? The names of
 *  the addresses will be wanted at the end. */
bool stack_key_is_expected(const struct bundle *bundle, bool with_read);
bool stack_key_is_addresses(const char *text);
/** A part of a key that is a number. */
int64_t stack_key_number(const struct sp_field *field, const uint8_t *key);
/** The process that a number among the keys names; 0: none does, and the target is meant. */
pid_t stack_key_process(const struct bundle *bundle, struct symbols *symbols, const struct sp_map *map, const uint8_t *key);
/** Is it an address of the kernel? */
bool stack_key_is_kernel(uint64_t address);
/** Tells each function of a text that stack_key_is_addresses(), the innermost first. */
void stack_key_each(struct symbols *symbols, const char *text, pid_t pid, symbols_tell_fn *tell, void *ctx);

#endif
