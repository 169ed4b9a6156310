// SPDX-License-Identifier: GPL-2.0-or-later
// What bundle_open takes and what it refuses: a whole bundle, then one field broken at a time.
#define _GNU_SOURCE
#include "runtime/load/bundle.h"

#include "bundle_make.h"
#include "expect.h"

// A bundle with one of everything.
static void make_whole(struct bundle_make *m)
{
	const struct bpf_insn begin[] = { LD_AREA(1, SP_VM_AREA_UDATA, 0), LD_MAP(2, 0), MOV_I(0, 0), EXIT() };
	const struct bpf_insn probe[] = { LDX(DW, 2, 1, 0), CALL_LOCAL(1), EXIT(), MOV_I(0, 1), EXIT() };
	struct sp_fixup fixup = { .kind = SP_FIX_TARGET_PID, .slot = 1 };

	bm_init(m);
	m->head.max_errors = 3;
	m->head.n_slots = 2;
	bm_map(m, "calls", "ls", 'l', 16, 100, 0);
	bm_global(m, "count", 'l', 8);
	bm_global(m, "name", 's', 64);
	bm_format(m, SP_FORMAT_PRINT, "%d %s\n", "ls", 16);
	BM_PROG(m, SP_SITE_BEGIN, "begin", begin);
	BM_PROG(m, SP_SITE_UPROBE, "process(\"./program\").function(\"f\")", probe);
	bm_add(&m->fixups, &fixup, sizeof(fixup));
	sp_buf_add(&m->udata, "constants", 10);
	bm_lay_out(m);
}

static void test_whole(void)
{
	struct bundle_make m;
	struct bundle *b = NULL;
	struct sp_err *err;
	size_t size;
	char *bytes;

	make_whole(&m);
	m.data.data[m.head.data_size - 1] = 'x';
	bytes = bm_write(&m, &size);
	err = bundle_open(bytes, size, &b);
	memset(bytes, 0xff, size); // it was copied
	free(bytes);
	bm_deinit(&m);
	EXPECT(!err && b);
	if (err) {
		char *text = sp_err_text(err);

		printf("%s\n", text);
		free(text);
		sp_err_free(err);
		return;
	}
	EXPECT_NUM(b->n_progs, 2);
	EXPECT_NUM(b->n_sites, 2);
	EXPECT_NUM(b->n_maps, 1);
	EXPECT_NUM(b->n_globals, 2);
	EXPECT_NUM(b->n_fields, 4);
	EXPECT_NUM(b->n_formats, 1);
	EXPECT_NUM(b->n_places, 2);
	EXPECT_NUM(b->n_fixups, 1);
	EXPECT_NUM(b->n_objects, 1);
	EXPECT_NUM(b->n_user, 11);
	EXPECT_NUM((int64_t)b->udata_size, 10);
	EXPECT_STR((const char *)b->udata, "constants");
	EXPECT_NUM(b->head->max_errors, 3);
	EXPECT_NUM(b->data_init[b->head->data_size - 1], 'x');
	EXPECT_STR(bundle_text(b, b->maps[0].label), "calls");
	EXPECT_STR(bundle_text(b, b->sites[1].point), "process(\"./program\").function(\"f\")");
	EXPECT_STR(bundle_text(b, b->formats[0].text), "%d %s\n");
	bundle_close(b);
	bundle_close(NULL);
}

// A private array's key need not be values of the language.
static void test_private_map(void)
{
	struct bundle_make m;
	struct bundle *b = NULL;
	size_t size;
	char *bytes;

	make_whole(&m);
	((struct sp_map *)m.maps.data)->n_keys = 0;
	((struct sp_map *)m.maps.data)->flags = SP_MAP_PRIVATE;
	bytes = bm_write(&m, &size);
	EXPECT(bundle_open(bytes, size, &b) == NULL);
	free(bytes);
	bundle_close(b);
	bm_deinit(&m);
}

// ---- one broken field at a time -------------------------------------------------------------------------------------

static void open_fails(const char *bytes, size_t size, enum sp_err_code code, const char *part, int line)
{
	struct bundle *b = NULL;
	struct sp_err *err = bundle_open(bytes, size, &b);
	char *text = err ? sp_err_text(err) : NULL;

	if (!err || err->code != code || !strstr(text, part)) {
		expect_failures++;
		printf("%s:%d: got \"%s\" (code %d), expected \"%s\" (code %d)\n", __FILE__, line,
		       text ? text : "no error", err ? (int)err->code : -1, part, (int)code);
	}
	free(text);
	sp_err_free(err);
	if (!err)
		bundle_close(b);
}

