// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_user.h"

#include "runtime/attach/attach_apart.h"
#include "runtime/attach/attach_event.h"
#include "runtime/base/x86_insn.h"
#include "runtime/load/fixup.h"
#include "runtime/load/site.h"
#include "runtime/machine/image.h"
#include "runtime/machine/privilege.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_ENOTSUPP 524 // of the kernel's own errno values; not in errno.h
// errno values of ours
#define WOULD_CALL 10000
#define WOULD_MISTAKE 10001
#define WOULD_MISTAKE_32 10002

bool attach_user_is_refusal(int error)
{
	return error == KERNEL_ENOTSUPP || error == EOPNOTSUPP || error == ENOEXEC || error == EINVAL || error == EIO;
}

static bool is_64_bit(int fd)
{
	unsigned char ident[EI_NIDENT];

	return pread(fd, ident, sizeof(ident), 0) != sizeof(ident) || ident[EI_CLASS] != ELFCLASS32;
}

struct sp_err *attach_user_open(struct attach *attach, uint32_t object)
{
	struct attach_file *file = &attach->files[object];

	if (file->fd >= 0)
		return NULL;
	SP_TRY(fixup_open_program(attach->bundle, object, &file->fd));
	snprintf(file->link, sizeof(file->link), "/proc/self/fd/%d", file->fd);
	// /proc can be of another PID namespace.
	file->path = access(file->link, F_OK) ? bundle_text(attach->bundle, attach->bundle->objects[object].path) : file->link;
	return NULL;
}

// Where a file is mapped the kernel looks at the instruction at once, and refuses what it cannot move. A program that starts
// later would run there without its probe, in silence. So we map the file ourselves, while its probes are attached; but no program
// of 32 bits, because the kernel looks at the instruction once, as one of the first process that has it mapped, and we run in
// 64-bit mode: `jmp *address` would become another instruction, which ends the program.
void attach_user_map(struct attach_file *file)
{
	struct stat st;
	void *at;

	if (file->at || fstat(file->fd, &st) || st.st_size <= 0 || !is_64_bit(file->fd))
		return; // attaching says what is wrong with it
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (at == MAP_FAILED)
		return;
	file->at = at;
	file->size = (size_t)st.st_size;
}

void attach_user_close(struct attach_file *file)
{
	if (file->at)
		munmap(file->at, file->size);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct attach_file){ .fd = -1 };
}

// ---- places at which this kernel would damage the program ---------------------------------------------------------------

#if defined(__x86_64__)
// From Linux 6.18 on the kernel puts a call in the place of a nop of five bytes after the first hit there. The call writes its return
// address below the stack pointer, where a function that calls no other one may keep its variables (the red zone of the ABI). At
// the beginning of a function nothing is there yet.
static bool calls_at_nops(void)
{
	uint64_t address;
	struct sp_err *err = image_kernel_address("arch_uprobe_optimize", &address);
	bool has_it = !err || err->code != SP_ERR_NOT_FOUND;

	sp_err_free(err);
	return has_it;
}

static bool is_nop_of_five(const uint8_t *code, size_t size)
{
	struct x86_insn insn;

	if (!x86_insn_decode(code, size, 64, &insn) || insn.length != 5)
		return false;
	if (insn.map == 1)
		return code[insn.opcode] == 0x1f;
	return insn.map == 0 && (code[insn.opcode] == 0x90 || (code[insn.opcode] == 0x8d && code[4] == 0)); // nop; lea 0(%rsi),%rsi
}

// Of an instruction with a VEX or EVEX prefix the kernel takes the opcode for that of an old instruction of one byte, and does what that
// one would: the register is not written, the thread goes on elsewhere. (What it refuses to probe is none of these.)
static bool is_mistaken(const uint8_t *code, size_t size, unsigned bits)
{
	struct x86_insn insn;

	if (!x86_insn_decode(code, size, bits, &insn) || !insn.vex)
		return false;
	switch (code[insn.opcode]) {
	case 0x90: // nop
	case 0x9a: // call
	case 0x9d: // popf
	case 0xc2: // ret
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xe8: // call
	case 0xe9: // jmp
	case 0xea:
	case 0xeb:
		return true;
	}
	return (code[insn.opcode] & 0xf0) == 0x70; // jumps with a condition
}

// The kernel looks at an instruction once for all processes: as 64-bit code when the first one that has the file mapped is a 64-bit
// process, which may be a debugger that reads it. Of a program of 32 bits it then takes an address for a distance from the instruction,
// and inc and dec for a prefix, and the program goes wrong.
static bool is_mistaken_32(const uint8_t *code, size_t size)
{
	struct x86_insn insn;

	return x86_insn_decode(code, size, 64, &insn) && (insn.rip_relative || insn.rex);
}

