// SPDX-License-Identifier: GPL-2.0-or-later
// The door of programs and kernels: what dbg.h reads of ELF, DWARF, BTF, CFI and symbols. An input is an ELF file, or a
// text that gives its bytes (hex_text.h). Without a fuzzing engine each text is also taken with bytes of it changed.
#define _GNU_SOURCE
#include "compiler/debug/dbg.h"

#include "dwarf_change.h"
#include "hex_text.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FUNCS 40
#define MAX_DEPTH 5
#define N_VARIANTS 150 // of each text

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void drop(void *ctx, enum sp_log_level level, const char *text)
{
	(void)ctx, (void)level;
	if (strlen(text) > 1000000)
		abort();
}

// ---- what is asked ---------------------------------------------------------------------------------------------------

static void ask_type(const struct c_type *type, int depth)
{
	struct sp_buf text = { 0 };

	c_type_print(&text, type);
	sp_buf_deinit(&text);
	type = dbg_complete_type(type);
	for (unsigned i = 0; type && i < type->n_members && i < 20 && depth < MAX_DEPTH; i++) {
		uint64_t off;
		ask_type(type->members[i].type, depth + 1);
		if (type->members[i].name)
			c_type_member(type, type->members[i].name, &off);
	}
	if (type && depth < MAX_DEPTH && c_type_strip(type->target))
		ask_type(type->target, depth + 1);
}

static void ask_var(const struct dbg_var *var)
{
	struct sp_buf text = { 0 };

	loc_print(&text, var->loc);
	if (var->why_not)
		sp_buf_puts(&text, var->why_not);
	sp_buf_deinit(&text);
	ask_type(var->type, 0);
}

static void ask_vars(struct dbg_func *func, uint64_t pc)
{
	struct dbg_vars vars;
	struct dbg_var var;
	bool found;

	sp_err_free(dbg_vars_at(func, pc, &vars));
	for (unsigned i = 0; i < vars.n; i++)
		ask_var(&vars.v[i]);
	sp_err_free(dbg_var_named(func, pc, "x", &var, &found));
}

static void ask_func(struct dbg_func *func)
{
	const struct c_type *type;
	const struct loc *loc;
	struct sp_buf text = { 0 };
	const char *file;
	unsigned line, n;
	uint64_t off;

	ask_vars(func, func->entry_pc);
	if (func->body_pc != func->entry_pc)
		ask_vars(func, func->body_pc);
	ask_vars(func, func->entry_pc + 3);
	sp_err_free(dbg_return_at(func, &type, &loc));
	ask_type(type, 0);
	loc_print(&text, loc);
	dbg_line_of(func->module, func->entry_pc, &file, &line);
	dbg_file_offset(func->module, func->entry_pc, &off);
	if (func->symbol)
		dbg_btf_has_func(func->module, func->symbol, &n);
	sp_buf_printf(&text, "%s %s %s", func->name, func->file ? func->file : "", func->caller ? func->caller : "");
	sp_buf_deinit(&text);
}

static void ask_funcs(struct dbg_module *module, const char *name, const char *file, unsigned line)
{
	const struct dbg_func_query query = { .name = name, .file = file, .line = line, .calls = true, .inlines = true };
	struct dbg_funcs funcs;
	struct sp_err *err = dbg_find_funcs(module, &query, &funcs);

	for (unsigned i = 0; !err && i < funcs.n && i < MAX_FUNCS; i++)
		ask_func(funcs.v[i]);
	sp_err_free(err);
}

static void ask_module(struct dbg_module *module)
{
	static const char *const types[] = { "struct packet", "struct loop", "enum color", "union u", "size", "int*" };
	static const char *const globals[] = { "counter", "per_thread", "others@twin.c" };
	struct dbg_tracepoints points;
	struct similar similar;
	struct dbg_var var;
	bool found = false;

	ask_funcs(module, "*", NULL, 0);
	ask_funcs(module, "f", NULL, 0);
	ask_funcs(module, "[a-m]*", NULL, 0);
	ask_funcs(module, "ns::*", NULL, 0);
	ask_funcs(module, "*", "*.c", 40);
	similar_init(&similar, "mayn");
	for (unsigned what = DBG_NAMED_FUNC; what <= DBG_NAMED_TYPE; what++)
		dbg_similar(module, (enum dbg_named)what, &similar);
	for (size_t i = 0; i < SP_ARRAY_SIZE(types); i++)
		ask_type(dbg_find_type(module, types[i]), 0);
	for (size_t i = 0; i < SP_ARRAY_SIZE(globals); i++) {
		sp_err_free(dbg_global_var(module, globals[i], &var, &found));
		if (found)
			ask_var(&var);
	}
	if (module->is_kernel)
		sp_err_free(dbg_find_tracepoints(module, NULL, NULL, "*", &points));
}

