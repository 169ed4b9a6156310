// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf

#include "runtime/load/load.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/privilege.h"
#include "runtime/load/rejection.h"
#include "runtime/load/site.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LICENSE "GPL" // what the compiler writes into every bundle
#define VERIFIER_LOG_SIZE ((UINT32_MAX >> 8) - 1) // what every kernel takes; pages that are not written cost nothing

struct load {
	const struct bundle *bundle;
	struct bpf_object *object;
	struct bpf_program **progs; // one for each of bundle->progs; NULL: not in the kernel
	int *multi_fds; // load_prog_multi; one for each, or -1
	int *map_fds, *own_fds;
	int events_fd;
	int order_fd; // SP_ORDER_PROGRAM; -1: none
	void *data; // mapped
	size_t data_size; // of the mapping; 0: `data` is ours
};

// What libbpf said while it worked for this thread.
struct words {
	const struct sp_log *log;
	char *rejected; // the program that the kernel refused; free(3)
	struct sp_buf warnings;
};

static void words_deinit(struct words *words)
{
	free(words->rejected);
	sp_buf_deinit(&words->warnings);
}

// libbpf_set_print takes one function for the whole process, and no context. So the context is a variable of the
// thread, set while the thread is in one of our calls to libbpf.
static _Thread_local struct words *current_words;

static int SP_PRINTF(2, 0) print_words(enum libbpf_print_level level, const char *fmt, va_list args)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct words *words = current_words;
	const char *prog;

	if (!words || (level == LIBBPF_DEBUG && words->log->max_level < SP_LOG_DEBUG))
		return 0;
	sp_buf_vprintf(&text, fmt, args);
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	sp_log(words->log, SP_LOG_DEBUG, "%s", sp_buf_str(&text));
	prog = text.len ? strstr(text.data, "prog '") : NULL;
	if (prog && strstr(prog, "': BPF program load failed") && !words->rejected)
		words->rejected = sp_strndup(prog + 6, strcspn(prog + 6, "'"));
	if (level == LIBBPF_WARN && text.len && words->warnings.len < 4096)
		sp_buf_printf(&words->warnings, "%s%s", words->warnings.len ? "; " : "",
			      sp_starts_with(text.data, "libbpf: ") ? text.data + 8 : text.data);
	return 0;
}

static void words_begin(struct words *words)
{
	current_words = words;
	libbpf_set_print(print_words);
}

static void words_end(void)
{
	current_words = NULL;
}

// ---- before the load -------------------------------------------------------------------------------------------------

static const struct sp_site *first_site(const struct bundle *bundle, const struct sp_prog *prog)
{
	return prog->n_sites ? &bundle->sites[prog->first_site] : NULL;
}

static struct sp_err *set_type(const struct bundle *bundle, const struct sp_prog *prog, struct bpf_program *program)
{
	enum bpf_prog_type type = BPF_PROG_TYPE_UNSPEC;
	enum bpf_attach_type attach = 0;
	const struct sp_site *site = first_site(bundle, prog);
	int error;

	switch ((enum sp_prog_kind)prog->kind) {
	case SP_PROG_REGS:
		type = BPF_PROG_TYPE_KPROBE;
		break;
	case SP_PROG_FENTRY:
	case SP_PROG_FEXIT:
		type = BPF_PROG_TYPE_TRACING;
		attach = prog->kind == SP_PROG_FENTRY ? BPF_TRACE_FENTRY : BPF_TRACE_FEXIT;
		break;
	case SP_PROG_RAW_TP:
		type = BPF_PROG_TYPE_RAW_TRACEPOINT;
		break;
	case SP_PROG_TYPED_TP:
		type = BPF_PROG_TYPE_TRACING;
		attach = BPF_TRACE_RAW_TP;
		break;
	case SP_PROG_TP:
		type = BPF_PROG_TYPE_TRACEPOINT;
		break;
	case SP_PROG_PERF:
		type = BPF_PROG_TYPE_PERF_EVENT;
		break;
	case SP_PROG_USER:
	case SP_PROG_KIND_COUNT:
		return sp_err_bug("a user-side handler is marked as a kernel program");
	}
	error = bpf_program__set_type(program, type);
	if (!error)
		error = bpf_program__set_expected_attach_type(program, attach);
	if (!error && type == BPF_PROG_TYPE_TRACING && site)
		error = bpf_program__set_attach_target(program, 0, bundle_text(bundle, site->symbol));
	if (site && (error == -ESRCH || error == -ENOENT))
		return sp_err_new(SP_ERR_PRIVILEGE, "probe %s (%s): the kernel's BTF has no function `%s`",
				  bundle_text(bundle, site->point), site_hook_name(site),
				  bundle_text(bundle, site->symbol));
	return error ? sp_err_errno(-error, "libbpf: cannot set the type of program %s",
				    bpf_program__name(program)) : NULL;
}

