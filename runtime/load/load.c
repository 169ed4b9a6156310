// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/load.h"

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/load/attach_target.h"
#include "runtime/load/code_link.h"
#include "runtime/load/counters.h"
#include "runtime/load/load_call.h"
#include "runtime/load/rejection.h"
#include "runtime/load/site.h"
#include "runtime/machine/privilege.h"
#include "runtime/machine/target.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAST_SHARED 8 // the kernel waits tens of milliseconds for each link that is closed, and a shared one costs each event a jump

struct load_program {
	int fd; // -1: not in the kernel
	int multi_fd; // load_prog_multi; or -1
	struct load_kind kind;
	struct code_program code; // of those that load_prog_multi() may load again
};

struct load {
	const struct bundle *bundle;
	struct attach_targets targets;
	struct load_program *progs; // one for each of bundle->progs
	int btf_fd; // -1: the kernel does not take it
	int *code_fds; // of the maps of the code
	int *array_fds; // of each of bundle->maps, by enum load_array_map
	int order_fd; // SP_ORDER_PROGRAM; -1: none
	int uprobe_multi; // target_has_uprobe_multi(); -1: nobody has asked
	bool shares_link; // load_shares_link
	bool told_stacks; // tell_short_stacks
	void *data; // mapped
	size_t data_size; // of the mapping; 0: `data` is ours
	bool no_trampolines; // the script has programs for them, and the kernel's are not guarded
	char *verifier_log; // LOAD_LOG_SIZE bytes, while programs are loaded
};

// ---- maps ------------------------------------------------------------------------------------------------------------

static int map_fd(const struct load *load, const char *name)
{
	uint32_t map = code_find_map(&load->bundle->code, name);

	return map == UINT32_MAX ? -1 : load->code_fds[map];
}

// What this run gives an area: it must be as large as the compiler made it.
static struct sp_err *set_area(struct code_map *map, const struct load_input *input)
{
	const struct sp_bundle_head *head = input->bundle->head;
	bool is_data = sp_streq(map->name, SP_DATA_SECTION), is_slots = sp_streq(map->name, SP_SLOTS_SECTION);

	if (!is_data && !is_slots)
		return NULL;
	if (map->value_size != (is_data ? head->data_size : head->n_slots * sizeof(uint64_t)))
		return sp_err_new(SP_ERR_FORMAT, "the size of section %s is not the one in the bundle", map->name);
	map->bytes = is_data ? input->data : (const uint8_t *)input->slots;
	return NULL;
}

// Elements of an LRU hash that the kernel may set aside for each CPU, and so not have for another when it forgets one.
#define LRU_SET_ASIDE 128u

static void set_size(struct code_map *map, const struct load_input *input)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	int n_cpus = libbpf_num_possible_cpus();

	if (sp_streq(map->name, SP_MAP_FAMILY) && input->n_family)
		map->max_entries = input->n_family;
	if ((sp_streq(map->name, SP_MAP_COUNTERS) || sp_streq(map->name, SP_MAP_SINCE)) && n_cpus > 0)
		map->max_entries = counters_number(input->bundle) * (uint32_t)n_cpus;
	if (sp_streq(map->name, SP_MAP_COUNTS))
		map->max_entries = counters_number(input->bundle) * COUNTERS_THREADS;
	if (sp_streq(map->name, SP_MAP_SCRATCH) && map->type == BPF_MAP_TYPE_ARRAY && n_cpus > 0)
		map->max_entries *= (uint32_t)n_cpus;
	if (map->type == BPF_MAP_TYPE_LRU_HASH && n_cpus > 0)
		map->max_entries += (uint32_t)n_cpus * LRU_SET_ASIDE;
	// A page of this kernel may be larger than one of the kernel that the script was compiled for.
	if (sp_streq(map->name, SP_MAP_EVENTS))
		map->max_entries = SP_MAX(input->bundle->head->ring_size, page);
}

static struct sp_err *fill_area(const struct code_map *map, int fd)
{
	uint32_t key = 0;

	if (bpf_map_update_elem(fd, &key, map->bytes, BPF_ANY))
		return sp_err_errno(errno, "cannot initialize %s", map->name);
	if (map->is_constant && bpf_map_freeze(fd))
		return sp_err_errno(errno, "cannot freeze %s", map->name);
	return NULL;
}

