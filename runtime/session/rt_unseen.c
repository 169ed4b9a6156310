// SPDX-License-Identifier: GPL-2.0-or-later
// Why a session may have seen nothing. No handler counts that it runs: that would cost each event. But what handlers do can be told: when
// they have printed nothing and no variable has changed, it is worth a look who runs the probed programs.
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/site.h"
#include "runtime/machine/image.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull

static void start(struct spilert *rt)
{
	if (!rt->programs.n)
		return;
	rt->data_before = sp_malloc(rt->bundle->head->data_size);
	memcpy(rt->data_before, rt->data, rt->bundle->head->data_size);
}

// A hash of the kernel's tells that without being read: it may be large.
static bool has_key(const struct spilert *rt, unsigned map)
{
	for (enum load_array_map i = 0; rt->load && i < LOAD_ARRAY_MAPS; i++) {
		int fd = load_array_fds(rt->load, i)[map];
		struct bpf_map_info info = { 0 };
		uint32_t size = sizeof(info);
		sp_cleanup_free void *key = NULL;

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) ||
		    (info.type != BPF_MAP_TYPE_HASH && info.type != BPF_MAP_TYPE_PERCPU_HASH))
			continue;
		key = sp_malloc(info.key_size);
		if (!bpf_map_get_next_key(fd, NULL, key))
			return true;
	}
	return false;
}

// A scalar aggregate is always there, and all zeros when it is empty.
static bool has_element(const struct spilert *rt, unsigned map)
{
	struct store_iter *iter = store_iter_open(rt->store, map, 0, 0, 1);
	size_t size = rt->bundle->maps[map].value_size;
	sp_cleanup_free char *value = sp_calloc(1, size), *key = sp_calloc(1, rt->bundle->maps[map].key_size);
	bool any = store_iter_next(iter, key, value) > 0, is_empty = rt->bundle->maps[map].kind == SP_MAP_STAT;

	for (size_t i = 0; i < size; i++)
		is_empty &= !value[i];
	store_iter_close(iter);
	return any && !is_empty;
}

static bool has_changed(const struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_globals; i++) {
		const struct sp_global *global = &rt->bundle->globals[i];

		if (memcmp((char *)rt->data + global->offset, (char *)rt->data_before + global->offset, global->size))
			return true;
	}
	for (unsigned i = 0; i < rt->bundle->n_maps; i++)
		if (has_key(rt, i) || has_element(rt, i))
			return true;
	return false;
}

struct places {
	const struct spilert *rt;
	const struct rt_program *program;
	const char *path;
	bool is_mapped; // the file is: the process has not ended meanwhile
	int n_elsewhere; // that are not in the file's own code
};

static bool look_for_places(void *ctx, const struct image_mapping *mapping)
{
	struct places *places = ctx;

	if (!image_mapping_is(mapping, places->program->device, places->program->inode, places->path))
		return true;
	places->is_mapped = true;
	for (unsigned i = 0; mapping->executable && i < places->rt->bundle->n_sites; i++) {
		const struct sp_site *site = &places->rt->bundle->sites[i];

		if (site_is_uprobe(site) && site->object == places->program->object)
			places->n_elsewhere -= site->args.user.offset - mapping->offset < mapping->end - mapping->start;
	}
	return true;
}

// Some programs copy their code into large pages when they start: probes are in the file's.
static bool tell_moved(const struct spilert *rt, const struct rt_program *program, pid_t pid, const char *path)
{
	struct places places = { rt, program, path, false, 0 };

	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		places.n_elsewhere += site_is_uprobe(&rt->bundle->sites[i]) && rt->bundle->sites[i].object == program->object;
	sp_err_free(image_each_mapping(pid, look_for_places, &places));
	if (!places.is_mapped || places.n_elsewhere <= 0)
		return false;
	sp_log(&rt->log, SP_LOG_WARN, "nothing was seen, though process %d runs %s: its code is elsewhere (in large pages, say)",
	       (int)pid, path);
	return true;
}

