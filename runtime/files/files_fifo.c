// SPDX-License-Identifier: GPL-2.0-or-later
// The files as FIFOs, where no file system can be mounted. Nothing tells that somebody opens one to read it, so that is tried again
// and again. Each reader gets a FIFO of its own: the next one is there before the text is written to this one.
#define _GNU_SOURCE

#include "runtime/files/files.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LOOK_NS 20000000 // how often readers are looked for
#define CHUNK 65536 // what is written without an end comes in parts of this size

struct fifo {
	char *path, *next_path;
	bool is_write;
	int fd; // is_write: where others write; else the reader who waits for the rest of `text`; -1: none
	struct sp_buf text; // what has come, or is still to be written
};

struct fifo_files {
	struct files_input input;
	struct fifo *fifos; // by entry
	int epoll, timer;
};

static struct sp_err *make_fifo(const char *path, unsigned mode)
{
	// This process opens the other end.
	if (mkfifo(path, 0600) || chmod(path, mode | 0600))
		return sp_err_errno(errno, "cannot make the FIFO %s", path);
	return NULL;
}

static struct sp_err *make_folders(const char *folder, char *path)
{
	for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
		bool failed;

		*at = '\0';
		failed = mkdir(path, 0755) && errno != EEXIST;
		*at = '/';
		if (failed)
			return sp_err_errno(errno, "cannot make a folder for the FIFO %s", path);
	}
	return NULL;
}

static struct sp_err *watch(const struct fifo_files *f, int fd, uint32_t events, uint32_t index)
{
	struct epoll_event event = { .events = events, .data.u32 = index };

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &event) ? sp_err_errno(errno, "epoll_ctl") : NULL;
}

static struct sp_err *open_for_writers(const struct fifo_files *f, unsigned index)
{
	struct fifo *fifo = &f->fifos[index];

	fifo->fd = open(fifo->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fifo->fd < 0 ? sp_err_errno(errno, "cannot open the FIFO %s", fifo->path) : watch(f, fifo->fd, EPOLLIN, index);
}

static struct sp_err *add_fifo(struct fifo_files *f, const char *folder, unsigned index)
{
	const struct files_entry *entry = &f->input.entries[index];
	struct fifo *fifo = &f->fifos[index];

	fifo->is_write = entry->mode & 0222;
	if (asprintf(&fifo->path, "%s/%s", folder, entry->name) < 0 || asprintf(&fifo->next_path, "%s/.next%u", folder, index) < 0)
		return sp_err_errno(errno, "asprintf");
	SP_TRY(make_folders(folder, fifo->path));
	SP_TRY(make_fifo(fifo->path, entry->mode));
	return fifo->is_write ? open_for_writers(f, index) : NULL;
}

static void close_fifo(struct fifo *fifo)
{
	if (fifo->fd >= 0)
		close(fifo->fd);
	fifo->fd = -1;
	sp_buf_clear(&fifo->text);
}

static void fifo_destroy(void *files)
{
	struct fifo_files *f = files;

	for (unsigned i = 0; i < f->input.n_entries; i++) {
		close_fifo(&f->fifos[i]);
		sp_buf_deinit(&f->fifos[i].text);
		if (f->fifos[i].path)
			unlink(f->fifos[i].path);
		free(f->fifos[i].path);
		free(f->fifos[i].next_path);
	}
	if (f->timer >= 0)
		close(f->timer);
	if (f->epoll >= 0)
		close(f->epoll);
	free(f->fifos);
	free(f);
}

static struct sp_err *start(struct fifo_files *f, const char *folder)
{
	struct itimerspec when = { .it_value.tv_nsec = LOOK_NS, .it_interval.tv_nsec = LOOK_NS };

	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	f->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (f->epoll < 0 || f->timer < 0 || timerfd_settime(f->timer, 0, &when, NULL))
		return sp_err_errno(errno, "cannot wait for FIFOs");
	SP_TRY(watch(f, f->timer, EPOLLIN, UINT32_MAX));
	for (unsigned i = 0; i < f->input.n_entries; i++)
		SP_TRY(add_fifo(f, folder, i));
	return NULL;
}

static struct sp_err *fifo_create(const struct files_input *input, const char *folder, void **ret)
{
	struct fifo_files *f = sp_calloc(1, sizeof(*f));
	struct sp_err *err;