// Maps of maps take only such that are like one which exists when they are made, but for their sizes.
static int inner_map(const struct code_map *map)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);

	return map->type == BPF_MAP_TYPE_ARRAY_OF_MAPS ? bpf_map_create(BPF_MAP_TYPE_ARRAY, "spile_inner", sizeof(uint32_t), sizeof(uint64_t), 1, &opts) : -1;
}

// Of what the kernel has, there may be too little; else it lacks what the script needs.
static struct sp_err *not_taken(struct sp_err *err)
{
	if (err->errno_value == ENOMEM || err->errno_value == EMFILE || err->errno_value == ENFILE)
		return sp_err_wrap(err, "the script cannot be loaded");
	err->code = SP_ERR_PRIVILEGE;
	return sp_err_wrap(err, "this kernel does not take the script");
}

static struct sp_err *create_map(const struct load *load, const struct load_input *input, const struct code_map *wanted, int *fd_ret)
{
	struct code_map map = *wanted;
	sp_cleanup_close int inner_fd = inner_map(wanted);
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = map.flags);
	struct sp_err *err;
	char name[BPF_OBJ_NAME_LEN];

	if (map.bytes)
		SP_TRY(set_area(&map, input));
	set_size(&map, input);
	snprintf(name, sizeof(name), "%s%s", map.bytes ? "spile" : "", map.name);
	if (inner_fd >= 0)
		opts.inner_map_fd = (uint32_t)inner_fd;
	if (map.key_type && load->btf_fd >= 0) {
		opts.btf_fd = (uint32_t)load->btf_fd;
		opts.btf_key_type_id = map.key_type;
		opts.btf_value_type_id = map.value_type;
	}
	// libbpf raises RLIMIT_MEMLOCK by itself on the kernels (before 5.11) that need it, and goes on when it cannot.
	*fd_ret = bpf_map_create((enum bpf_map_type)map.type, name, map.key_size, map.value_size, map.max_entries, &opts);
	if (*fd_ret >= 0)
		return map.bytes ? fill_area(&map, *fd_ret) : NULL;
	switch (errno) {
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not let us load the script: %s", privilege_hint());
	case ENOMEM:
		return sp_err_errno(ENOMEM, "the kernel has no memory for the script's map %s", map.name);
	}
	err = sp_err_errno(errno, "map %s of type %u: %u elements with keys of %u bytes and values of %u", map.name, map.type,
			   map.max_entries, map.key_size, map.value_size);
	return not_taken(err);
}

static struct sp_err *create_maps(struct load *load, const struct load_input *input)
{
	const struct code *code = &load->bundle->code;

	for (uint32_t i = 0; i < code->n_maps; i++)
		SP_TRY(create_map(load, input, &code->maps[i], &load->code_fds[i]));
	return NULL;
}

// ---- kinds -----------------------------------------------------------------------------------------------------------

static const struct sp_site *first_site(const struct bundle *bundle, const struct sp_prog *prog)
{
	return prog->n_sites ? &bundle->sites[prog->first_site] : NULL;
}

static struct sp_err *find_kind(struct load *load, const struct sp_prog *prog, struct load_kind *ret)
{
	const struct sp_site *site = first_site(load->bundle, prog);

