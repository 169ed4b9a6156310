// SPDX-License-Identifier: GPL-2.0-or-later
// The texts of source files.
#include "compiler/debug/dbg.h"

#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_path.h"
#include "compiler/debug/dwarf/dw_func.h"

#include "runtime/base/cleanup.h"

#include <dwarf.h>

// The file below the folder of --source. Its path there may lack leading folders: "/build/x/fs/open.c" is found as
// FOLDER/build/x/fs/open.c, FOLDER/x/fs/open.c, FOLDER/fs/open.c or FOLDER/open.c.
static FILE *open_below(const char *folder, const char *file, struct sp_buf *path)
{
	FILE *found = NULL;

	for (const char *tail = file; !found && tail; tail = strchr(tail, '/')) {
		tail += *tail == '/';
		path->len = 0;
		sp_buf_printf(path, "%s/%s", folder, tail);
		found = dbg_path_open(sp_buf_str(path));
	}
	return found;
}

// The file where the compiler found it: a relative name is relative to the unit's compilation directory.
static FILE *open_original(const struct dbg_func *func, const char *file, struct sp_buf *path)
{
	struct dw_scope *scope = func->scope;
	const char *comp_dir = NULL;
	Dwarf_Attribute attr;

	if (func->module->source == DBG_DWARF && scope && *file != '/')
		comp_dir = dwarf_formstring(dwarf_attr(&scope->unit, DW_AT_comp_dir, &attr));
	if (comp_dir)
		sp_buf_printf(path, "%s/", comp_dir);
	sp_buf_puts(path, file);
	return dbg_path_open(sp_buf_str(path));
}

const struct dbg_text *dbg_text(const struct dbg_func *func, const char *file)
{
	struct dbg *dbg = dbg_impl(func->module)->dbg;
	void **known = sp_hash_insert(&dbg->texts, file, strlen(file));
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 };
	struct dbg_text *text = *known;
	SP_VEC(const char *) lines = { 0 };
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (text)
		return text;
	*known = text = sp_arena_new(&dbg->arena, struct dbg_text);
	sp_cleanup_fclose FILE *in = dbg->source_dir ? open_below(dbg->source_dir, file, &path) :
						       open_original(func, file, &path);
	while (in && (len = getline(&line, &size, in)) >= 0)
		sp_vec_push(&lines, sp_arena_strndup(&dbg->arena, line, (size_t)len - (len && line[len - 1] == '\n')));
	text->is_there = in && feof(in);
	free(line);
	text->path = sp_arena_strdup(&dbg->arena, sp_buf_str(&path));
	text->lines = sp_arena_memdup(&dbg->arena, lines.v, lines.n * sizeof(*lines.v));
	text->n = (unsigned)lines.n;
	sp_vec_deinit(&lines);
	return text;
}
