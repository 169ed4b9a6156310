// SPDX-License-Identifier: GPL-2.0-or-later
// Prints what the debug information says: the goldens of testsuite/debug are made of it.
//
//   dbg_dump kernel|module:NAME|FILE [OPTION]... COMMAND [PATTERN]
//
// COMMAND: funcs, vars, ret, count, type, global, trace, similar, line, fentry, module.
// PATTERN: a function ("vfs_*@fs/*.c:10"), a type, a variable, "system:event", an address.
#include "compiler/debug/dbg.h"

#include "runtime/base/cleanup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

struct options {
	const char *target, *kernel, *command, *pattern, *at;
	bool inlines, calls, stats, no_addrs;
};

static int usage(void)
{
	fprintf(stderr, "usage: dbg_dump kernel|module:NAME|FILE [--kernel RELEASE|PATH] [--inlines] [--no-calls] [--no-addrs] [--stats]\n"
			"                [--at entry|body|+OFFSET|ADDRESS] COMMAND [PATTERN]\n");
	return 2;
}

static int fail(struct sp_err *err)
{
	sp_cleanup_free char *text = sp_err_text(err);

	printf("error: %s\n", text);
	sp_err_free(err);
	return 1;
}

static void write_log(void *ctx, enum sp_log_level level, const char *text)
{
	(void)ctx;
	fprintf(stderr, "%s%s\n", level == SP_LOG_WARN ? "WARNING: " : "", text);
}

static void print_type(const struct c_type *type)
{
	struct sp_buf text = { 0 };

	c_type_print(&text, type);
	fputs(sp_buf_str(&text), stdout);
	sp_buf_deinit(&text);
}

static void print_loc(const struct loc *loc)
{
	struct sp_buf text = { 0 };

	loc_print(&text, loc);
	fputs(sp_buf_str(&text), stdout);
	sp_buf_deinit(&text);
}

static void print_module(const struct dbg_module *module)
{
	static const char *const sources[] = { "DWARF", "BTF", "SYMTAB" };

	printf("%s source=%s release=%s%s%s%s abi=%s build-id-bytes=%u text_base=0x%" PRIx64 "\n", module->name,
	       sources[module->source], module->release ? module->release : "-", module->is_kernel ? " kernel" : "",
	       module->is_offline ? " offline" : "", module->is_pie ? " pie" : "",
	       module->abi ? module->abi->name : "-", module->build_id_len, module->text_base);
	if (module->why_no_dwarf)
		printf("  why: %s\n", module->why_no_dwarf);
}

static void print_func(const struct options *o, const struct dbg_func *func)
{
	printf("%s@%s:%u", func->name, func->file ? func->file : "?", func->line);
	if (func->is_inline)
		printf(" inline in %s", func->caller ? func->caller : "?");
	if (func->is_external)
		printf(" extern");
	if (!sp_streq(func->name, func->linkage_name))
		printf(" (%s)", func->linkage_name);
	if (!o->no_addrs)
		printf(" pc=0x%" PRIx64 " [0x%" PRIx64 ",0x%" PRIx64 ")", func->entry_pc, func->low_pc, func->high_pc);
	if (func->body_pc != func->entry_pc)
		printf(" body=+%" PRIu64, func->body_pc - func->entry_pc);
	if (func->symbol) {
		printf(" %s", func->symbol);
		if (!o->no_addrs || !func->is_inline)
			printf("+%" PRIu64, func->symbol_off);
		printf("%s", dbg_symbol_is_unique(func) ? "" : " (not unique)");
	}
	printf(" %s\n", func->section ? func->section : "-");
	if (func->no_probe)
		printf("  not to be probed: %s\n", func->no_probe);
}

static void print_var(const struct dbg_var *var)
{
	printf("  %s $%s:", var->is_param ? "param" : "local", var->name ? var->name : "?");
	print_type(var->type);
	printf(" ");
	if (var->loc)
		print_loc(var->loc);
	else
		printf("(%s)", var->why_not ? var->why_not : "no reason given");
	printf("%s\n", var->in_entry_args ? " entry-arg" : "");
}