#define AT(section, type, index) ((struct type *)m.section.data)[index]
/** The whole bundle after `change` is refused with SP_ERR_FORMAT and these words. */
#define BROKEN(change, part) REFUSED(change, SP_ERR_FORMAT, part)
#define REFUSED(change, code, part)                                                                \
	do {                                                                                       \
		struct bundle_make m;                                                              \
		size_t size_;                                                                      \
		char *bytes_;                                                                      \
		make_whole(&m);                                                                    \
		change;                                                                            \
		bytes_ = bm_write(&m, &size_);                                                     \
		open_fails(bytes_, size_, code, part, __LINE__);                                   \
		free(bytes_);                                                                      \
		bm_deinit(&m);                                                                     \
	} while (0)

static void test_head(void)
{
	BROKEN(m.head.magic++, "magic number is wrong");
	BROKEN(m.head.version = 1, "version 1 does not exist");
	REFUSED(m.head.version = 13, SP_ERR_TARGET, "(format version 13, this runtime knows up to 12): update spile-run");
	BROKEN(m.head.head_size = 40, "head is truncated");
	BROKEN(m.head.head_size = 81, "head is truncated");
	BROKEN(memset(m.head.arch, 'x', 16), "names no architecture");
	REFUSED(m.head.features = (uint64_t)1 << 63, SP_ERR_TARGET, "features that this runtime does not know");
	BROKEN(m.head.release = 100000, "text of the head is out of range");
	BROKEN(m.head.data_size = 63, "data_size is wrong");
	BROKEN(m.head.data_size = UINT32_MAX, "data_size is wrong");
	BROKEN(m.head.data_size += 8, ".data.spile does not hold data_size");
	BROKEN(m.head.losses_offset = 56, "losses_offset is wrong");
	BROKEN(m.head.losses_offset = m.head.data_size - 8, "losses_offset is wrong");
	BROKEN(m.head.losses_offset = UINT32_MAX - 7, "losses_offset is wrong");
	BROKEN(m.head.losses_offset += 4, "losses_offset is wrong");
	BROKEN(m.head.order_offset = m.head.losses_offset + 8, "order_offset is wrong");
	BROKEN(m.head.order_offset = m.head.data_size - 8, "order_offset is wrong");
	BROKEN(m.head.locks_offset = 8, "locks_offset is wrong");
	BROKEN(m.head.locks_offset = m.head.data_size + 64, "locks_offset is wrong");
	BROKEN(m.head.n_slots = 3, ".rodata.spile does not hold n_slots");
	BROKEN(m.head.scratch_size = 8, "scratch_size is wrong");
	BROKEN(m.head.ring_size = 2048, "ring_size is wrong");
	BROKEN(m.head.ring_size = 5000, "ring_size is wrong");
}

static void test_progs_and_sites(void)
{
	BROKEN(AT(progs, sp_prog, 1).name = 100000, ".spile.progs[1]: name is out of range");
	BROKEN(AT(progs, sp_prog, 1).kind = SP_PROG_KIND_COUNT, ".spile.progs[1]: unknown kind");
	BROKEN(AT(progs, sp_prog, 1).flags = 0x80 | SP_PROG_IN_USER, ".spile.progs[1]: unknown flags");
	BROKEN(AT(progs, sp_prog, 1).flags = 0, ".spile.progs[1]: it runs nowhere");
	BROKEN((AT(progs, sp_prog, 1).kind = SP_PROG_TP, AT(progs, sp_prog, 1).flags |= SP_PROG_SLEEPS),
	       ".spile.progs[1]: a program of this kind cannot sleep");
	BROKEN(AT(progs, sp_prog, 1).flags = SP_PROG_IN_KERNEL, ".spile.progs[1]: flags and code differ");
	BROKEN(AT(progs, sp_prog, 0).flags |= SP_PROG_IN_KERNEL, "cannot be in the kernel");
	BROKEN(AT(progs, sp_prog, 1).n_sites = 2, ".spile.progs[1]: sites are out of range");
	BROKEN(AT(progs, sp_prog, 0).n_sites = 2, ".spile.progs[0]: a site belongs to another program");
	BROKEN(AT(progs, sp_prog, 1).first_site = UINT32_MAX, ".spile.progs[1]: sites are out of range");
	BROKEN(AT(progs, sp_prog, 1).n_user_insns = UINT32_MAX, ".spile.progs[1]: code is out of range");
	BROKEN(AT(progs, sp_prog, 1).place = 2, ".spile.progs[1]: place is out of range");
	BROKEN(AT(progs, sp_prog, 1).rest = 3, ".spile.progs[1]: no program can be its rest");
	BROKEN(AT(progs, sp_prog, 1).rest = 1, ".spile.progs[1]: no program can be its rest");
	BROKEN(AT(sites, sp_site, 0).kind = SP_SITE_KIND_COUNT, ".spile.sites[0]: unknown kind");
	BROKEN(AT(sites, sp_site, 0).kind = SP_SITE_KPROBE, "its program is of another kind");
	BROKEN(AT(sites, sp_site, 0).flags = 16, ".spile.sites[0]: unknown flags");
	BROKEN(AT(sites, sp_site, 0).flags = SP_SITE_INSIDE, ".spile.sites[0]: it is no place in a program");
	BROKEN(AT(sites, sp_site, 0).flags = SP_SITE_PROCESS, ".spile.sites[0]: it is no event of processes");
	BROKEN(AT(sites, sp_site, 0).flags = SP_SITE_BEGINS, ".spile.sites[0]: it is no event of processes");
	BROKEN(AT(sites, sp_site, 0).program = 100, ".spile.sites[0]: program is out of range");
	BROKEN(AT(sites, sp_site, 1).prog = 0, "not among its program's sites");
	BROKEN(AT(sites, sp_site, 1).prog = 2, ".spile.sites[1]: prog is out of range");
	BROKEN(AT(sites, sp_site, 1).why = 100000, ".spile.sites[1]: a text is out of range");
	BROKEN(AT(sites, sp_site, 1).name = 100000, ".spile.sites[1]: a text is out of range");
	BROKEN(AT(sites, sp_site, 1).section = 100000, ".spile.sites[1]: a text is out of range");
	BROKEN(AT(sites, sp_site, 1).object = 1, ".spile.sites[1]: object is out of range");
	BROKEN(AT(sites, sp_site, 1).program = 1, ".spile.sites[1]: program is out of range");
}

