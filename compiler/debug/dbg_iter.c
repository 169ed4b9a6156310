// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's iterators: each has a structure bpf_iter__NAME in BTF.
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_impl.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>

static const char prefix[] = "bpf_iter__";

// The verifier has structures with such names, too, which no iterator gives.
static bool has_function(const struct btf *btf, const char *name)
{
	char function[128];

	snprintf(function, sizeof(function), "bpf_iter_%s", name);
	return btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) >= 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct dbg_iterator *)a)->name, ((const struct dbg_iterator *)b)->name);
}

struct sp_err *dbg_find_iterators(struct dbg_module *kernel, const char *name, struct dbg_iterators *ret)
{
	SP_VEC(struct dbg_iterator) found = { 0 };
	struct btf_file *file = dbg_btf(kernel);
	struct btf *btf;

	if (!file)
		return sp_err_new(SP_ERR_NOT_FOUND, "iterators are described by BTF, which kernel %s does not have",
				  kernel->release ? kernel->release : "?");
	btf = btf_file_raw(file);
	for (uint32_t id = btf_file_first(file); id < btf__type_cnt(btf); id++) {
		const struct btf_type *raw = btf__type_by_id(btf, id);
		const char *type = btf_is_struct(raw) ? btf_file_text(btf, raw->name_off) : "";

		if (sp_starts_with(type, prefix) && sp_glob_match(name, type + strlen(prefix)) && has_function(btf, type + strlen(prefix)))
			sp_vec_push(&found, (struct dbg_iterator){ type + strlen(prefix), dbg_complete_type(btf_type_of(file, id)) });
	}
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), by_name);
	ret->v = sp_arena_memdup(btf_file_arena(file), found.v, found.n * sizeof(*found.v));
	ret->n = (unsigned)found.n;
	sp_vec_deinit(&found);
	return NULL;
}