static int print_vars(const struct options *o, struct dbg_func *func)
{
	uint64_t pc = func->entry_pc;
	struct dbg_vars vars;
	struct sp_err *err;

	if (o->at && sp_streq(o->at, "body"))
		pc = func->body_pc;
	else if (o->at && !sp_streq(o->at, "entry"))
		pc = o->at[0] == '+' ? pc + strtoull(o->at, NULL, 0) : strtoull(o->at, NULL, 0);
	if ((err = dbg_vars_at(func, pc, &vars)))
		return fail(err);
	for (unsigned i = 0; i < vars.n; i++)
		print_var(&vars.v[i]);
	return 0;
}

static int print_return(struct dbg_func *func)
{
	const struct c_type *type;
	const struct loc *loc;
	struct sp_err *err = dbg_return_at(func, &type, &loc);

	if (err)
		return fail(err);
	printf("  returns ");
	print_type(type);
	printf(" ");
	print_loc(loc);
	printf("\n");
	return 0;
}

// "name@file:line"
static void parse_query(char *pattern, struct dbg_func_query *ret)
{
	char *at = strchr(pattern, '@'), *colon = at ? strrchr(at, ':') : NULL;

	if (colon) {
		ret->line = strtoul(colon + 1, NULL, 10);
		*colon = '\0';
	}
	if (at) {
		ret->file = at + 1;
		*at = '\0';
	}
	ret->name = pattern;
}

static int do_funcs(const struct options *o, struct dbg_module *module)
{
	struct dbg_func_query query = { .calls = o->calls, .inlines = o->inlines };
	sp_cleanup_free char *pattern = sp_strdup(o->pattern);
	struct dbg_funcs funcs;
	int status = 0;

	parse_query(pattern, &query);
	struct sp_err *err = dbg_find_funcs(module, &query, &funcs);
	if (err)
		return fail(err);
	for (unsigned i = 0; i < funcs.n && !status; i++) {
		if (!sp_streq(o->command, "count"))
			print_func(o, funcs.v[i]);
		if (sp_streq(o->command, "vars"))
			status = print_vars(o, funcs.v[i]);
		else if (sp_streq(o->command, "ret"))
			status = print_return(funcs.v[i]);
	}
	if (sp_streq(o->command, "count"))
		printf("%u\n", funcs.n);
	if (funcs.n == 0)
		printf("no function matches\n");
	return status;
}

static void print_members(const struct c_type *type, int depth)
{
	for (unsigned i = 0; i < type->n_members; i++) {
		const struct c_member *member = &type->members[i];
		const struct c_type *inner = member->name ? NULL : c_type_strip(member->type);
		printf("%*s%" PRIu64, 2 * depth, "", member->bit_off / 8);
		if (member->bit_size)
			printf(" bits %" PRIu64 "+%u", member->bit_off % 8, member->bit_size);
		printf(" ");
		print_type(member->type);
		printf("%s%s\n", member->name ? " " : "", member->name ? member->name : "");
		if (inner && depth < 20)
			print_members(inner, depth + 1);
	}
}

static int do_type(const struct options *o, struct dbg_module *module)
{
	const struct c_type *type = dbg_find_type(module, o->pattern);

	if (!type) {
		printf("no such type\n");
		return 0;
	}
	print_type(type);
	const struct c_type *whole = dbg_complete_type(type);
	printf(" size %" PRIu64 "%s%s%s\n", type->size, whole && whole->is_signed ? " signed" : "",
	       whole && whole->is_char ? " char" : "", whole && whole->is_bool ? " bool" : "");
	if (!whole)
		return 0;
	print_members(whole, 1);
	for (unsigned i = 0; i < whole->n_enumerators; i++)
		printf("  %s = %" PRId64 "\n", whole->enumerators[i].name, whole->enumerators[i].value);
	return 0;
}

static int do_global(const struct options *o, struct dbg_module *module)
{
	struct dbg_var var;
	bool found;
	struct sp_err *err = dbg_global_var(module, o->pattern, &var, &found);

	if (err)
		return fail(err);
	if (found)
		print_var(&var);
	else
		printf("no such variable\n");
	return 0;
}