#define NUMBERS "wrong numbers for its kind"
#define UNUSED_NUMBERS "numbers that its kind does not have"

// What each kind of hook takes, and what it does not.
static const struct hook_case {
	enum sp_site_kind kind;
	enum sp_prog_kind prog;
	uint16_t flags;
	bool has_symbol, has_object;
	union sp_hook_args args;
	const char *fault; // NULL: none
} hook_cases[] = {
	{ SP_SITE_BEGIN, SP_PROG_USER, .args.session.order = -1 },
	{ SP_SITE_END, SP_PROG_USER, .args.words[1] = 1, .fault = UNUSED_NUMBERS },
	{ SP_SITE_TIMER, SP_PROG_USER, .args.timer = { 5, 0 } },
	{ SP_SITE_TIMER, SP_PROG_USER, .args.timer = { 5, -1 }, .fault = NUMBERS },
	{ SP_SITE_TIMER, SP_PROG_USER, .args.timer = { 0, 0 }, .fault = NUMBERS },
	{ SP_SITE_TIMER, SP_PROG_USER, .args.words = { 5, 0, 1 }, .fault = UNUSED_NUMBERS },
	{ SP_SITE_CONDITION, SP_PROG_USER, .has_symbol = true, .args.condition.number = 1 },
	{ SP_SITE_CONDITION, SP_PROG_USER, .has_symbol = true, .fault = NUMBERS },
	{ SP_SITE_CONDITION, SP_PROG_USER, .args.condition.number = 1, .fault = NUMBERS },
	{ SP_SITE_KPROBE, SP_PROG_REGS, .has_symbol = true, .args.kernel = { .linked = 8, .offset = 4 } },
	{ SP_SITE_KPROBE, SP_PROG_REGS, .has_symbol = true, .args.kernel.address = 4, .fault = NUMBERS },
	{ SP_SITE_KRETPROBE, SP_PROG_REGS, .args.kernel.address = 4 },
	{ SP_SITE_KRETPROBE, SP_PROG_REGS, .args.kernel.offset = 4, .fault = NUMBERS },
	{ SP_SITE_KRETPROBE, SP_PROG_REGS, .has_symbol = true, .args.kernel.max_active = SP_MAX_ACTIVE },
	{ SP_SITE_KRETPROBE, SP_PROG_REGS, .has_symbol = true, .args.kernel.max_active = SP_MAX_ACTIVE + 1, .fault = NUMBERS },
	{ SP_SITE_KPROBE, SP_PROG_REGS, .has_symbol = true, .args.kernel.max_active = 1, .fault = NUMBERS },
	{ SP_SITE_FENTRY, SP_PROG_FENTRY, .has_symbol = true, .args.kernel.linked = 8 },
	{ SP_SITE_FENTRY, SP_PROG_FENTRY, .args.kernel.linked = 8, .fault = NUMBERS },
	{ SP_SITE_FENTRY, SP_PROG_REPLACE, .has_symbol = true, .args.kernel.linked = 8 },
	{ SP_SITE_FEXIT, SP_PROG_FEXIT, .has_symbol = true, .args.kernel.offset = 4, .fault = UNUSED_NUMBERS },
	{ SP_SITE_UPROBE, SP_PROG_REGS, .has_object = true, .args.user = { 16, 32 } },
	{ SP_SITE_UPROBE, SP_PROG_REGS, .args.user = { 16, 32 }, .fault = NUMBERS },
	{ SP_SITE_URETPROBE, SP_PROG_REGS, .has_object = true, .args.user = { 1ull << 63, 0 }, .fault = NUMBERS },
	{ SP_SITE_URETPROBE, SP_PROG_REGS, .has_object = true, .args.user = { 0, 1ull << 63 }, .fault = NUMBERS },
	{ SP_SITE_UPROBE, SP_PROG_REGS, .has_object = true, .args.words[2] = 1, .fault = UNUSED_NUMBERS },
	{ SP_SITE_RAW_TP, SP_PROG_RAW_TP, .has_symbol = true },
	{ SP_SITE_RAW_TP, SP_PROG_RAW_TP, .fault = NUMBERS },
	{ SP_SITE_RAW_TP, SP_PROG_RAW_TP, .has_symbol = true, .args.words[0] = 1, .fault = UNUSED_NUMBERS },
	{ SP_SITE_ITER, SP_PROG_ITER, .has_symbol = true },
	{ SP_SITE_ITER, SP_PROG_ITER, .fault = NUMBERS },
	{ SP_SITE_BPF, SP_PROG_FENTRY, .has_symbol = true, .args.bpf = { 1, 2, 0 } },
	{ SP_SITE_BPF, SP_PROG_FENTRY, .args.bpf.tag = 1, .fault = NUMBERS },
	{ SP_SITE_BPF_RETURN, SP_PROG_FEXIT, .has_symbol = true, .args.bpf.nth = 1 },
	{ SP_SITE_BPF_RETURN, SP_PROG_FEXIT, .has_symbol = true, .args.words[2] = 1, .fault = UNUSED_NUMBERS },
	{ SP_SITE_LSM, SP_PROG_LSM, .has_symbol = true },
	{ SP_SITE_LSM, SP_PROG_LSM, .fault = NUMBERS },
	{ SP_SITE_PROCFS, SP_PROG_USER, .has_symbol = true, .args.procfs = { .umask = 0777, .most = SP_PROCFS_MOST } },
	{ SP_SITE_PROCFS, SP_PROG_USER, .args.procfs = { .umask = 077 }, .fault = NUMBERS },
	{ SP_SITE_PROCFS, SP_PROG_USER, .has_symbol = true, .args.procfs = { .is_write = 2 }, .fault = NUMBERS },
	{ SP_SITE_PROCFS, SP_PROG_USER, .has_symbol = true, .args.procfs = { .umask = 01000 }, .fault = NUMBERS },
	{ SP_SITE_PROCFS, SP_PROG_USER, .has_symbol = true, .args.procfs = { .most = SP_PROCFS_MOST + 1 }, .fault = NUMBERS },
	{ SP_SITE_NETFILTER, SP_PROG_NETFILTER, .args.netfilter = { 2, 1, -300 } },
	{ SP_SITE_SAMPLE, SP_PROG_USER, .has_symbol = true },
	{ SP_SITE_SAMPLE, SP_PROG_USER, .fault = NUMBERS },
	{ SP_SITE_SAMPLE, SP_PROG_USER, .has_symbol = true, .args.words[0] = 1, .fault = UNUSED_NUMBERS },
	{ SP_SITE_RUNNING, SP_PROG_USER, .has_object = true },
	{ SP_SITE_RUNNING, SP_PROG_USER, .args.words[0] = 1, .fault = UNUSED_NUMBERS },
	{ SP_SITE_NETFILTER, SP_PROG_NETFILTER, .args.netfilter.priority = 1ll << 31, .fault = NUMBERS },
	{ SP_SITE_TP, SP_PROG_TP, SP_SITE_PROCESS, .has_symbol = true, .args.event.only_new = 1 },
	{ SP_SITE_TP, SP_PROG_TP, SP_SITE_PROCESS, .has_symbol = true, .args.event.only_new = 2, .fault = NUMBERS },
	{ SP_SITE_TP, SP_PROG_TP, .has_symbol = true, .args.event.only_new = 1, .fault = NUMBERS },
	{ SP_SITE_TP, SP_PROG_TP, .fault = NUMBERS },
	{ SP_SITE_PERF, SP_PROG_PERF, .args.perf = { .type = UINT32_MAX, .is_rate = 1, .config = 7, .amount = 99 } },
	{ SP_SITE_PERF, SP_PROG_PERF, .args.perf = { .is_rate = 2, .amount = 99 }, .fault = NUMBERS },
	{ SP_SITE_PERF, SP_PROG_PERF, .args.perf = { .is_rate = 1 }, .fault = NUMBERS },
	{ SP_SITE_PERF, SP_PROG_PERF, .args.perf.amount = 1ull << 63, .fault = NUMBERS },
	{ SP_SITE_WATCH, SP_PROG_PERF, .has_symbol = true, .args.watch = { .size = 8, .reads = 1 } },
	{ SP_SITE_WATCH, SP_PROG_PERF, .args.watch = { .address = 64, .size = 1 } },
	{ SP_SITE_WATCH, SP_PROG_PERF, .has_symbol = true, .args.watch = { 64, 8, 0 }, .fault = NUMBERS },
	{ SP_SITE_WATCH, SP_PROG_PERF, .args.watch = { .size = 3 }, .fault = NUMBERS },
	{ SP_SITE_WATCH, SP_PROG_PERF, .args.watch = { .size = 16 }, .fault = NUMBERS },
	{ SP_SITE_WATCH, SP_PROG_PERF, .args.watch = { .size = 0 }, .fault = NUMBERS },
	{ SP_SITE_WATCH, SP_PROG_PERF, .args.watch = { .size = 8, .reads = 2 }, .fault = NUMBERS },
	{ SP_SITE_WATCH, SP_PROG_PERF, .args.words = { 0, 8, 1 }, .fault = NUMBERS },
};