	*f = (struct fifo_files){ .input = *input, .epoll = -1, .timer = -1 };
	f->fifos = sp_calloc(input->n_entries, sizeof(*f->fifos));
	for (unsigned i = 0; i < input->n_entries; i++)
		f->fifos[i].fd = -1;
	err = start(f, folder);
	if (err) {
		fifo_destroy(f);
		return err;
	}
	*ret = f;
	return NULL;
}

static int fifo_fd(const void *files)
{
	return ((const struct fifo_files *)files)->epoll;
}

// ---- texts ----------------------------------------------------------------------------------------------------------

static void tell_written(struct fifo_files *f, unsigned index)
{
	const struct files_peer nobody = { 0 };
	struct sp_buf *text = &f->fifos[index].text;
	size_t done = 0, taken;

	do {
		taken = f->input.write(f->input.ctx, index, &nobody, sp_buf_str(text) + done, text->len - done);
		done += taken;
	} while (taken && done < text->len);
	sp_buf_clear(text);
}

static void take_written(struct fifo_files *f, unsigned index)
{
	struct fifo *fifo = &f->fifos[index];
	sp_cleanup_free char *chunk = sp_malloc(CHUNK);
	int old = fifo->fd;
	ssize_t n = 0;

	while (fifo->text.len < CHUNK && (n = read(fifo->fd, chunk, CHUNK)) > 0)
		sp_buf_add(&fifo->text, chunk, (size_t)n);
	if (n < 0)
		return;
	// Who wrote has closed it. A new descriptor, because this one is ready from now on; first, for what others have written since.
	if (!n) {
		sp_err_free(open_for_writers(f, index));
		close(old);
	}
	if (fifo->text.len)
		tell_written(f, index);
}

static void write_rest(struct fifo *fifo)
{
	ssize_t n = fifo->text.len ? sp_file_write_quietly(fifo->fd, fifo->text.data, fifo->text.len) : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0 || (size_t)n == fifo->text.len) {
		close_fifo(fifo);
		return;
	}
	memmove(fifo->text.data, fifo->text.data + n, fifo->text.len - (size_t)n);
	fifo->text.len -= (size_t)n;
}

static void look_for_reader(struct fifo_files *f, unsigned index)
{
	const struct files_peer nobody = { 0 };
	struct fifo *fifo = &f->fifos[index];

	fifo->fd = open(fifo->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fifo->fd < 0)
		return;
	unlink(fifo->next_path);
	sp_err_free(make_fifo(fifo->next_path, f->input.entries[index].mode));
	renameat(AT_FDCWD, fifo->next_path, AT_FDCWD, fifo->path);
	f->input.read(f->input.ctx, index, &nobody, &fifo->text);
	sp_err_free(watch(f, fifo->fd, EPOLLOUT, index));
	write_rest(fifo);
}

static bool fifo_serve(void *files)
{
	struct fifo_files *f = files;
	struct epoll_event events[16];
	int n = epoll_wait(f->epoll, events, SP_ARRAY_SIZE(events), 0);
	uint64_t ticks;

	for (int i = 0; i < n; i++) {
		uint32_t index = events[i].data.u32;

		if (index == UINT32_MAX && read(f->timer, &ticks, sizeof(ticks)) > 0) {
			for (unsigned k = 0; k < f->input.n_entries; k++)
				if (!f->fifos[k].is_write && f->fifos[k].fd < 0)
					look_for_reader(f, k);
		} else if (index < f->input.n_entries && f->fifos[index].fd >= 0) {
			if (f->fifos[index].is_write)
				take_written(f, index);
			else
				write_rest(&f->fifos[index]);
		}
	}
	return true;
}

const struct files_system files_fifo = { fifo_create, fifo_fd, fifo_serve, fifo_destroy };
