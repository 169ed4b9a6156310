// SPDX-License-Identifier: GPL-2.0-or-later
/** Answers GET /metrics on 127.0.0.1.
 *
 *  A thread of its own talks to clients, with limits on their number, on their requests, and on their time: none of them can keep the
 *  session from its work. The session makes the text when it is asked for, at most five times a second, as only it may look at the
 *  script's variables. */
#ifndef SP_RUNTIME_METRICS_SERVER_H
#define SP_RUNTIME_METRICS_SERVER_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

struct metrics_server;

/** Listens on that port, 0: on any. `sandbox`: its thread has no privileges. */
struct sp_err *metrics_server_open(unsigned port, bool sandbox, struct metrics_server **ret);
/** NULL is fine. */
void metrics_server_close(struct metrics_server *server);

unsigned metrics_server_port(const struct metrics_server *server);
/** Is readable when a text is wanted. */
int metrics_server_fd(const struct metrics_server *server);
/** Gives a text, which is emptied. */
void metrics_server_give(struct metrics_server *server, struct sp_buf *text);

#endif
