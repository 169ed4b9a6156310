// SPDX-License-Identifier: GPL-2.0-or-later
// The doors of text files that others have a part in: what /proc says of processes (names of programs and mapped files) and of
// the kernel's symbols, and the user's rc file. Each input is all of them.
#define _GNU_SOURCE // memfd_create, RTLD_NEXT
#include "compiler/cli/rcfile.c"
#include "compiler/debug/dbg.h"
#include "compiler/debug/dbg_process.h"
#include "runtime/machine/image.h"
#include "runtime/ptrace/ptrace_proc.h"
#include "testsuite/fuzz/near.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PID 1 // whoever that is

static struct {
	const char *bytes;
	size_t len;
} input;

static bool is_door(const char *path)
{
	return input.bytes && (sp_starts_with(path, "/proc/1/") || sp_streq(path, "/proc/kallsyms") || sp_streq(path, "/fuzz/rc"));
}

static int open_door(void)
{
	int fd = memfd_create("door", MFD_CLOEXEC);

	if (fd < 0 || fchmod(fd, 0600) || write(fd, input.bytes, input.len) != (ssize_t)input.len || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

// Those of libc are not asked for these.
FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*next)(const char *, const char *);

	if (is_door(path))
		return fdopen(open_door(), "r");
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fopen");
	return next(path, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return is_door(path) ? open_door() : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void read_text(const char *text)
{
	if (!text || strlen(text) > input.len || strchr(text, '\n'))
		abort();
}

static bool look_at_symbol(void *ctx, uint64_t address, const char *name, const char *module)
{
	(void)ctx, (void)address;
	read_text(name);
	if (module)
		read_text(module);
	return true;
}

static bool look_at_mapping(void *ctx, const struct image_mapping *mapping)
{
	(void)ctx;
	read_text(mapping->path);
	return true;
}

static bool look_at_range(void *ctx, const struct ptrace_range *range)
{
	(void)ctx;
	read_text(range->name);
	return true;
}

static bool look_at_mapped(void *ctx, const struct dbg_mapped *mapped)
{
	(void)ctx;
	read_text(mapped->inner);
	return mapped->path;
}

// The kernel's types are read once, and never forgotten.
static void read_symbols(void)
{
	static struct dbg_module *module;
	struct dbg_funcs funcs;

	if (!module)
		sp_err_free(dbg_kernel(dbg_create(&(struct dbg_opts){ .log = NULL }), &module));
	if (module)
		dbg_find_symbols(module, "*", &funcs);
}

// Its messages are not read by anybody.
static void read_rc(void)
{
	char *words[] = { (char *)"spile", NULL };
	FILE *messages = stderr, *nowhere = tmpfile();
	struct rcfile rc;

	stderr = nowhere;
	if (rcfile_read(1, words, &rc) == 0)
		rcfile_deinit(&rc);
	stderr = messages;
	fclose(nowhere);
}

static void check(const char *bytes, size_t len)
{
	struct vm_task task = { 0 };
	uint64_t address;
	int number;

	input.bytes = bytes;
	input.len = len;
	sp_err_free(image_each_kernel_symbol(look_at_symbol, NULL));
	sp_err_free(image_kernel_address("vfs_read", &address));
	sp_err_free(image_each_mapping(PID, look_at_mapping, NULL));
	ptrace_proc_each_range(PID, look_at_range, NULL);
	dbg_process_mappings(PID, look_at_mapped, NULL);
	ptrace_proc_status(PID, "TracerPid: %d", &number);
	ptrace_proc_signals(PID, "SigCgt: %lx");
	ptrace_proc_state(PID);
	ptrace_proc_ids(PID, &task);
	ptrace_proc_stat(PID, &task);
	if (strnlen(task.comm, sizeof(task.comm)) == sizeof(task.comm))
		abort();
	if (LLVMFuzzerMutate)
		read_symbols();
	read_rc();
	input.bytes = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	setenv("SYSTEMTAP_DIR", "/fuzz", 1);
	fuzz_near(data, size, check);
	return 0;
}
