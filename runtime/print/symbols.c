// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // asprintf, basename, getline

#include "runtime/print/symbols.h"

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/machine/image.h"
#include "runtime/print/stack_owner.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

// A function or a module of the kernel.
struct kernel_symbol {
	uint64_t address;
	const char *name, *module; // module: "kernel" for the kernel itself
};

#define KERNEL_TEXT "_stext" // the kernel is loaded at one distance from where it was linked, so one symbol tells all of its places

struct symbols {
	pid_t target; // 0: none
	symbols_source_fn *source; // NULL: nobody knows source places
	void *source_ctx;
	struct sp_arena arena; // texts
	SP_VEC(struct kernel_symbol) kernel; // by address
	uint64_t text; // KERNEL_TEXT; 0: not known
	bool kernel_is_read, running_are_read;
	struct mapped *mapped; // NULL: what is mapped is seen in /proc alone
	struct processes processes;
};

// What is known of an address.
struct place {
	const char *name; // NULL: of the module alone, or nothing
	const char *module; // NULL: nothing
	uint64_t offset, size; // in the symbol; without one, in the module
	// For debug information, which has one function of a name many times: a symbol of the kernel, or a program's file; both NULL:
	// not known, or another file has its path here.
	const char *base, *path;
	uint64_t base_offset;
};

struct symbols *symbols_create(pid_t target)
{
	struct symbols *symbols = sp_calloc(1, sizeof(*symbols));

	symbols->target = target;
	return symbols;
}

void symbols_set_source(struct symbols *symbols, symbols_source_fn *source, void *ctx)
{
	symbols->source = source;
	symbols->source_ctx = ctx;
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols)
		return;
	mapped_close(symbols->mapped);
	processes_deinit(&symbols->processes);
	sp_vec_deinit(&symbols->kernel);
	sp_arena_deinit(&symbols->arena);
	free(symbols);
}

// ---- the kernel ------------------------------------------------------------------------------------------------------

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static bool add_kernel_symbol(void *ctx, uint64_t address, const char *name, const char *module)
{
	struct symbols *symbols = ctx;
	struct kernel_symbol symbol = { .address = address, .module = "kernel" };

	if (!(address >> 63)) // hidden, or in the data of each processor
		return true;
	if (!module && sp_streq(name, KERNEL_TEXT))
		symbols->text = address;
	symbol.name = sp_arena_strdup(&symbols->arena, name);
	if (module)
		symbol.module = sp_arena_strdup(&symbols->arena, module);
	sp_vec_push(&symbols->kernel, symbol);
	return true;
}

static void read_kernel(struct symbols *symbols)
{
	symbols->kernel_is_read = true;
	sp_err_keep(&symbols->processes.unread, image_each_kernel_symbol(add_kernel_symbol, symbols));
	if (symbols->kernel.n)
		qsort(symbols->kernel.v, symbols->kernel.n, sizeof(*symbols->kernel.v), by_address);
}

void symbols_forget_kernel(struct symbols *symbols)
{
	sp_arena_deinit(&symbols->arena);
	symbols->kernel.n = 0;
	symbols->text = 0;
	symbols->kernel_is_read = false;
}

// The last symbol at or before the address. Of several at one address, the first in /proc/kallsyms. None above the last one, whose end is not
// known.
static struct place kernel_place(struct symbols *symbols, uint64_t address)
{
	const struct kernel_symbol *symbol;
	struct place place;
	size_t behind, at;

	if (!symbols->kernel_is_read)
		read_kernel(symbols);
	behind = sp_bisect(symbols->kernel.n, i, symbols->kernel.v[i].address > address);
	if (!behind || behind == symbols->kernel.n)
		return (struct place){ 0 };
	at = behind - 1;
	while (at && symbols->kernel.v[at - 1].address == symbols->kernel.v[at].address)
		at--;
	symbol = &symbols->kernel.v[at];
	place = (struct place){ .name = symbol->name, .module = symbol->module, .offset = address - symbol->address,
				.size = symbols->kernel.v[behind].address - symbol->address };
	place.base = symbols->text && sp_streq(symbol->module, "kernel") ? KERNEL_TEXT : symbol->name;
	place.base_offset = place.base == symbol->name ? place.offset : address - symbols->text;
	return place;
}

// ---- processes -------------------------------------------------------------------------------------------------------

struct processes *symbols_processes(struct symbols *symbols)
{
	return &symbols->processes;
}

