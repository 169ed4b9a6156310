// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel that has BTF alone: types, functions and tracepoints of BTF made here, and tracefs' format files.
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_tracefs.h"

#include "expect.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int int_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int char_id = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	int double_id = btf__add_float(btf, "double", 8);
	int const_id = btf__add_const(btf, char_id);
	int text_id = btf__add_ptr(btf, const_id);
	int array_id = btf__add_array(btf, int_id, char_id, 16);
	int fwd_id = btf__add_fwd(btf, "task", BTF_FWD_STRUCT);
	int fwd_pointer_id = btf__add_ptr(btf, fwd_id);
	int union_id, void_pointer_id = btf__add_ptr(btf, 0);

	union_id = btf__add_union(btf, NULL, 4);
	btf__add_field(btf, "low", char_id, 0, 0);
	btf__add_field(btf, "whole", int_id, 0, 0);
	btf__add_struct(btf, "task", 32);
	btf__add_field(btf, "comm", array_id, 0, 0);
	btf__add_field(btf, NULL, union_id, 128, 0);
	btf__add_field(btf, "flags", int_id, 160, 3);
	int enum_id = btf__add_enum(btf, "color", 4);
	btf__add_enum_value(btf, "RED", 0);
	btf__add_enum_value(btf, "BLUE", 7);
	// long f(struct task *task, const char *text, double d, int n)
	int f_id = btf__add_func_proto(btf, int_id);
	btf__add_func_param(btf, "task", fwd_pointer_id);
	btf__add_func_param(btf, "text", text_id);
	btf__add_func_param(btf, "d", double_id);
	btf__add_func_param(btf, "n", enum_id);
	btf__add_func(btf, "f", BTF_FUNC_GLOBAL, f_id);
	int g_id = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "n", int_id);
	btf__add_func(btf, "g", BTF_FUNC_STATIC, g_id);
	btf__add_func(btf, "twice", BTF_FUNC_STATIC, g_id);
	btf__add_func(btf, "twice", BTF_FUNC_STATIC, g_id);
	// The tracepoint "wake", with the names in its iterator alone.
	int nameless_id = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, NULL, void_pointer_id);
	btf__add_func_param(btf, NULL, fwd_pointer_id);
	btf__add_typedef(btf, "btf_trace_wake", btf__add_ptr(btf, nameless_id));
	int named_id = btf__add_func_proto(btf, int_id);
	btf__add_func_param(btf, "__data", void_pointer_id);
	btf__add_func_param(btf, "task", fwd_pointer_id);
	btf__add_func(btf, "__traceiter_wake", BTF_FUNC_STATIC, named_id);
	btf__add_struct(btf, "trace_event_raw_wake", 16);
	btf__add_field(btf, "ent", int_id, 0, 0);
	btf__add_field(btf, "__data_loc_name", int_id, 64, 0);
	btf__add_field(btf, "prio", int_id, 96, 0);
	return btf;
}

static struct dbg_module *make_kernel(struct dbg *dbg)
{
	struct btf *btf = make_btf();
	struct dbg_module *module = dbg_module_new(dbg, "kernel");
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);

	EXPECT(!btf_file_new(data, size, &dbg_impl(module)->btf));
	btf__free(btf);
	dbg_impl(module)->btf_tried = true;
	module->source = DBG_BTF;
	module->is_kernel = module->is_offline = true;
	module->abi = abi_find("x86_64");
	return module;
}

static void expect_var(const struct dbg_var *var, const char *name, const char *type, const char *loc, bool entry_arg)
{
	struct sp_buf text = { 0 };

	EXPECT_STR(var->name, name);
	c_type_print(&text, var->type);
	EXPECT_STR(sp_buf_str(&text), type);
	sp_buf_clear(&text);
	loc_print(&text, var->loc);
	EXPECT_STR(sp_buf_str(&text), loc);
	EXPECT_NUM(var->in_entry_args, entry_arg);
	EXPECT(var->loc || var->why_not);
	sp_buf_deinit(&text);
}