static void test_hook_args(void)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(hook_cases); i++) {
		struct bundle *b = NULL;
		struct bundle_make m;
		struct sp_site *site;
		struct sp_err *err;
		size_t size;
		char *bytes, *text;

		make_whole(&m);
		site = &AT(sites, sp_site, 1);
		AT(progs, sp_prog, 1).kind = hook_cases[i].prog;
		site->kind = hook_cases[i].kind;
		site->flags = hook_cases[i].flags;
		site->symbol = hook_cases[i].has_symbol ? site->symbol : 0;
		site->object = hook_cases[i].has_object ? 0 : SP_NONE;
		site->args = hook_cases[i].args;
		bytes = bm_write(&m, &size);
		err = bundle_open(bytes, size, &b);
		text = err ? sp_err_text(err) : sp_strdup("");
		if (hook_cases[i].fault ? !strstr(text, hook_cases[i].fault) : err != NULL) {
			expect_failures++;
			printf("hook %zu: got \"%s\", expected \"%s\"\n", i, text, hook_cases[i].fault ? hook_cases[i].fault : "no error");
		}
		sp_err_free(err);
		free(text);
		free(bytes);
		bundle_close(b);
		bm_deinit(&m);
	}
}

// A value of 16 bytes that is captured and has a text: an enumerator, bits, a string and an array of characters.
static void add_value(struct bundle_make *m)
{
	static const struct sp_field fields[] = {
		{ SP_NAMED, SP_FIELD_SIGNED, 0, 32, 24, 4, 0 },
		{ SP_BITS, 0, 3, 5, 28, 1, 0 },
		{ SP_FLOAT, 0, 0, 0, 32, 4, 0 },
		{ SP_QUOTED, 0, 0, 0, 36, 4, 0 },
		{ SP_CAPTURED, 0, 0, 0, 40, 24, 0 },
		{ SP_VALUE, 0, 0, 0, 8, 32, 1 },
	};
	const struct sp_name names[] = { { -1, bm_text(m, "LOW"), 1 }, { 1, bm_text(m, "HIGH"), 0 } };
	struct sp_format part = { bm_text(m, "%s %u %s %s %s"), SP_FORMAT_PART, 0, 5, 4, 64 };
	struct sp_format whole = { bm_text(m, "%s\n"), SP_FORMAT_PRINT, 0, 1, 9, 64 };

	sp_buf_add(&m->fields, fields, sizeof(fields));
	sp_buf_add(&m->names, names, sizeof(names));
	sp_buf_add(&m->formats, &part, sizeof(part));
	sp_buf_add(&m->formats, &whole, sizeof(whole));
}

