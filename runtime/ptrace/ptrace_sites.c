// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/cleanup.h"
#include "runtime/ptrace/ptrace_call.h"
#include "runtime/ptrace/ptrace_engine.h"
#include "runtime/ptrace/ptrace_proc.h"
#include "runtime/load/fixup.h"
#include "runtime/load/site.h"
#include "runtime/machine/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

void ptrace_sites_init(struct attach_ptrace *engine)
{
	const struct bundle *bundle = engine->input.bundle;

	engine->objects = sp_calloc(bundle->n_objects, sizeof(*engine->objects));
	engine->inserted = sp_calloc(bundle->n_sites, sizeof(*engine->inserted));
	for (unsigned i = 0; i < bundle->n_objects; i++)
		if (bundle->objects[i].kind == SP_OBJECT_PROGRAM)
			attach_ptrace_replaced(engine, i);
}

void attach_ptrace_replaced(struct attach_ptrace *engine, unsigned index)
{
	const struct bundle *bundle = engine->input.bundle;
	struct ptrace_object *object = &engine->objects[index];
	struct sp_err *err;
	struct stat st;
	int fd;

	err = fixup_open_program(bundle, index, &fd);
	if (err) {
		sp_err_tell(engine->input.log, err->code == SP_ERR_TARGET ? SP_LOG_WARN : SP_LOG_DEBUG, err);
		return;
	}
	free(object->path);
	object->path = realpath(bundle_text(bundle, bundle->objects[index].path), NULL);
	fstat(fd, &st);
	sp_vec_push(&object->files, ((struct ptrace_file){ fd, st.st_dev, st.st_ino }));
}

void attach_ptrace_forget(struct attach_ptrace *engine, unsigned index)
{
	sp_vec_each(file, &engine->objects[index].files)
		close(file->fd);
	engine->objects[index].files.n = 0;
}

static bool is_mapped(const struct ptrace_object *object, const struct image_mapping *mapping)
{
	sp_vec_each(file, &object->files)
		if (image_mapping_is(mapping, file->dev, file->inode, object->path))
			return true;
	return false;
}

static bool is_file(const struct ptrace_object *object, const struct stat *st)
{
	sp_vec_each(file, &object->files)
		if (file->dev == st->st_dev && file->inode == st->st_ino)
			return true;
	return false;
}

void ptrace_sites_deinit(struct attach_ptrace *engine)
{
	for (unsigned i = 0; engine->objects && i < engine->input.bundle->n_objects; i++) {
		free(engine->objects[i].path);
		attach_ptrace_forget(engine, i);
		sp_vec_deinit(&engine->objects[i].files);
	}
	free(engine->objects);
	free(engine->events);
	free(engine->inserted);
	ptrace_trap_deinit(engine);
}

// ---- breakpoints where sites are mapped ------------------------------------------------------------------------------

static bool has_site(const struct ptrace_break *brk, unsigned site)
{
	sp_vec_each(it, &brk->sites)
		if (*it == site)
			return true;
	return false;
}

// What is told when there can be no breakpoint, by enum ptrace_add_result.
static const char *const reasons[] = {
	[PTRACE_ADD_GONE] = "it is not there",
	[PTRACE_ADD_FAILED] = "its memory cannot be written",
	[PTRACE_ADD_FULL] = "there are too many",
	[PTRACE_ADD_FOREIGN] = "another tracer has one there (a uprobe in the kernel, or a debugger), which takes its events",
};

static void insert_site(const struct ptrace_insertion *insertion, unsigned index, uint64_t address)
{
	struct attach_ptrace *engine = insertion->engine;
	const struct bundle *bundle = engine->input.bundle;
	const struct ptrace_space *space = insertion->process->space;
	struct ptrace_break *brk;
	enum ptrace_add_result result;
	uint8_t byte;

	if (insertion->looks) {
		// What cannot be read is of a program that it has just started, and has not told.
		engine->had_unseen |= !ptrace_space_find(space, address) && ptrace_space_peek(space, address, &byte, 1) && byte != PTRACE_CPU_BREAK &&
				      !ptrace_space_was_at(space, address);
		return;
	}
	result = ptrace_space_add(insertion->process->space, address, &brk);
	if (result != PTRACE_ADDED) {
		sp_log(engine->input.log, result == PTRACE_ADD_GONE ? SP_LOG_DEBUG : SP_LOG_WARN, "probe %s: no breakpoint can be set at %#llx in process %d: %s",
		       bundle_text(bundle, bundle->sites[index].point), (unsigned long long)address,
		       (int)insertion->process->pid, reasons[result]);
		return;
	}
	brk->seen = true;
	if (has_site(brk, index))
		return;
	sp_vec_push(&brk->sites, index);
	if (!engine->inserted[index])
		sp_log(engine->input.log, SP_LOG_DEBUG, "probe %s: ptrace breakpoint at %#llx in process %d",
		       bundle_text(bundle, bundle->sites[index].point), (unsigned long long)address,
		       (int)insertion->process->pid);
	engine->inserted[index] = true;
}

