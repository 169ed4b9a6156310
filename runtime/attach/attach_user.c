// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_user.h"

#include "runtime/attach/attach_event.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/privilege.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_ENOTSUPP 524 // of the kernel's own errno values; not in errno.h

bool attach_user_is_refusal(int error)
{
	return error == KERNEL_ENOTSUPP || error == EOPNOTSUPP || error == ENOEXEC || error == EINVAL || error == EIO;
}

static bool is_64_bit(int fd)
{
	unsigned char ident[EI_NIDENT];

	return pread(fd, ident, sizeof(ident), 0) != sizeof(ident) || ident[EI_CLASS] != ELFCLASS32;
}

// Where a file is mapped the kernel looks at the instruction at once, and refuses what it cannot move. A program that starts
// later would run there without its probe, in silence. So we map the file ourselves, while its probes are attached; but no program
// of 32 bits, because the kernel looks at the instruction once, as one of the first process that has it mapped, and we run in
// 64-bit mode: `jmp *address` would become another instruction, which ends the program.
void attach_user_map(struct attach *attach, uint32_t object)
{
	struct attach_mapping *mapping = &attach->mappings[object];
	sp_cleanup_close int fd = -1;
	struct stat st;
	void *at;

	if (mapping->at)
		return;
	fd = open(bundle_text(attach->bundle, attach->bundle->objects[object].path), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || !is_64_bit(fd))
		return; // attaching says what is wrong with it
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at != MAP_FAILED)
		*mapping = (struct attach_mapping){ at, (size_t)st.st_size };
}

void attach_user_unmap(struct attach *attach, uint32_t object)
{
	struct attach_mapping *mapping = &attach->mappings[object];

	if (mapping->at)
		munmap(mapping->at, mapping->size);
	*mapping = (struct attach_mapping){ 0 };
}

#if defined(__x86_64__)
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
#else
static bool has_refused_prefix(const uint8_t *code, size_t n)
{
	(void)code, (void)n;
	return false;
}
#endif

bool attach_user_is_suspect(const struct attach *attach, const struct sp_site *site)
{
	const struct attach_mapping *mapping = &attach->mappings[site->object];
	uint64_t offset = site->args.user.offset;

	return mapping->at && offset < mapping->size &&
	       has_refused_prefix((const uint8_t *)mapping->at + offset, mapping->size - offset);
}

struct sp_err *attach_user_explain(const struct bundle *bundle, const struct sp_site *site, int error)
{
	const char *path = bundle_text(bundle, bundle->objects[site->object].path);
	uint64_t offset = site->args.user.offset;

	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return sp_err_new(SP_ERR_NOT_FOUND, "there is no file %s", path);
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "%s cannot be probed at offset %#llx: it is not a regular file, or ends before that",
				  path, (unsigned long long)offset);
	case KERNEL_ENOTSUPP:
	case EOPNOTSUPP:
	case ENOEXEC:
		return sp_err_new(SP_ERR_PRIVILEGE, "the kernel does not probe the instruction at offset %#llx of %s",
				  (unsigned long long)offset, path);
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

struct sp_err *attach_user_uprobe(struct attach *attach, const struct sp_site *site, int program,
				  uint64_t cookie, int *fd_ret)
{
	const char *path = bundle_text(attach->bundle, attach->bundle->objects[site->object].path);
	struct perf_event_attr attr = { .size = sizeof(attr), .uprobe_path = (uintptr_t)path,
					.probe_offset = site->args.user.offset };
	int error;

	SP_TRY(privilege_event_type("uprobe", &attr.type));
	if (!attach->pid)
		attach_user_map(attach, site->object);
	attr.config = site->args.user.semaphore << ATTACH_EVENT_SEMAPHORE |
		      (site->kind == SP_SITE_URETPROBE ? ATTACH_EVENT_RETURN : 0);
	error = attach_event(&attr, attach->pid ? attach->pid : -1, attach->pid ? -1 : 0, program, cookie, fd_ret);
	return error ? attach_user_explain(attach->bundle, site, error) : NULL;
}