#define BROKEN_VALUE(change, part) BROKEN((add_value(&m), (void)(change)), part)

static void test_values(void)
{
	struct bundle_make m;
	struct bundle *b = NULL;
	struct sp_err *err;
	size_t size;
	char *bytes;

	make_whole(&m);
	add_value(&m);
	bytes = bm_write(&m, &size);
	err = bundle_open(bytes, size, &b);
	EXPECT(!err && b && b->n_names == 2 && b->n_formats == 3);
	sp_err_free(err);
	if (b)
		bundle_close(b);
	free(bytes);
	bm_deinit(&m);
	BROKEN_VALUE(AT(fields, sp_field, 4).type = SP_TYPE_COUNT, ".spile.fields[4]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 4).bit_size = 33, ".spile.fields[4]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 4).more = 2, ".spile.fields[4]: its names are out of range");
	BROKEN_VALUE(AT(fields, sp_field, 5).bit_size = 0, ".spile.fields[5]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 5).size = 9, ".spile.fields[5]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 6).size = 2, ".spile.fields[6]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 7).size = 0, ".spile.fields[7]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 7).size = 29, "an argument is outside the record");
	BROKEN_VALUE(AT(fields, sp_field, 8).size = 16, ".spile.fields[8]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 8).offset = 36, ".spile.fields[8]: wrong type or size");
	BROKEN_VALUE(AT(fields, sp_field, 9).more = 3, ".spile.fields[9]: its format is out of range");
	BROKEN_VALUE(AT(fields, sp_field, 9).more = 2, ".spile.fields[9]: its format is out of range");
	BROKEN_VALUE((AT(formats, sp_format, 1).first_arg = 9, AT(formats, sp_format, 1).n_args = 1), "a part has parts");
	BROKEN_VALUE(AT(formats, sp_format, 1).record_size = 72, "a part of it has a larger record");
	BROKEN_VALUE(AT(names, sp_name, 0).text = 100000, ".spile.names[0]: text is out of range");
	BROKEN_VALUE(AT(names, sp_name, 0).left = UINT32_MAX, ".spile.names[0]: too many follow");
	BROKEN_VALUE(AT(names, sp_name, 1).left = 1, ".spile.names[0]: their number is wrong");
	BROKEN_VALUE((AT(fields, sp_field, 1).flags = SP_FIELD_KNOWN, AT(names, sp_name, 0).value = 1),
		     ".spile.maps[0]: the texts of a key are in no order");
	BROKEN_VALUE(AT(maps, sp_map, 0).first_key = 8, "a key is no value of the language");
}