static void test_functions(struct dbg_module *kernel)
{
	struct dbg_func_query query = { .name = "f", .calls = true };
	struct dbg_funcs funcs;
	struct dbg_vars vars;
	const struct c_type *type;
	const struct loc *loc;
	struct similar similar;
	unsigned n = 9;

	EXPECT(!dbg_find_funcs(kernel, &query, &funcs));
	EXPECT_NUM(funcs.n, 1);
	EXPECT(funcs.v[0]->is_external && dbg_symbol_is_unique(funcs.v[0]) && funcs.v[0]->entry_pc == 0);
	EXPECT(!dbg_vars_at(funcs.v[0], 0, &vars));
	EXPECT_NUM(vars.n, 4);
	expect_var(&vars.v[0], "task", "struct task*", "[reg5]", true);
	expect_var(&vars.v[1], "text", "char const*", "[reg4]", true);
	expect_var(&vars.v[2], "d", "double", "nowhere", false);
	expect_var(&vars.v[3], "n", "enum color", "[reg1]", false); // the third integer, the fourth parameter
	EXPECT(!dbg_return_at(funcs.v[0], &type, &loc) && type && loc);
	query.name = "*";
	EXPECT(!dbg_find_funcs(kernel, &query, &funcs));
	EXPECT_NUM(funcs.n, 5);
	EXPECT_STR(funcs.v[4]->name, "twice");
	EXPECT(!dbg_symbol_is_unique(funcs.v[4]) && !dbg_symbol_is_unique(funcs.v[3]));
	query.file = "x.c";
	EXPECT(!dbg_find_funcs(kernel, &query, &funcs));
	EXPECT_NUM(funcs.n, 0);
	EXPECT(dbg_btf_has_func(kernel, "g", &n));
	EXPECT_NUM(n, 1);
	EXPECT(!dbg_btf_has_func(kernel, "f", &n)); // the double
	EXPECT(!dbg_btf_has_func(kernel, "twice", &n));
	EXPECT(!dbg_btf_has_func(kernel, "none", &n));
	similar_init(&similar, "twicf");
	dbg_similar(kernel, DBG_NAMED_FUNC, &similar);
	EXPECT_NUM(similar.n, 1);
	EXPECT_STR(similar.best[0].name, "twice");
}

static void test_types(struct dbg_module *kernel)
{
	const struct c_type *pointer = dbg_find_type(kernel, "struct task *"), *task;
	uint64_t off = 0;

	EXPECT(pointer && pointer->kind == C_POINTER);
	task = dbg_complete_type(pointer->target);
	EXPECT(task && task->size == 32 && !task->is_declaration);
	EXPECT(c_type_member(task, "low", &off));
	EXPECT_NUM(off, 128);
	const struct c_member *flags = c_type_member(task, "flags", &off);
	EXPECT(flags && flags->bit_size == 3);
	EXPECT_NUM(off, 160);
	const struct c_type *color = dbg_complete_type(dbg_find_type(kernel, "enum color"));
	EXPECT_NUM(color->n_enumerators, 2);
	EXPECT_STR(color->enumerators[1].name, "BLUE");
	EXPECT(!dbg_find_type(kernel, "struct nowhere"));
	EXPECT(dbg_find_type(kernel, "signed  int") == dbg_find_type(kernel, "int"));
}

static void test_tracepoints(struct dbg_module *kernel)
{
	struct dbg_tracepoints points;

	EXPECT(!dbg_find_tracepoints(kernel, NULL, NULL, "w*", &points));
	EXPECT_NUM(points.n, 1);
	const struct dbg_tracepoint *wake = points.v[0];
	EXPECT_STR(wake->name, "wake");
	EXPECT_NUM(wake->n_args, 1);
	EXPECT_STR(wake->args[0].name, "task");
	EXPECT_NUM(wake->n_fields, 2);
	EXPECT_STR(wake->fields[0].name, "name");
	EXPECT(wake->fields[0].is_data_loc && c_type_is_string(wake->fields[0].type));
	EXPECT_NUM(wake->fields[0].offset, 8);
	EXPECT_STR(wake->fields[1].name, "prio");
	EXPECT_NUM(wake->fields[1].offset, 12);
	// Nobody knows its system: a name is enough, a pattern is not.
	EXPECT(!dbg_find_tracepoints(kernel, NULL, "sched", "wake", &points));
	EXPECT_NUM(points.n, 1);
	EXPECT(!dbg_find_tracepoints(kernel, NULL, "sched", "w*", &points));
	EXPECT_NUM(points.n, 0);
}

