// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // pthread_cond_clockwait
#include "runtime/print/writer.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/vec.h"
#include "runtime/machine/sandbox.h"
#include "runtime/session/child.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 20 // how often it is looked whether waiting is to end
#define MOST (1u << 20) // bytes in a write to a file

enum item_kind { ITEM_TEXT, ITEM_MESSAGE, ITEM_COMMAND, ITEM_SWITCH };

struct item {
	enum item_kind kind;
	enum sp_log_level level;
	struct sp_buf text;
};

struct writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, less; // there is something to do; something was done
	SP_VEC(struct item) items;
	size_t waiting; // bytes of text, with those that are being written
	bool busy; // with an item that is not on the list any more
	bool ends;
	int error;
	int fd;
	struct rotation *rotation; // NULL: there is one file
	size_t most; // bytes that a write may have without waiting for long
	const struct sp_log *log;
	const sigset_t *signals;
	bool sandbox;
};

// ---- the thread ------------------------------------------------------------------------------------------------------

static bool is_ending(struct writer *writer)
{
	bool ends;

	pthread_mutex_lock(&writer->lock);
	ends = writer->ends;
	pthread_mutex_unlock(&writer->lock);
	return ends;
}

static void note_written(struct writer *writer, size_t size)
{
	pthread_mutex_lock(&writer->lock);
	writer->waiting -= size;
	pthread_cond_broadcast(&writer->less);
	pthread_mutex_unlock(&writer->lock);
}

// What cannot be switched goes on as it is: output is not lost for that.
static void switch_file(struct writer *writer)
{
	struct sp_err *err = writer->rotation ? rotation_switch(writer->rotation) : NULL;

	if (err) {
		sp_cleanup_free char *why = sp_err_text(err);

		sp_log(writer->log, SP_LOG_WARN, "the output stays in the same file: %s", why);
		sp_err_free(err);
	}
	if (writer->rotation)
		writer->fd = rotation_fd(writer->rotation);
}

// How many of the bytes go to the file that is open.
static size_t find_room(struct writer *writer, const char *text, size_t len)
{
	size_t room = writer->rotation ? rotation_room(writer->rotation, text, len) : len;

	if (!room) {
		switch_file(writer);
		room = rotation_room(writer->rotation, text, len);
	}
	return SP_MIN(room ? room : len, writer->most);
}

// Returns an errno, or 0.
static int write_text(struct writer *writer, const char *text, size_t len)
{
	while (len && !is_ending(writer)) {
		struct pollfd p = { .fd = writer->fd, .events = POLLOUT };
		size_t room;
		ssize_t n;
		int state;

		if (poll(&p, 1, LOOK_MS) == 0)
			continue;
		room = find_room(writer, text, len);
		// Another writer may have filled the pipe since: then this one is cancelled when it is to end.
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
		n = write(writer->fd, text, room);
		pthread_setcancelstate(state, NULL);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return errno;
		if (n <= 0)
			continue;
		if (writer->rotation)
			rotation_wrote(writer->rotation, (size_t)n);
		text += n;
		len -= (size_t)n;
		note_written(writer, (size_t)n);
	}
	note_written(writer, len);
	return 0;
}

void writer_run_command(const struct sp_log *log, const sigset_t *signals, const char *command)
{
	struct sp_err *err = child_run(command, signals);

	if (err) {
		sp_cleanup_free char *why = sp_err_text(err);

		sp_log(log, SP_LOG_WARN, "cannot run `%s`: %s", command, why);
		sp_err_free(err);
	}
}

static void handle(struct writer *writer, struct item *item)
{
	int error = 0;

	switch (item->kind) {
	case ITEM_TEXT:
		error = writer->error ? 0 : write_text(writer, item->text.data, item->text.len);
		break;
	case ITEM_MESSAGE:
		sp_log(writer->log, item->level, "%s", sp_buf_str(&item->text));
		break;
	case ITEM_COMMAND:
		writer_run_command(writer->log, writer->signals, sp_buf_str(&item->text));
		break;
	case ITEM_SWITCH:
		switch_file(writer);
		break;
	}
	sp_buf_deinit(&item->text);
	if (!error)
		return;
	pthread_mutex_lock(&writer->lock);
	writer->error = error;
	writer->waiting = 0;
	pthread_mutex_unlock(&writer->lock);
}