static void test_records(void)
{
	BROKEN(AT(fields, sp_field, 0).size = 4, ".spile.fields[0]: wrong type or size");
	BROKEN(AT(fields, sp_field, 1).size = 20, ".spile.fields[1]: wrong type or size");
	BROKEN(AT(fields, sp_field, 0).type = 2, ".spile.fields[0]: wrong type or size");
	BROKEN(AT(fields, sp_field, 0).offset = 4, ".spile.fields[0]: wrong offset");
	BROKEN(AT(maps, sp_map, 0).kind = SP_MAP_KIND_COUNT, ".spile.maps[0]: unknown kind");
	BROKEN(AT(maps, sp_map, 0).key_size = 16, "the keys do not fill key_size");
	BROKEN(AT(maps, sp_map, 0).n_keys = 0, "no keys");
	BROKEN((AT(maps, sp_map, 0).n_keys = 0, AT(maps, sp_map, 0).flags = SP_MAP_PRIVATE,
		AT(maps, sp_map, 0).key_size = 0),
	       "no keys");
	BROKEN(AT(maps, sp_map, 0).n_keys = UINT32_MAX, "keys are out of range");
	BROKEN(AT(maps, sp_map, 0).first_key = 1, "the keys leave gaps");
	BROKEN(AT(maps, sp_map, 0).flags = SP_MAP_DIRECT, ".spile.maps[0]: its elements have no places");
	BROKEN(AT(fields, sp_field, 0).flags = SP_FIELD_KNOWN, ".spile.maps[0]: a key has unknown flags");
	BROKEN(AT(fields, sp_field, 1).flags = 4, ".spile.maps[0]: a key has unknown flags");
	BROKEN(AT(fields, sp_field, 1).flags = SP_FIELD_KNOWN, ".spile.maps[0]: the texts of a key are out of range");
	BROKEN(AT(maps, sp_map, 0).value_size = 16, "wrong key or value size");
	BROKEN(AT(maps, sp_map, 0).max_entries = 0, "wrong number of entries");
	BROKEN(AT(maps, sp_map, 0).place = 7, "place is out of range");
	BROKEN(AT(globals, sp_global, 1).offset += 8, ".spile.globals[1]: it is outside the data area");
	BROKEN(AT(globals, sp_global, 0).offset = 8, ".spile.globals[0]: it is outside the data area");
	BROKEN(AT(globals, sp_global, 0).offset = m.head.losses_offset, ".spile.globals[0]: it overlaps the counters");
	BROKEN(AT(globals, sp_global, 1).size = UINT32_MAX - 7, ".spile.globals[1]: wrong type or size");
	BROKEN(AT(formats, sp_format, 0).kind = SP_FORMAT_KIND_COUNT, ".spile.formats[0]: unknown kind");
	BROKEN(AT(formats, sp_format, 0).record_size = 16, "an argument is outside the record");
	BROKEN(AT(formats, sp_format, 0).n_args = 1, "too few arguments for the printf directives");
	BROKEN(AT(formats, sp_format, 0).first_arg = 3, "arguments are out of range");
	BROKEN(AT(formats, sp_format, 0).first_arg = 0, "an argument is outside the record");
	BROKEN(AT(places, sp_place, 0).what = 100000, ".spile.places[0]: a text is out of range");
	BROKEN(AT(fixups, sp_fixup, 0).slot = 2, ".spile.fixups[0]: slot is out of range");
	BROKEN(AT(fixups, sp_fixup, 0).kind = SP_FIX_KIND_COUNT, ".spile.fixups[0]: unknown kind");
	BROKEN((AT(fixups, sp_fixup, 0).kind = SP_FIX_MODULE_SECTION, AT(fixups, sp_fixup, 0).object = 1),
	       ".spile.fixups[0]: object is out of range");
	BROKEN((AT(fixups, sp_fixup, 0).kind = SP_FIX_MODULE_SECTION, AT(fixups, sp_fixup, 0).object = 0,
		AT(fixups, sp_fixup, 0).text = 100000),
	       ".spile.fixups[0]: a text is out of range");
	for (unsigned kind = SP_FIX_MEMBER; kind <= SP_FIX_SAME_PLACE; kind++) {
		BROKEN((AT(fixups, sp_fixup, 0).kind = (uint16_t)kind, AT(fixups, sp_fixup, 0).object = 1),
		       ".spile.fixups[0]: object is out of range");
		BROKEN((AT(fixups, sp_fixup, 0).kind = (uint16_t)kind, AT(fixups, sp_fixup, 0).object = 0,
			AT(fixups, sp_fixup, 0).text = UINT32_MAX),
		       ".spile.fixups[0]: a text is out of range");
	}
	BROKEN(AT(objects, sp_object, 0).build_id_len = 33, "the build-id is too long");
	BROKEN(AT(objects, sp_object, 0).kind = 0, ".spile.objects[0]: unknown kind");
	BROKEN(m.strings.data[m.strings.len - 1] = 'x', "does not start and end with a NUL");
	BROKEN(m.strings.data[0] = 'x', "does not start and end with a NUL");
	BROKEN(m.sites.len--, "section .spile.sites has a wrong size");
	BROKEN(m.strings.len = 0, "section .spile.strings is missing");
}