	*ret = (struct load_kind){ .name = bundle_text(load->bundle, prog->name), .sleeps = prog->flags & SP_PROG_SLEEPS };
	if (ret->sleeps && !target_lets_uprobes_sleep())
		return sp_err_new(SP_ERR_PRIVILEGE, "probe %s: this kernel's uprobes must not sleep, for which the script was compiled; "
				  "compile it for this kernel", site ? bundle_text(load->bundle, site->point) : ret->name);
	switch ((enum sp_prog_kind)prog->kind) {
	case SP_PROG_REGS:
		ret->type = BPF_PROG_TYPE_KPROBE;
		return NULL;
	case SP_PROG_FENTRY:
	case SP_PROG_FEXIT:
	case SP_PROG_REPLACE:
	case SP_PROG_TYPED_TP:
	case SP_PROG_ITER:
	case SP_PROG_LSM:
		ret->type = prog->kind == SP_PROG_LSM ? BPF_PROG_TYPE_LSM : BPF_PROG_TYPE_TRACING;
		ret->attach = prog->kind == SP_PROG_LSM ? BPF_LSM_MAC :
			      prog->kind == SP_PROG_FENTRY ? BPF_TRACE_FENTRY :
			      prog->kind == SP_PROG_FEXIT ? BPF_TRACE_FEXIT :
			      prog->kind == SP_PROG_REPLACE ? BPF_MODIFY_RETURN :
			      prog->kind == SP_PROG_ITER ? BPF_TRACE_ITER : BPF_TRACE_RAW_TP;
		return site ? attach_targets_find(&load->targets, load->bundle, site, ret->attach, &ret->target, &ret->target_fd) : NULL;
	case SP_PROG_NETFILTER:
		*ret = (struct load_kind){ .name = ret->name, .type = LOAD_NETFILTER, .attach = LOAD_AT_NETFILTER };
		return NULL;
	case SP_PROG_RAW_TP:
		ret->type = BPF_PROG_TYPE_RAW_TRACEPOINT;
		return NULL;
	case SP_PROG_TP:
		ret->type = BPF_PROG_TYPE_TRACEPOINT;
		return NULL;
	case SP_PROG_PERF:
		ret->type = BPF_PROG_TYPE_PERF_EVENT;
		return NULL;
	case SP_PROG_USER:
	case SP_PROG_KIND_COUNT:
		break;
	}
	return sp_err_bug("a user-side handler is marked as a kernel program");
}

// ---- programs --------------------------------------------------------------------------------------------------------

static int load_code(const struct load *load, const struct load_kind *kind, const struct code_program *code)
{
	return load_call(kind, code, load->btf_fd, load->verifier_log);
}

// The verifier says what it refuses, not that it is older than what the script was compiled for.
static struct sp_err *tell_lacks(uint64_t features)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf names = { 0 };

	for (unsigned i = 0; i < SP_FEATURE_COUNT; i++)
		if (features >> i & 1)
			sp_buf_printf(&names, " %s", target_feature_name(i));
	return sp_err_new(SP_ERR_PRIVILEGE, "this kernel lacks what the script was compiled for:%s; spile -r RELEASE compiles for another",
			  sp_buf_str(&names));
}

static struct sp_err *explain_rejection(const struct load *load, const struct sp_log *log, const struct sp_site *site,
					const struct load_kind *kind, const struct code_program *code,
					const struct rejection *rejection)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	bool embeds = site && load->bundle->progs[site->prog].flags & SP_PROG_EMBEDS;
	struct rejection_place place;
	uint64_t lacked;

	sp_log(log, SP_LOG_DEBUG, "the kernel's verifier on program %s:\n%s", kind->name, load->verifier_log);
	sp_buf_printf(&text, "the kernel refused the handler of %s", site ? bundle_text(load->bundle, site->point) : kind->name);
	if (rejection_place(code, rejection, &place))
		sp_buf_printf(&text, " at %s:%u:%u", place.file, place.line, place.column);
	if (rejection->plain)
		sp_buf_printf(&text, ": %s", rejection->plain);
	if (rejection->reason_len)
		sp_buf_printf(&text, " (verifier, instruction %d: %.*s)", rejection->insn, (int)rejection->reason_len, rejection->reason);
	if (rejection->is_refused)
		return sp_err_new(SP_ERR_PRIVILEGE, "%s", sp_buf_str(&text));
	if (embeds)
		return sp_err_new(SP_ERR_SCRIPT, "%s; %s", sp_buf_str(&text),
				  rejection->in_loop ? REJECTION_EMBEDDED_LOOP : REJECTION_EMBEDDED);
	if (rejection->in_loop && target_lacks(UINT64_C(1) << SP_FEATURE_BPF_LOOP)) {
		sp_buf_puts(&text, "; before Linux 5.17, which has bpf_loop, loops with texts in them are mostly too much for the verifier");
		return sp_err_new(SP_ERR_PRIVILEGE, "%s", sp_buf_str(&text));
	}
	lacked = target_lacks(load->bundle->head->features & ~(UINT64_C(1) << SP_FEATURE_PTRACE));
	if (lacked)
		return tell_lacks(lacked);
	sp_buf_puts(&text, "; this is a fault of ours unless it was compiled for another kernel; -vv shows the whole log");
	return sp_err_new(SP_ERR_BUG, "%s", sp_buf_str(&text));
}