static int do_trace(const struct options *o, struct dbg_module *module)
{
	sp_cleanup_free char *pattern = sp_strdup(o->pattern);
	char *colon = strchr(pattern, ':');
	struct dbg_tracepoints points;

	if (colon)
		*colon = '\0';
	struct sp_err *err = dbg_find_tracepoints(module, NULL, colon ? pattern : NULL, colon ? colon + 1 : pattern, &points);
	if (err)
		return fail(err);
	for (unsigned i = 0; i < points.n; i++) {
		const struct dbg_tracepoint *point = points.v[i];
		printf("%s:%s\n", point->system ? point->system : "?", point->name);
		for (unsigned j = 0; j < point->n_args; j++) {
			printf("  arg $%s:", point->args[j].name ? point->args[j].name : "?");
			print_type(point->args[j].type);
			printf("\n");
		}
		for (unsigned j = 0; j < point->n_fields; j++) {
			const struct dbg_trace_field *field = &point->fields[j];
			printf("  field %s:", field->name);
			print_type(field->type);
			printf(" offset %u size %u%s\n", field->offset, field->size, field->is_data_loc ? " data_loc" : "");
		}
	}
	if (points.n == 0)
		printf("no tracepoint matches\n");
	return 0;
}

static int do_similar(const struct options *o, struct dbg_module *module)
{
	struct similar similar;

	similar_init(&similar, o->pattern);
	dbg_similar(module, DBG_NAMED_FUNC, &similar);
	for (unsigned i = 0; i < similar.n; i++)
		printf("%s\n", similar.best[i].name);
	return 0;
}

static int do_line(const struct options *o, struct dbg_module *module)
{
	uint64_t addr = strtoull(o->pattern, NULL, 0), offset;
	const char *file;
	unsigned line;

	if (dbg_line_of(module, addr, &file, &line))
		printf("%s:%u", file, line);
	else
		printf("?");
	if (dbg_file_offset(module, addr, &offset))
		printf(" file offset 0x%" PRIx64, offset);
	printf("\n");
	return 0;
}

static int do_fentry(const struct options *o, struct dbg_module *module)
{
	unsigned n;

	if (dbg_btf_has_func(module, o->pattern, &n))
		printf("%s: %u arguments\n", o->pattern, n);
	else
		printf("%s: not for fentry\n", o->pattern);
	return 0;
}

static int run(const struct options *o, struct dbg_module *module)
{
	if (sp_streq(o->command, "module")) {
		print_module(module);
		return 0;
	}
	if (sp_streq(o->command, "type"))
		return do_type(o, module);
	if (sp_streq(o->command, "global"))
		return do_global(o, module);
	if (sp_streq(o->command, "trace"))
		return do_trace(o, module);
	if (sp_streq(o->command, "similar"))
		return do_similar(o, module);
	if (sp_streq(o->command, "line"))
		return do_line(o, module);
	if (sp_streq(o->command, "fentry"))
		return do_fentry(o, module);
	return do_funcs(o, module);
}

static int open_and_run(const struct options *o)
{
	struct sp_log log = { .write = write_log, .max_level = SP_LOG_WARN };
	struct dbg_opts opts = { .kernel = o->kernel, .log = &log };
	struct dbg *dbg = dbg_create(&opts);
	struct dbg_module *module;
	struct sp_err *err;
	int status;

	if (sp_streq(o->target, "kernel"))
		err = dbg_kernel(dbg, &module);
	else if (sp_starts_with(o->target, "module:"))
		err = dbg_kernel_module(dbg, o->target + strlen("module:"), &module);
	else
		err = dbg_program(dbg, o->target, &module);
	status = err ? fail(err) : run(o, module);
	dbg_destroy(dbg);
	return status;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct options o = { .calls = true };
	int n_words = 0;

	for (int i = 1; i < argc; i++) {
		if (sp_streq(argv[i], "--kernel") && i + 1 < argc)
			o.kernel = argv[++i];
		else if (sp_streq(argv[i], "--at") && i + 1 < argc)
			o.at = argv[++i];
		else if (sp_streq(argv[i], "--inlines"))
			o.inlines = true;
		else if (sp_streq(argv[i], "--no-calls"))
			o.calls = false;
		else if (sp_streq(argv[i], "--stats"))
			o.stats = true;
		else if (sp_streq(argv[i], "--no-addrs"))
			o.no_addrs = true;
		else if (n_words < 3)
			*(const char **[]){ &o.target, &o.command, &o.pattern }[n_words++] = argv[i];
	}
	if (n_words < 2)
		return usage();
	if (!o.pattern)
		o.pattern = "*";
	double start = now_ms();
	int status = open_and_run(&o);
	if (o.stats) {
		struct rusage usage;
		getrusage(RUSAGE_SELF, &usage);
		fprintf(stderr, "%.1f ms, %ld kB\n", now_ms() - start, usage.ru_maxrss);
	}
	return status;
}
