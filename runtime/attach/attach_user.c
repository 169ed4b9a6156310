// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_user.h"

#include "runtime/attach/attach_event.h"
#include "runtime/machine/privilege.h"

#include <errno.h>

static struct sp_err *explain_uprobe(const char *path, uint64_t offset, int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return sp_err_new(SP_ERR_NOT_FOUND, "there is no file %s", path);
	case EINVAL:
		return sp_err_new(SP_ERR_PRIVILEGE, "%s cannot be probed at offset %#llx: it is not a regular file, or ends before that",
				  path, (unsigned long long)offset);
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
	attr.config = site->args.user.semaphore << ATTACH_EVENT_SEMAPHORE |
		      (site->kind == SP_SITE_URETPROBE ? ATTACH_EVENT_RETURN : 0);
	error = attach_event(&attr, attach->pid ? attach->pid : -1, attach->pid ? -1 : 0, program, cookie, fd_ret);
	return error ? explain_uprobe(path, site->args.user.offset, error) : NULL;
}
