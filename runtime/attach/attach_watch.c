// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_watch.h"

#include "runtime/attach/attach_event.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/image.h"
#include "runtime/machine/privilege.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

// Where a process has a file.
struct place {
	struct stat file;
	const char *path;
	uint64_t start; // of its first byte
	bool has_start, has_code;
};

static bool look_at_mapping(void *ctx, const struct image_mapping *mapping)
{
	struct place *place = ctx;

	if (!image_mapping_is(mapping, place->file.st_dev, place->file.st_ino, place->path))
		return true;
	if (!mapping->offset && !place->has_start) {
		place->start = mapping->start;
		place->has_start = true;
	}
	place->has_code |= mapping->executable; // who only reads the file, as we do, does not run it
	return !place->has_start || !place->has_code;
}

static bool find_place(const struct bundle *bundle, const struct sp_site *site, pid_t pid, struct place *ret)
{
	sp_cleanup_free char *real = NULL;
	const char *path = bundle_text(bundle, bundle->objects[site->object].path);

	*ret = (struct place){ 0 };
	if (stat(path, &ret->file))
		return false;
	ret->path = real = realpath(path, NULL);
	sp_err_free(image_each_mapping(pid, look_at_mapping, ret));
	return ret->has_start && ret->has_code;
}

static struct sp_err *watch_thread(struct attach *attach, const struct attach_watch *watch, const struct place *place, pid_t tid)
{
	const struct sp_site *site = &attach->bundle->sites[watch->site];
	struct perf_event_attr attr = { .size = sizeof(attr), .inherit = 1 };
	int fd, error;

	attach_event_watch(site, site->args.watch.address + (site->args.watch.is_relative ? place->start : 0), &attr);
	error = attach_event(&attr, tid, -1, watch->program, watch->cookie, &fd);
	if (error == ESRCH)
		return NULL; // the thread has ended
	if (!error)
		sp_vec_push(&attach->links, (struct attach_link){ .site = watch->site, .fd = fd });
	return privilege_explain_event(error, &attr);
}

// Each thread that there is; those that it makes inherit it.
static struct sp_err *watch_process(struct attach *attach, const struct attach_watch *watch, pid_t pid, bool *found_ret)
{
	struct place place;
	char path[64];
	DIR *folder;
	struct sp_err *err = NULL;

	if (!find_place(attach->bundle, &attach->bundle->sites[watch->site], pid, &place))
		return NULL;
	*found_ret = true;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	for (struct dirent *entry; folder && !err && (entry = readdir(folder));)
		if (sp_proc_entry(entry->d_name))
			err = watch_thread(attach, watch, &place, sp_proc_entry(entry->d_name));
	if (folder)
		closedir(folder);
	return err;
}

static struct sp_err *watch_all(struct attach *attach, const struct attach_watch *watch, bool *found_ret)
{
	DIR *folder = opendir("/proc");
	struct sp_err *err = NULL;

	for (struct dirent *entry; folder && !err && (entry = readdir(folder));)
		if (sp_proc_entry(entry->d_name))
			err = watch_process(attach, watch, sp_proc_entry(entry->d_name), found_ret);
	if (folder)
		closedir(folder);
	return err;
}

struct sp_err *attach_watch(struct attach *attach, unsigned index, int program, uint64_t cookie)
{
	const struct sp_site *site = &attach->bundle->sites[index];
	const struct attach_watch watch = { index, program, cookie };
	bool is_found = false;

	if (attach->target_waits) {
		sp_vec_push(&attach->watches, watch);
		return NULL;
	}
	SP_TRY(attach->target ? watch_process(attach, &watch, attach->target, &is_found) : watch_all(attach, &watch, &is_found));
	if (is_found)
		return NULL;
	return sp_err_new(SP_ERR_NOT_FOUND, "no process has %s: memory is watched in the process of -c or -x, or in those that run already",
			  bundle_text(attach->bundle, attach->bundle->objects[site->object].path));
}

bool attach_watch_waits(const struct attach *attach)
{
	return attach->watches.n > 0;
}

struct sp_err *attach_watch_start(struct attach *attach)
{
	attach->target_waits = false;
	sp_vec_each(watch, &attach->watches) {
		const struct sp_site *site = &attach->bundle->sites[watch->site];
		struct sp_err *err = attach_watch(attach, watch->site, watch->program, watch->cookie);

		if (err)
			return sp_err_wrap(err, "cannot attach probe %s (watchpoint)", bundle_text(attach->bundle, site->point));
	}
	attach->watches.n = 0;
	return NULL;
}
