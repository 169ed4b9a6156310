// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/stack_key.h"

#include "runtime/base/util.h"

#include <stdlib.h>

#define KERNEL_FIRST UINT64_C(0xffff000000000000) // addresses of programs are below

bool stack_key_is_expected(const struct bundle *bundle, bool with_read)
{
	for (unsigned i = 0; i < bundle->n_maps; i++)
		if ((with_read || bundle->maps[i].flags & SP_MAP_UNREAD) && strstr(bundle_text(bundle, bundle->maps[i].key_names), "backtrace"))
			return true;
	return false;
}

bool stack_key_is_addresses(const char *text)
{
	if (!sp_starts_with(text, "0x") || !strchr(text, ' '))
		return false;
	for (const char *at = text; *at;) {
		size_t digits = sp_starts_with(at, "0x") ? strspn(at + 2, "0123456789abcdef") : 0;

		if (!digits || (at[2 + digits] && at[2 + digits] != ' '))
			return false;
		at += 2 + digits;
		at += strspn(at, " ");
	}
	return true;
}

int64_t stack_key_number(const struct sp_field *field, const uint8_t *key)
{
	int64_t number;

	memcpy(&number, key + field->offset, sizeof(number));
	return number;
}

// A number among the keys that is a process tells whose it probably is.
static pid_t process_among(const struct bundle *bundle, struct symbols *symbols, const struct sp_map *map, const uint8_t *key)
{
	for (unsigned i = 0; i < map->n_keys; i++) {
		const struct sp_field *field = &bundle->fields[map->first_key + i];

		if (field->type != SP_STRING && symbols_knows(symbols, (pid_t)stack_key_number(field, key)))
			return (pid_t)stack_key_number(field, key);
	}
	return 0;
}

bool stack_key_is_kernel(uint64_t address)
{
	return address >= KERNEL_FIRST;
}

size_t stack_key_addresses(const char *text, uint64_t ret[SP_SYMBOLS_PLACES])
{
	size_t n = 0;
	char *end;

	for (const char *at = text; n < SP_SYMBOLS_PLACES; at = end + strspn(end, " ")) {
		ret[n] = strtoull(at, &end, 16);
		if (end == at)
			break;
		n++;
	}
	return n;
}

void stack_key_read(const struct bundle *bundle, struct symbols *symbols, const struct sp_map *map, const uint8_t *key, const char *text,
		    struct stack_key *ret)
{
	size_t first = 0;

	ret->n = stack_key_addresses(text, ret->addresses);
	while (first < ret->n && stack_key_is_kernel(ret->addresses[first]))
		first++;
	ret->pid = symbols_owner(symbols, process_among(bundle, symbols, map, key), ret->addresses + first, ret->n - first);
}

void stack_key_each(struct symbols *symbols, const struct stack_key *key, symbols_tell_fn *tell, void *ctx)
{
	for (size_t i = 0; i < key->n; i++)
		symbols_each_at(symbols, stack_key_is_kernel(key->addresses[i]), key->pid, key->addresses[i], i > 0, tell, ctx);
}