static void test_format(void)
{
	struct sp_arena arena = { 0 };
	struct dbg_event_field *f;
	unsigned n = dbg_tracefs_parse(&arena,
				       "name: x\nID: 1\nformat:\n"
				       "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				       "\tfield:__data_loc char[] file;\toffset:8;\tsize:4;\tsigned:0;\n"
				       "\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:1;\n"
				       "\tfield:const struct page * page;\toffset:32;\tsize:8;\tsigned:0;\n"
				       "\tfield:long long int left;\toffset:40;\tsize:8;\tsigned:1;\n"
				       "\tfield:broken\n"
				       "\tfield:;\toffset:1;\tsize:1;\tsigned:1;\n"
				       "\tfield:int x;\toffset:abc;\tsize:1;\tsigned:1;\n"
				       "print fmt: \"\"",
				       &f);

	EXPECT_NUM(n, 4);
	EXPECT_STR(f[0].name, "file");
	EXPECT_STR(f[0].type, "char");
	EXPECT(f[0].is_data_loc && f[0].is_array && !f[0].count);
	EXPECT_STR(f[1].name, "comm");
	EXPECT_STR(f[1].type, "char");
	EXPECT(f[1].is_array && f[1].count == 16 && f[1].is_signed);
	EXPECT_STR(f[2].name, "page");
	EXPECT_STR(f[2].type, "const struct page *");
	EXPECT_NUM(f[2].offset, 32);
	EXPECT_STR(f[3].name, "left");
	EXPECT_STR(f[3].type, "long long int");
	EXPECT_NUM(dbg_tracefs_parse(&arena, "", &f), 0);
	sp_arena_deinit(&arena);
}

static void make_file(int folder, const char *name, const char *text)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	EXPECT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

// perf-probe(1) makes an event with the name of a tracepoint, and the folder lists either first.
static void test_systems(void)
{
	static const char *const folders[] = { "events", "events/one", "events/two", "events/one/same", "events/two/same", "events/two/own" };
	char path[] = "/tmp/test_debug_btf.XXXXXX";
	int folder = open(mkdtemp(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sp_hash systems[3] = { 0 };
	struct sp_arena arena = { 0 };

	for (size_t i = 0; i < SP_ARRAY_SIZE(folders); i++)
		EXPECT(mkdirat(folder, folders[i], 0700) == 0);
	dbg_tracefs_systems(folder, &arena, &systems[0]);
	EXPECT(sp_hash_get(&systems[0], "same"));
	make_file(folder, "dynamic_events", "p:one/same same\n");
	dbg_tracefs_systems(folder, &arena, &systems[1]);
	EXPECT_STR(sp_hash_get(&systems[1], "same"), "two");
	make_file(folder, "dynamic_events", "broken\np:two/own own\nr16:two/same same arg1=$retval\n");
	dbg_tracefs_systems(folder, &arena, &systems[2]);
	EXPECT_STR(sp_hash_get(&systems[2], "same"), "one");
	EXPECT_STR(sp_hash_get(&systems[2], "own"), "two");
	for (size_t i = 0; i < SP_ARRAY_SIZE(systems); i++)
		sp_hash_deinit(&systems[i]);
	sp_arena_deinit(&arena);
	unlinkat(folder, "dynamic_events", 0);
	for (size_t i = SP_ARRAY_SIZE(folders); i; i--)
		unlinkat(folder, folders[i - 1], AT_REMOVEDIR);
	close(folder);
	rmdir(path);
}

static void test_broken(void)
{
	struct btf *btf = make_btf();
	struct btf_file *file = NULL;
	uint32_t size;
	const char *data = btf__raw_data(btf, &size);

	for (uint32_t n = 0; n < size; n += 7) {
		struct sp_err *err = btf_file_new(data, n, &file);
		EXPECT(err);
		sp_err_free(err);
	}
	btf__free(btf);
}

int main(void)
{
	struct dbg_opts opts = { .kernel = "none" };
	struct dbg *dbg = dbg_create(&opts);
	struct dbg_module *kernel = make_kernel(dbg);

	test_functions(kernel);
	test_types(kernel);
	test_tracepoints(kernel);
	test_format();
	test_systems();
	test_broken();
	dbg_destroy(dbg);
	return expect_status();
}