void symbols_update(struct symbols *symbols)
{
	if (symbols->mapped)
		mapped_take(symbols->mapped, &processes_events, &symbols->processes);
}

void symbols_set_recorded(struct symbols *symbols, bool is_this_kernel)
{
	symbols->processes.is_recorded = true;
	symbols->kernel_is_read = !is_this_kernel; // as if it had no symbols
}

struct sp_err *symbols_listen(struct symbols *symbols)
{
	return mapped_open(symbols->target, &symbols->mapped);
}

bool symbols_listens(const struct symbols *symbols)
{
	return symbols->mapped;
}

struct sp_err *symbols_watch(struct symbols *symbols, int epoll_fd, uint64_t data)
{
	return symbols->mapped ? mapped_watch(symbols->mapped, epoll_fd, data) : NULL;
}

struct sp_err *symbols_listen_on(struct symbols *symbols, unsigned cpu)
{
	return symbols->mapped ? mapped_add_cpu(symbols->mapped, cpu) : NULL;
}

uint64_t symbols_lost(const struct symbols *symbols)
{
	return symbols->mapped ? mapped_lost(symbols->mapped) : 0;
}

struct sp_err **symbols_unread(struct symbols *symbols)
{
	return &symbols->processes.unread;
}

void symbols_see(struct symbols *symbols, pid_t pid)
{
	if (!processes_find(&symbols->processes, pid))
		processes_read(&symbols->processes, pid);
}

void symbols_see_changed(struct symbols *symbols, pid_t pid)
{
	processes_read_changed(&symbols->processes, pid);
}

// Zeroed variables are on pages of no file, behind those that are mapped of their own.
static const struct mapping *mapping_before(struct symbols *symbols, const struct known_process *process, uint64_t address)
{
	const struct mapping *last = NULL;
	struct symbols_file *file;

	for (size_t i = 0; process && i < process->mappings.n; i++) {
		const struct mapping *m = &process->mappings.v[i];

		if (m->end <= address && (!last || m->end >= last->end))
			last = m;
	}
	file = last ? processes_symbols(&symbols->processes, last->file) : NULL;
	return file && symbols_file_has(file, address - last->start + last->offset) ? last : NULL;
}

static const struct mapping *find_mapping(struct symbols *symbols, pid_t pid, uint64_t address)
{
	struct known_process *process;
	const struct mapping *m;

	symbols_update(symbols);
	m = processes_mapping(processes_find(&symbols->processes, pid), address);
	if (m)
		return m;
	processes_read(&symbols->processes, pid); // not seen before, mapped since, or no code
	process = processes_find(&symbols->processes, pid);
	m = processes_mapping(process, address);
	return m ? m : mapping_before(symbols, process, address);
}

static struct place user_place(struct symbols *symbols, pid_t pid, uint64_t address)
{
	const struct mapping *m = find_mapping(symbols, pid, address);
	struct symbols_file *file;
	struct place place = { 0 };

	if (!m)
		return place;
	place.module = m->file->path;
	place.path = m->file->is_here && m->is_code ? m->file->path : NULL;
	place.offset = place.base_offset = address - m->start + m->offset;
	place.size = m->end - m->start;
	file = processes_symbols(&symbols->processes, m->file);
	if (file)
		place.name = symbols_file_name(file, place.offset, &place.offset, &place.size);
	return place;
}

// `pid` 0: of nobody.
static struct place place_at(struct symbols *symbols, bool is_kernel, pid_t pid, uint64_t address)
{
	if (is_kernel)
		return kernel_place(symbols, address);
	return pid ? user_place(symbols, pid, address) : (struct place){ 0 };
}

// `is_return`: behind a call that never returns may be the end of the function that calls.
static struct place place_of(struct symbols *symbols, bool is_kernel, pid_t pid, uint64_t address, bool is_return)
{
	struct place place = place_at(symbols, is_kernel, pid, address), before;

	if (!is_return || !place.module || (place.name && place.offset))
		return place;
	before = place_at(symbols, is_kernel, pid, address - 1);
	if (!before.name)
		return place;
	before.offset++;
	before.base_offset++;
	return before;
}

void symbols_see_running(struct symbols *symbols)
{
	symbols_update(symbols);
	if (!symbols->running_are_read)
		processes_read_running(&symbols->processes);
	symbols->running_are_read = true;
}