static struct bpf_program *order_program(const struct load *load)
{
	return load->bundle->head->order_offset ? bpf_object__find_program_by_name(load->object, SP_ORDER_PROGRAM) : NULL;
}

static struct sp_err *choose_programs(struct load *load, const bool *wanted, char *verifier_log, unsigned *refused_ret)
{
	const struct bundle *bundle = load->bundle;
	struct bpf_program *program;
	struct sp_err *err;

	bpf_object__for_each_program(program, load->object) {
		bpf_program__set_autoload(program, false);
		bpf_program__set_log_buf(program, verifier_log, VERIFIER_LOG_SIZE);
	}
	for (unsigned i = 0; i < bundle->n_progs; i++) {
		const char *name = bundle_text(bundle, bundle->progs[i].name);

		if (!wanted[i])
			continue;
		program = bpf_object__find_program_by_name(load->object, name);
		if (!program)
			return sp_err_new(SP_ERR_FORMAT, "the bundle has no BPF program `%s`", name);
		err = set_type(bundle, &bundle->progs[i], program);
		if (err) {
			*refused_ret = i;
			return err;
		}
		bpf_program__set_autoload(program, true);
		load->progs[i] = program;
	}
	program = order_program(load);
	if (program && (bpf_program__set_type(program, BPF_PROG_TYPE_RAW_TRACEPOINT) || bpf_program__set_autoload(program, true)))
		return sp_err_bug("libbpf: cannot choose " SP_ORDER_PROGRAM);
	return NULL;
}

static struct sp_err *set_area(struct load *load, const char *section, const void *bytes, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(load->object, section);
	size_t map_size;

	if (!map)
		return NULL; // no program uses it
	if (!bpf_map__initial_value(map, &map_size) || map_size != size)
		return sp_err_new(SP_ERR_FORMAT, "the size of section %s is not the one in the bundle", section);
	if (bpf_map__set_initial_value(map, bytes, size))
		return sp_err_errno(errno, "libbpf: cannot initialize %s", section);
	return NULL;
}

static struct sp_err *set_maps(struct load *load, const struct load_input *input)
{
	const struct sp_bundle_head *head = load->bundle->head;
	struct bpf_map *events = bpf_object__find_map_by_name(load->object, SP_MAP_EVENTS);
	struct bpf_map *family = bpf_object__find_map_by_name(load->object, SP_MAP_FAMILY);
	struct bpf_map *scratch = bpf_object__find_map_by_name(load->object, SP_MAP_SCRATCH);
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	int n_cpus = libbpf_num_possible_cpus();

	SP_TRY(set_area(load, SP_DATA_SECTION, input->data, head->data_size));
	SP_TRY(set_area(load, SP_SLOTS_SECTION, input->slots, head->n_slots * sizeof(uint64_t)));
	if (family && input->n_family && bpf_map__set_max_entries(family, input->n_family))
		return sp_err_errno(errno, "libbpf: cannot size the map of the target's children");
	if (scratch && bpf_map__type(scratch) == BPF_MAP_TYPE_ARRAY && n_cpus > 0 &&
	    bpf_map__set_max_entries(scratch, SP_SCRATCH_LEVELS * (uint32_t)n_cpus))
		return sp_err_errno(errno, "libbpf: cannot size the handlers' memory");
	// A page of this kernel may be larger than one of the kernel that the script was compiled for.
	if (events && bpf_map__set_max_entries(events, SP_MAX(head->ring_size, page)))
		return sp_err_errno(errno, "libbpf: cannot size the ring buffer");
	return NULL;
}

// ---- the load --------------------------------------------------------------------------------------------------------

static unsigned find_prog(const struct bundle *bundle, const char *name)
{
	for (unsigned i = 0; i < bundle->n_progs; i++)
		if (name && sp_streq(bundle_text(bundle, bundle->progs[i].name), name))
			return i;
	return bundle->n_progs;
}