static struct sp_err *explain_failure(const struct load *load, const struct sp_log *log, const struct sp_site *site,
				      const struct load_kind *kind, const struct code_program *code, int error)
{
	struct rejection rejection;
	struct sp_err *err;

	rejection_parse(load->verifier_log, &rejection);
	if (rejection.is_told)
		return explain_rejection(load, log, site, kind, code, &rejection);
	switch (error) {
	case EPERM:
	case EACCES:
		err = privilege_check_bpf();
		if (!err && site)
			return sp_err_new(SP_ERR_PRIVILEGE,
					  "probe %s (%s): the kernel takes BPF programs, but none for this hook; a security module or its build forbids it",
					  bundle_text(load->bundle, site->point), site_hook_name(site));
		sp_err_free(err);
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not let us load the script: %s", privilege_hint());
	case E2BIG:
		if (code->records[CODE_CORE_RELO].len)
			return sp_err_new(SP_ERR_PRIVILEGE,
					  "embedded C that reads structures of the kernel needs Linux 5.17 or later");
		break;
	}
	return not_taken(sp_err_errno(error, "program %s of %zu instructions", kind->name, code->insns.n));
}

static void load_multi(const struct load *load, struct load_program *program, int attach_type)
{
	struct load_kind kind = program->kind;

	kind.attach = (enum bpf_attach_type)attach_type;
	program->multi_fd = load_code(load, &kind, &program->code);
}

// A stack that such a walk cuts is not told from one that ends there.
static void tell_short_stacks(struct load *load, const struct sp_log *log, const struct code_program *code)
{
	sp_cleanup_fclose FILE *file = NULL;
	int most;

	if (load->told_stacks || !code_calls(code, BPF_FUNC_get_stack) || !(file = fopen("/proc/sys/kernel/perf_event_max_stack", "re")))
		return;
	load->told_stacks = true;
	if (fscanf(file, "%d", &most) == 1 && most < SP_SYMBOLS_MAX)
		sp_log(log, SP_LOG_WARN, "stacks that the kernel walks have %d functions at most: kernel.perf_event_max_stack", most);
}

static struct sp_err *load_function(struct load *load, const struct sp_log *log, const struct sp_site *site,
				    struct load_program *program)
{
	uint32_t function = code_find_function(&load->bundle->code, program->kind.name);

	if (function == UINT32_MAX)
		return sp_err_new(SP_ERR_FORMAT, "the bundle has no BPF program `%s`", program->kind.name);
	SP_TRY(code_link(&load->bundle->code, function, load->code_fds, &program->code));
	tell_short_stacks(load, log, &program->code);
	if (site && site_is_uprobe(site) && load_has_uprobe_multi(load))
		load_multi(load, program, TARGET_UPROBE_MULTI);
	else if (site && load->shares_link && load->bundle->progs[site->prog].flags & SP_PROG_SHARES)
		load_multi(load, program, BPF_TRACE_KPROBE_MULTI);
	if (program->multi_fd >= 0)
		return NULL;
	program->fd = load_code(load, &program->kind, &program->code);
	return program->fd >= 0 ? NULL : explain_failure(load, log, site, &program->kind, &program->code, errno);
}

static struct sp_err *load_program(struct load *load, const struct sp_log *log, unsigned index)
{
	const struct sp_prog *prog = &load->bundle->progs[index];
	struct load_program *program = &load->progs[index];
	struct sp_err *err = find_kind(load, prog, &program->kind);

	if (!err && load->no_trampolines && program->kind.type == BPF_PROG_TYPE_TRACING && program->kind.attach != BPF_TRACE_ITER)
		err = tell_lacks(UINT64_C(1) << SP_FEATURE_FENTRY);
	if (!err)
		err = load_function(load, log, first_site(load->bundle, prog), program);
	if (prog->kind != SP_PROG_REGS)
		code_program_deinit(&program->code);
	return err;
}

