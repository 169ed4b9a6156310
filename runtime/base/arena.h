// SPDX-License-Identifier: GPL-2.0-or-later
/** Bump allocator. What belongs together dies together: one per session, per pass result, per bundle. */
#ifndef SP_BASE_ARENA_H
#define SP_BASE_ARENA_H

#include "runtime/base/util.h"

struct sp_arena_block;

struct sp_arena {
	struct sp_arena_block *head; // newest first
	char *next, *end;
	size_t used; // bytes handed out, for statistics
};

/** A zeroed struct is an empty arena, too. */
void sp_arena_init(struct sp_arena *arena);
/** Frees all that was allocated from it. */
void sp_arena_deinit(struct sp_arena *arena);

/** Zeroed memory, aligned for any scalar. Never NULL. */
void *sp_arena_alloc(struct sp_arena *arena, size_t size);
char *sp_arena_strdup(struct sp_arena *arena, const char *s);
char *sp_arena_strndup(struct sp_arena *arena, const char *s, size_t len);
char *sp_arena_printf(struct sp_arena *arena, const char *fmt, ...) SP_PRINTF(2, 3);
/** A copy of `size` bytes; NULL when size is 0. */
void *sp_arena_memdup(struct sp_arena *arena, const void *data, size_t size);

/** A moment in an arena's life. */
struct sp_arena_mark {
	struct sp_arena_block *head;
	char *next, *end;
	size_t used;
};
struct sp_arena_mark sp_arena_mark(const struct sp_arena *arena);
/** Takes back all that was allocated since `mark`, of which nothing may be used any more. */
void sp_arena_rewind(struct sp_arena *arena, struct sp_arena_mark mark);

#define sp_arena_new(arena, T) ((T *)sp_arena_alloc((arena), sizeof(T)))
#define sp_arena_array(arena, T, count) ((T *)sp_arena_alloc((arena), (size_t)(count) * sizeof(T)))

#endif
