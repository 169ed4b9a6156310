// SPDX-License-Identifier: GPL-2.0-or-later
// What the families of probe points do by the target's features and the kernel's tracepoints, on hand-made ones.
#include "compiler/model/similar.h"
#include "compiler/probe/point.h"

#include "expect.h"

struct fixture {
	struct source_map sources;
	struct diag_ctx dc;
	struct sp_arena arena;
	struct target target;
	struct point_env env;
};

static void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	source_map_init(&f->sources);
	diag_ctx_init(&f->dc, &f->sources);
	f->env = (struct point_env){ .target = &f->target, .dc = &f->dc, .arena = &f->arena };
}

static void fixture_deinit(struct fixture *f)
{
	diag_ctx_deinit(&f->dc);
	source_map_deinit(&f->sources);
	sp_arena_deinit(&f->arena);
}

// The only diagnostic, which has this tag. Forgets it.
static void expect_tag(struct fixture *f, const char *tag)
{
	EXPECT_NUM((int64_t)f->dc.diags.n, 1);
	if (f->dc.diags.n)
		EXPECT_STR(diag_info(f->dc.diags.v[0]->id)->tag, tag);
	diag_rewind(&f->dc, 0);
}

static void test_jiffies(void)
{
	struct fixture f;
	struct ast_expr ten = { .kind = AST_NUMBER, .number = 10 };
	struct ast_point_part parts[] = { { .name = "timer" }, { .name = "jiffies", .arg = &ten } };
	struct ast_point point = { .parts = parts, .n_parts = 2 };
	struct sites sites = { 0 };

	fixture_init(&f);
	EXPECT(!point_resolve(&f.env, &point, &sites));
	expect_tag(&f, "E406");
	f.target.hz = 250;
	EXPECT(point_resolve(&f.env, &point, &sites));
	EXPECT_NUM((int64_t)sites.list.n, 1);
	if (sites.list.n) {
		EXPECT_NUM(sites.list.v[0]->kind, SP_SITE_TIMER);
		EXPECT_NUM(sites.list.v[0]->args.timer.period, 40000000);
		EXPECT_STR(sites.list.v[0]->point, "timer.jiffies(10)");
	}
	sp_vec_deinit(&sites.list);
	fixture_deinit(&f);
}

static const struct c_type type_int = { .kind = C_INT, .name = "int", .size = 4, .is_signed = true };
static const struct c_type type_char = {
	.kind = C_INT, .name = "char", .size = 1, .is_signed = true, .is_char = true
};
static const struct c_type type_comm = {
	.kind = C_ARRAY, .size = 16, .target = &type_char, .count = 16
};
static struct c_member arguments[] = { { .name = "task", .type = &type_int },
				       { .name = "both", .type = &type_int } };
static struct dbg_trace_field fields[] = {
	{ .name = "comm", .type = &type_comm, .offset = 8, .size = 16 },
	{ .name = "both", .type = &type_int, .offset = 24, .size = 4 },
	{ .name = "path", .type = &type_comm, .offset = 28, .size = 4, .is_data_loc = true },
};
static const struct dbg_tracepoint tracepoint = {
	.system = "sched",
	.name = "event",
	.args = arguments,
	.n_args = 2,
	.fields = fields,
	.n_fields = 3,
};

struct found {
	bool ok, needs_entry;
	struct site site;
	struct site_value value;
};

// Chooses the hook for `names`, a NULL-terminated list, and looks up `name`.
static struct found find(struct fixture *f, const char *const *names, const char *name)
{
	struct found ret = { .site = { .tracepoint = &tracepoint, .kind = SP_SITE_KIND_COUNT } };
	struct ast_expr target = { .kind = AST_TARGET, .target.name = name };
	unsigned n = 0;