static void *writer_main(void *arg)
{
	struct writer *writer = arg;

	if (writer->sandbox)
		sandbox_drop_capabilities(writer->rotation ? SANDBOX_REMOVE : 0);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_mutex_lock(&writer->lock);
	for (;;) {
		__typeof__(writer->items) items = writer->items;

		writer->busy = items.n;
		if (!items.n) {
			pthread_cond_broadcast(&writer->less);
			if (writer->ends)
				break;
			pthread_cond_wait(&writer->more, &writer->lock);
			continue;
		}
		memset(&writer->items, 0, sizeof(writer->items));
		pthread_mutex_unlock(&writer->lock);
		sp_vec_each(item, &items)
			handle(writer, item);
		sp_vec_deinit(&items);
		pthread_mutex_lock(&writer->lock);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

// ---- the others' side ------------------------------------------------------------------------------------------------

struct sp_err *writer_start(int fd, struct rotation *rotation, const struct sp_log *log, const sigset_t *signals, bool sandbox, struct writer **ret)
{
	struct writer *writer = sp_calloc(1, sizeof(*writer));
	sigset_t all, old;
	struct stat st;
	int error;

	writer->fd = rotation ? rotation_fd(rotation) : fd;
	writer->rotation = rotation;
	writer->log = log;
	writer->signals = signals;
	writer->sandbox = sandbox;
	writer->most = fstat(writer->fd, &st) == 0 && S_ISREG(st.st_mode) ? MOST : PIPE_BUF;
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->more, NULL);
	pthread_cond_init(&writer->less, NULL);
	// Signals are for the session; SIGPIPE, of a reader that went away, must not kill the process.
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&writer->thread, NULL, writer_main, writer);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error) {
		free(writer);
		return sp_err_errno(error, "cannot start the thread that writes");
	}
	*ret = writer;
	return NULL;
}

void writer_end(struct writer *writer)
{
	if (!writer)
		return;
	pthread_mutex_lock(&writer->lock);
	writer->ends = true;
	pthread_cond_broadcast(&writer->more);
	if (writer->busy || writer->items.n) // only then: it takes a library, which is looked for and mapped
		pthread_cancel(writer->thread);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	sp_vec_each(item, &writer->items)
		sp_buf_deinit(&item->text);
	sp_vec_deinit(&writer->items);
	pthread_cond_destroy(&writer->more);
	pthread_cond_destroy(&writer->less);
	pthread_mutex_destroy(&writer->lock);
	free(writer);
}

static void put(struct writer *writer, const struct item *item)
{
	pthread_mutex_lock(&writer->lock);
	if (item->kind == ITEM_TEXT && !writer->error)
		writer->waiting += item->text.len;
	sp_vec_push(&writer->items, *item);
	pthread_cond_broadcast(&writer->more);
	pthread_mutex_unlock(&writer->lock);
}

void writer_text(struct writer *writer, struct sp_buf *text)
{
	put(writer, &(struct item){ .kind = ITEM_TEXT, .text = *text });
	*text = (struct sp_buf){ 0 };
}

void writer_message(struct writer *writer, enum sp_log_level level, const char *text)
{
	struct item item = { .kind = ITEM_MESSAGE, .level = level };

	sp_buf_puts(&item.text, text);
	put(writer, &item);
}

void writer_command(struct writer *writer, const char *command)
{
	struct item item = { .kind = ITEM_COMMAND };

	sp_buf_puts(&item.text, command);
	put(writer, &item);
}

void writer_switch(struct writer *writer)
{
	put(writer, &(struct item){ .kind = ITEM_SWITCH });
}

size_t writer_waiting(struct writer *writer)
{
	size_t waiting;

	pthread_mutex_lock(&writer->lock);
	waiting = writer->waiting;
	pthread_mutex_unlock(&writer->lock);
	return waiting;
}

bool writer_is_full(struct writer *writer)
{
	return writer_waiting(writer) > WRITER_ROOM;
}

int writer_error(struct writer *writer)
{
	int error;

	pthread_mutex_lock(&writer->lock);
	error = writer->error;
	pthread_mutex_unlock(&writer->lock);
	return error;
}

bool writer_wait(struct writer *writer, size_t left, bool (*gives_up)(void *ctx, unsigned idle_ms), void *ctx)
{
	unsigned idle_ms = 0;
	bool done = true;

	pthread_mutex_lock(&writer->lock);
	while (writer->waiting > left || (!left && (writer->items.n || writer->busy))) {
		size_t before = writer->waiting;
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		// The clock that others may not set back.
		idle_ms = pthread_cond_clockwait(&writer->less, &writer->lock, CLOCK_MONOTONIC, &until) && writer->waiting == before ?
				  idle_ms + LOOK_MS : 0;
		if (idle_ms && gives_up(ctx, idle_ms)) {
			done = false;
			break;
		}
	}
	pthread_mutex_unlock(&writer->lock);
	return done;
}