pid_t symbols_owner(struct symbols *symbols, pid_t pid, const uint64_t *addresses, size_t n)
{
	if (!pid)
		pid = symbols->target;
	symbols_see_running(symbols);
	if (pid)
		symbols_see(symbols, pid);
	if (n == 1 && pid && find_mapping(symbols, pid, addresses[0])) // not a stack, so it need not be code
		return pid;
	return stack_owner(&symbols->processes, pid, addresses, n);
}

// ---- text ------------------------------------------------------------------------------------------------------------

static void put_address(struct sp_buf *out, uint64_t address)
{
	sp_buf_printf(out, "0x%" PRIx64, address);
}

// name+0xOFFSET/0xSIZE [MODULE], or as much of it as is known. `lead` stands between the address and the name.
static void put_data(struct sp_buf *out, const struct place *p, uint64_t address, const char *lead)
{
	if (lead || !p->name)
		put_address(out, address);
	if (p->name)
		sp_buf_printf(out, "%s%s+0x%" PRIx64 "/0x%" PRIx64, lead ? lead : "", p->name, p->offset, p->size);
	if (p->name && p->module)
		sp_buf_printf(out, " [%s]", p->module);
	else if (p->module)
		sp_buf_printf(out, " [%s+0x%" PRIx64 "/0x%" PRIx64 "]", p->module, p->offset, p->size);
}

static void put_simple(struct sp_buf *out, const struct place *p, uint64_t address)
{
	if (p->name)
		sp_buf_printf(out, "%s+0x%" PRIx64, p->name, p->offset);
	else
		put_address(out, address);
	if (p->name && p->module)
		sp_buf_printf(out, " [%s]", basename(p->module));
	else if (p->module)
		sp_buf_printf(out, " [%s+0x%" PRIx64 "]", basename(p->module), p->offset);
}

// ---- source places ---------------------------------------------------------------------------------------------------

// `back` 1: the address is one that a call returns to, whose line is that of the instruction before it.
static int find_frames(const struct symbols *symbols, const struct place *p, unsigned back, struct symbols_frame ret[SYMBOLS_FRAMES_MAX])
{
	struct symbols_place place = { .path = p->path, .module = p->module, .symbol = p->base, .offset = p->base_offset };

	if (!symbols || !symbols->source || (!p->path && !p->base))
		return 0;
	if (place.offset < back)
		back = 0;
	place.offset -= back;
	return symbols->source(symbols->source_ctx, &place, ret);
}

static void put_file_line(struct sp_buf *out, const struct symbols_frame *frame)
{
	sp_buf_printf(out, "%s:%u", frame->file ? frame->file : "<unknown>", frame->line);
}

// A line for each function at an address, from the inside out: 0xADDRESS : name+0xOFFSET/0xSIZE at FILE:LINE [MODULE]
static void put_fuller(struct sp_buf *out, const struct symbols *symbols, const struct place *p, uint64_t address, unsigned back)
{
	struct symbols_frame frames[SYMBOLS_FRAMES_MAX];
	int n = find_frames(symbols, p, back, frames);

	for (int i = 0; i + 1 < n; i++) {
		sp_buf_putc(out, ' ');
		put_address(out, address);
		sp_buf_printf(out, " : %s at ", frames[i].function ? frames[i].function : "<unknown>");
		put_file_line(out, &frames[i]);
		sp_buf_printf(out, " (inlined) [%s]\n", p->module ? p->module : "<unknown>");
	}
	sp_buf_putc(out, ' ');
	if (n < 1 || !p->name) {
		put_data(out, p, address, " : ");
	} else {
		put_address(out, address);
		sp_buf_printf(out, " : %s+0x%" PRIx64 "/0x%" PRIx64 " at ", p->name, p->offset, p->size);
		put_file_line(out, &frames[n - 1]);
		sp_buf_printf(out, " [%s]", p->module ? p->module : "<unknown>");
	}
	sp_buf_putc(out, '\n');
}

// symfile(), symline(), symfileline() and their kin: of what is inlined there, the innermost.
static void put_source(struct sp_buf *out, const struct symbols *symbols, const struct place *p, enum sp_symbol_text text,
		       uint64_t address)
{
	struct symbols_frame frames[SYMBOLS_FRAMES_MAX];

	if (find_frames(symbols, p, 0, frames) < 1)
		put_address(out, address);
	else if (text == SP_SYMBOL_FILE)
		sp_buf_puts(out, frames[0].file ? frames[0].file : "<unknown>");
	else if (text == SP_SYMBOL_LINE)
		sp_buf_printf(out, "%u", frames[0].line);
	else
		put_file_line(out, &frames[0]);
}