static void ask_file(const char *path, bool as_kernel)
{
	const struct sp_log log = { drop, NULL, SP_LOG_DEBUG };
	struct dbg *dbg = dbg_create(&(struct dbg_opts){ .kernel = path, .log = &log });
	struct dbg_module *module;
	struct sp_err *err = as_kernel ? dbg_kernel(dbg, &module) : dbg_program(dbg, path, &module);

	if (!err)
		ask_module(module);
	sp_err_free(err);
	dbg_destroy(dbg);
}

static void ask(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/fuzz_dwarf.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		abort();
	}
	close(fd);
	ask_file(path, false);
	ask_file(path, true);
	unlink(path);
}

// ---- variants --------------------------------------------------------------------------------------------------------

static unsigned random_below(uint64_t *state, size_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return n ? (unsigned)((*state >> 33) % n) : 0;
}

// A part of the file that matters: the debug sections, more often than all.
static void pick_part(const uint8_t *data, size_t size, uint64_t *state, size_t *off_ret, size_t *len_ret)
{
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdr;

	*off_ret = 0;
	*len_ret = size;
	if (size < sizeof(ehdr) || random_below(state, 8) == 0)
		return;
	memcpy(&ehdr, data, sizeof(ehdr));
	uint64_t off = ehdr.e_shoff + random_below(state, ehdr.e_shnum) * sizeof(shdr);
	if (off > size || size - off < sizeof(shdr))
		return;
	memcpy(&shdr, data + off, sizeof(shdr));
	if (shdr.sh_offset >= size || shdr.sh_size > size - shdr.sh_offset || !shdr.sh_size)
		return;
	*off_ret = shdr.sh_offset;
	*len_ret = shdr.sh_size;
}

static void change(uint8_t *data, size_t size, uint64_t *state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t off, len;

	pick_part(data, size, state, &off, &len);
	for (unsigned n = 1 + random_below(state, 3); n; n--) {
		size_t at = off + random_below(state, len);
		switch (random_below(state, 3)) {
		case 0:
			data[at] = values[random_below(state, sizeof(values))];
			break;
		case 1:
			data[at] ^= 1u << random_below(state, 8);
			break;
		default:
			data[at] += random_below(state, 9) - 4;
		}
	}
}

static void ask_variants(const uint8_t *data, size_t size)
{
	uint8_t *copy = sp_malloc(size);
	uint64_t state = size;

	for (int i = 0; i < N_VARIANTS; i++) {
		memcpy(copy, data, size);
		if (i % 2 || !dwarf_change(copy, size, random_below, &state))
			change(copy, size, &state);
		ask(copy, size - (i % 10 == 9 ? random_below(&state, size) : 0));
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes;

	if (!hex_text_is(data, size)) {
		ask(data, size);
		return 0;
	}
	bytes = hex_text_bytes(data, size, &size);
	// A corpus that is not what it seems tests nothing. But an engine may make up anything.
	if (!bytes && !LLVMFuzzerMutate)
		abort();
	if (!bytes)
		return 0;
	ask(bytes, size);
	if (!LLVMFuzzerMutate)
		ask_variants(bytes, size);
	free(bytes);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	uint64_t state = seed;
	size_t off, len;

	size = hex_text_unpack(data, size, max_size);
	if (random_below(&state, 3) && dwarf_change(data, size, random_below, &state))
		return size;
	pick_part(data, size, &state, &off, &len);
	if (len == size)
		return LLVMFuzzerMutate(data, size, max_size);
	if (random_below(&state, 2))
		change(data, size, &state);
	else
		LLVMFuzzerMutate(data + off, len, len);
	return size;
}