static struct sp_err *load_order(struct load *load, const struct sp_log *log)
{
	struct load_program program = { .fd = -1, .multi_fd = -1, .kind = { .name = SP_ORDER_PROGRAM, .type = BPF_PROG_TYPE_RAW_TRACEPOINT } };
	struct sp_err *err;

	if (!load->bundle->head->order_offset || code_find_function(&load->bundle->code, SP_ORDER_PROGRAM) == UINT32_MAX)
		return NULL;
	err = load_function(load, log, NULL, &program);
	code_program_deinit(&program.code);
	load->order_fd = program.fd;
	return err;
}

static bool all_sites_optional(const struct bundle *bundle, const struct sp_prog *prog)
{
	for (unsigned i = 0; i < prog->n_sites; i++)
		if (!(bundle->sites[prog->first_site + i].flags & SP_SITE_OPTIONAL))
			return false;
	return prog->n_sites > 0;
}

static bool want_shared_link(const struct load_input *input)
{
	unsigned n = 0;

	for (unsigned i = 0; i < input->bundle->n_progs; i++)
		n += input->prog_wanted[i] && input->bundle->progs[i].flags & SP_PROG_SHARES;
	return n >= LEAST_SHARED && !target_lacks(UINT64_C(1) << SP_FEATURE_KPROBE_MULTI);
}

static struct sp_err *load_programs(struct load *load, const struct load_input *input)
{
	const struct bundle *bundle = load->bundle;

	load->shares_link = want_shared_link(input);
	for (unsigned i = 0; i < bundle->n_progs; i++) {
		struct sp_err *err = input->prog_wanted[i] ? load_program(load, input->log, i) : NULL;

		if (err && !all_sites_optional(bundle, &bundle->progs[i]))
			return err;
		if (err) {
			sp_cleanup_free char *text = sp_err_text(err);

			// That this kernel does not have it is what `?` is for; that the verifier refuses our code, or C of the script, is not.
			sp_log(input->log, err->code == SP_ERR_PRIVILEGE ? SP_LOG_INFO : SP_LOG_WARN, "optional probe left out: %s", text);
			sp_err_free(err);
		}
	}
	return load_order(load, input->log);
}

// ---- all -------------------------------------------------------------------------------------------------------------

static int beside_fd(const struct load *load, const char *format, unsigned map)
{
	char name[32];

	snprintf(name, sizeof(name), format, map);
	return map_fd(load, name);
}

static struct sp_err *collect(struct load *load)
{
	const struct bundle *bundle = load->bundle;
	int data_fd = map_fd(load, SP_DATA_SECTION);

	for (unsigned i = 0; i < bundle->n_maps; i++) {
		load->array_fds[i] = map_fd(load, bundle_text(bundle, bundle->maps[i].name));
		load->array_fds[LOAD_OWN * bundle->n_maps + i] = beside_fd(load, SP_MAP_OWN, i);
		load->array_fds[LOAD_SHORT * bundle->n_maps + i] = beside_fd(load, SP_MAP_SHORT, i);
	}
	if (data_fd < 0)
		return NULL;
	load->data_size = SP_ALIGN_UP((size_t)bundle->head->data_size, (size_t)sysconf(_SC_PAGESIZE));
	load->data = mmap(NULL, load->data_size, PROT_READ | PROT_WRITE, MAP_SHARED, data_fd, 0);
	if (load->data == MAP_FAILED) {
		load->data = NULL;
		load->data_size = 0;
		return sp_err_errno(errno, "cannot map the script's globals (Linux 5.5 or later)");
	}
	return NULL;
}

static struct sp_err *load_all(struct load *load, const struct load_input *input)
{
	const struct code *code = &load->bundle->code;
	struct sp_err *err;