static void put_one(struct sp_buf *out, const struct symbols *symbols, const struct place *p, enum sp_symbol_text text,
		    uint64_t address, unsigned back)
{
	switch (text) {
	case SP_SYMBOL_NAME:
		if (p->name)
			sp_buf_puts(out, p->name);
		else
			put_address(out, address);
		break;
	case SP_SYMBOL_DATA:
	case SP_SYMBOL_CALLER:
		put_data(out, p, address, NULL);
		break;
	case SP_SYMBOL_MODULE:
		sp_buf_puts(out, p->module ? p->module : "<unknown>");
		break;
	case SP_SYMBOL_HEX:
		put_address(out, address);
		sp_buf_putc(out, ' ');
		break;
	case SP_SYMBOL_BRIEF:
		if (p->name)
			sp_buf_printf(out, "%s+0x%" PRIx64 "\n", p->name, p->offset);
		else
			sp_buf_printf(out, "0x%" PRIx64 "\n", address);
		break;
	case SP_SYMBOL_SIMPLE:
		put_simple(out, p, address);
		sp_buf_putc(out, '\n');
		break;
	case SP_SYMBOL_FULLER:
		put_fuller(out, symbols, p, address, back);
		break;
	case SP_SYMBOL_FULL:
		sp_buf_putc(out, ' ');
		put_data(out, p, address, " : ");
		sp_buf_putc(out, '\n');
		break;
	case SP_SYMBOL_FILE:
	case SP_SYMBOL_LINE:
	case SP_SYMBOL_FILE_LINE:
		put_source(out, symbols, p, text, address);
		break;
	case SP_SYMBOL_TEXT_COUNT:
		break;
	}
}

// bpf_trampoline_N may have no name, or that of what a module has before it: it is made after the names were read.
static bool calls_handler(const struct place *place, enum sp_tracer tracer)
{
	const char *name = place->name;

	if (tracer == SP_TRACER_TRAMPOLINE)
		return !name || (!sp_streq(place->module, "kernel") && !sp_starts_with(name, "bpf_prog_"));
	return name && (sp_starts_with(name, "bpf_trace_run") || sp_streq(name, "bpf_iter_run_prog") || sp_streq(name, "nf_hook_run_bpf"));
}

// The stack begins with the handler and what calls it, up to bpf_trace_runN() and its like. At a tracepoint, what has called that comes
// next: __bpf_trace_EVENT() and, when the tracepoint has several handlers, __traceiter_EVENT(). They are no part of what is traced. The
// handler itself has no name where it is behind all that have one.
static size_t tracer_frames(struct symbols *symbols, enum sp_tracer tracer, const uint64_t *addresses, size_t n)
{
	size_t i = 0, most = SP_MIN(n, (size_t)SP_TRACER_MAX);
	struct place place;

	if (tracer == SP_TRACER_NONE)
		return 0;
	do
		place = kernel_place(symbols, ++i < most ? addresses[i] : 0);
	while (i < most && place.name && !calls_handler(&place, tracer));
	if (i >= most || !symbols->kernel.n || !calls_handler(&place, tracer))
		return 0;
	for (i++; i < n; i++) {
		const char *name = kernel_place(symbols, addresses[i]).name;

		if (!name || !(sp_starts_with(name, "__bpf_trace_") || sp_starts_with(name, "__traceiter_")))
			break;
	}
	return i;
}

size_t symbols_addresses(struct symbols *symbols, const void *record, size_t size, uint64_t *ret)
{
	uint64_t all[SP_SYMBOLS_PLACES];
	struct sp_symbols head;
	size_t n, first, n_ret = 0;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, record, sizeof(head));
	n = head.size < 0 ? 0 : SP_MIN((size_t)head.size, size - sizeof(head)) / sizeof(uint64_t);
	n = SP_MIN(n, SP_ARRAY_SIZE(all));
	memcpy(all, (const char *)record + sizeof(head), n * sizeof(*all));
	first = symbols ? tracer_frames(symbols, (enum sp_tracer)head.tracer, all, n) : 0;
	for (size_t i = first; i < n && (all[i] || i == 0); i++)
		if (all[i] || n == 1)
			ret[n_ret++] = all[i];
	return n_ret;
}