// Of x86 the kernel refuses what has a prefix that locks the bus or names a segment.
static bool has_refused_prefix(const uint8_t *code, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (code[i] == 0xf0 || code[i] == 0x26 || code[i] == 0x2e || code[i] == 0x36 || code[i] == 0x3e)
			return true;
		if (code[i] != 0x66 && code[i] != 0xf2 && code[i] != 0xf3)
			return false;
	}
	return false;
}

void attach_user_protect(struct attach *attach)
{
	const struct bundle *bundle = attach->bundle;
	int calls = -1; // not asked

	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];
		uint8_t code[X86_INSN_MAX];
		ssize_t n;
		int fd;

		if (!site_is_uprobe(site))
			continue;
		sp_err_free(attach_user_open(attach, site->object)); // attaching says what is wrong with it
		fd = attach->files[site->object].fd;
		n = pread(fd, code, sizeof(code), (off_t)site->args.user.offset);
		if (n <= 0)
			continue;
		attach->suspect[i] = has_refused_prefix(code, (size_t)n);
		if (is_mistaken(code, (size_t)n, is_64_bit(fd) ? 64 : 32))
			attach->refused[i] = WOULD_MISTAKE;
		else if (!is_64_bit(fd) && is_mistaken_32(code, (size_t)n))
			attach->refused[i] = WOULD_MISTAKE_32;
		else if (site->flags & SP_SITE_INSIDE && is_nop_of_five(code, (size_t)n) &&
			 (calls >= 0 ? calls : (calls = calls_at_nops())))
			attach->refused[i] = WOULD_CALL;
	}
}
#else
void attach_user_protect(struct attach *attach)
{
	(void)attach;
}
#endif

struct sp_err *attach_user_explain(const struct bundle *bundle, const struct sp_site *site, int error)
{
	const char *path = bundle_text(bundle, bundle->objects[site->object].path);
	uint64_t offset = site->args.user.offset;

	switch (error) {
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "%s cannot be probed at offset %#llx: it is not a regular file, or ends before that",
				  path, (unsigned long long)offset);
	case KERNEL_ENOTSUPP:
	case EOPNOTSUPP:
	case ENOEXEC:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not probe the instruction at offset %#llx of %s",
				  (unsigned long long)offset, path);
	case WOULD_MISTAKE:
	case WOULD_MISTAKE_32:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel %s instruction at offset %#llx of %s for another one, and would "
				  "do that in its place; probe another instruction, or use --engine=user",
				  error == WOULD_MISTAKE ? "takes the vector" : "can take the 32-bit", (unsigned long long)offset, path);
	case WOULD_CALL:
		return sp_err_new(SP_ERR_PRIVILEGE, "the instruction at offset %#llx of %s is a nop of 5 bytes: this kernel would put a call there, "
				  "over the red zone; probe another instruction, or use --engine=user", (unsigned long long)offset, path);
	case EIO:
		return sp_err_new(SP_ERR_PRIVILEGE, "the file system of %s cannot be probed", path);
	case EPERM:
	case EACCES:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not permit it: %s", privilege_uprobe_hint());
	case ESRCH:
		return sp_err_new(SP_ERR_NOT_FOUND, "the target process has ended");
	}
	return sp_err_errno(error, "%s at offset %#llx", path, (unsigned long long)offset);
}

// What attach_event() is asked.
struct asked {
	const struct perf_event_attr *attr;
	pid_t pid;
	int program;
	uint64_t cookie;
	int *fd_ret;
};

static int make_uprobe(void *ctx)
{
	const struct asked *asked = ctx;

	return attach_event(asked->attr, asked->pid ? asked->pid : -1, asked->pid ? -1 : 0, asked->program, asked->cookie, asked->fd_ret);
}

struct sp_err *attach_user_uprobe(struct attach *attach, const struct sp_site *site, int program,
				  uint64_t cookie, int *fd_ret)
{
	struct attach_file *file = &attach->files[site->object];
	struct perf_event_attr attr = { .size = sizeof(attr), .probe_offset = site->args.user.offset };
	struct asked asked = { &attr, attach->pid, program, cookie, fd_ret };
	int error;

	if (!attach->uprobe_type)
		SP_TRY(privilege_event_type("uprobe", &attach->uprobe_type));
	attr.type = attach->uprobe_type;
	SP_TRY(attach_user_open(attach, site->object));
	attr.uprobe_path = (uintptr_t)file->path;
	if (!attach->pid)
		attach_user_map(file);
	attr.config = site->args.user.semaphore << ATTACH_EVENT_SEMAPHORE |
		      (site->kind == SP_SITE_URETPROBE ? ATTACH_EVENT_RETURN : 0);
	error = attach_apart_make(make_uprobe, &asked, EINTR);
	return error ? attach_user_explain(attach->bundle, site, error) : NULL;
}
