// SPDX-License-Identifier: GPL-2.0-or-later
/** The thread that writes a session's output, messages and commands, in their order. Whoever handles events never waits
 *  for a reader: a traced process would stand still, and no signal would be seen. */
#ifndef SP_RUNTIME_WRITER_H
#define SP_RUNTIME_WRITER_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"
#include "runtime/print/rotation.h"

#include <signal.h>

#define WRITER_ROOM (16u << 20) // bytes that may wait; then output is dropped and counted, where nobody can wait for it

struct writer;

/** `rotation`: the files that are written instead of `fd`; NULL. `log` gets the messages, in the writer's thread; `signals`: the mask of commands that are run, NULL: this thread's. `sandbox`: none are,
 *  and the thread has no privileges. */
struct sp_err *writer_start(int fd, struct rotation *rotation, const struct sp_log *log, const sigset_t *signals, bool sandbox, struct writer **ret);
/** NULL is fine. Ends the thread; what is still waiting is dropped. */
void writer_end(struct writer *writer);

/** Takes the text over and leaves the buffer empty. */
void writer_text(struct writer *writer, struct sp_buf *text);
void writer_message(struct writer *writer, enum sp_log_level level, const char *text);
void writer_command(struct writer *writer, const char *command);
/** What comes from here on goes to the next file of the rotation. */
void writer_switch(struct writer *writer);

/** Runs a command now, here. */
void writer_run_command(const struct sp_log *log, const sigset_t *signals, const char *command);

bool writer_is_full(struct writer *writer);
/** Why writing has failed: an errno; 0: it has not. */
int writer_error(struct writer *writer);
/** Waits until so many bytes are left, at most. False: it was not written, because `gives_up` has said so, which is asked
 *  now and then, with the time in ms since something was written. */
bool writer_wait(struct writer *writer, size_t left, bool (*gives_up)(void *ctx, unsigned idle_ms), void *ctx);
/** The bytes of text that wait. */
size_t writer_waiting(struct writer *writer);

#endif