// The head of a record and its addresses; 0 of a record that is too short. Addresses of our own process are those that it was given.
static size_t read_record(struct symbols *symbols, const void *record, size_t size, struct sp_symbols *head, uint64_t *addresses)
{
	size_t n;

	if (size < sizeof(*head))
		return 0;
	memcpy(head, record, sizeof(*head));
	n = symbols_addresses(symbols, record, size, addresses);
	if (symbols && head->is_user && head->pid == (uint32_t)getpid())
		head->pid = (uint32_t)symbols_owner(symbols, 0, addresses, n);
	return n;
}

void symbols_put(struct sp_buf *out, struct symbols *symbols, const void *record, size_t size)
{
	uint64_t addresses[SP_SYMBOLS_PLACES];
	struct sp_symbols head;
	size_t n = read_record(symbols, record, size, &head, addresses);

	for (size_t i = 0; i < n; i++) {
		struct place place = { 0 };

		if (symbols && head.text != SP_SYMBOL_HEX)
			place = place_of(symbols, !head.is_user, (pid_t)head.pid, addresses[i], i > 0 || head.text == SP_SYMBOL_CALLER);
		put_one(out, symbols, &place, (enum sp_symbol_text)head.text, addresses[i], i > 0);
	}
}

// ---- for who writes its own text -------------------------------------------------------------------------------------

static void tell_place(const struct symbols *symbols, const struct place *p, uint64_t address, bool is_return, symbols_tell_fn *tell,
		       void *ctx)
{
	struct symbols_frame frames[SYMBOLS_FRAMES_MAX];
	int n = find_frames(symbols, p, is_return, frames);
	struct symbols_known known = { .address = address, .module = p->module };

	for (int i = 0; i + 1 < n; i++) {
		known.symbol = frames[i].function;
		known.file = frames[i].file;
		known.line = frames[i].line;
		known.is_inlined = true;
		tell(ctx, &known);
	}
	known = (struct symbols_known){ .address = address, .symbol = p->name, .module = p->module, .offset = p->offset,
					.file = n > 0 ? frames[n - 1].file : NULL, .line = n > 0 ? frames[n - 1].line : 0 };
	tell(ctx, &known);
}

void symbols_each(struct symbols *symbols, const void *record, size_t size, symbols_tell_fn *tell, void *ctx)
{
	uint64_t addresses[SP_SYMBOLS_PLACES];
	struct sp_symbols head;
	size_t n = read_record(symbols, record, size, &head, addresses);

	for (size_t i = 0; i < n; i++) {
		struct place place = { 0 };

		if (symbols)
			place = place_of(symbols, !head.is_user, (pid_t)head.pid, addresses[i], i > 0);
		tell_place(symbols, &place, addresses[i], i > 0, tell, ctx);
	}
}

void symbols_each_at(struct symbols *symbols, bool is_kernel, pid_t pid, uint64_t address, bool is_return, symbols_tell_fn *tell, void *ctx)
{
	struct place place = place_of(symbols, is_kernel, pid, address, is_return);

	tell_place(symbols, &place, address, is_return, tell, ctx);
}

void symbols_each_code(struct symbols *symbols, pid_t pid, struct symbols_told *told, symbols_code_fn *tell, void *ctx)
{
	const struct known_process *process;

	symbols_update(symbols);
	symbols_see(symbols, pid);
	process = processes_find(&symbols->processes, pid);
	if (!process)
		return;
	if (told->generation != process->generation)
		*told = (struct symbols_told){ .generation = process->generation };
	for (; told->n < process->mappings.n; told->n++) {
		const struct mapping *m = &process->mappings.v[told->n];

		if (m->is_code)
			tell(ctx, &(struct symbols_code){ m->start, m->end, m->offset, m->file->path });
	}
}

bool symbols_knows(struct symbols *symbols, pid_t pid)
{
	symbols_see_running(symbols);
	return processes_find(&symbols->processes, pid);
}

void symbols_put_frame(struct sp_buf *out, struct symbols *symbols, bool is_kernel, pid_t pid, uint64_t address, bool is_return)
{
	struct place place = place_of(symbols, is_kernel, pid, address, is_return);

	if (place.name)
		sp_buf_puts(out, place.name);
	else if (place.module)
		sp_buf_printf(out, "[%s]", basename(place.module));
	else
		put_address(out, address);
}