// When the process began, by the clock that files are born by; UINT64_MAX: it has ended.
static uint64_t began_ns(pid_t pid)
{
	char path[32], text[1024], *at;
	struct timespec boot, now;
	uint64_t ticks;
	sp_cleanup_close int fd = -1;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[SP_MAX(len, 0)] = 0;
	at = strrchr(text, ')'); // behind the name, which may have any characters
	for (int i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%" SCNu64, &ticks) != 1)
		return UINT64_MAX;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)(now.tv_sec - boot.tv_sec) * NS_PER_S + (uint64_t)(now.tv_nsec - boot.tv_nsec) +
	       ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

// An overlay file system copies a file of a lower layer when it is changed, its owner say: uprobes are in the copy, and a process that was
// there before runs the other one. Neither has numbers of its own by which the process's mappings could tell.
static bool tell_copied(const struct spilert *rt, const struct rt_program *program, pid_t pid, const char *path)
{
	struct statfs fs;
	uint64_t began = began_ns(pid);

	if (rt->user_engine || statfs(path, &fs) || fs.f_type != OVERLAYFS_SUPER_MAGIC || began == UINT64_MAX ||
	    program->born_ns <= began + NS_PER_S / 50) // both are known by ticks of 10 ms at most
		return false;
	sp_log(&rt->log, SP_LOG_WARN, "nothing was seen, though process %d runs %s: its overlay file system has copied that file since the "
	       "process began, and the probes are in the copy; start the process again, or use --engine=user", (int)pid, path);
	return true;
}

// Tells of a process that runs the program and is not probed. Returns whether it has said something.
static bool tell_process(const struct spilert *rt, const struct rt_program *program, pid_t pid)
{
	const char *path = bundle_text(rt->bundle, rt->bundle->objects[program->object].path), *name = strrchr(path, '/');
	bool is_ours = rt->confined ? family_has(&rt->family, pid) : pid == rt->target;
	char link[32], exe[PATH_MAX], *slash;
	struct stat st;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	len = readlinkat(AT_FDCWD, link, exe, sizeof(exe) - 1);
	if (len < 0 || !name || stat(link, &st))
		return false;
	exe[len] = 0;
	slash = strrchr(exe, '/');
	if (st.st_dev == program->device && st.st_ino == program->inode) {
		if (!rt->target || is_ours)
			return tell_moved(rt, program, pid, exe) || tell_copied(rt, program, pid, path);
		sp_log(&rt->log, SP_LOG_WARN, "nothing was seen, though process %d runs %s: with -%c its probes are for %s and what it starts; "
		       "-x %d is for that process", (int)pid, path, rt->child.pid ? 'c' : 'x', rt->child.pid ? "the command" : "the process", (int)pid);
		return true;
	}
	if (!slash || !sp_streq(slash, name) || (rt->target && !is_ours))
		return false;
	sp_log(&rt->log, SP_LOG_WARN, "nothing was seen, though process %d runs a %s, which is another file: process(%d) is the one that it runs",
	       (int)pid, path, (int)pid);
	return true;
}

static bool tell_program(const struct spilert *rt, const struct rt_program *program)
{
	DIR *dir = opendir("/proc");
	bool told = false;

	for (struct dirent *entry; dir && !told && (entry = readdir(dir));)
		if (sp_proc_entry(entry->d_name))
			told = tell_process(rt, program, sp_proc_entry(entry->d_name));
	if (dir)
		closedir(dir);
	return told;
}

static void tell(const struct spilert *rt)
{
	if (!rt->data_before || rt->was_seen || has_changed(rt))
		return;
	sp_vec_each(program, &rt->programs)
		if (tell_program(rt, program))
			return;
}

SP_EXPORT const struct spilert_unseen spilert_unseen = { start, tell };
