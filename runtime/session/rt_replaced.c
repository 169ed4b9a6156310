// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that are replaced while they are probed: a probe is at a place in a file, and a new file of the same name is another one.
// When it is the same build, its code is at the same places, and the probes are set in it, too; processes that run the old file are
// seen as before. The folders of the files are watched. A file that is written over is another one with the old one's probes, whose
// places are not the same: it loses them before it is whole and can be run. An overlay file system copies a file of a lower layer
// before that is changed at all, its owner say: the copy has its device and inode numbers, but is born later.
#define _GNU_SOURCE // basename
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/fixup.h"
#include "runtime/load/site.h"

#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const char *path_of(const struct spilert *rt, unsigned object)
{
	return bundle_text(rt->bundle, rt->bundle->objects[object].path);
}

static bool is_for_program(const struct bundle *bundle, unsigned object)
{
	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (bundle->sites[i].program == object)
			return true;
	return false;
}

static bool is_probed(const struct bundle *bundle, unsigned object)
{
	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (site_is_uprobe(&bundle->sites[i]) && bundle->sites[i].object == object)
			return true;
	return is_for_program(bundle, object);
}

// Which file it is now: the open one, or with -1 what its path names.
static bool look_at(const struct spilert *rt, int fd, struct rt_program *program)
{
	struct statx st;

	if (statx(fd < 0 ? AT_FDCWD : fd, fd < 0 ? path_of(rt, program->object) : "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st))
		return false;
	program->device = makedev(st.stx_dev_major, st.stx_dev_minor);
	program->inode = st.stx_ino;
	program->born_ns = (uint64_t)st.stx_btime.tv_sec * 1000000000 + st.stx_btime.tv_nsec;
	return true;
}

static bool is_another(const struct spilert *rt, const struct rt_program *program, struct rt_program *now_ret)
{
	*now_ret = *program;
	return look_at(rt, -1, now_ret) && (now_ret->device != program->device || now_ret->inode != program->inode ||
					    now_ret->born_ns != program->born_ns);
}

// Of a folder that cannot be watched, and of a link that is made to another file, rt_programs_tell() tells.
static void watch_folder(struct spilert *rt, const char *path)
{
	const char *slash = strrchr(path, '/');
	sp_cleanup_free char *folder = slash ? sp_strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;

	if (folder)
		inotify_add_watch(rt->programs_fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR);
}

static void watch_file(const struct spilert *rt, struct rt_program *program)
{
	program->watch = inotify_add_watch(rt->programs_fd, path_of(rt, program->object), IN_MODIFY | IN_ONESHOT);
}

void rt_programs_note(struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_objects; i++) {
		struct rt_program program = { .object = i, .watch = -1 };
		int fd = rt->load ? rt->attach.files[i].fd : -1; // its path can name another one already

		if (rt->bundle->objects[i].kind == SP_OBJECT_PROGRAM && is_probed(rt->bundle, i) && look_at(rt, fd, &program))
			sp_vec_push(&rt->programs, program);
	}
}

// ---- what has changed ------------------------------------------------------------------------------------------------

static bool set_in_kernel(struct spilert *rt, unsigned object)
{
	const struct bundle *bundle = rt->bundle;
	bool ok = true;

	if (is_for_program(bundle, object))
		ok = !rt_finish(rt, rt_follow_program(rt, object));
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < bundle->n_sites; i++) {
			unsigned index = round ? bundle->n_sites - 1 - i : i;
			const struct sp_site *site = &bundle->sites[index];

			if (!site_is_uprobe(site) || site->object != object || site_last_runs_first(site->kind) != (round > 0) ||
			    rt_is_disarmed(rt, site->prog) || !rt->attach.hooks[index])
				continue;
			rt->attach.hooks[index] = NULL; // the links to the old file stay
			ok &= !rt_finish(rt, attach_site(&rt->attach, index));
		}
	}
	attach_settle(&rt->attach);
	return ok;
}

static void tell_other(const struct spilert *rt, unsigned object, const char *by)
{
	sp_log(&rt->log, SP_LOG_WARN, "%s was replaced by %s while it was probed: processes that run the new file are not all seen; start the "
	       "script again", path_of(rt, object), by);
}

static void set_probes(struct spilert *rt, unsigned object)
{
	bool ok = true;

	if (rt->ptrace)
		attach_ptrace_replaced(rt->ptrace, object);
	else if (rt->load)
		ok = set_in_kernel(rt, object);
	if (ok)
		sp_log(&rt->log, SP_LOG_INFO, "%s was replaced by a file of the same build: its probes are set there, too", path_of(rt, object));
}

static void take_change(struct spilert *rt, struct rt_program *program, bool is_told_only)
{
	struct rt_program now;
	struct sp_err *err;

	if (!is_another(rt, program, &now))
		return;
	*program = now;
	watch_file(rt, program);
	err = fixup_check_object(rt->bundle, program->object);
	if (err || is_told_only || !rt->bundle->objects[program->object].build_id_len)
		tell_other(rt, program->object, err ? "another build" : "another file");
	else
		set_probes(rt, program->object);
	sp_err_free(err);
}

static void take_written(struct spilert *rt, struct rt_program *program)
{
	struct rt_program now;

	program->watch = -1;
	if (is_another(rt, program, &now)) // a copy was written, which has no probes yet; when it is whole, take_change() looks at it
		return;
	if (rt->ptrace)
		attach_ptrace_forget(rt->ptrace, program->object);
	else if (rt->load)
		rt_detach_part(rt, SP_NONE, program->object);
	tell_other(rt, program->object, "what was written over it");
}

static void take_event(struct spilert *rt, const struct inotify_event *event)
{
	sp_vec_each(program, &rt->programs) {
		if (event->mask & IN_MODIFY && event->wd == program->watch)
			take_written(rt, program);
		else if (event->len && sp_streq(basename(path_of(rt, program->object)), event->name))
			take_change(rt, program, false);
	}
}

// The kernel marks all files of a folder that it knows of, which takes milliseconds where they are many.
void rt_programs_watch(struct spilert *rt)
{
	if (!rt->programs.n)
		return;
	rt->programs_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	sp_vec_each(program, &rt->programs) {
		watch_folder(rt, path_of(rt, program->object));
		watch_file(rt, program);
		take_change(rt, program, false);
	}
}

void rt_programs_look(struct spilert *rt)
{
	char bytes[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t size;

	while (rt->programs_fd >= 0 && (size = read(rt->programs_fd, bytes, sizeof(bytes))) > 0)
		for (char *at = bytes; at < bytes + size;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			at += sizeof(*event) + event->len;
			take_event(rt, event);
		}
}

void rt_programs_tell(struct spilert *rt)
{
	sp_vec_each(program, &rt->programs)
		take_change(rt, program, true);
}