// ---- the file -------------------------------------------------------------------------------------------------------

static void test_file(void)
{
	struct bundle_make m;
	Elf64_Ehdr *eh;
	size_t size;
	char *bytes;

	make_whole(&m);
	bytes = bm_write(&m, &size);
	open_fails(bytes, 0, SP_ERR_FORMAT, "not an ELF file", __LINE__);
	open_fails("#! /usr/bin/spile\n", 18, SP_ERR_FORMAT, "not an ELF file", __LINE__);
	open_fails(bytes, 63, SP_ERR_FORMAT, "truncated", __LINE__);
	// Cut anywhere, it is refused, and nothing behind the end is read.
	for (size_t cut = 0; cut < size; cut++) {
		char *part = sp_malloc(cut + 1);

		memcpy(part, bytes, cut);
		part = sp_realloc(part, cut ? cut : 1);
		open_fails(part, cut, SP_ERR_FORMAT, "", __LINE__);
		free(part);
	}
	eh = (Elf64_Ehdr *)bytes;
	eh->e_machine = EM_X86_64;
	open_fails(bytes, size, SP_ERR_FORMAT, "not a BPF object", __LINE__);
	eh->e_machine = EM_BPF;
	eh->e_ident[EI_DATA] = ELFDATA2MSB;
	open_fails(bytes, size, SP_ERR_FORMAT, "not 64-bit little-endian", __LINE__);
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_shoff = UINT64_MAX - 8;
	open_fails(bytes, size, SP_ERR_FORMAT, "truncated", __LINE__);
	free(bytes);
	bm_deinit(&m);

	bm_init(&m); // no section of ours but the strings
	sp_buf_clear(&m.strings);
	bytes = bm_write(&m, &size);
	memset(memmem(bytes, size, SP_SEC_HEAD, strlen(SP_SEC_HEAD)), 'x', 4);
	open_fails(bytes, size, SP_ERR_FORMAT, "without section .spile.head", __LINE__);
	free(bytes);
	bm_deinit(&m);
}

// ---- code -----------------------------------------------------------------------------------------------------------

