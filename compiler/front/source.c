// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/source.h"

#include "runtime/base/buf.h"
#include "runtime/base/file.h"

void source_map_init(struct source_map *map)
{
	*map = (struct source_map){ 0 };
}

void source_map_deinit(struct source_map *map)
{
	sp_vec_each(file, &map->files)
		sp_vec_deinit(&(*file)->line_starts);
	sp_vec_deinit(&map->files);
	sp_vec_deinit(&map->expansions);
	sp_arena_deinit(&map->arena);
}

uint32_t source_add(struct source_map *map, const char *name, const char *text, size_t len,
		    enum source_kind kind)
{
	struct source_file *file = sp_arena_new(&map->arena, struct source_file);

	file->name = sp_arena_strdup(&map->arena, name);
	file->text = sp_arena_strndup(&map->arena, text, len);
	file->len = len;
	file->kind = kind;
	sp_vec_push(&map->files, file);
	return map->files.n;
}

struct sp_err *source_read(struct source_map *map, const char *path, enum source_kind kind,
			   uint32_t *file_ret)
{
	struct sp_buf text = { 0 };
	struct sp_err *err = sp_file_read(path, SP_FILE_MAX_SCRIPT, &text);

	if (!err)
		*file_ret = source_add(map, sp_file_script_name(path), sp_buf_str(&text), text.len, kind);
	sp_buf_deinit(&text);
	return err;
}

const struct source_file *source_file(const struct source_map *map, uint32_t file)
{
	return file && file <= map->files.n ? map->files.v[file - 1] : NULL;
}

static void find_lines(struct source_file *file)
{
	sp_vec_push(&file->line_starts, sp_starts_with(file->text, "\xef\xbb\xbf") ? 3 : 0); // a byte order mark is not of the line
	for (size_t i = 0; i < file->len; i++)
		if (file->text[i] == '\n')
			sp_vec_push(&file->line_starts, (uint32_t)(i + 1));
}

struct source_place source_place(struct source_map *map, struct span span)
{
	struct source_place place = { .file = "", .line_text = "" };
	struct source_file *file;
	size_t low = 0, high;
	uint32_t start, off, end;

	if (!span.file || span.file > map->files.n)
		return place;
	file = map->files.v[span.file - 1];
	if (!file->line_starts.n)
		find_lines(file);
	off = SP_MIN(span.off, (uint32_t)file->len);
	high = file->line_starts.n;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (file->line_starts.v[middle] <= off)
			low = middle;
		else
			high = middle;
	}
	start = file->line_starts.v[low];
	end = low + 1 < file->line_starts.n ? file->line_starts.v[low + 1] - 1 : (uint32_t)file->len;
	if (end > start && file->text[end - 1] == '\r')
		end--;
	place.file = file->name;
	place.line = low + 1;
	place.column = off > start ? off - start + 1 : 1;
	place.line_text = file->text + start;
	place.line_len = end - start;
	return place;
}

struct span span_join(struct span a, struct span b)
{
	uint32_t end;

	if (!a.file)
		return b;
	if (a.file != b.file || b.off < a.off)
		return a;
	end = SP_MAX(a.off + a.len, b.off + b.len);
	return (struct span){ a.file, a.off, end - a.off };
}
