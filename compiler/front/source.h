// SPDX-License-Identifier: GPL-2.0-or-later
/** Source texts, and places in them. Every place in the compiler is a span of one of these texts. */
#ifndef SP_FRONT_SOURCE_H
#define SP_FRONT_SOURCE_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/base/vec.h"

/** A piece of text: file id (from 1; 0 is "no place"), byte offset, length in bytes (0: a point between two bytes). */
struct span {
	uint32_t file, off, len;
};

#define SPAN_NONE ((struct span){ 0, 0, 0 })

enum source_kind {
	SOURCE_USER, // the script of the command line
	SOURCE_TAPSET, // a library script (.stp)
	SOURCE_MACROS, // a library macro file (.stpm)
};

struct source_file {
	const char *name; // as the user knows it; "<input>" for -e and standard input, as SystemTap calls it
	const char *text; // NUL-terminated behind `len`; may hold NUL bytes
	size_t len;
	enum source_kind kind;
	SP_VEC(uint32_t) line_starts; // by line, offset of its first byte; filled in when a place is first asked for
};

struct source_expansion {
	struct span use, macro; // of the macro in the script; of its name in its @define
};

struct source_map {
	SP_VEC(struct source_file *) files; // files.v[id - 1]
	SP_VEC(struct source_expansion) expansions; // where the text of a macro stands for its use
	struct sp_arena arena;
};

void source_map_init(struct source_map *map);
void source_map_deinit(struct source_map *map);

/** Adds a copy of `text`; returns the file id. */
uint32_t source_add(struct source_map *map, const char *name, const char *text, size_t len, enum source_kind kind);
/** Reads a whole file ("-" reads standard input and calls it "<input>"). */
struct sp_err *source_read(struct source_map *map, const char *path, enum source_kind kind, uint32_t *file_ret);

const struct source_file *source_file(const struct source_map *map, uint32_t file);

struct source_place {
	const char *file; // "" when the span has no place
	uint32_t line, column; // 1-based; columns count bytes
	const char *line_text; // not NUL-terminated
	uint32_t line_len;
};

/** The line and column of a span's first byte. */
struct source_place source_place(struct source_map *map, struct span span);
/** The span from the first byte of `a` to the last one of `b`; `a` when `b` is in another file or before it. */
struct span span_join(struct span a, struct span b);

#endif
