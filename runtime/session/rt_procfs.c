// SPDX-License-Identifier: GPL-2.0-or-later
// The files of procfs("NAME") probes: which there are, and what their handlers say.
#define _GNU_SOURCE // basename

#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/files/files.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#define COMM_PATH 32 // "/proc/4194304/comm"

struct rt_files {
	struct spilert *rt;
	struct files *files;
	struct files_entry *entries;
	unsigned n;
	struct sp_buf *reading; // what the handler that runs has to give; NULL: none runs
	bool told_cut;
};

static const char *entry_of(const struct spilert *rt, const struct sp_site *site)
{
	return bundle_text(rt->bundle, site->symbol);
}

static unsigned mode_of(const struct sp_site *site)
{
	return (site->args.procfs.is_write ? 0222 : 0444) & ~site->args.procfs.umask;
}

static void add_site(struct rt_files *f, const struct sp_site *site)
{
	const char *name = entry_of(f->rt, site);

	for (unsigned i = 0; i < f->n; i++)
		if (sp_streq(f->entries[i].name, name)) {
			f->entries[i].mode |= mode_of(site);
			return;
		}
	f->entries[f->n++] = (struct files_entry){ name, mode_of(site) };
}

// ---- handlers -------------------------------------------------------------------------------------------------------

// The handler is of the process that reads or writes.
static void set_peer(struct vm_task *task, const struct files_peer *peer)
{
	char path[COMM_PATH];
	FILE *file;

	if (!peer || !peer->pid)
		return;
	task->pid = task->tid = (uint32_t)peer->pid;
	task->uid = task->euid = (uint32_t)peer->uid;
	task->gid = task->egid = (uint32_t)peer->gid;
	memset(task->comm, 0, sizeof(task->comm));
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)peer->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(task->comm, sizeof(task->comm), file))
		task->comm[strcspn(task->comm, "\n")] = '\0';
	fclose(file);
}

// No peer: the process is our own.
static void run_handlers(struct spilert *rt, const char *name, bool is_write, const struct files_peer *peer)
{
	const struct bundle *bundle = rt->bundle;

	for (unsigned i = 0; i < bundle->n_sites && !rt_is_over(rt); i++) {
		const struct sp_site *site = &bundle->sites[i];
		struct vm_task task;

		if (site->kind != SP_SITE_PROCFS || site->args.procfs.is_write != is_write ||
		    !sp_streq(entry_of(rt, site), name))
			continue;
		rt_own_task(rt, &task);
		set_peer(&task, peer);
		rt_process_handler(rt, i, &task, NULL, 0);
	}
	transport_flush(&rt->transport);
}

// 0: as long as it likes.
static size_t most_of(const struct rt_files *f, unsigned entry)
{
	size_t most = 0;

	for (unsigned i = 0; i < f->rt->bundle->n_sites; i++) {
		const struct sp_site *site = &f->rt->bundle->sites[i];

		if (site->kind == SP_SITE_PROCFS && sp_streq(entry_of(f->rt, site), f->entries[entry].name))
			most = SP_MAX(most, (size_t)site->args.procfs.most);
	}
	return most ? most : SP_PROCFS_MOST;
}

static void read_entry(void *ctx, unsigned entry, const struct files_peer *peer, struct sp_buf *ret)
{
	struct rt_files *f = ctx;
	size_t most = most_of(f, entry);

	f->reading = ret;
	run_handlers(f->rt, f->entries[entry].name, false, peer);
	f->reading = NULL;
	if (ret->len <= most)
		return;
	ret->len = most;
	ret->data[most] = '\0';
	if (!f->told_cut)
		sp_log(&f->rt->log, SP_LOG_WARN, "procfs(\"%s\").read gives more than %zu bytes, which are cut: .maxsize(N) makes room",
		       f->entries[entry].name, most);
	f->told_cut = true;
}

size_t rt_file_written(struct spilert *rt, const char *name, const struct files_peer *peer, const char *text, size_t size)
{
	const struct bundle *bundle = rt->bundle;

	for (unsigned i = 0; i < bundle->n_globals; i++) {
		const struct sp_global *global = &bundle->globals[i];
		char *value = (char *)rt->data + global->offset;

		if (!sp_streq(bundle_text(bundle, global->name), SP_VALUE_GLOBAL) || global->type != SP_STRING)
			continue;
		size = SP_MIN(size, (size_t)global->size - 1);
		memset(value, 0, global->size);
		memcpy(value, text, size);
	}
	run_handlers(rt, name, true, peer);
	return size;
}

static size_t write_entry(void *ctx, unsigned entry, const struct files_peer *peer, const char *text, size_t size)
{
	struct rt_files *f = ctx;

	return rt_file_written(f->rt, f->entries[entry].name, peer, text, size);
}

void rt_file_value(void *ctx, const struct sp_buf *text, bool more)
{
	struct spilert *rt = ctx;
	struct sp_buf *value = rt->files ? rt->files->reading : NULL;

	if (!value)
		return;
	if (!more)
		sp_buf_clear(value);
	if (value->len <= SP_PROCFS_MOST)
		sp_buf_add(value, sp_buf_str(text), text->len);
}

// ---- the session ----------------------------------------------------------------------------------------------------

// What people may call the folder: the name that was given, or that of the script. free(3).
static char *alias_of(const struct spilert *rt)
{
	const char *given = rt->opts.name ? rt->opts.name : bundle_text(rt->bundle, rt->bundle->head->script);
	char *name = sp_strdup(basename(given)), *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = '\0';
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
			name[0] = '\0';
	if (*name)
		return name;
	free(name);
	return NULL;
}

struct sp_err *rt_files_start(struct spilert *rt)
{
	sp_cleanup_free char *alias = NULL;
	char session[32];
	struct rt_files *f = sp_calloc(1, sizeof(*f));
	struct files_input input = { .session = session, .log = &rt->log, .read = read_entry, .write = write_entry, .ctx = f };

	f->rt = rt;
	f->entries = sp_calloc(rt->bundle->n_sites, sizeof(*f->entries));
	rt->files = f;
	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		if (rt->bundle->sites[i].kind == SP_SITE_PROCFS && *entry_of(rt, &rt->bundle->sites[i]) != '/') // not the standard input
			add_site(f, &rt->bundle->sites[i]);
	if (!f->n)
		return NULL;
	snprintf(session, sizeof(session), "spile_%d", (int)rt->self); // module_name()
	alias = alias_of(rt);
	input.alias = alias;
	input.entries = f->entries;
	input.n_entries = f->n;
	return files_create(&input, &f->files);
}

int rt_files_fd(const struct spilert *rt)
{
	return rt->files && rt->files->files ? files_fd(rt->files->files) : -1;
}

void rt_files_serve(struct spilert *rt)
{
	if (files_serve(rt->files->files))
		return;
	sp_log(&rt->log, SP_LOG_WARN, "the files of procfs probes are gone: somebody has unmounted them");
	epoll_ctl(rt->epoll_fd, EPOLL_CTL_DEL, rt_files_fd(rt), NULL);
}

void rt_files_end(struct spilert *rt)
{
	rt_input_end(rt);
	if (!rt->files)
		return;
	files_destroy(rt->files->files);
	free(rt->files->entries);
	free(rt->files);
	rt->files = NULL;
}