	// Without it, programs are loaded without types and lines.
	load->btf_fd = code->btf ? bpf_btf_load(code->btf, code->btf_size, NULL) : -1;
	if (code->btf && load->btf_fd < 0)
		sp_log(input->log, SP_LOG_DEBUG, "the kernel does not take the script's BTF: %s", strerror(errno));
	SP_TRY(create_maps(load, input));
	load->no_trampolines = load->bundle->head->features >> SP_FEATURE_FENTRY & 1 && !target_guards_trampolines();
	load->verifier_log = mmap(NULL, LOAD_LOG_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (load->verifier_log == MAP_FAILED) {
		load->verifier_log = NULL;
		return sp_err_errno(errno, "cannot get memory for the verifier's log");
	}
	err = load_programs(load, input);
	munmap(load->verifier_log, LOAD_LOG_SIZE);
	load->verifier_log = NULL;
	return err ? err : collect(load);
}

static int *no_fds(size_t n)
{
	int *fds = sp_malloc(n * sizeof(*fds));

	for (size_t i = 0; i < n; i++)
		fds[i] = -1;
	return fds;
}

struct sp_err *load_create(const struct load_input *input, struct load **ret)
{
	const struct bundle *bundle = input->bundle;
	struct load *load = sp_calloc(1, sizeof(*load));
	struct sp_err *err;

	libbpf_set_print(NULL); // it would write to standard error
	*load = (struct load){ .bundle = bundle, .btf_fd = -1, .order_fd = -1, .uprobe_multi = -1,
			       .targets.kernel = input->layout };
	load->progs = sp_calloc(bundle->n_progs, sizeof(*load->progs));
	for (unsigned i = 0; i < bundle->n_progs; i++)
		load->progs[i].fd = load->progs[i].multi_fd = -1;
	load->code_fds = no_fds(bundle->code.n_maps);
	load->array_fds = no_fds((size_t)LOAD_ARRAY_MAPS * bundle->n_maps);
	err = load_all(load, input);
	attach_targets_deinit(&load->targets);
	load->targets = (struct attach_targets){ 0 };
	if (err)
		load_destroy(load);
	else
		*ret = load;
	return err;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void load_destroy(struct load *load)
{
	if (!load)
		return;
	if (load->data_size)
		munmap(load->data, load->data_size);
	for (unsigned i = 0; i < load->bundle->n_progs; i++) {
		close_fd(load->progs[i].fd);
		close_fd(load->progs[i].multi_fd);
		code_program_deinit(&load->progs[i].code);
	}
	for (uint32_t i = 0; i < load->bundle->code.n_maps; i++)
		close_fd(load->code_fds[i]);
	close_fd(load->order_fd);
	close_fd(load->btf_fd);
	free(load->progs);
	free(load->code_fds);
	free(load->array_fds);
	free(load);
}

bool load_has_prog(const struct load *load, unsigned prog)
{
	return load->progs[prog].fd >= 0 || load->progs[prog].multi_fd >= 0;
}

struct sp_err *load_prog(struct load *load, unsigned prog, int *fd_ret)
{
	struct load_program *program = &load->progs[prog];

	if (program->fd < 0)
		program->fd = load_code(load, &program->kind, &program->code);
	*fd_ret = program->fd;
	return program->fd >= 0 ? NULL : sp_err_errno(errno, "cannot load program %s for its link", program->kind.name);
}

int load_prog_fd(const struct load *load, unsigned prog)
{
	return load->progs[prog].fd;
}

struct sp_err *load_prog_multi(struct load *load, unsigned prog, int attach_type, int *fd_ret)
{
	struct load_program *program = &load->progs[prog];

	if (program->multi_fd < 0)
		load_multi(load, program, attach_type);
	if (program->multi_fd < 0)
		return sp_err_errno(errno, "cannot load program %s for its link", program->kind.name);
	*fd_ret = program->multi_fd;
	return NULL;
}

bool load_has_uprobe_multi(struct load *load)
{
	if (load->uprobe_multi < 0)
		load->uprobe_multi = target_has_uprobe_multi();
	return load->uprobe_multi;
}

bool load_shares_link(const struct load *load)
{
	return load->shares_link;
}

int load_prog_multi_fd(const struct load *load, unsigned prog)
{
	return load->progs[prog].multi_fd;
}

void *load_data(const struct load *load)
{
	return load->data;
}

const int *load_array_fds(const struct load *load, enum load_array_map which)
{
	return load->array_fds + (size_t)which * load->bundle->n_maps;
}

int load_map(const struct load *load, const char *name)
{
	return map_fd(load, name);
}

int load_order_fd(const struct load *load)
{
	return load->order_fd;
}
