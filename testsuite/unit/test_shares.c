// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of a program, found in shares of its units as a listing of a large program does, are those that are found at once.
#include "compiler/debug/dbg.h"

#include "runtime/base/hash.h"

#include "expect.h"

#define SHARES 5

static const struct dbg_func_query all = { .name = "*", .calls = true, .inlines = true, .once = true };

// Notes what the functions are called, as a listing does.
static void note(struct dbg_module *module, struct sp_hash *names)
{
	struct dbg_funcs found = { 0 };

	EXPECT(!dbg_find_funcs(module, &all, &found));
	for (unsigned i = 0; i < found.n; i++) {
		struct sp_buf name = { 0 };
		const char *file = found.v[i]->file;

		sp_buf_printf(&name, "%s@%s:%u", dbg_func_name(found.v[i]), file ? file : "", found.v[i]->line);
		*sp_hash_insert(names, name.data, name.len) = module;
		sp_buf_deinit(&name);
	}
}

int main(void)
{
	static const struct sp_log silent;
	struct dbg *dbg = dbg_create(&(struct dbg_opts){ .log = &silent });
	struct sp_hash whole = { 0 }, shares = { 0 };
	struct dbg_module *module;

	EXPECT(!dbg_program(dbg, "/proc/self/exe", &module));
	EXPECT(!dbg_is_large(module));
	note(module, &whole);
	for (unsigned i = 0; i < SHARES; i++) {
		dbg_take_share(dbg, i, SHARES);
		note(module, &shares);
	}
	EXPECT(whole.n_live > 100);
	EXPECT_NUM(shares.n_live, whole.n_live);
	sp_hash_each(entry, &whole)
		EXPECT(sp_hash_find(&shares, entry->key, entry->key_len));
	sp_hash_deinit(&whole);
	sp_hash_deinit(&shares);
	dbg_destroy(dbg);
	return expect_status();
}