	while (names[n])
		n++;
	pt_trace.choose_hook(&f->env, &ret.site, &(struct point_use){ .names = names, .n_names = n });
	ret.ok = pt_trace.find_var(&f->env, &ret.site, &target, &ret.value, &ret.needs_entry);
	return ret;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_trace(void)
{
	struct fixture f;
	struct found r;

	fixture_init(&f);
	f.target.features = UINT64_C(1) << SP_FEATURE_RAW_TP | UINT64_C(1) << SP_FEATURE_TP;
	r = find(&f, NAMES("$both"), "$both"); // an argument and a field: the raw tracepoint is cheaper
	EXPECT(r.ok && !r.needs_entry);
	EXPECT_NUM(r.site.kind, SP_SITE_RAW_TP);
	EXPECT_STR(r.site.symbol, "event");
	EXPECT_NUM(r.value.ctx_off, 8);
	EXPECT_NUM(r.value.ctx_size, 4);
	r = find(&f, NAMES("$both", "$comm"), "$both"); // a field is used: the record
	EXPECT(r.ok && !r.needs_entry);
	EXPECT_NUM(r.site.kind, SP_SITE_TP);
	EXPECT_STR(r.site.symbol, "sched:event");
	EXPECT_NUM(r.value.base, SITE_BASE_CTX);
	EXPECT_NUM(r.value.ctx_off, 24);
	r = find(&f, NAMES("$comm"), "$comm");
	EXPECT(r.ok && r.value.base == SITE_BASE_RECORD && !r.value.is_data_loc);
	r = find(&f, NAMES("$path"), "$path");
	EXPECT(r.ok && r.value.base == SITE_BASE_RECORD && r.value.is_data_loc);
	r = find(&f, NAMES("$task", "$comm"), "$task"); // both lists: the raw tracepoint, and the event keeps the field for it
	EXPECT(r.ok && !r.needs_entry && r.site.kind == SP_SITE_RAW_TP);
	r = find(&f, NAMES("$task", "$comm", "$both"), "$both");
	EXPECT(r.ok && !r.needs_entry && r.value.ctx_off == 8);
	r = find(&f, NAMES("$task", "$comm"), "$comm");
	EXPECT(r.ok && r.needs_entry);
	EXPECT_NUM(pt_trace.entry_site(&f.env, &r.site)->kind, SP_SITE_TP);
	r = find(&f, NAMES("$tusk"), "$tusk");
	EXPECT(!r.ok);
	EXPECT_HAS(f.dc.diags.v[0]->hint, "'$task'");
	expect_tag(&f, "E501");
	f.target.features = UINT64_C(1) << SP_FEATURE_TP;
	r = find(&f, NAMES("$both"), "$both"); // no raw tracepoints
	EXPECT(r.ok && r.site.kind == SP_SITE_TP);
	r = find(&f, NAMES("$task", "$comm"), "$task");
	EXPECT(!r.ok);
	expect_tag(&f, "E407");
	fixture_deinit(&f);
}

static void test_no_debug(void)
{
	struct fixture f;
	struct dbg_module module = { .name = "bare",
				     .path = "/bin/bare",
				     .source = DBG_SYMTAB,
				     .why_no_dwarf = "install it" };
	struct dbg_func func = { .module = &module, .name = "f" };
	struct site site = { .module = &module, .func = &func, .is_return = true };
	struct ast_expr target = { .kind = AST_TARGET, .target.name = "$return" };
	struct site_value value = { 0 };
	bool needs_entry;

	fixture_init(&f);
	EXPECT(!pt_process.find_var(&f.env, &site, &target, &value, &needs_entry));
	EXPECT_STR(f.dc.diags.v[0]->hint, "install it");
	expect_tag(&f, "E506");
	fixture_deinit(&f);
}

static void test_similar(void)
{
	struct sp_arena arena = { 0 };
	struct similar s;

	similar_init(&s, "vfs_raed");
	similar_try(&s, "vfs_write");
	similar_try(&s, "vfs_read");
	similar_try(&s, "vfs_readv");
	similar_try(&s, "vfs_read");
	similar_try(&s, NULL);
	EXPECT_STR(similar_text(&s, &arena), "'vfs_read' or 'vfs_readv'");
	similar_init(&s, "abcdef");
	similar_try(&s, "abcdxx");
	similar_try(&s, "abcdex");
	similar_try(&s, "abcdey");
	similar_try(&s, "abcdez");
	EXPECT_STR(similar_text(&s, &arena), "'abcdex', 'abcdey' or 'abcdez'");
	similar_init(&s, "state");
	similar_try(&s, "stats");
	similar_try(&s, "__state");
	EXPECT_STR(similar_text(&s, &arena), "'__state' or 'stats'");
	similar_init(&s, "x");
	similar_try(&s, "y");
	EXPECT(similar_text(&s, &arena) == NULL);
	sp_arena_deinit(&arena);
}

static void test_types(void)
{
	struct sp_buf out = { 0 };

	point_dump_types(&out);
	EXPECT_HAS(sp_buf_str(&out), "kernel.function(string).return.maxactive(number)\n");
	EXPECT_HAS(sp_buf_str(&out), "timer.ms(number)\n");
	EXPECT(sp_starts_with(sp_buf_str(&out), "begin\n"));
	sp_buf_deinit(&out);
}

int main(void)
{
	test_jiffies();
	test_trace();
	test_no_debug();
	test_similar();
	test_types();
	return expect_status();
}
