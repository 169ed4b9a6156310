// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/arena.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <stdlib.h>

#define BLOCK_SIZE ((size_t)64 * 1024)
#define FIRST_BLOCK ((size_t)4 * 1024) // memory that is never used costs time, too: it is made zero
#define ALIGNMENT 16

struct sp_arena_block {
	struct sp_arena_block *next;
	_Alignas(ALIGNMENT) char data[];
};

void sp_arena_init(struct sp_arena *arena)
{
	*arena = (struct sp_arena){ 0 };
}

void sp_arena_deinit(struct sp_arena *arena)
{
	struct sp_arena_block *block = arena->head;

	while (block) {
		struct sp_arena_block *next = block->next;

		free(block);
		block = next;
	}
	sp_arena_init(arena);
}

void *sp_arena_alloc(struct sp_arena *arena, size_t size)
{
	size_t rounded = SP_ALIGN_UP(size ? size : 1, ALIGNMENT);
	char *p;

	if ((size_t)(arena->end - arena->next) < rounded) {
		// As much again as there is. A large request gets a block of its own, behind the one that is being filled.
		size_t room = SP_ALIGN_UP(SP_MIN(SP_MAX(arena->used, FIRST_BLOCK), BLOCK_SIZE), ALIGNMENT);
		bool large = rounded > room / 4;
		size_t capacity = large ? rounded : room;
		struct sp_arena_block *block = sp_calloc(1, sizeof(*block) + capacity);

		arena->used += size;
		if (large && arena->head) {
			block->next = arena->head->next;
			arena->head->next = block;
			return block->data;
		}
		block->next = arena->head;
		arena->head = block;
		arena->next = block->data + rounded;
		arena->end = block->data + capacity;
		return block->data;
	}
	p = arena->next;
	arena->next += rounded;
	arena->used += size;
	return p;
}

struct sp_arena_mark sp_arena_mark(const struct sp_arena *arena)
{
	return (struct sp_arena_mark){ arena->head, arena->next, arena->end, arena->used };
}

// Blocks of large requests that stand behind the mark's block stay until the arena ends.
void sp_arena_rewind(struct sp_arena *arena, struct sp_arena_mark mark)
{
	char *dirty_end = arena->head == mark.head ? arena->next : mark.end;

	while (arena->head != mark.head) {
		struct sp_arena_block *older = arena->head->next;

		free(arena->head);
		arena->head = older;
	}
	if (mark.next)
		memset(mark.next, 0, (size_t)(dirty_end - mark.next));
	arena->next = mark.next;
	arena->end = mark.end;
	arena->used = mark.used;
}

char *sp_arena_strndup(struct sp_arena *arena, const char *s, size_t len)
{
	char *copy = sp_arena_alloc(arena, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *sp_arena_strdup(struct sp_arena *arena, const char *s)
{
	return sp_arena_strndup(arena, s, strlen(s));
}

void *sp_arena_memdup(struct sp_arena *arena, const void *data, size_t size)
{
	return size ? memcpy(sp_arena_alloc(arena, size), data, size) : NULL;
}

char *sp_arena_printf(struct sp_arena *arena, const char *fmt, ...)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	return sp_arena_strndup(arena, text.data, text.len);
}