static struct sp_err *explain_rejection(const struct load *load, const struct sp_log *log, const char *name,
					const char *verifier_log)
{
	const struct bundle *bundle = load->bundle;
	unsigned index = find_prog(bundle, name);
	const struct sp_site *site = index < bundle->n_progs ? first_site(bundle, &bundle->progs[index]) : NULL;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct rejection rejection;
	struct rejection_place place;

	rejection_parse(verifier_log, &rejection);
	sp_log(log, SP_LOG_DEBUG, "the kernel's verifier on program %s:\n%s", name, verifier_log);
	sp_buf_printf(&text, "the kernel refused the handler of %s",
		      site ? bundle_text(bundle, site->point) : name);
	if (rejection_place(bundle, name, &rejection, &place)) {
		sp_buf_printf(&text, " at %s:%u:%u", place.file, place.line, place.column);
		free(place.file);
	}
	if (rejection.plain)
		sp_buf_printf(&text, ": %s", rejection.plain);
	if (rejection.reason_len)
		sp_buf_printf(&text, " (verifier, instruction %d: %.*s)", rejection.insn, (int)rejection.reason_len,
			      rejection.reason);
	if (rejection.is_refused)
		return sp_err_new(SP_ERR_PRIVILEGE, "%s", sp_buf_str(&text));
	sp_buf_puts(&text, "; this is a fault of ours unless it was compiled for another kernel; -vv shows the whole log");
	return sp_err_new(SP_ERR_BUG, "%s", sp_buf_str(&text));
}

static struct sp_err *explain_failure(const struct load *load, const struct words *words, int error,
				      const char *verifier_log)
{
	const char *said = sp_buf_str(&words->warnings);
	unsigned index = find_prog(load->bundle, words->rejected);
	const struct sp_site *site =
		index < load->bundle->n_progs ? first_site(load->bundle, &load->bundle->progs[index]) : NULL;
	struct sp_err *err;

	if (words->rejected && *verifier_log)
		return explain_rejection(load, words->log, words->rejected, verifier_log);
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
	case ESRCH:
	case ENOENT:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not have what the script needs: %s", said);
	case ENOMEM:
		return sp_err_errno(error, "the kernel has no memory for the script's maps: %s", said);
	case E2BIG:
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "this kernel does not take the script: %s", said);
	}
	return sp_err_errno(error, "cannot load the script into the kernel: %s", said);
}

static struct sp_err *collect(struct load *load)
{
	const struct bundle *bundle = load->bundle;
	struct bpf_map *data = bpf_object__find_map_by_name(load->object, SP_DATA_SECTION);
	struct bpf_map *events = bpf_object__find_map_by_name(load->object, SP_MAP_EVENTS);

	for (unsigned i = 0; i < bundle->n_maps; i++) {
		struct bpf_map *map =
			bpf_object__find_map_by_name(load->object, bundle_text(bundle, bundle->maps[i].name)), *own;
		char own_name[32];

		load->map_fds[i] = map ? bpf_map__fd(map) : -1;
		snprintf(own_name, sizeof(own_name), SP_MAP_OWN, i);
		own = bundle->maps[i].flags & SP_MAP_APART ? bpf_object__find_map_by_name(load->object, own_name) : NULL;
		load->own_fds[i] = own ? bpf_map__fd(own) : -1;
	}
	load->events_fd = events ? bpf_map__fd(events) : -1;
	load->order_fd = order_program(load) ? bpf_program__fd(order_program(load)) : -1;
	if (!data)
		return NULL;
	load->data_size = SP_ALIGN_UP((size_t)bundle->head->data_size, (size_t)sysconf(_SC_PAGESIZE));
	load->data = mmap(NULL, load->data_size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(data), 0);
	if (load->data == MAP_FAILED) {
		load->data = NULL;
		return sp_err_errno(errno, "cannot map the script's globals (Linux 5.5 or later)");
	}
	return NULL;
}

// Tries once to load the programs that are wanted. *refused_ret: the program that the kernel refused, or n_progs.
static struct sp_err *load_once(struct load *load, const struct load_input *input, const bool *wanted,
				unsigned *refused_ret)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spile");
	sp_cleanup(words_deinit) struct words words = { .log = input->log };
	char *verifier_log = mmap(NULL, VERIFIER_LOG_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sp_err *err = NULL;
	int error = 0;

	*refused_ret = load->bundle->n_progs;
	if (verifier_log == MAP_FAILED)
		return sp_err_errno(errno, "cannot get memory for the verifier's log");
	words_begin(&words);
	load->object = bpf_object__open_mem(load->bundle->bytes, load->bundle->size, &opts);
	if (!load->object)
		err = sp_err_new(SP_ERR_FORMAT, "libbpf cannot read the bundle: %s", sp_buf_str(&words.warnings));
	if (!err)
		err = choose_programs(load, wanted, verifier_log, refused_ret);
	if (!err)
		err = set_maps(load, input);
	// libbpf raises RLIMIT_MEMLOCK by itself on the kernels (before 5.11) that need it, and goes on when it cannot.
	if (!err)
		error = bpf_object__load(load->object);
	words_end();
	if (error) {
		err = explain_failure(load, &words, -error, verifier_log);
		*refused_ret = find_prog(load->bundle, words.rejected);
	}
	munmap(verifier_log, VERIFIER_LOG_SIZE);
	return err ? err : collect(load);
}