static bool is_for(const struct sp_site *site, unsigned object, const struct ptrace_process *process)
{
	return site_is_uprobe(site) && site->object == object && (site->program == SP_NONE || site->program == process->program);
}

static bool holds(const struct image_mapping *mapping, uint64_t offset)
{
	return offset >= mapping->offset && offset - mapping->offset < mapping->end - mapping->start;
}

static bool insert_in_mapping(void *ctx, const struct image_mapping *mapping)
{
	const struct ptrace_insertion *insertion = ctx;
	const struct attach_ptrace *engine = insertion->engine;
	const struct bundle *bundle = engine->input.bundle;

	if (!mapping->executable && !mapping->writable)
		return true;
	for (unsigned i = 0; i < bundle->n_objects; i++) {
		const struct ptrace_object *object = &engine->objects[i];

		if (!is_mapped(object, mapping))
			continue;
		for (unsigned s = 0; s < bundle->n_sites; s++) {
			const struct sp_site *site = &bundle->sites[s];
			uint64_t offset, semaphore;

			if (!is_for(site, i, insertion->process))
				continue;
			offset = site->args.user.offset;
			semaphore = site->args.user.semaphore;
			if (mapping->executable && holds(mapping, offset))
				insert_site(insertion, s, mapping->start + (offset - mapping->offset));
			if (mapping->writable && semaphore && !insertion->looks && holds(mapping, semaphore))
				ptrace_space_count(insertion->process->space, mapping->start + (semaphore - mapping->offset), s);
		}
	}
	return true;
}

void ptrace_sites_look(struct attach_ptrace *engine, struct ptrace_process *process)
{
	struct ptrace_insertion insertion = { engine, process, true };

	if (!process->starts && !process->space->is_cleared)
		sp_err_free(image_each_mapping(process->space->pid, insert_in_mapping, &insertion));
}

// ---- the dynamic linker ----------------------------------------------------------------------------------------------

struct linker {
	uint64_t base, entry; // from the auxiliary vector: of the linker (0: the kernel has mapped none), of the program
	pid_t pid;
	char *path; // NULL: not found
};

static bool find_linker(void *ctx, const struct image_mapping *mapping)
{
	struct linker *linker = ctx;

	if (mapping->start != linker->base)
		return true;
	linker->path = image_mapping_path(linker->pid, mapping);
	return false;
}

static void watch_start(struct ptrace_process *process, uint64_t entry)
{
	struct ptrace_break *brk;

	process->starts = process->starts && ptrace_space_add(process->space, entry, &brk) == PTRACE_ADDED;
	if (process->starts)
		brk->is_start = true;
}

// Debuggers stop in the function that the linker calls for them when it has mapped libraries and before their
// constructors run. Without its symbol the program's entry has to do, which is behind those. A static program may have the function linked in.
static void watch_linker(struct ptrace_process *process, struct linker *linker, uint64_t file_entry)
{
	static const char name[] = "_dl_debug_state";
	bool is_own = !linker->base; // it is static, or a linker itself: `/lib64/ld-linux-x86-64.so.2 ./prog`
	struct ptrace_break *brk;
	uint64_t address;
	char exe[32];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)linker->pid);
	if (is_own)
		linker->base = linker->entry - file_entry;
	else
		sp_err_free(image_each_mapping(linker->pid, find_linker, linker));
	address = image_file_address(linker->path ? linker->path : exe, name, true);
	process->has_linker = !is_own || address;
	process->starts = process->starts && process->has_linker;
	process->linker_entry = is_own && address ? linker->entry : 0;
	if (!process->linker_entry)
		watch_start(process, linker->entry);
	if (!process->has_linker)
		address = image_file_address(exe, name, false);
	if ((address || process->has_linker) &&
	    ptrace_space_add(process->space, address ? linker->base + address : linker->entry, &brk) == PTRACE_ADDED)
		brk->linker = true;
}

static bool is_program(const struct bundle *bundle, unsigned object)
{
	for (unsigned s = 0; s < bundle->n_sites; s++)
		if (bundle->sites[s].program == object)
			return true;
	return false;
}