static void code_fails(const struct bpf_insn *insns, size_t n, const char *part, int line)
{
	struct bundle_make m;
	size_t size;
	char *bytes;

	bm_init(&m);
	bm_map(&m, "a", "l", 'l', 0, 1, 0);
	sp_buf_add(&m.udata, "12345678", 8);
	bm_prog(&m, "broken", SP_SITE_BEGIN, "begin", insns, n);
	bytes = bm_finish(&m, &size);
	open_fails(bytes, size, SP_ERR_FORMAT, part, line);
	free(bytes);
	bm_deinit(&m);
}

#define CODE(part, ...)                                                                            \
	do {                                                                                       \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		code_fails(insns_, SP_ARRAY_SIZE(insns_), part, __LINE__);                         \
	} while (0)

static void test_code(void)
{
	CODE("code of broken, instruction 1 (0xbf): an unknown register", MOV_I(0, 0), MOV_R(11, 0), EXIT());
	CODE("writes the frame pointer", MOV_I(10, 0), EXIT());
	CODE("writes the frame pointer", LDX(DW, 10, 1, 0), EXIT());
	CODE("writes the frame pointer", LD_NUM(10, 1), EXIT());
	CODE("writes the frame pointer", ATOMIC(DW, BPF_XCHG, 1, 10, 0), EXIT());
	CODE("the code has no end", MOV_I(0, 0));
	CODE("the code has no end", EXIT(), LD_NUM(0, 0));
	CODE("malformed 64-bit immediate", EXIT(), INSN(BPF_LD | BPF_IMM | BPF_DW, 0, 0, 0, 0));
	CODE("malformed 64-bit immediate", INSN(BPF_LD | BPF_IMM | BPF_DW, 0, 0, 0, 0), MOV_I(0, 0), EXIT());
	CODE("the map's index is out of range", LD_MAP(0, 1), EXIT());
	CODE("the map's index is out of range", LD_MAP(0, -1), EXIT());
	CODE("unknown memory area", LD_AREA(0, SP_VM_AREA_COUNT, 0), EXIT());
	CODE("outside its memory area", LD_AREA(0, SP_VM_AREA_UDATA, 9), EXIT());
	CODE("outside its memory area", LD_AREA(0, SP_VM_AREA_SLOTS, 1), EXIT());
	CODE("an unknown kind of immediate", LD_IMM(0, 3, 0, 0), EXIT());
	CODE("an unknown instruction", INSN(BPF_LD | BPF_ABS | BPF_W, 0, 0, 0, 0), EXIT());
	CODE("the jump leaves the program", JA(1), EXIT());
	CODE("the jump leaves the program", JA(-2), EXIT());
	CODE("the jump leaves the program", JMP_I(JEQ, 0, 0, 1), LD_NUM(0, 0), EXIT());
	CODE("the called function is outside", CALL_LOCAL(5), EXIT());
	CODE("an unknown call", CALL(1), EXIT());
	CODE("an unknown call", CALL(SP_VM_CALL_END), EXIT());
	CODE("an unknown call", CALL(-1), EXIT());
	CODE("an unknown call", INSN(BPF_JMP | BPF_CALL, 0, 2, 0, 0), EXIT());
	CODE("an unknown jump", INSN(BPF_JMP | 0xe0, 0, 0, 0, 0), EXIT());
	CODE("an unknown operation", INSN(BPF_ALU64 | 0xe0, 0, 0, 0, 0), EXIT());
	CODE("an unknown variant", INSN(BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 1, 0), EXIT());
	CODE("an unknown variant", INSN(BPF_ALU | BPF_MOV | BPF_X, 0, 1, 32, 0), EXIT());
	CODE("a malformed byte swap", INSN(BPF_ALU | BPF_END, 0, 0, 0, 8), EXIT());
	CODE("unknown atomic", ATOMIC(DW, 0x70, 1, 2, 0), EXIT());
	CODE("wrong size", ATOMIC(H, BPF_ADD, 1, 2, 0), EXIT());
	CODE("unknown memory access", INSN(BPF_LDX | BPF_IND | BPF_W, 0, 0, 0, 0), EXIT());
	CODE("malformed exit", INSN(BPF_JMP | BPF_EXIT, 1, 0, 0, 0));
	BROKEN((AT(progs, sp_prog, 1).user_insn = 0), "belongs to another program");
	BROKEN((AT(progs, sp_prog, 1).user_insn = 5, AT(progs, sp_prog, 1).n_user_insns = 6), "belongs to another program");
}

int main(void)
{
	test_whole();
	test_private_map();
	test_head();
	test_progs_and_sites();
	test_hook_args();
	test_records();
	test_values();
	test_file();
	test_code();
	return expect_status();
}