static bool all_sites_optional(const struct bundle *bundle, const struct sp_prog *prog)
{
	for (unsigned i = 0; i < prog->n_sites; i++)
		if (!(bundle->sites[prog->first_site + i].flags & SP_SITE_OPTIONAL))
			return false;
	return prog->n_sites > 0;
}

struct sp_err *load_create(const struct load_input *input, struct load **ret)
{
	const struct bundle *bundle = input->bundle;
	sp_cleanup_free bool *wanted = sp_calloc(bundle->n_progs, sizeof(*wanted));
	struct sp_err *err;
	struct load *load;
	unsigned refused;

	for (unsigned i = 0; i < bundle->n_progs; i++)
		wanted[i] = input->prog_wanted[i];
	for (;;) {
		load = sp_calloc(1, sizeof(*load));
		load->bundle = bundle;
		load->progs = sp_calloc(bundle->n_progs, sizeof(*load->progs));
		load->multi_fds = sp_calloc(bundle->n_progs, sizeof(*load->multi_fds));
		for (unsigned i = 0; i < bundle->n_progs; i++)
			load->multi_fds[i] = -1;
		load->map_fds = sp_calloc(bundle->n_maps, sizeof(*load->map_fds));
		load->own_fds = sp_calloc(bundle->n_maps, sizeof(*load->own_fds));
		err = load_once(load, input, wanted, &refused);
		if (!err) {
			*ret = load;
			return NULL;
		}
		load_destroy(load);
		if (refused == bundle->n_progs || !all_sites_optional(bundle, &bundle->progs[refused]))
			return err;
		sp_cleanup_free char *text = sp_err_text(err);

		sp_log(input->log, SP_LOG_INFO, "optional probe left out: %s", text);
		sp_err_free(err);
		wanted[refused] = false;
	}
}

void load_destroy(struct load *load)
{
	if (!load)
		return;
	if (load->data_size)
		munmap(load->data, load->data_size);
	for (unsigned i = 0; i < load->bundle->n_progs; i++)
		if (load->multi_fds[i] >= 0)
			close(load->multi_fds[i]);
	free(load->multi_fds);
	bpf_object__close(load->object);
	free(load->progs);
	free(load->map_fds);
	free(load->own_fds);
	free(load);
}

struct bpf_program *load_prog(const struct load *load, unsigned prog)
{
	return load->progs[prog];
}

struct sp_err *load_prog_multi(struct load *load, unsigned prog, int attach_type, int *fd_ret)
{
	const struct bpf_program *program = load->progs[prog];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = (enum bpf_attach_type)attach_type);
	int fd = load->multi_fds[prog];

	// After the load, libbpf has the instructions as the kernel took them: with descriptors of maps, and functions
	// appended.
	if (fd < 0)
		fd = bpf_prog_load(bpf_program__type(program), bpf_program__name(program), LICENSE,
				   bpf_program__insns(program), bpf_program__insn_cnt(program), &opts);
	if (fd < 0)
		return sp_err_errno(-fd, "cannot load program %s for a link of many probes", bpf_program__name(program));
	*fd_ret = load->multi_fds[prog] = fd;
	return NULL;
}

int load_prog_multi_fd(const struct load *load, unsigned prog)
{
	return load->multi_fds[prog];
}

void *load_data(const struct load *load)
{
	return load->data;
}

const int *load_map_fds(const struct load *load)
{
	return load->map_fds;
}

const int *load_own_fds(const struct load *load)
{
	return load->own_fds;
}

int load_family_fd(const struct load *load)
{
	const struct bpf_map *family = bpf_object__find_map_by_name(load->object, SP_MAP_FAMILY);

	return family ? bpf_map__fd(family) : -1;
}

int load_order_fd(const struct load *load)
{
	return load->order_fd;
}

int load_events_fd(const struct load *load)
{
	return load->events_fd;
}