// A linker that was started as a program maps the one that it is for before all others.
static bool find_started(void *ctx, const struct image_mapping *mapping)
{
	const struct ptrace_insertion *insertion = ctx;
	struct ptrace_process *process = insertion->process;
	sp_cleanup_free char *path = NULL;
	uint64_t offset;

	if (!mapping->executable || process->linker_entry - mapping->start < mapping->end - mapping->start)
		return true;
	for (unsigned i = 0; i < insertion->engine->input.bundle->n_objects; i++)
		if (is_mapped(&insertion->engine->objects[i], mapping) && is_program(insertion->engine->input.bundle, i))
			process->program = i;
	if (!process->starts)
		return true;
	process->linker_entry = 0;
	path = image_mapping_path(process->space->pid, mapping);
	if (!image_file_entry(path, &offset) && holds(mapping, offset))
		watch_start(process, mapping->start + (offset - mapping->offset));
	return false;
}

// Returns the address of its first instruction, as its file says.
static uint64_t find_program(const struct attach_ptrace *engine, struct ptrace_process *process)
{
	sp_cleanup_close int fd = ptrace_proc_open_fd(process->space->pid, "exe", O_RDONLY);
	Elf64_Ehdr head;
	struct stat st;

	process->program = SP_NONE;
	if (fd < 0 || fstat(fd, &st))
		return 0;
	for (unsigned i = 0; i < engine->input.bundle->n_objects; i++)
		if (is_file(&engine->objects[i], &st))
			process->program = i;
	if (read(fd, &head, sizeof(head)) != sizeof(head))
		return 0;
	if (head.e_ident[EI_CLASS] == ELFCLASS64)
		return head.e_entry;
	process->space->bits = 32;
	return (uint32_t)head.e_entry; // it is at the same place
}

// A program that is met running has the handler of SIGTRAP before the first breakpoint, if a thread sleeps that can set it.
static void set_handler(const struct attach_ptrace *engine, struct ptrace_process *process, uint64_t near)
{
	sp_hash_each(it, &engine->threads) {
		struct ptrace_thread *thread = it->value;

		if (thread->process != process || !thread->running || !ptrace_call_stop(thread->tid))
			continue;
		if (ptrace_area_begin(process->space, thread->tid, near))
			ptrace_trap_restore(thread);
		ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
		ptrace_thread_resume(thread, 0);
		return;
	}
}

// A place that calls return to, in a library that was unloaded: what is mapped there now is other code, and it may be within an instruction.
static bool is_replaced(const struct ptrace_space *space, const struct ptrace_break *brk)
{
	uint8_t byte;

	return !brk->sites.n && !brk->linker && !brk->is_start && !brk->sigaction && ptrace_space_peek(space, brk->address, &byte, 1) &&
	       byte != PTRACE_CPU_BREAK;
}

void ptrace_sites_insert(struct attach_ptrace *engine, struct ptrace_process *process)
{
	struct ptrace_insertion insertion = { .engine = engine, .process = process };
	struct sp_err *err;

	sp_hash_each(it, &process->space->breaks)
		((struct ptrace_break *)it->value)->seen = false;
	ptrace_space_forget_counters(process->space);
	if (process->linker_entry)
		sp_err_free(image_each_mapping(process->space->pid, find_started, &insertion));
	// What files are looked through for comes first: a thread that has hit a probe waits for the others.
	err = image_each_mapping(process->space->pid, ptrace_trap_insert, &insertion);
	if (!err)
		err = image_each_mapping(process->space->pid, insert_in_mapping, &insertion);
	if (err) {
		// If the process is gone, wait(2) will report its end. Else what it has mapped since is not probed: an ordinary user may
		// not look at one that has made itself undumpable.
		bool is_ours = err->errno_value == EMFILE || err->errno_value == ENFILE, is_gone = err->errno_value == ENOENT || err->errno_value == ESRCH;

		engine->has_failed |= is_ours;
		sp_err_tell(engine->input.log, is_ours ? SP_LOG_ERROR : is_gone ? SP_LOG_DEBUG : SP_LOG_WARN, err);
		return;
	}
	sp_hash_each(it, &process->space->breaks) {
		struct ptrace_break *brk = it->value;

		if ((!brk->seen && brk->sites.n) || is_replaced(process->space, brk))
			ptrace_space_remove(process->space, brk);
	}
	if (engine->input.maps)
		engine->input.maps(engine->input.ctx, process->pid);
	ptrace_area_forget(process->space);
	ptrace_space_put_back(process->space);
}

void ptrace_sites_begin(struct attach_ptrace *engine, struct ptrace_process *process)
{
	pid_t pid = process->space->pid;
	struct linker linker = { .pid = pid, .base = image_auxv(pid, AT_BASE), .entry = image_auxv(pid, AT_ENTRY) };
	uint64_t file_entry = find_program(engine, process);

	if (engine->ending)
		return;
	if (process->space->bits == 64 && !engine->traces_syscalls) // the call that goes on would be seen as another
		set_handler(engine, process, linker.entry);
	watch_linker(process, &linker, file_entry);
	free(linker.path);
	ptrace_sites_insert(engine, process);
}
