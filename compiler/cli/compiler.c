// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of spile.h, which load libspile when they are called: a compiled script that is in the cache runs without the
// compiler and its libraries.
#define _GNU_SOURCE // RTLD_DEFAULT

#include "compiler/cli/cli.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

// In a build tree the library is beside this program.
static void *load(void)
{
	char path[PATH_MAX];
	const char *beside = cli_beside_program(SPILE_LIBRARY, path, sizeof(path));

	return dlopen(beside ? beside : SPILE_LIBDIR "/" SPILE_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
}

// Once the library is loaded, the linker knows its names.
static void *function(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name), *library = found ? NULL : load();

	if (library)
		found = dlsym(library, name);
	if (found)
		return found;
	fprintf(stderr, "ERROR: cannot load the compiler: %s\n", dlerror());
	_exit(5);
}

#define COMPILER(result, name, parameters, arguments) \
	result name parameters \
	{ \
		return ((result (*) parameters)function(#name)) arguments; \
	}

COMPILER(struct spile *, spile_create, (const struct spile_opts *opts), (opts))
COMPILER(void, spile_destroy, (struct spile *spile), (spile))
COMPILER(int, spile_script_text, (struct spile *spile, const char *name, const char *text, size_t len), (spile, name, text, len))
COMPILER(int, spile_compile, (struct spile *spile), (spile))
COMPILER(const void *, spile_bundle, (const struct spile *spile, size_t *size_ret), (spile, size_ret))
COMPILER(int, spile_frames, (struct spile *spile, const struct spile_place *place, struct spile_frame *ret, int max),
	 (spile, place, ret, max))
COMPILER(int, spile_list, (struct spile *spile, const char *pattern, int vars), (spile, pattern, vars))
COMPILER(int, spile_print_events, (struct spile *spile, const char *what, int for_perf), (spile, what, for_perf))
COMPILER(int, spile_cache_add, (struct spile *spile, const struct spile_cache_add *what), (spile, what))
COMPILER(int, spile_list_library, (struct spile *spile, enum spile_library what), (spile, what))
COMPILER(int, spile_show, (struct spile *spile, const struct spile_show *what), (spile, what))
COMPILER(int, spile_explain, (struct spile *spile, const char *tag), (spile, tag))
COMPILER(int, spile_from_bpftrace, (struct spile *spile, const char *path), (spile, path))
COMPILER(int, spile_list_passes, (struct spile *spile), (spile))
COMPILER(size_t, spile_declaration, (const char *text, size_t len), (text, len))
COMPILER(void, spile_complete, (struct spile *spile, const char *text, size_t len), (spile, text, len))
