// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/probe_cache.h"

#include "compiler/debug/dbg_record.h"
#include "compiler/driver/ftrace.h"
#include "compiler/driver/session.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/vec.h"

#include <stdio.h>
#include <stdlib.h>

struct adder {
	struct spile *spile;
	struct dbg *dbg;
	struct sp_hash known; // definitions that are resolved, or will be
	SP_VEC(char *) todo;
	bool has_marks; // whose program says where they are: they need no debug information
	int status;
};

static struct sp_err *want(void *ctx, const char *definition)
{
	struct adder *a = ctx;

	if (sp_hash_get(&a->known, definition))
		return NULL;
	sp_hash_set(&a->known, definition, a);
	sp_vec_push(&a->todo, sp_strdup(definition));
	return NULL;
}

// "process("./prog")" means nothing in another folder: a path becomes absolute.
static char *absolute(const char *definition)
{
	const char *start = strstr(definition, "(\""), *end = start ? strchr(start + 2, '"') : NULL;
	sp_cleanup_free char *given = end ? sp_strndup(start + 2, (size_t)(end - start - 2)) : NULL;
	sp_cleanup_free char *path = given && strchr(given, '/') ? realpath(given, NULL) : NULL;
	struct sp_buf out = { 0 };

	if (!path || !strstr(definition, "process") || strstr(definition, "process") > start)
		return sp_strdup(definition);
	sp_buf_printf(&out, "%.*s(\"%s%s", (int)(start - definition), definition, path, end);
	return sp_buf_take(&out);
}

// What the definitions lead to, and what else is kept of the same files: each file is written anew as a whole.
static struct sp_err *resolve(struct adder *a)
{
	struct dbg_modules modules;

	for (size_t i = 0; i < a->todo.n && !a->status; i++) {
		dbg_record(a->dbg, a->todo.v[i]);
		a->status = ftrace_resolve(a->spile, a->todo.v[i], &a->has_marks);
		dbg_record(a->dbg, NULL);
		dbg_recorded_modules(a->dbg, &modules);
		for (unsigned k = 0; k < modules.n; k++)
			SP_TRY(dbg_recorded_each(modules.v[k], want, a));
	}
	return NULL;
}

static struct sp_err *save(struct adder *a)
{
	struct sp_buf out = { 0 };
	struct dbg_modules modules;
	size_t size;

	dbg_recorded_modules(a->dbg, &modules);
	if (!modules.n && !a->has_marks)
		return sp_err_new(SP_ERR_NOT_FOUND, "no debug information took part: there is nothing to keep");
	for (unsigned i = 0; i < modules.n; i++) {
		const struct dbg_module *module = modules.v[i];

		SP_TRY(dbg_recorded_save(modules.v[i], &size));
		for (unsigned k = 0; k < module->build_id_len; k++)
			sp_buf_printf(&out, "%02x", module->build_id[k]);
		sp_buf_printf(&out, " %s: %zu bytes\n", dbg_object_name(module), size);
	}
	session_output(a->spile, &out);
	sp_buf_deinit(&out);
	return NULL;
}

// The module that --all-functions names: a kernel, a module of it, or a program.
static struct sp_err *record_all(struct adder *a, const char *object)
{
	struct dbg_module *module;

	char name[64];
	int end = 0;

	if (sscanf(object, "module(\"%63[^\"]\")%n", name, &end) == 1 && end && !object[end])
		SP_TRY(dbg_kernel_module(a->dbg, name, &module));
	else if (sp_streq(object, "kernel"))
		SP_TRY(dbg_kernel(a->dbg, &module));
	else
		SP_TRY(dbg_program(a->dbg, object, &module));
	dbg_record(a->dbg, "--all-functions");
	SP_TRY(dbg_record_all(module));
	dbg_record(a->dbg, NULL);
	return NULL;
}

int probe_cache_add(struct spile *spile, const struct spile_cache_add *what)
{
	struct adder a = { .spile = spile };
	struct sp_err *err = session_describe_features(spile);

	if (err)
		return session_fail(spile, err);
	a.dbg = session_point_env(spile, &spile->arena).dbg;
	if (what->all_functions)
		err = record_all(&a, what->all_functions);
	else if (what->definition) {
		sp_cleanup_free char *definition = absolute(what->definition);
		want(&a, definition);
		err = resolve(&a);
	}
	if (!err && !a.status)
		err = save(&a);
	sp_vec_each(text, &a.todo)
		free(*text);
	sp_vec_deinit(&a.todo);
	sp_hash_deinit(&a.known);
	return err ? session_fail(spile, err) : a.status;
}
